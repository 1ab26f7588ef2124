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

  Scenario: An agent's entry decides before the rest of the configuration
    Given the enrolled test repository
    And an issue
    And the repository agents are configured with:
      """
      triage:
        runtime: dummy
      """
    And a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the run selected the "dummy" runtime from "agents.triage"

  Scenario: A model is asked for, and the figures are what the runtime reports
    Given the enrolled test repository
    And an issue
    And the repository agents are configured with:
      """
      triage:
        model: haiku
        effort: low
      """
    And a dummy agent that would:
      | description        | op            | args                                                      |
      | Report its figures | write_fixture | usage.json, fixtures/agent/usage.json                     |
      | Emit triage JSON   | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Report its figures
    And the agent will succeed to Emit triage JSON
    And the run requested model "haiku" from "agents.triage" and the provider reported a "haiku" model
    And the run metrics report tokens
