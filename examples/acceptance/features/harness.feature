Feature: Agents of one's own
  A repository may bring agents of its own: a harness says what each is and which events start it.

  Background:
    Given the enrolled test repository
    And an issue
    And a dummy agent that would:
      | description | op            | args                                       |
      | Leave notes | write_fixture | output/notes.txt, fixtures/agent/notes.txt |

  Scenario: An agent is started by what its trigger says, and no other one is
    Given a custom harness "issue-only" with:
      """
      agent: agents/issue-only.md
      role: helper
      trigger: event.entity.kind == "work_item" && event.transition.kind == "label_changed" && event.transition.label.name == "help"
      """
    And a custom harness "pull-only" with:
      """
      agent: agents/pull-only.md
      role: helper
      trigger: event.entity.kind == "change_proposal"
      """
    When the issue is labeled "help"
    Then the harness "issue-only" was dispatched exactly 1 time
    And the harness "issue-only" workflow completes successfully
    And the agent will succeed to Leave notes
    And the agent will output notes.txt with:
      """
      issue 1: sufficient
      """
    And the harness "pull-only" agent did not run
    And the harness "triage" agent did not run

  Scenario: A disabled agent is not started, and the others are
    Given a custom harness "on" with:
      """
      agent: agents/on.md
      role: helper
      trigger: event.transition.kind == "label_changed"
      """
    And a disabled custom harness "off" with:
      """
      agent: agents/off.md
      role: helper
      trigger: event.transition.kind == "label_changed"
      """
    When the issue is labeled "help"
    Then the harness "on" workflow completes successfully
    And the agent will succeed to Leave notes
    And the harness "off" agent did not run

  Scenario: Two agents of one event have results of their own
    Given a custom harness "first" with:
      """
      agent: agents/first.md
      role: helper
      trigger: event.transition.kind == "label_changed"
      """
    And a custom harness "second" with:
      """
      agent: agents/second.md
      role: helper
      trigger: event.transition.kind == "label_changed"
      """
    And a dummy agent that would:
      | description  | op         | args              |
      | Be the first | assert_env | CREW_AGENT, first |
    When the issue is labeled "help"
    Then the harness "first" workflow completes successfully
    And the agent will succeed to Be the first
    And the harness "second" workflow completes successfully
    And the agent will fail to Be the first

  Scenario: The kill switch stops agents of one's own as well
    Given a custom harness "helper" with:
      """
      agent: agents/helper.md
      role: helper
      trigger: event.transition.kind == "label_changed"
      """
    And the kill switch is active
    When the issue is labeled "help"
    Then the harness "helper" agent did not run

  Scenario: A harness is completed by its base
    Given a custom harness "parent" with:
      """
      agent: agents/parent.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "parent"
      """
    And a custom harness "child" with base "parent" and:
      """
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "child"
      """
    When the issue is labeled "child"
    Then the harness "child" workflow completes successfully
    And the agent will succeed to Leave notes
    And the harness "parent" agent did not run
