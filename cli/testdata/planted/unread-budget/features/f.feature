Feature: F

  Scenario: S
    Given an issue
    Then the issue has label "x"
