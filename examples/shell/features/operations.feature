Feature: Operations
  All that the dummy agent can do, at a desk.

  Background:
    Given the enrolled test repository
    And an issue

  Scenario: The agent can do each of its operations
    Given a dummy agent that would:
      | description           | op              | args                                    |
      | Miss the card         | assert_file     | out/card.json                           |
      | Take a card           | write_fixture   | out/card.json, fixtures/agent/card.json |
      | See the card          | assert_file     | out/card.json                           |
      | See the drawer        | assert_json     | out/card.json, drawer, B                |
      | Know its desk         | assert_env      | DESK, sort                              |
      | Find the job's events | assert_env      | GITHUB_EVENT_PATH                       |
      | Ask the library       | url_get         | http://library.test/hours               |
      | Read the readme       | read_file       | README.md                               |
      | Begin a branch        | checkout_branch | postroom/<issue>-shelf                  |
      | Read the marker       | read_file       | behaviour-marker.txt                    |
      | Name a shelf          | write_fixture   | out/shelf.txt, fixtures/sort/bugs.txt   |
    When the issue is labeled "to-sort"
    Then the sort workflow completes successfully
    And the agent will fail to Miss the card
    And the agent will succeed to See the card
    And the agent will succeed to See the drawer
    And the agent will succeed to Know its desk
    And the agent will fail to Find the job's events
    And the agent will succeed to Ask the library
    And the request to "http://library.test/hours" reached the network
    And the agent will succeed to Read the readme
    And the agent will succeed to Read the marker
    And branch "postroom/<issue>-shelf" exists

  Scenario: Somebody else's branch is left alone
    Given a remote branch "release/1.0" seeded with a commit
    And the tip of branch "release/1.0" is recorded
    And a dummy agent that would:
      | description        | op              | args                                  |
      | Take the release   | checkout_branch | release/1.0                           |
      | See what was there | read_file       | seeded.txt                            |
      | Name a shelf       | write_fixture   | out/shelf.txt, fixtures/sort/bugs.txt |
    When the issue is labeled "to-sort"
    Then the sort workflow fails reporting "branch release/1.0 is not the postroom's to push"
    And the agent will succeed to See what was there
    And branch "release/1.0" is unchanged
    And the issue does not have label "sorted"
