Feature: Bases of harnesses
  A harness may be completed by another one, its base.

  Background:
    Given the enrolled test repository
    And an issue
    And a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |

  Scenario: Lists begin with what the base says
    Given a custom harness "parent" with:
      """
      agent: agents/parent.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "help"
      labels: [slow, careful]
      """
    And a custom harness "child" with base "parent" and:
      """
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "child"
      labels: [small]
      """
    When the issue is labeled "child"
    Then the harness "child" workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the job "dispatch" succeeds saying "agent child [slow, careful, small] is dispatched"
    And the harness "parent" agent did not run

  Scenario: A base that leads back to its harness keeps no other agent from starting
    Given a custom harness "round" with:
      """
      base: round.yaml
      trigger: event.transition.kind == "label_changed"
      """
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the harness "round" agent did not run
    And the job "dispatch" succeeds saying "harness/round.yaml: base goes round in a circle"

  Scenario: Variables of the base are there unless the harness has another value
    Given a dummy agent that would:
      | description         | op         | args           |
      | Know the base's     | assert_env | DEPTH, deep    |
      | Know its own        | assert_env | PACE, quick    |
    And a custom harness "parent" with:
      """
      agent: agents/parent.md
      role: helper
      env: {DEPTH: deep, PACE: slow}
      """
    And a custom harness "child" with base "parent" and:
      """
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "child"
      env: {PACE: quick}
      """
    When the issue is labeled "child"
    Then the harness "child" workflow completes successfully
    And the agent will succeed to Know the base's
    And the agent will succeed to Know its own
