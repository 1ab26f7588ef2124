Feature: Hand-off
  One stage starts the next by what it leaves behind: a label, a pull request.

  Scenario: An issue goes from triage to a pull request and its review
    Given the enrolled test repository
    And an issue
    And the file ".crew/config.yaml" of the repository has "code: {enabled: true}" in the place of "code: {enabled: false}"
    And a dummy "triage" agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    And a dummy "code" agent that would:
      | description    | op              | args                                                     |
      | Begin a branch | checkout_branch | crew/<issue>-last-line                                   |
      | Emit code JSON | write_fixture   | output/agent-result.json, fixtures/code/implemented.json |
    And a dummy "review" agent that would:
      | description      | op            | args                                                   |
      | Emit review JSON | write_fixture | output/agent-result.json, fixtures/review/comment.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the run selected the "dummy" runtime
    And the harness "code" was dispatched exactly 1 time
    And the harness "code" workflow completes successfully
    And the agent will succeed to Begin a branch
    And the agent will succeed to Emit code JSON
    And the run selected the "dummy" runtime
    And the pull request head branch matches "crew/<issue>-last-line"
    And the harness "review" was dispatched exactly 1 time
    And the harness "review" workflow completes successfully
    And the agent will succeed to Emit review JSON
    And the run selected the "dummy" runtime
    And the pull request has a comment containing "The change does what it says"
