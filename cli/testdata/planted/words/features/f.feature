Feature: Words

  Scenario: One that there is
    Given an issue
    Then the issue has label "<platform:label>"

  Scenario: One that there is not
    Given an issue
    # lint: platform-word
    Then the issue has label "<platform:lable>"
