Feature: What an agent cannot do
  Nothing is public that the platform did not take, and nobody works whom nobody asked.

  Background:
    Given the enrolled test repository
    And an issue

  Scenario: A result that the platform does not take is not public
    Given a dummy agent that would:
      | description    | op            | args                                     |
      | Leave a result | write_fixture | <platform:result>, <platform:bad-result> |
    When the issue is labeled "<platform:label>"
    Then the <platform:stage> workflow fails reporting "<platform:bad-refusal>"
    And the agent will succeed to Leave a result
    And the issue does not have label "<platform:done>"

  Scenario: An agent that leaves nothing fails the run
    Given a dummy agent that would:
      | description     | op        | args      |
      | Read the readme | read_file | README.md |
    When the issue is labeled "<platform:label>"
    Then the <platform:stage> workflow fails reporting "<platform:no-refusal>"
    And the agent will succeed to Read the readme
    And the issue does not have label "<platform:done>"

  Scenario: Somebody else's branch is left alone
    Given a remote branch "release/1.0" seeded with a commit
    And the tip of branch "release/1.0" is recorded
    And a dummy agent that would:
      | description        | op              | args                                      |
      | Take the release   | checkout_branch | release/1.0                               |
      | See what was there | read_file       | seeded.txt                                |
      | Leave a result     | write_fixture   | <platform:result>, <platform:good-result> |
    When the issue is labeled "<platform:label>"
    Then the <platform:stage> workflow fails reporting "<platform:branch-refusal>"
    And the agent will succeed to Take the release
    And branch "release/1.0" is unchanged
    And the issue does not have label "<platform:done>"

  Scenario: Another label starts nobody
    Given a dummy agent that would:
      | description    | op            | args                                      |
      | Leave a result | write_fixture | <platform:result>, <platform:good-result> |
    When the issue is labeled "documentation"
    Then the harness "<platform:stage>" agent did not run
    And the issue does not have label "<platform:done>"

  Scenario: A platform that is switched off starts nobody
    Given the kill switch is active
    And a dummy agent that would:
      | description    | op            | args                                      |
      | Leave a result | write_fixture | <platform:result>, <platform:good-result> |
    When the issue is labeled "<platform:label>"
    Then the harness "<platform:stage>" agent did not run
    And the issue does not have label "<platform:done>"
