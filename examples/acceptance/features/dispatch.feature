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

  Scenario: What a harness does not say, its base says
    Given a custom harness "parent" with:
      """
      agent: agents/parent.md
      role: helper
      trigger: event.transition.kind == 'label_changed' && event.transition.label.name == 'help'
      """
    And a custom harness "child" with base "parent" and:
      """
      slug: little-one
      """
    When the issue is labeled "help"
    Then the harness "child" workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the harness "parent" was dispatched exactly 1 time
    And the agent will succeed to Emit triage JSON

  Scenario: A harness that is wrong keeps no other agent from starting
    Given a custom harness "typo" with:
      """
      trigger: event.transition.lable.name == 'ready-for-triage'
      """
    And a custom harness "unknown-key" with:
      """
      triger: 'true'
      """
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the harness "typo" agent did not run
    And the harness "unknown-key" agent did not run

  Scenario: A denial says why
    When the issue is labeled "documentation"
    Then the job "dispatch" succeeds saying "no agent's trigger matches"
    And the harness "triage" agent did not run

  Scenario: Taking a label off starts nothing
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Emit triage JSON
    When the label "ready-for-triage" is removed from the issue
    Then the job "dispatch" succeeds saying "no agent's trigger matches"
    And the harness "triage" agent did not run

  Scenario: What starts nothing says why
    When the issue is labeled "ready-for-triage-later"
    Then the harness "triage" agent did not run
    And the job "dispatch" succeeds saying "agent triage is skipped: its trigger does not match"
    And the job "dispatch" succeeds saying "agent code is skipped: it is disabled"
    When a comment "/crew-triage" is posted on the issue by the triage actor
    Then the harness "triage" agent did not run
    And the job "dispatch" succeeds saying "has the role triage, which may not start agents"
    When the outsider posts "/crew-triage" on the issue
    Then the harness "triage" agent did not run
    And the job "dispatch" succeeds saying "has the role read, which may not start agents"
    Given the kill switch is active
    When the issue is labeled "ready-for-triage"
    Then the harness "triage" agent did not run
    And the job "dispatch" succeeds saying "the kill switch is active"
