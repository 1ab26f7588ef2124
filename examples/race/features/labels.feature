Feature: Two labels in quick succession
  GitHub delivers what happened in no promised order. Both labels are there at the end, whichever event
  comes first; the issue must have been routed.

  Background:
    Given the enrolled test repository
    And an issue

  Scenario: The label that matters comes last
    When the issue is labeled "urgent"
    And the issue is labeled "ready"
    Then the issue has label "routed"
