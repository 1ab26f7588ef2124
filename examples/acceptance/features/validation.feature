Feature: Validation
  The result of an agent is held to its schema. An agent may be asked once more, and is told what was wrong.

  Rule: An agent is asked again

    Background:
      Given the enrolled test repository
      And an issue
      And a custom harness "careful" with:
        """
        agent: agents/triage.md
        role: triage
        trigger: event.transition.kind == "label_changed" && event.transition.label.name == "careful"
        validation_loop: {max_iterations: 2}
        """

    Scenario: The second result counts when the first is invalid
      Given a dummy agent that would:
        | description             | op            | args                                                          | iteration |
        | Emit an unknown action  | write_fixture | output/agent-result.json, fixtures/triage/unknown-action.json | 1         |
        | Know that it is again   | assert_env    | CREW_ITERATION, 2                                             | 2         |
        | Know of the feedback    | assert_env    | CREW_FEEDBACK                                                 | 2         |
        | Read the feedback       | assert_json   | input/feedback.json, iteration, 1                             | 2         |
        | Miss the first result   | assert_file   | output/agent-result.json                                      | 2         |
        | Emit triage JSON        | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json     | 2         |
      When the issue is labeled "careful"
      Then the harness "careful" workflow completes successfully
      And the agent will succeed to Emit an unknown action
      And the agent will succeed to Know that it is again
      And the agent will succeed to Know of the feedback
      And the agent will succeed to Read the feedback
      And the agent will fail to Miss the first result
      And the agent will succeed to Emit triage JSON
      And the issue has label "triaged"
      And the issue has a comment containing "This issue has all that is needed"

    Scenario: What an earlier iteration left does not count
      Given a dummy agent that would:
        | description            | op            | args                                                          | iteration |
        | Emit an unknown action | write_fixture | output/agent-result.json, fixtures/triage/unknown-action.json | 1         |
        | Take notes             | write_fixture | output/notes.txt, fixtures/agent/notes.txt                    | 2         |
      When the issue is labeled "careful"
      Then the harness "careful" workflow fails reporting "Validation failed: FAIL: output/agent-result.json not found"
      And the agent will succeed to Emit an unknown action
      And the agent will succeed to Take notes
      And the issue does not have label "triaged"

  Rule: The schema names all that a result may hold

    Scenario: A property that nobody asked for is refused
      Given the enrolled test repository
      And an issue
      And a dummy agent that would:
        | description      | op            | args                                                          |
        | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/extra-property.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow fails reporting "additional properties 'label' not allowed"
      And the agent will succeed to Emit triage JSON
      And the issue does not have label "triaged"
