# Vendors may stand in comments and tags: GitHub, @github.
# lint: portability
Feature: What GitLab does

  Scenario: A vendor
    # lint: portability
    Given an issue with title "As on Bitbucket" and body containing ""
    Then the issue has label "x"

  # lint: portability
  Scenario: A vendor's service: GitHub Actions
    Given an issue
    Then the issue has label "x"

  Scenario: A service for builds
    # lint: portability
    Given an issue with title "Jenkins is red" and body containing ""
    Then the issue has label "x"

  Scenario Outline: A way to install
    Given an issue with title "<how>" and body containing ""
    Then the issue has label "x"
    Examples:
      | how     |
      # lint: portability
      | per-org |

  Scenario: A leased name
    Given an issue
    # lint: portability
    Then the issue has label "test-repo-07"

  Scenario: A real runtime, and no tag says so
    # lint: runtime-capability
    Given the repository runtime is "pi"
    And an issue
    Then the issue has label "x"

  Scenario: A real runtime for one agent, and no tag says so
    # lint: runtime-capability
    Given the repository agents are configured with:
      """
      triage:
        runtime: pi
      """
    And an issue
    Then the issue has label "x"

  @requires:capability:runtime-pi
  Scenario: A real runtime
    Given the repository runtime is "pi"
    And an issue
    Then the issue has label "x"
