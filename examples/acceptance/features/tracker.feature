@requires:capability:tracker
Feature: What happens in an issue tracker starts agents, too
  crew polls a Jira project: new labels and comments of its issues become the same events as those of a forge, each
  once. Who may start agents is told by the project's roles.

  Background:
    Given a mock Jira server
    And the "Developers" Jira project role is backed by group "app-devs"
    And Jira user "dana" belongs to group "app-devs"

  Scenario: A label starts the stage once
    Given a Jira issue "APP-12" with labels "bug,backend"
    And a Jira issue "APP-13" with labels "bug"
    When the label "ready-for-triage" is added to Jira issue "APP-12"
    And the Jira poller runs
    Then the dispatch output contains a "triage" stage for issue "APP-12"
    And the dispatch output does not contain a stage for issue "APP-13"
    When the Jira poller runs
    Then the dispatch output does not contain a stage for issue "APP-12"

  Scenario: A developer's comment starts the stage in his name
    Given a Jira issue "APP-7" with labels ""
    When a comment "/crew-triage please" from Jira user "dana" is added to Jira issue "APP-7"
    And a comment "thank you" is added to Jira issue "APP-7"
    And the Jira poller runs
    Then the dispatch output contains a "triage" stage for issue "APP-7"
    And the dispatch output attributes issue "APP-7" to actor "dana" with role "write"

  Scenario: Who has no role in the project starts nothing
    Given a Jira issue "APP-8" with labels "bug"
    And Jira user "olga" belongs to group "visitors"
    When a comment "/crew-triage" from Jira user "olga" is added to Jira issue "APP-8"
    And the Jira poller runs
    Then the dispatch output does not contain a stage for issue "APP-8"
    When a comment "/crew-triage" from Jira user "dana" is added to Jira issue "APP-8"
    And the Jira poller runs
    Then the dispatch output contains a "triage" stage for issue "APP-8"

  Scenario: A comment starts the stage once
    Given a Jira issue "APP-9" with labels "bug"
    When a comment "/crew-triage" from Jira user "dana" is added to Jira issue "APP-9"
    And the Jira poller runs
    Then the dispatch output contains a "triage" stage for issue "APP-9"
    When the Jira poller runs
    Then the dispatch output does not contain a stage for issue "APP-9"
    When a comment "/crew-triage again" from Jira user "dana" is added to Jira issue "APP-9"
    And the Jira poller runs
    Then the dispatch output contains a "triage" stage for issue "APP-9"
