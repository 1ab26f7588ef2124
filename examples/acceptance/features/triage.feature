Feature: Triage
  A label asks crew to triage an issue. The agent's result decides what becomes of the issue.

  Rule: A sufficient issue is labeled

    Scenario: Triage labels a sufficient issue
      Given the enrolled test repository
      And an issue with title "The parser drops the last line" and body containing "steps to reproduce"
      And a dummy agent that would:
        | description      | op            | args                                                      |
        | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow completes successfully
      And the agent will succeed to Emit triage JSON
      And the issue has label "triaged"
      And the issue has label "ready-to-code"
      And the issue has a comment containing "This issue has all that is needed"

    Scenario: What the agent did is read from the run's artifact
      Given the enrolled test repository
      And an issue
      And a dummy agent that would:
        | description      | op            | args                                                      |
        | Read the readme  | read_file     | README.md                                                 |
        | Take notes       | write_fixture | output/notes.txt, fixtures/agent/notes.txt                |
        | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
        | Read the secrets | read_file     | secrets.txt                                               |
      When the issue is labeled "ready-for-triage"
      Then the agent will succeed to Read the readme
      And the agent will succeed to Take notes
      And the agent will fail to Read the secrets
      And the agent will output notes.txt with:
        """
        issue 1: sufficient
        """
      And the agent will succeed to Emit triage JSON

  Rule: Nothing is labeled unless the agent's result is valid

    Background:
      Given the enrolled test repository
      And an issue

    Scenario: A result outside the schema fails the workflow
      Given a dummy agent that would:
        | description      | op            | args                                                          |
        | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/unknown-action.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow fails reporting "FAIL: schema validation error"
      And the issue does not have label "triaged"
      And the agent will succeed to Emit triage JSON

    Scenario: A missing result fails the workflow
      Given a dummy agent that would:
        | description | op            | args                                       |
        | Take notes  | write_fixture | output/notes.txt, fixtures/agent/notes.txt |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow fails reporting "Validation failed: FAIL: output/agent-result.json not found"
      And the agent will succeed to Take notes
      And the issue does not have label "triaged"

    Scenario: A malformed result fails the workflow
      Given a dummy agent that would:
        | description      | op            | args                                                     |
        | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/malformed.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow fails reporting "FAIL: output/agent-result.json is not valid JSON"
      And the issue does not have label "triaged"
      And the agent will succeed to Emit triage JSON

    Scenario: An invalid result hands nothing on
      Given the file ".crew/config.yaml" of the repository has "code: {enabled: true}" in the place of "code: {enabled: false}"
      And a dummy agent that would:
        | description      | op            | args                                                          |
        | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/unknown-action.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow fails reporting "FAIL: schema validation error"
      And the agent will succeed to Emit triage JSON
      And the issue does not have label "ready-to-code"
      And the harness "code" agent did not run
