Feature: Commands
  A comment that begins with a command starts its agent, if the one who writes it may.

  Background:
    Given the enrolled test repository
    And an issue
    And the file ".crew/config.yaml" of the repository has "prioritize: {enabled: true}" in the place of "prioritize: {enabled: false}"
    And a dummy agent that would:
      | description          | op            | args                                                    |
      | Emit prioritize JSON | write_fixture | output/agent-result.json, fixtures/prioritize/high.json |

  Scenario: One who may write has the issue prioritized
    Given the issue is labeled "priority-low"
    When a comment "/crew-prioritize" is posted on the issue
    Then the harness "prioritize" was dispatched exactly 1 time
    And the harness "prioritize" workflow completes successfully
    And the agent will succeed to Emit prioritize JSON
    And the issue has label "priority-high"
    And the issue does not have label "priority-low"
    And the issue has a comment containing "Everybody loses data"

  Scenario: A stranger starts nothing
    When the outsider posts "/crew-prioritize" on the issue
    Then the harness "prioritize" agent did not run
    And the issue does not have label "priority-high"

  Scenario: Labels that are no priorities stay
    Given the issue is labeled "bug"
    When a comment "/crew-prioritize" is posted on the issue
    Then the harness "prioritize" workflow completes successfully
    And the agent will succeed to Emit prioritize JSON
    And the issue has label "priority-high"
    And the issue has label "bug"
