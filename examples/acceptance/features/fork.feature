@fork @requires:capability:forge.fork
Feature: Pull requests from forks
  What crew owes to pull requests that come from a fork: they run from the base's own workflow, with what the base says.

  Background:
    Given the enrolled test repository
    And a fork "test-repo-fork" of the enrolled test repository
    And a dummy agent that would:
      | description      | op            | args                                                   |
      | Emit review JSON | write_fixture | output/agent-result.json, fixtures/review/comment.json |

  Rule: The fork contract

    Scenario: A fork pull request of one who may write starts the agent
      When a fork pull request is opened
      Then the harness "review" workflow completes successfully
      And the agent will succeed to Emit review JSON
      And the fork pull request has a comment containing "The change does what it says"

    Scenario: The kill switch stops a fork pull request too
      Given the kill switch is active
      When a fork pull request is opened
      Then the harness "review" agent did not run

    Scenario: A disabled agent is not started by a fork pull request
      Given the file ".crew/config.yaml" of the repository has "enabled: false" in the place of "enabled: true"
      When a fork pull request is opened
      Then the harness "review" agent did not run
      When the fork pull request is labeled "ready-for-review"
      Then the harness "review" agent did not run

    Scenario: A commit and a label dispatch the agent exactly once
      Given the file ".crew/harness/review.yaml" of the repository has "== 'never' ||" in the place of "== 'opened' ||"
      And a fork pull request is opened
      When a commit is pushed to the fork pull request
      Then the harness "review" agent did not run
      When the fork pull request is labeled "ready-for-review"
      Then the harness "review" was dispatched exactly 1 time
      And the harness "review" workflow completes successfully
      And the agent will succeed to Emit review JSON

    Scenario: An agent that takes no forks is not started by one
      Given the file ".crew/harness/review.yaml" of the repository has "!event.state.change_proposal.is_fork && (" in the place of "event.entity.kind == 'change_proposal' && ("
      When a fork pull request is opened
      Then the harness "review" agent did not run
      When a pull request is opened
      Then the harness "review" was dispatched exactly 1 time
      And the harness "review" workflow completes successfully
      And the agent will succeed to Emit review JSON

  Rule: Who may start an agent

    Scenario: A stranger's fork pull request starts no agent
      When a fork pull request is opened by the outsider
      Then the harness "review" agent did not run
      And the fork pull request is open
      When the fork pull request is labeled "ready-for-review"
      Then the harness "review" workflow completes successfully
      And the agent will succeed to Emit review JSON

    @requires:capability:faults
    Scenario: Who cannot be looked up starts no agent
      Given the forge has the fault "api.5xx=502@GET /repos/*/*/collaborators/*/permission"
      When a fork pull request is opened by the outsider
      Then the harness "review" agent did not run
      And the fault "api.5xx" struck 1 time

    Scenario: A command on a fork pull request starts no agent that takes no forks
      Given the file ".crew/config.yaml" of the repository has "fix: {enabled: true}" in the place of "fix: {enabled: false}"
      And the file ".crew/harness/review.yaml" of the repository has "== 'never' ||" in the place of "== 'opened' ||"
      And a fork pull request is opened
      When a comment "/crew-fix" is posted on the fork pull request
      Then the harness "fix" agent did not run
      And the job "dispatch" succeeds saying "agent fix is skipped: its trigger does not match"
