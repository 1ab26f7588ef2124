Feature: What is covered

  @fast
  Scenario: One stage tells its runtime
    Given an issue
    Then the triage workflow completes successfully
    And the run selected the "dummy" runtime

  Scenario: One does not
    Given an issue
    Then the code workflow completes successfully

  @requires:capability:runtime-pi
  Scenario: In no run, since its run asks for another tag
    Given an issue
    Then the run selected the "pi" runtime
