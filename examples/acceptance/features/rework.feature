Feature: Rework
  A review that asks for changes has them made.

  Background:
    Given the enrolled test repository
    And the file ".crew/config.yaml" of the repository has "fix: {enabled: true}" in the place of "fix: {enabled: false}"
    And the file ".crew/harness/review.yaml" of the repository has "== 'never' ||" in the place of "== 'opened' ||"
    And an open pull request on branch "topic"
    And the tip of branch "topic" is recorded

  Scenario: Asking for changes starts a fix, which goes to the head branch alone
    Given a dummy "review" agent that would:
      | description      | op            | args                                                           |
      | Know the head    | assert_env    | CREW_HEAD_SHA                                                  |
      | Emit review JSON | write_fixture | output/agent-result.json, fixtures/review/request-changes.json |
    And a dummy "fix" agent that would:
      | description   | op              | args                                              |
      | Take the head | checkout_branch | topic                                             |
      | Emit fix JSON | write_fixture   | output/agent-result.json, fixtures/fix/fixed.json |
    And the tip of branch "main" is recorded
    When the pull request is labeled "ready-for-review"
    Then the harness "review" workflow completes successfully
    And the agent will succeed to Know the head
    And the agent will succeed to Emit review JSON
    And the harness "fix" was dispatched exactly 1 time
    And the harness "fix" workflow completes successfully
    And the agent will succeed to Take the head
    And the agent will succeed to Emit fix JSON
    And the pull request has a comment containing "Pushed to topic"
    And branch "topic" has moved
    And branch "main" is unchanged

  Scenario: A review that only comments starts no fix
    Given a dummy "review" agent that would:
      | description      | op            | args                                                   |
      | Emit review JSON | write_fixture | output/agent-result.json, fixtures/review/content.json |
    When the pull request is labeled "ready-for-review"
    Then the harness "review" workflow completes successfully
    And the agent will succeed to Emit review JSON
    And the harness "fix" agent did not run
    And branch "topic" is unchanged
