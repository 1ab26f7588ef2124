Feature: Lab

  @requires:capability:lamp
  Scenario: A driver of one's own
    Then the lamp is installed in "mine"
