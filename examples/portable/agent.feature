Feature: What an agent does
  A label starts the agent, whatever it is called; all that it can do, and what it finds in its place.

  Background:
    Given the enrolled test repository
    And an issue

  Scenario: A label leads to a run, the run to a comment and a label
    Given a dummy agent that would:
      | description     | op            | args                                      |
      | Leave a result  | write_fixture | <platform:result>, <platform:good-result> |
    When the issue is labeled "<platform:label>"
    Then the harness "<platform:stage>" was dispatched exactly 1 time
    And the <platform:stage> workflow completes successfully
    And the agent will succeed to Leave a result
    And the issue has label "<platform:done>"
    And the issue has a comment containing "<platform:answer>"

  Scenario: The agent can do each of its operations
    Given a dummy agent that would:
      | description           | op              | args                                                       |
      | Miss a file           | assert_file     | <platform:json>                                            |
      | Write a file          | write_fixture   | <platform:json>, <platform:json-fixture>                   |
      | See the file          | assert_file     | <platform:json>                                            |
      | See a value in it     | assert_json     | <platform:json>, <platform:json-key>, <platform:json-value> |
      | Know its task         | assert_env      | <platform:task-variable>, <platform:task>                  |
      | Find the job's events | assert_env      | GITHUB_EVENT_PATH                                          |
      | Ask an open host      | url_get         | <platform:open-url>                                        |
      | Ask a closed host     | url_get         | <platform:closed-url>                                      |
      | Read the readme       | read_file       | README.md                                                  |
      | Begin a branch        | checkout_branch | <platform:branch>                                          |
      | Read the marker       | read_file       | behaviour-marker.txt                                       |
      | Leave a result        | write_fixture   | <platform:result>, <platform:good-result>                  |
    When the issue is labeled "<platform:label>"
    Then the <platform:stage> workflow completes successfully
    And the agent will fail to Miss a file
    And the agent will succeed to Write a file
    And the agent will succeed to See the file
    And the agent will succeed to See a value in it
    And the agent will succeed to Know its task
    And the agent will fail to Find the job's events
    And the agent will succeed to Ask an open host
    And the agent will fail to Ask a closed host
    And the request to "<platform:open-url>" reached the network
    And the agent will succeed to Read the readme
    And the agent will succeed to Begin a branch
    And the agent will succeed to Read the marker
    And branch "<platform:branch>" exists
