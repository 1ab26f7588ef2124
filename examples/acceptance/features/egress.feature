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

  Scenario: A host whose name ends like an allowed one is another
    Given the enrolled test repository
    And an issue
    And a dummy agent that would:
      | description          | op            | args                                                      |
      | Fetch the look-alike | url_get       | http://notallowed.test/                                   |
      | Fetch another port   | url_get       | http://allowed.test:8081/                                 |
      | Emit triage JSON     | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will fail to Fetch the look-alike
    And the agent will fail to Fetch another port
    And the platform refused the agent's request to "http://notallowed.test/"
    And the platform refused the agent's request to "http://allowed.test:8081/"
    And the request to "http://notallowed.test/" never reached the network
    And the request to "http://allowed.test:8081/" never reached the network
    And the agent will succeed to Emit triage JSON
