Feature: Every end a scenario can have

  @ok
  Scenario: Passes
    Then 1 is 1

  Scenario: Fails
    Then 1 is 2

  Scenario: Is undefined
    Then nobody knows

  @skip:bare
  Scenario: Is skipped
    Then 1 is 2

  @ok @last
  Scenario: Passes too
    Then 2 is 2
