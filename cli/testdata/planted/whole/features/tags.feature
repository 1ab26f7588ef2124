Feature: Tags

  @requires:capability:magic
  # lint: unknown-capability
  Scenario: A capability that nobody has
    Given an issue
    Then the issue has label "x"

  @requires:slow
  # lint: unknown-capability
  Scenario: A capability without the word
    Given an issue
    Then the issue has label "x"

  @skip
  # lint: unknown-capability
  Scenario: Skipped in no place
    Given an issue
    Then the issue has label "x"

  @lock:
  # lint: unknown-capability
  Scenario: A lock without a name
    Given an issue
    Then the issue has label "x"

  # lint: unknown-tag

  @seriel
  Scenario: Almost a tag of the kit
    Given an issue
    Then the issue has label "x"

  # no comet has a label
  # lint: unknown-tag
  @skip:comet
  Scenario: Skipped where nobody is
    Given an issue
    Then the issue has label "x"

  # lint: skip-reason

  @skip:gitlab
  Scenario: Skipped for no reason
    Given an issue
    Then the issue has label "x"

  # lint: skip-reason

  @skip:per-org #
  Scenario: Skipped for an empty reason
    Given an issue
    Then the issue has label "x"
