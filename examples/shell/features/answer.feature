Feature: Answer
  The second desk has a label, a result and a job of its own.

  Background:
    Given the enrolled test repository
    And an issue

  Scenario: An answer becomes a comment
    Given a dummy agent that would:
      | description | op            | args                                      |
      | Write back  | write_fixture | out/letter.txt, fixtures/answer/letter.txt |
    When the issue is labeled "to-answer"
    Then the harness "answer" was dispatched exactly 1 time
    And the harness "sort" agent did not run
    And the answer workflow completes successfully
    And the issue has label "answered"
    And the issue has a comment containing "that matters: C:\new"
    And the agent will output letter.txt with:
      """
      Dear reader,
      it is the "last line" that matters: C:\new	or not.
      """

  Scenario: An answer without a salutation is not posted
    Given a dummy agent that would:
      | description | op            | args                                    |
      | Write back  | write_fixture | out/letter.txt, fixtures/answer/rude.txt |
    When the issue is labeled "to-answer"
    Then the answer workflow fails reporting "out/letter.txt does not read Dear"
    And the issue does not have label "answered"
