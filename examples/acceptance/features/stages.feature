Feature: Stages
  What crew does with the result of each of its stages, beside triage.

  Background:
    Given the enrolled test repository

  Rule: Code

    Background:
      Given an issue
      And the file ".crew/config.yaml" of the repository has "code: {enabled: true}" in the place of "code: {enabled: false}"

    Scenario: A branch becomes a pull request that closes the issue
      Given a dummy agent that would:
        | description    | op              | args                                                     |
        | Begin a branch | checkout_branch | crew/<issue>-last-line                                   |
        | Emit code JSON | write_fixture   | output/agent-result.json, fixtures/code/implemented.json |
      And the file ".crew/harness/review.yaml" of the repository has "== 'never' ||" in the place of "== 'opened' ||"
      When the issue is labeled "ready-to-code"
      Then the harness "code" workflow completes successfully
      And the agent will succeed to Begin a branch
      And the agent will succeed to Emit code JSON
      And the pull request head branch matches "crew/<issue>-last-line"
      And the pull request has a body containing "Closes #<issue>"
      And the issue has label "pr-open"

    Scenario: Without a branch there is no pull request
      Given a dummy agent that would:
        | description    | op            | args                                                     |
        | Emit code JSON | write_fixture | output/agent-result.json, fixtures/code/implemented.json |
      When the issue is labeled "ready-to-code"
      Then the harness "code" workflow completes successfully
      And the agent will succeed to Emit code JSON
      And the issue has a comment containing "No pull request"
      And the issue does not have label "pr-open"

    Scenario: The branch of another issue is refused
      Given a dummy agent that would:
        | description          | op              | args                                                     |
        | Begin another's work | checkout_branch | crew/<issue>0-other                                      |
        | Emit code JSON       | write_fixture   | output/agent-result.json, fixtures/code/implemented.json |
      When the issue is labeled "ready-to-code"
      Then the harness "code" workflow fails reporting "Refusing to push branch crew/10-other"
      And the agent will succeed to Begin another's work
      And the agent will succeed to Emit code JSON
      And branch "crew/<issue>0-other" does not exist
      And the issue does not have label "pr-open"

  Rule: Review

    Scenario: A review of what is no longer the head is a comment only
      Given a dummy agent that would:
        | description      | op            | args                                                   |
        | Emit review JSON | write_fixture | output/agent-result.json, fixtures/review/comment.json |
      When a pull request is opened
      Then the harness "review" workflow completes successfully
      And the agent will succeed to Emit review JSON
      And the pull request has a comment containing "which is no longer the head; it is no formal review"

  Rule: Fix

    Background:
      Given the file ".crew/config.yaml" of the repository has "fix: {enabled: true}" in the place of "fix: {enabled: false}"
      And the file ".crew/harness/review.yaml" of the repository has "== 'never' ||" in the place of "== 'opened' ||"
      And an open pull request on branch "topic"

    Scenario: A fix goes to the head branch of the pull request
      Given a dummy "fix" agent that would:
        | description   | op              | args                                              |
        | Take the head | checkout_branch | topic                                             |
        | Emit fix JSON | write_fixture   | output/agent-result.json, fixtures/fix/fixed.json |
      When a comment "/crew-fix" is posted on the pull request
      Then the harness "fix" workflow completes successfully
      And the agent will succeed to Take the head
      And the agent will succeed to Emit fix JSON
      And the pull request has a comment containing "Pushed to topic"

    Scenario: A fix goes to no other branch
      Given a dummy "fix" agent that would:
        | description         | op              | args                                              |
        | Take another branch | checkout_branch | crew/other                                        |
        | Emit fix JSON       | write_fixture   | output/agent-result.json, fixtures/fix/fixed.json |
      When a comment "/crew-fix" is posted on the pull request
      Then the harness "fix" workflow fails reporting "Refusing to push branch crew/other"
      And the agent will succeed to Take another branch
      And the agent will succeed to Emit fix JSON
      And branch "crew/other" does not exist

  Rule: Retro

    Scenario: A look back follows the end of a pull request, not its beginning
      Given the file ".crew/config.yaml" of the repository has "retro: {enabled: true}" in the place of "retro: {enabled: false}"
      And the file ".crew/harness/review.yaml" of the repository has "== 'never' ||" in the place of "== 'opened' ||"
      And a dummy agent that would:
        | description     | op            | args                                                  |
        | Emit retro JSON | write_fixture | output/agent-result.json, fixtures/retro/lessons.json |
      When a pull request is opened
      Then the harness "retro" agent did not run
      When the pull request is merged by the write actor
      Then the harness "retro" workflow completes successfully
      And the agent will succeed to Emit retro JSON
      And the pull request has a comment containing "Write the test first."

  Rule: What people are told

    Background:
      Given an issue

    Scenario: One comment says how far the agent is
      Given a dummy agent that would:
        | description      | op            | args                                                      |
        | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow completes successfully
      And the agent will succeed to Emit triage JSON
      And the issue has a comment containing "crew agent triage: done"
      And the issue has exactly 1 comment containing "crew agent triage: "

    Scenario: A failure has a comment of its own, and the status says so
      Given a dummy agent that would:
        | description      | op            | args                                                     |
        | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/malformed.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow fails reporting "FAIL: output/agent-result.json is not valid JSON"
      And the agent will succeed to Emit triage JSON
      And the issue has a comment containing "(agent triage, validation)"
      And the issue has exactly 1 comment containing "crew agent triage: failed"

    @requires:capability:faults
    Scenario: Nothing is labeled when people could not be told
      Given a dummy agent that would:
        | description      | op            | args                                                      |
        | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
      And the forge has the fault "api.5xx=503,from:2@POST /repos/*/*/issues/*/comments"
      When the issue is labeled "ready-for-triage"
      Then the triage workflow fails reporting "503"
      And the agent will succeed to Emit triage JSON
      And the issue does not have label "triaged"
      And the issue does not have label "ready-to-code"

    Scenario: Each agent of an issue has a status of its own
      Given the file ".crew/config.yaml" of the repository has "prioritize: {enabled: true}" in the place of "prioritize: {enabled: false}"
      And a dummy "triage" agent that would:
        | description      | op            | args                                                      |
        | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
      And a dummy "prioritize" agent that would:
        | description          | op            | args                                                    |
        | Emit prioritize JSON | write_fixture | output/agent-result.json, fixtures/prioritize/high.json |
      When the issue is labeled "ready-for-triage"
      Then the triage workflow completes successfully
      And the agent will succeed to Emit triage JSON
      When a comment "/crew-prioritize" is posted on the issue
      Then the harness "prioritize" workflow completes successfully
      And the agent will succeed to Emit prioritize JSON
      And the issue has exactly 1 comment containing "crew agent triage: done"
      And the issue has exactly 1 comment containing "crew agent prioritize: done"
