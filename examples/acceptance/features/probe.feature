Feature: Probes
  What a host answers comes to the agent as it is; what the policy refuses has no answer.

  Scenario: An agent sees what each host answers
    Given the enrolled test repository
    And an issue
    And the file ".crew/config.yaml" of the repository has "[allowed.test, busy.test]" in the place of "- allowed.test"
    And a dummy agent that would:
      | description      | op            | args                                                      |
      | Ask the allowed  | http_probe    | POST http://allowed.test/ CREW_AGENT {"model": "echo"}    |
      | Ask the busy     | http_probe    | GET http://busy.test/                                     |
      | Ask the blocked  | http_probe    | GET http://blocked.test/                                  |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Ask the allowed
    And the agent's probe "Ask the allowed" returned HTTP 200
    And the agent's probe "Ask the allowed" response contains "hello from allowed.test"
    And the agent's probe "Ask the allowed" response does not contain "nobody should see this"
    And the agent will fail to Ask the busy
    And the agent's probe "Ask the busy" returned HTTP 503
    And the agent's probe "Ask the busy" response contains "come back later"
    And the agent will fail to Ask the blocked
    And the platform refused the agent's request to "http://blocked.test/"
    And the request to "http://blocked.test/" never reached the network
    And the agent will succeed to Emit triage JSON
