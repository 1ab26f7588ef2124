Feature: Runtimes
  What drives an agent is chosen from what the repository says, and each run tells which it was and why.

  Scenario: The runtime is the one of the configuration
    Given the enrolled test repository
    And an issue
    And a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the run selected the "dummy" runtime from ".crew/config.yaml"
