Feature: Needs
  @requires:capability:lamp
  Scenario: Needs a lamp
    Then 1 is 1
