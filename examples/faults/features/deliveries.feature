@requires:capability:faults
Feature: What becomes of an event on its way
  GitHub delivers late, twice, in another order and not at all. An issue is sorted by what it is, not by
  what an event says that it was.

  Scenario: An event comes twice
    Given the enrolled test repository
    And an issue
    And the forge delivers the next "issues.labeled" event twice
    When the issue is labeled "ready"
    Then the route workflow completes successfully
    And the issue has label "routed"
    And branch "route/<issue>" exists

  Scenario: An event comes late
    Given the enrolled test repository
    And the forge delivers the next "issues.opened" event late
    And an issue
    When the issue is labeled "ready"
    Then the issue has label "routed"
    And the issue does not have label "new"

  Scenario: An event is overtaken by the next
    Given the enrolled test repository
    And an issue
    And the forge delivers the next "issues.labeled" event after the one that follows it
    When the issue is labeled "urgent"
    And the issue is labeled "ready"
    Then the issue has label "routed"

  Scenario: An event is lost
    Given the enrolled test repository
    And an issue
    And the forge loses the next "issues.labeled" event
    When the issue is labeled "ready"
    And the issue is labeled "urgent"
    Then the issue has label "routed"

  Scenario: An event comes before the workflow is indexed
    Given the forge is slow to index the workflow file ".github/workflows/sort.yml"
    And the enrolled test repository
    And an issue
    Then the issue has label "new"
