Feature: Reactions
  Where they are enabled, reactions to an issue show how far its agent is.

  Background:
    Given the enrolled test repository
    And an issue

  Scenario: What is done shows a rocket, and nobody looks any more
    Given status notification reactions are enabled
    And a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the issue has a "rocket" reaction
    And the issue does not have an "eyes" reaction
    And the issue does not have a "confused" reaction

  Scenario: What failed looks confused
    Given status notification reactions are enabled
    And a dummy agent that would:
      | description      | op            | args                                                     |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/malformed.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow fails reporting "is not valid JSON"
    And the agent will succeed to Emit triage JSON
    And the issue has a "confused" reaction
    And the issue does not have a "rocket" reaction

  Scenario: Nobody reacts unasked
    Given a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the issue does not have a "rocket" reaction
    And the issue does not have an "eyes" reaction
