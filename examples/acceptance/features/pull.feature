Feature: Pull requests
  What crew makes of pull requests of the repository itself, and what it leaves alone.

  Background:
    Given the enrolled test repository

  Scenario: A pull request is reviewed when it is opened
    Given a dummy agent that would:
      | description      | op            | args                                                   |
      | Emit review JSON | write_fixture | output/agent-result.json, fixtures/review/comment.json |
    When a pull request is opened
    Then the harness "review" workflow completes successfully
    And the agent will succeed to Emit review JSON
    And the pull request has a comment containing "Review: comment"
    And the pull request is mergeable
    And the pull request head branch matches "behaviour-pr-\d"

  Scenario: A cut commit name is refused on the pull request
    Given a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit review JSON | write_fixture | output/agent-result.json, fixtures/review/short-head.json |
    When a pull request is opened
    Then the harness "review" workflow fails reporting "no commit's full name"
    And the agent will succeed to Emit review JSON
    And the pull request does not have label "triaged"

  Scenario: Neither a review comment nor a merge starts an agent
    Given a dummy agent that would:
      | description      | op            | args                                                   |
      | Emit review JSON | write_fixture | output/agent-result.json, fixtures/review/comment.json |
    And a remote branch "release/1.0" seeded with a commit
    And the tip of branch "release/1.0" is recorded
    When a pull request is opened
    Then the agent will succeed to Emit review JSON
    When a review comment is submitted on the pull request
    Then the harness "review" agent did not run
    When the pull request is merged by the write actor
    Then the harness "review" agent did not run
    And the pull request is merged
    And branch "release/1.0" is unchanged

  Scenario: A command in a comment starts its agent, other comments start none
    Given a custom harness "answer" with:
      """
      role: helper
      trigger: event.transition.kind == 'comment_added' && event.transition.comment.command == '/crew-answer'
      """
    And a dummy agent that would:
      | description      | op            | args                                                   |
      | Emit review JSON | write_fixture | output/agent-result.json, fixtures/review/comment.json |
    When a pull request is opened
    Then the harness "review" workflow completes successfully
    And the agent will succeed to Emit review JSON
    When a comment "somebody should /crew-answer this" is posted on the pull request
    Then the harness "answer" agent did not run
    When a comment "/crew-answer shortly" is posted on the pull request
    Then the harness "answer" was dispatched exactly 1 time
    And the harness "answer" workflow completes successfully
    And the agent will succeed to Emit review JSON
