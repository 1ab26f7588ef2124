@requires:capability:faults
Feature: What becomes of a request
  GitHub answers with an error, with a refusal because there were too many requests, with what was true a
  moment ago, or not at all. A request is made again, and what was made already is no error.

  Background:
    Given the enrolled test repository
    And an issue
    And the issue has label "new"

  Scenario: The server has an error
    Given the forge has the fault "api.5xx=503@/repos/*/*/issues/*/labels"
    When the issue is labeled "ready"
    Then the issue has label "routed"

  Scenario: There were too many requests
    Given the forge has the fault "api.rate-limit=secondary@POST /repos/*/*/git/refs"
    When the issue is labeled "ready"
    Then the issue has label "routed"

  Scenario: A change was made, and nobody heard of it
    Given the forge has the fault "api.cut=after,by:github-actions[bot]@POST /repos/*/*/git/refs"
    When the issue is labeled "ready"
    Then the issue has label "routed"
    And branch "route/<issue>" exists

  Scenario: A label is not seen yet
    Given the forge has the fault "read.stale=by:github-actions[bot]@GET /repos/*/*/issues/*/labels"
    When the issue is labeled "ready"
    Then the issue has label "routed"

  Scenario: A request takes its time, and others do not wait
    Given the forge has the fault "api.slow=100,from:2,by:github-actions[bot]@/repos/*/*/issues/*/labels"
    And an issue
    And the fault "api.slow" has struck
    When the issue is labeled "ready"
    Then the issue has label "routed"
    And the issue has label "ready"
