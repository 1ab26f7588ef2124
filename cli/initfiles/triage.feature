Feature: Triage
  The label "ready" asks the platform to look at an issue; its agent decides on another label.

  Scenario: The agent takes an issue for a question
    Given the enrolled test repository
    And an issue with title "How do I install it?" and body containing "I found no instructions"
    And a dummy agent that would:
      | description | op            | args                                              |
      | Decide      | write_fixture | output/result.json, fixtures/triage/question.json |
    When the issue is labeled "ready"
    Then the triage workflow completes successfully
    And the agent will succeed to Decide
    And the issue has label "question"
