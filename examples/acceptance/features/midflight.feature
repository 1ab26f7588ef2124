@requires:capability:faults
Feature: Changes in mid-flight
  What people decide while an event is on its way, or while an agent works, counts. What they no longer
  allow is not applied, and not by half.

  Background:
    Given the enrolled test repository
    And an issue
    And a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |

  Rule: An event that is held is judged when it comes

    Background:
      Given the forge delivers the next "issues.labeled" event late

    Scenario: The kill switch is thrown while the event is on its way
      When the issue is labeled "ready-for-triage"
      And the kill switch is active
      Then the job "dispatch" succeeds saying "the kill switch is active"
      And the harness "triage" agent did not run
      And the issue does not have label "triaged"
      And the issue has exactly 0 comments containing "crew"

    Scenario: The agent is disabled while the event is on its way
      When the issue is labeled "ready-for-triage"
      And the file ".crew/config.yaml" of the repository has "triage: {enabled: false}" in the place of "triage: {}"
      Then the job "dispatch" succeeds saying "agent triage is skipped: it is disabled"
      And the harness "triage" agent did not run
      And the issue does not have label "triaged"

    Scenario: The agent is taken off the list while the event is on its way
      When the issue is labeled "ready-for-triage"
      And the file ".crew/config.yaml" of the repository has "# gone" in the place of "triage: {}"
      Then the job "dispatch" succeeds saying "agent triage is skipped: it is disabled"
      And the harness "triage" agent did not run

  Rule: A result is not applied when the configuration changed under the agent

    Background:
      Given the forge has the fault "api.slow=1000@POST /repos/*/*/issues/*/comments"

    Scenario: The kill switch is thrown while the agent works
      When the issue is labeled "ready-for-triage"
      And the fault "api.slow" has struck
      And the kill switch is active
      Then the triage workflow fails reporting ".crew/config.yaml changed while the agent ran; nothing was applied"
      And the agent will succeed to Emit triage JSON
      And the issue does not have label "triaged"
      And the issue does not have label "ready-to-code"
      And the issue has exactly 0 comments containing "This issue has all that is needed"
      And the issue has exactly 1 comment containing "crew agent triage: failed"

    Scenario: Another file changes while the agent works
      When the issue is labeled "ready-for-triage"
      And the fault "api.slow" has struck
      And the file "README.md" of the repository is:
        """
        Nothing that crew goes by.
        """
      Then the triage workflow completes successfully
      And the agent will succeed to Emit triage JSON
      And the issue has label "triaged"

  Rule: Who may start an agent is asked when the event comes

    Scenario: The one who commanded loses the role while the command is on its way
      Given the outsider actor has the role "write" in the repository
      And the forge delivers the next "issue_comment.created" event late
      When a comment "/crew-triage" is posted on the issue by the outsider
      And the outsider actor has the role "none" in the repository
      Then the job "dispatch" succeeds saying "outsider has the role read, which may not start agents"
      And the harness "triage" agent did not run

    Scenario: The one who commanded has the role
      Given the outsider actor has the role "write" in the repository
      When a comment "/crew-triage" is posted on the issue by the outsider
      Then the triage workflow completes successfully
      And the agent will succeed to Emit triage JSON

  Rule: Nothing is applied by half, and nobody's work is lost

    Scenario: The kill switch is thrown while the agent works on a branch
      Given a dummy agent that would:
        | description      | op              | args                                                      |
        | Begin a branch   | checkout_branch | crew/<issue>-fix                                          |
        | Emit triage JSON | write_fixture   | output/agent-result.json, fixtures/triage/sufficient.json |
      And the forge has the fault "api.slow=1000@POST /repos/*/*/issues/*/comments"
      When the issue is labeled "ready-for-triage"
      And the fault "api.slow" has struck
      And the kill switch is active
      Then the triage workflow fails reporting ".crew/config.yaml changed while the agent ran; nothing was applied"
      And the agent will succeed to Begin a branch
      And the agent will succeed to Emit triage JSON
      And branch "crew/<issue>-fix" does not exist
      And the issue does not have label "triaged"
      And the issue does not have label "ready-to-code"
      And the issue has exactly 0 comments containing "This issue has all that is needed"

    Scenario: The agent is disabled while it works
      Given the forge has the fault "api.slow=1000@POST /repos/*/*/issues/*/comments"
      When the issue is labeled "ready-for-triage"
      And the fault "api.slow" has struck
      And the file ".crew/config.yaml" of the repository has "triage: {enabled: false}" in the place of "triage: {}"
      Then the triage workflow fails reporting ".crew/config.yaml changed while the agent ran; nothing was applied"
      And the agent will succeed to Emit triage JSON
      And the issue does not have label "triaged"
      And the issue has exactly 0 comments containing "This issue has all that is needed"

    Scenario: The configuration becomes one that nobody can read while the event is on its way
      Given the issue does not have label "triaged"
      And the forge delivers the next "issues.labeled" event late
      When the issue is labeled "ready-for-triage"
      And the file ".crew/config.yaml" of the repository is:
        """
        kill_switch: [
        """
      Then the job "dispatch" fails saying ".crew/config.yaml"
      And the harness "triage" agent did not run
      And the issue does not have label "triaged"
      And the issue has exactly 0 comments containing "crew"

    Scenario: Somebody takes the branch's name while the agent's work waits to be pushed
      Given a dummy agent that would:
        | description      | op              | args                                                      |
        | Begin a branch   | checkout_branch | crew/<issue>-fix                                          |
        | Emit triage JSON | write_fixture   | output/agent-result.json, fixtures/triage/sufficient.json |
      And the forge has the fault "api.slow=1000@POST /repos/*/*/issues/*/comments"
      When the issue is labeled "ready-for-triage"
      And the fault "api.slow" has struck
      And the forge has the fault "api.slow=1000@GET /repos/*/*/contents/**"
      Then the agent will succeed to Begin a branch
      Given a remote branch "crew/<issue>-fix" seeded with a commit
      And the tip of branch "crew/<issue>-fix" is recorded
      Then the triage workflow fails reporting "rejected"
      And the fault "api.slow" struck 2 times
      And the agent will succeed to Emit triage JSON
      And branch "crew/<issue>-fix" is unchanged
      And the issue does not have label "triaged"
