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

    Scenario: The agent can work on a branch of its own
      Given a dummy agent that would:
        | description      | op              | args                                                      |
        | Begin a branch   | checkout_branch | crew/<issue>-fix                                          |
        | Read the marker  | read_file       | behaviour-marker.txt                                      |
        | Emit triage JSON | write_fixture   | output/agent-result.json, fixtures/triage/sufficient.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow completes successfully
      And the agent will succeed to Begin a branch
      And the agent will succeed to Read the marker
