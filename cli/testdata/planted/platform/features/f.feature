Feature: What can be said without the platform

  # lint: no-then
  Scenario: S
    Given an issue
