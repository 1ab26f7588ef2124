Feature: A file whose table is ragged

  Scenario: S
    Given an issue
      | a | b |
      # lint: gherkin
      | 1 |
