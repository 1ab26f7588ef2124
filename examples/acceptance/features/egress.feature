Feature: Egress
  The agent reaches the hosts that the platform allows, through the platform's policy, and no others.

  Scenario: A disallowed URL is refused by the policy, an allowed one is seen
    Given the enrolled test repository
    And an issue
    And a dummy agent that would:
      | description       | op            | args                                                      |
      | Fetch the allowed | url_get       | http://allowed.test/                                      |
      | Fetch the blocked | url_get       | http://blocked.test/                                      |
      | Emit triage JSON  | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Fetch the allowed
    And the agent will fail to Fetch the blocked
    And the platform allowed the agent's request to "http://allowed.test/"
    And the platform refused the agent's request to "http://blocked.test/"
    And the request to "http://allowed.test/" reached the network
    And the request to "http://blocked.test/" never reached the network
    And the agent will succeed to Emit triage JSON
