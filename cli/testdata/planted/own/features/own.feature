Feature: Steps of a pack of one's own

  Scenario: A step that two definitions match
    Given an issue
    # lint: ambiguous-step
    When a two-fold step
    Then the issue has label "x"
