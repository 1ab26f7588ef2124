Feature: Sort
  A label brings an issue to the desk that sorts. What its agent leaves decides what becomes of the issue.

  Rule: A sorted issue is labeled

    Scenario: Sorting labels an issue
      Given the enrolled test repository
      And an issue with title "The parser drops the last line" and body containing "steps to reproduce"
      And a dummy agent that would:
        | description  | op            | args                                  |
        | Name a shelf | write_fixture | out/shelf.txt, fixtures/sort/bugs.txt |
      When the issue is labeled "to-sort"
      Then the sort workflow completes successfully
      And the agent will succeed to Name a shelf
      And the issue has label "sorted"
      And the issue has a comment containing "shelf=bugs"

    Scenario: Another label brings it to no desk
      Given the enrolled test repository
      And an issue
      And a dummy agent that would:
        | description  | op            | args                                  |
        | Name a shelf | write_fixture | out/shelf.txt, fixtures/sort/bugs.txt |
      When the issue is labeled "documentation"
      Then the harness "sort" agent did not run
      And the harness "answer" agent did not run
      And the issue does not have label "sorted"

  Rule: Nothing is labeled unless the agent's result is valid

    Background:
      Given the enrolled test repository
      And an issue

    Scenario: A shelf that there is not fails the workflow
      Given a dummy agent that would:
        | description  | op            | args                                  |
        | Name a shelf | write_fixture | out/shelf.txt, fixtures/sort/moon.txt |
      When the issue is labeled "to-sort"
      Then the sort workflow fails reporting "out/shelf.txt does not read shelf=(bugs|wishes)"
      And the issue does not have label "sorted"

    Scenario: A missing result fails the workflow
      Given a dummy agent that would:
        | description | op            | args                                    |
        | Take a card | write_fixture | out/card.json, fixtures/agent/card.json |
      When the issue is labeled "to-sort"
      Then the sort workflow fails reporting "there is no out/shelf.txt"
      And the agent will succeed to Take a card
      And the issue does not have label "sorted"
