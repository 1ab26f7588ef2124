@requires:capability:faults
Feature: What becomes of a fetch and a push
  git tells that it failed, and the push may be done all the same. What is pushed already can be pushed again.

  Background:
    Given the enrolled test repository
    And an issue

  Scenario: The server has an error
    Given the forge has the fault "git.5xx=of:fetch@/**"
    When the issue is labeled "filed"
    Then the issue has label "kept"
    And branch "filed/<issue>" exists

  Scenario: A push is done, and nobody heard of it
    Given the forge has the fault "git.cut=after,of:push@/**"
    When the issue is labeled "filed"
    Then the issue has label "kept"
    And branch "filed/<issue>" exists
