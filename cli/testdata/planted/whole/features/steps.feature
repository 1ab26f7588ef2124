Feature: Steps

  Scenario: A step that nobody defines
    Given an issue
    # lint: undefined-step
    When the moon is labeled "ready"
    Then the issue has label "x"

  Scenario: A table for a step that takes none
    # lint: unfit-step
    Given an issue
      | table |
    Then the issue has label "x"

  # lint: no-then
  Scenario: Nothing is expected
    Given an issue
    When the issue is labeled "other"

  # lint: no-then
  Scenario: Nothing at all

  Scenario Outline: Nothing is expected of any row, which is told of the first
    Given an issue with title "<title>" and body containing ""
    Examples:
      | title |
      # lint: no-then
      | one   |
      | two   |

  Scenario: A dispatch without a result
    Given an issue
    And a dummy agent that would:
      | description | op        | args      |
      | Look        | read_file | README.md |
    # lint: missing-result
    When the issue is labeled "ready"
    Then the triage workflow completes successfully

  Scenario: A dispatch without an agent
    Given an issue
    # lint: missing-result
    When the issue is labeled "ready"
    Then the issue has label "x"
