Feature: Slow
  Scenario: Waits until it is interrupted
    Then 1 is 1
    And it waits
