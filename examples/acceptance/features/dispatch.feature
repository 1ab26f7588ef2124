Feature: Dispatch
  Which event starts which agent.

  Background:
    Given the enrolled test repository
    And an issue
    And a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |

  Scenario: The agent's own label dispatches it exactly once
    When the issue is labeled "ready-for-triage"
    Then the harness "triage" was dispatched exactly 1 time
    And the triage workflow completes successfully
    And the agent will succeed to Emit triage JSON

  Scenario: Another label dispatches nothing
    When the issue is labeled "documentation"
    Then the harness "triage" agent did not run
    And the issue does not have label "triaged"
