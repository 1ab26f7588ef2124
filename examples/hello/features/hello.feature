Feature: Greeting

  Scenario: A name is greeted
    Then the greeting of "Ada" is "Hello, Ada"
