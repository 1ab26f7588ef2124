Feature: What the packs know of their steps

  Scenario: An operation that there is not
    Given an issue
    # lint: agent
    And a dummy agent that would:
      | description | op       | args      |
      | Look        | peruse   | README.md |
    Then the issue has label "x"

  Scenario: A result that its stage refuses
    Given an issue
    # lint: agent
    And a dummy agent that would:
      | description | op            | args                               |
      | Emit        | write_fixture | out/result.json, fixtures/bad.json |
    When the issue is labeled "ready"
    Then the triage workflow completes successfully

  Scenario: A record that the platform does not keep
    # lint: agent
    Then the platform allowed the agent's request to "a.test"

  Scenario: Time passes, and no tag says so
    Given an issue
    # lint: clock
    When 3 hours pass
    Then the issue has label "x"

  @requires:capability:clock
  Scenario: A time that there is not
    Given an issue
    # lint: clock
    When the clock reaches "tomorrow"
    Then the issue has label "x"

  Scenario: A switch that the platform file does not know
    # lint: dispatch
    Given the kill switch is active
    Then the harness "triage" was dispatched exactly 0 times

  @requires:capability:faults
  Scenario: A fault that there is not
    Given an issue
    # lint: fault
    And the forge has the fault "delivery.thrice"
    # lint: fault
    Then the fault "delivery.thrice" has struck

  Scenario: A forge that misbehaves, and no tag says so
    Given an issue
    # lint: fault
    And the forge delivers the next "issues.labeled" event twice
    Then the issue has label "x"

  Scenario: The number of an issue that is not there yet
    # lint: issue
    Given the tip of branch "work/<issue>" is recorded
    And an issue
    Then branch "work/<issue>" is unchanged

  Scenario: A failure comment that nobody could know
    Given an issue
    And a dummy agent that would:
      | description | op            | args                                 |
      | Emit        | write_fixture | out/result.json, fixtures/meant.json |
    When the issue is labeled "ready"
    # lint: run
    Then the triage workflow fails reporting "refused"

  Scenario: A tracker, and no tag says so
    # lint: ticket
    Given a Jira issue "APP-12" with labels ""
    Then the harness "code" agent did not run

  Scenario: A result that its stage takes
    Given an issue
    And a dummy agent that would:
      | description | op            | args                                |
      | Emit        | write_fixture | out/result.json, fixtures/good.json |
    When the issue is labeled "ready"
    Then the triage workflow completes successfully

  Scenario: A recorded result that the platform file has no place for
    # lint: playback
    Given a code agent that returns "fixtures/good.json"
    Then the harness "code" agent did not run
