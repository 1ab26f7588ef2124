Feature: Policies of agents
  A harness may name a policy, which narrows what its agent reaches.

  Background:
    Given the enrolled test repository
    And an issue
    And the file ".crew/harness/triage.yaml" of the repository has "policy: policies/own.yaml #" in the place of "# Says"
    And a dummy agent that would:
      | description       | op            | args                                                      |
      | Fetch the allowed | url_get       | http://allowed.test/                                      |
      | Emit triage JSON  | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |

  Scenario: An agent whose policy allows no host reaches none
    Given the file ".crew/policies/own.yaml" of the repository is:
      """
      allowed_hosts: []
      """
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will fail to Fetch the allowed
    And the platform refused the agent's request to "http://allowed.test/"
    And the request to "http://allowed.test/" never reached the network
    And the agent will succeed to Emit triage JSON

  Scenario: A policy cannot allow what the configuration does not
    Given the file ".crew/policies/own.yaml" of the repository is:
      """
      allowed_hosts: [allowed.test, blocked.test]
      """
    When the issue is labeled "ready-for-triage"
    Then the triage workflow fails reporting "is not among the allowed_hosts"

  Scenario: A policy that says what crew does not know is refused
    Given the file ".crew/policies/own.yaml" of the repository is:
      """
      allowed_commands: [git]
      """
    When the issue is labeled "ready-for-triage"
    Then the triage workflow fails reporting "policies/own.yaml:1: "
