Feature: Playback
  Recorded results are replayed, each round of an agent the next one.

  Background:
    Given the enrolled test repository

  Scenario: An issue becomes what was recorded
    Given the file ".crew/config.yaml" of the repository has "code: {enabled: true}" in the place of "code: {enabled: false}"
    And a triage agent that returns "fixtures/playback/triaged.yaml"
    And a code agent that returns "fixtures/playback/coded.yaml"
    And a review agent that returns "fixtures/playback/commented.yaml"
    And an issue "Greet the world" is created
    When the issue is labeled "ready-for-triage"
    Then the triage agent completes successfully
    And the run selected the "dummy-playback" runtime from ".crew/config.yaml"
    And the code agent is triggered
    And the code agent completes successfully
    And a pull request exists
    And the review agent completes successfully
    And the review agent submitted "COMMENTED"
    And the published repository matches fixture "fixtures/playback/published"

  Rule: Rounds

    Background:
      Given the file ".crew/config.yaml" of the repository has "fix: {enabled: true}" in the place of "fix: {enabled: false}"
      And the file ".crew/harness/review.yaml" of the repository has "== 'never' ||" in the place of "== 'opened' ||"
      And a review agent that returns "fixtures/playback/changes-requested.yaml"

    Scenario: A review that asks for changes is followed by a fix and another review
      Given a fix agent that returns "fixtures/playback/fixed.yaml"
      And a review agent that returns "fixtures/playback/approved.yaml"
      When an open pull request on branch "topic"
      And the pull request is labeled "ready-for-review"
      Then the review agent completes successfully
      And the review agent submitted "CHANGES_REQUESTED"
      And the fix agent completes successfully
      When a comment "/crew-review" is posted on the pull request
      Then the review agent is triggered
      And the review agent completes successfully
      And the review agent submitted "APPROVED"
      And the published repository matches fixture "fixtures/playback/reworked"

    Scenario: Beyond the end of its playlist an agent fails
      Given a fix agent that returns "fixtures/playback/fixed.yaml"
      And an open pull request on branch "topic"
      When a comment "/crew-review" is posted on the pull request
      Then the review agent completes successfully
      And the fix agent completes successfully
      When a comment "/crew-review" is posted on the pull request
      Then the review workflow fails reporting "the playlist has ended: agent review has come to round 2, recorded rounds: 1"
