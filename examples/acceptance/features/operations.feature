Feature: Operations
  What the dummy agent can do, and what an agent finds in the place that crew gives it.

  Rule: The agent can look at its own place

    Background:
      Given the enrolled test repository
      And an issue

    Scenario: The agent is told its task, and nothing of the job
      Given a dummy agent that would:
        | description           | op            | args                                                      |
        | Know who it is        | assert_env    | CREW_AGENT, triage                                        |
        | Know its issue        | assert_env    | CREW_ISSUE, 1                                             |
        | Find the job's events | assert_env    | GITHUB_EVENT_PATH                                         |
        | Emit triage JSON      | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow completes successfully
      And the agent will succeed to Know who it is
      And the agent will succeed to Know its issue
      And the agent will fail to Find the job's events
      And the agent will succeed to Emit triage JSON

    Scenario: The agent can check what it has written
      Given a dummy agent that would:
        | description           | op            | args                                                      |
        | Miss the result       | assert_file   | output/agent-result.json                                  |
        | Emit triage JSON      | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
        | See the result        | assert_file   | output/agent-result.json                                  |
        | See an action         | assert_json   | output/agent-result.json, action                          |
        | See that it is enough | assert_json   | output/agent-result.json, action, sufficient              |
        | See questions         | assert_json   | output/agent-result.json, questions                       |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow completes successfully
      And the agent will fail to Miss the result
      And the agent will succeed to See the result
      And the agent will succeed to See an action
      And the agent will succeed to See that it is enough
      And the agent will fail to See questions
      And the agent will succeed to Emit triage JSON

  Rule: The agent's branch is pushed if it is in crew's namespace

    Background:
      Given the enrolled test repository
      And an issue

    Scenario: A new branch of the agent is pushed
      Given a dummy agent that would:
        | description      | op              | args                                                      |
        | Begin a branch   | checkout_branch | crew/<issue>-fix                                          |
        | Read the marker  | read_file       | behaviour-marker.txt                                      |
        | Emit triage JSON | write_fixture   | output/agent-result.json, fixtures/triage/sufficient.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow completes successfully
      And the agent will succeed to Begin a branch
      And the agent will succeed to Read the marker
      And branch "crew/<issue>-fix" exists
      And the agent will succeed to Emit triage JSON

    Scenario: A branch that is there already is gone on with
      Given a remote branch "crew/<issue>-fix" seeded with a commit
      And a dummy agent that would:
        | description        | op              | args                                                      |
        | Go on with it      | checkout_branch | crew/<issue>-fix                                          |
        | See what was there | read_file       | seeded.txt                                                |
        | Emit triage JSON   | write_fixture   | output/agent-result.json, fixtures/triage/sufficient.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow completes successfully
      And the agent will succeed to Go on with it
      And the agent will succeed to See what was there
      And the agent will succeed to Emit triage JSON

    Scenario: Somebody else's branch is left alone
      Given a remote branch "release/1.0" seeded with a commit
      And the tip of branch "release/1.0" is recorded
      And a dummy agent that would:
        | description      | op              | args                                                      |
        | Take the release | checkout_branch | release/1.0                                               |
        | Emit triage JSON | write_fixture   | output/agent-result.json, fixtures/triage/sufficient.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow fails reporting "Refusing to push branch release/1.0"
      And the agent will succeed to Take the release
      And branch "release/1.0" is unchanged
      And branch "crew/<issue>-fix" does not exist
      And the issue does not have label "triaged"
      And the agent will succeed to Emit triage JSON

    Scenario: A branch is not pushed when the result is invalid
      Given a dummy agent that would:
        | description      | op              | args                                                          |
        | Begin a branch   | checkout_branch | crew/<issue>-fix                                              |
        | Emit triage JSON | write_fixture   | output/agent-result.json, fixtures/triage/unknown-action.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow fails reporting "FAIL: schema validation error"
      And the agent will succeed to Begin a branch
      And branch "crew/<issue>-fix" does not exist
      And the agent will succeed to Emit triage JSON
