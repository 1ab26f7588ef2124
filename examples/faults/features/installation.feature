@requires:capability:faults
Feature: What was made is not there yet
  GitHub answers that a thing was made before everybody sees it. The platform is installed on such a day, and the
  next issue finds all that the installation should have left.

  Scenario: A name is still taken
    Given the forge has the fault "name.taken@POST /orgs/*/repos"
    And the enrolled test repository
    And an issue
    When the issue is labeled "ready"
    Then the issue has label "routed"

  Scenario: A repository has no first commit yet
    Given the forge has the fault "autoinit.lag@PUT /repos/*/*/contents/rules"
    And the enrolled test repository
    And an issue
    When the issue is labeled "ready"
    Then the issue has label "routed"

  Scenario: A fork has no branches yet
    Given the forge has the fault "fork.lag@POST /repos/*/*/git/refs"
    And the enrolled test repository
    And an issue
    When the issue is labeled "ready"
    Then the issue has label "routed"

  Scenario: A role is not seen yet
    Given the forge has the fault "permission.lag@GET /repos/*/*/collaborators/clerk/permission"
    And the enrolled test repository
    And an issue
    When the issue is labeled "ready"
    Then the issue has label "routed"

  Scenario: The organisation has only private repositories
    Given the forge has the fault "org.private=from:2,times:always@POST /orgs/*/repos"
    And the enrolled test repository
    And an issue
    When the issue is labeled "ready"
    Then the issue has label "routed"
