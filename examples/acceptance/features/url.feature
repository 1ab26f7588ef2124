Feature: Agents from elsewhere
  The harness of an agent may be in another repository: a URL with the SHA-256 of its content names it,
  and the configuration says which URLs may be fetched.

  Background:
    Given the enrolled test repository
    And a harness-hosting repository "url-harness-host"
    And an issue
    And a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |

  Scenario: An agent whose harness is in another repository is started by its trigger
    Given a URL-sourced custom harness "far" with:
      """
      agent: agents/far.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "help"
      """
    When the issue is labeled "help"
    Then the harness "far" was dispatched exactly 1 time
    And the harness "far" workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the harness "triage" agent did not run

  Scenario: Files that a harness names lie beside it
    Given a URL-sourced custom harness "far" with:
      """
      agent: agents/far.md
      role: helper
      schema: schemas/far.json
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "help"
      """
    When the issue is labeled "help"
    Then the harness "far" workflow completes successfully
    And the agent will succeed to Emit triage JSON

  Scenario: Another text than the one that was agreed on starts nothing, and other agents start
    Given a URL-sourced custom harness "forged" with bad integrity hash:
      """
      agent: agents/forged.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "help"
      """
    And a custom harness "near" with:
      """
      agent: agents/near.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "help"
      """
    When the issue is labeled "help"
    Then the harness "near" workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the harness "forged" agent did not run
    And the job "dispatch" succeeds saying "integrity check failed: expected sha256"

  Scenario: A URL that nobody allowed starts no agent at all
    Given a URL-sourced custom harness "stray" not in allowlist with:
      """
      agent: agents/stray.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "help"
      """
    And a custom harness "near" with:
      """
      agent: agents/near.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "help"
      """
    When the issue is labeled "help"
    Then the harness "stray" agent did not run
    And the harness "near" agent did not run
    And the job "dispatch" fails saying "is not covered by allowed_remote_resources"

  Scenario: A repository whose name begins like an allowed one is another
    Given a URL-sourced custom harness "far" with:
      """
      agent: agents/far.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "help"
      """
    And a harness-hosting repository "url-harness-host-evil"
    And a URL-sourced custom harness "evil" not in allowlist with:
      """
      agent: agents/evil.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "help"
      """
    When the issue is labeled "help"
    Then the harness "evil" agent did not run
    And the harness "far" agent did not run
    And the job "dispatch" fails saying "url-harness-host-evil/main/harness/evil.yaml"

  Scenario: What lies in the place of the cache counts only with the right hash
    Given a URL-sourced custom harness "far" with:
      """
      agent: agents/far.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "good"
      """
    And the file ".crew-cache/sha256/d8e8ec82f7d4865766325da9d6d624fafedbfc199fadce34ac2a857f30c22281" of the repository is:
      """
      agent: agents/far.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "evil"
      """
    When the issue is labeled "evil"
    Then the harness "far" agent did not run
    When the issue is labeled "good"
    Then the harness "far" workflow completes successfully
    And the agent will succeed to Emit triage JSON

  Scenario: A harness is completed by a base from elsewhere
    Given a URL-sourced base harness "far-parent" with:
      """
      agent: agents/far-parent.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "help"
      """
    And a custom harness "child" with URL base "far-parent" and:
      """
      slug: little-one
      """
    And a URL-sourced custom harness "far-child" with URL base "far-parent" and:
      """
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "other"
      """
    When the issue is labeled "help"
    Then the harness "child" workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the harness "far-child" agent did not run
    When the issue is labeled "other"
    Then the harness "far-child" workflow completes successfully
    And the agent will succeed to Emit triage JSON
    And the harness "child" agent did not run

  Scenario: A base from where nobody allowed starts nothing
    Given a URL-sourced base harness "far-parent" with:
      """
      agent: agents/far-parent.md
      role: helper
      trigger: event.transition.kind == "label_changed" && event.transition.label.name == "help"
      """
    And a custom harness "child" with URL base "far-parent" and:
      """
      slug: little-one
      """
    And the file ".crew/config.yaml" of the repository has "-elsewhere/" in the place of "-url-harness-host/"
    When the issue is labeled "help"
    Then the harness "child" agent did not run
    And the job "dispatch" succeeds saying "is not covered by allowed_remote_resources"
