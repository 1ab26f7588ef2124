Feature: A file that can be read all the same

  # lint: no-then
  Scenario: S
    Given an issue
