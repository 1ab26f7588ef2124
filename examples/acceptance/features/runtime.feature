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

  Scenario: What people start tells its runtime, too
    Given the enrolled test repository
    And an issue
    And the file ".crew/config.yaml" of the repository has "prioritize: {enabled: true}" in the place of "prioritize: {enabled: false}"
    And the file ".crew/config.yaml" of the repository has "fix: {enabled: true}" in the place of "fix: {enabled: false}"
    And the file ".crew/config.yaml" of the repository has "retro: {enabled: true}" in the place of "retro: {enabled: false}"
    And the file ".crew/harness/review.yaml" of the repository has "== 'never' ||" in the place of "== 'opened' ||"
    And an open pull request on branch "topic"
    And a dummy "prioritize" agent that would:
      | description          | op            | args                                                    |
      | Emit prioritize JSON | write_fixture | output/agent-result.json, fixtures/prioritize/high.json |
    And a dummy "fix" agent that would:
      | description   | op              | args                                              |
      | Take the head | checkout_branch | topic                                             |
      | Emit fix JSON | write_fixture   | output/agent-result.json, fixtures/fix/fixed.json |
    And a dummy "retro" agent that would:
      | description     | op            | args                                                  |
      | Emit retro JSON | write_fixture | output/agent-result.json, fixtures/retro/lessons.json |
    When a comment "/crew-prioritize" is posted on the issue
    Then the harness "prioritize" workflow completes successfully
    And the agent will succeed to Emit prioritize JSON
    And the run selected the "dummy" runtime
    When a comment "/crew-fix" is posted on the pull request
    Then the harness "fix" workflow completes successfully
    And the agent will succeed to Take the head
    And the agent will succeed to Emit fix JSON
    And the run selected the "dummy" runtime
    When the pull request is merged by the write actor
    Then the harness "retro" workflow completes successfully
    And the agent will succeed to Emit retro JSON
    And the run selected the "dummy" runtime

  Scenario: A preset decides on what the repository leaves open
    Given the enrolled test repository with the config preset "fixtures/presets/careful.yaml"
    And an issue
    And a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the run selected the "dummy" runtime from ".crew/config.base.yaml"
    And the repository has a file ".crew/config.base.yaml" containing "effort: high"
