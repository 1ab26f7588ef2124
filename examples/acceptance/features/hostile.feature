Feature: Hostile input
  What others write is text. What is wrong is refused by name, and nothing of it is applied.

  Background:
    Given the enrolled test repository

  Rule: What a comment says is carried, and not carried out

    Scenario Outline: A command brings <what>
      Given an issue
      And a dummy agent that would:
        | description           | op            | args                                                      |
        | Read the event        | assert_json   | input/event.json, comment.body                            |
        | See what was carried  | assert_file   | pwned                                                     |
        | Know of a new setting | assert_env    | PWNED                                                     |
        | Emit triage JSON      | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
      When a comment is posted on the issue:
        """
        /crew-triage <text>
        ::set-output name=any::true
        ::add-mask::crew
        ::error::pwned
        PWNED=1
        """
      Then the triage workflow completes successfully
      And the harness "triage" was dispatched exactly 1 time
      And the agent will succeed to Read the event
      And the agent will fail to See what was carried
      And the agent will fail to Know of a new setting
      And the agent will succeed to Emit triage JSON
      And the issue has label "triaged"

      Examples:
        | what                  | text                                                      |
        | what a shell would do | $(touch pwned); `touch pwned` && touch pwned              |
        | expressions           | ${{ secrets.CREW_BOT_TOKEN }} ${{ env.PWNED }}            |
        | quotes                | '"; touch pwned; echo "' \\u0000                          |

    Scenario Outline: What only looks like a command starts nothing: <what>
      Given an issue
      When a comment is posted on the issue:
        """
        <first>
        /crew-triage
        """
      Then the harness "triage" agent did not run
      And the issue does not have label "triaged"

      Examples:
        | what             | first                      |
        | a quotation      | > /crew-triage             |
        | another word     | /crew-triage-everything    |
        | in the next line | ::add-mask::/crew-triage   |

  Rule: A harness that is wrong says where

    Scenario: A trigger that is none is shown with a caret
      Given an issue
      And a custom harness "torn" with:
        """
        agent: agents/torn.md
        role: helper
        trigger: event.transition.kind == && true
        """
      When the issue is labeled "help"
      Then the harness "torn" agent did not run
      And the job "dispatch" succeeds saying "harness/torn.yaml:3:"
      And the job "dispatch" succeeds saying "^"

    Scenario: Bases that go round in a circle are named
      Given an issue
      And a custom harness "hen" with:
        """
        base: egg.yaml
        agent: agents/hen.md
        role: helper
        """
      And a custom harness "egg" with:
        """
        base: hen.yaml
        agent: agents/egg.md
        role: helper
        trigger: event.transition.kind == 'label_changed' && event.transition.label.name == 'help'
        """
      When the issue is labeled "help"
      Then the harness "egg" agent did not run
      And the harness "hen" agent did not run
      And the job "dispatch" succeeds saying "hen.yaml"

  Rule: A result outside its schema is applied in no part

    Scenario: Of the code agent
      Given an issue
      And the file ".crew/config.yaml" of the repository has "code: {enabled: true}" in the place of "code: {enabled: false}"
      And a dummy agent that would:
        | description    | op              | args                                                        |
        | Begin a branch | checkout_branch | crew/<issue>-last-line                                      |
        | Emit code JSON | write_fixture   | output/agent-result.json, fixtures/code/extra-property.json |
      When the issue is labeled "ready-to-code"
      Then the harness "code" workflow fails reporting "FAIL: schema validation error"
      And the agent will succeed to Begin a branch
      And the agent will succeed to Emit code JSON
      And branch "crew/<issue>-last-line" does not exist
      And the issue does not have label "pr-open"

    Scenario: Of the prioritize agent
      Given an issue
      And the file ".crew/config.yaml" of the repository has "prioritize: {enabled: true}" in the place of "prioritize: {enabled: false}"
      And a dummy agent that would:
        | description          | op            | args                                                    |
        | Emit prioritize JSON | write_fixture | output/agent-result.json, fixtures/prioritize/list.json |
      When a comment "/crew-prioritize" is posted on the issue
      Then the harness "prioritize" workflow fails reporting "FAIL: schema validation error"
      And the agent will succeed to Emit prioritize JSON
      And the issue does not have label "priority-high"
      And the issue does not have label "priority-low"
      And the issue has exactly 0 comments containing "Both of them"

    Scenario: Of the fix agent
      Given the file ".crew/config.yaml" of the repository has "fix: {enabled: true}" in the place of "fix: {enabled: false}"
      And the file ".crew/harness/review.yaml" of the repository has "== 'never' ||" in the place of "== 'opened' ||"
      And an open pull request on branch "topic"
      And the tip of branch "topic" is recorded
      And a dummy agent that would:
        | description   | op              | args                                                       |
        | Take the head | checkout_branch | topic                                                      |
        | Emit fix JSON | write_fixture   | output/agent-result.json, fixtures/fix/unknown-action.json |
      When a comment "/crew-fix" is posted on the pull request
      Then the harness "fix" workflow fails reporting "FAIL: schema validation error"
      And the agent will succeed to Take the head
      And the agent will succeed to Emit fix JSON
      And branch "topic" is unchanged

    Scenario: Of the retro agent
      Given the file ".crew/config.yaml" of the repository has "retro: {enabled: true}" in the place of "retro: {enabled: false}"
      And the file ".crew/harness/review.yaml" of the repository has "== 'never' ||" in the place of "== 'opened' ||"
      And a dummy agent that would:
        | description     | op            | args                                                     |
        | Emit retro JSON | write_fixture | output/agent-result.json, fixtures/retro/no-lessons.json |
      When a pull request is opened
      And the pull request is merged by the write actor
      Then the harness "retro" workflow fails reporting "FAIL: schema validation error"
      And the agent will succeed to Emit retro JSON
      And the pull request has a comment containing "crew: failed"
