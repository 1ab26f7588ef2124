Feature: A file that ends in the wrong words

  Scenario: S
    Given an issue
    # lint: gherkin
    oops
