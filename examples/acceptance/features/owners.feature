Feature: OWNERS
  Where that is enabled, a repository's OWNERS files say who may start agents, beside its roles.

  Background:
    Given the enrolled test repository

  Rule: An issue that is opened is triaged if who opened it may start agents

    Background:
      Given the file ".crew/harness/triage.yaml" of the repository has "'work_item' && (event.transition.kind == 'opened' ||" in the place of "'work_item' && ("
      And a dummy agent that would:
        | description      | op            | args                                                      |
        | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |

    Scenario: An approver may
      Given an OWNERS file listing the outsider as an approver
      And OWNERS authorization is enabled
      When the outsider opens an issue for OWNERS auth testing
      Then the triage workflow completes successfully
      And the agent will succeed to Emit triage JSON
      And the triage workflow logs contain "outsider is authorised by OWNERS as approver"

    Scenario: The people of a group may
      Given an OWNERS file with alias "test-team" as approver
      And an OWNERS_ALIASES file mapping "test-team" to the outsider
      And OWNERS authorization is enabled
      When the outsider opens an issue for OWNERS auth testing
      Then the triage workflow completes successfully
      And the agent will succeed to Emit triage JSON
      And the triage workflow logs contain "outsider is authorised by OWNERS as approver"

    Scenario: A reviewer may
      Given an OWNERS file listing the outsider as a reviewer only
      And OWNERS authorization is enabled
      When the outsider opens an issue for OWNERS auth testing
      Then the triage workflow completes successfully
      And the agent will succeed to Emit triage JSON
      And the triage workflow logs contain "outsider is authorised by OWNERS as reviewer"

    Scenario: Of one who has a role nobody asks OWNERS
      Given an OWNERS file listing the outsider as a reviewer only
      And OWNERS authorization is enabled
      When the bot opens an issue for OWNERS auth testing
      Then the triage workflow completes successfully
      And the agent will succeed to Emit triage JSON
      And the triage workflow logs do not contain "by OWNERS"

  Rule: A command is carried out if who gives it may start that agent

    Background:
      Given the file ".crew/config.yaml" of the repository has "code: {enabled: true}" in the place of "code: {enabled: false}"
      And an issue

    Scenario: A reviewer starts nothing that changes code
      Given an OWNERS file listing the outsider as a reviewer
      And OWNERS authorization is enabled
      When the outsider posts "/crew-code" on the issue
      Then the dispatch run does not authorize via OWNERS
      And the job "dispatch" succeeds saying "outsider is only a reviewer of OWNERS"

    Scenario: Who is not in the files may nothing
      Given an OWNERS file listing the bot as an approver
      And OWNERS authorization is enabled
      When the outsider posts "/crew-triage" on the issue
      Then the dispatch run does not authorize via OWNERS

    Scenario: The files count only where that is enabled
      Given an OWNERS file listing the outsider as an approver
      When the outsider posts "/crew-triage" on the issue
      Then the dispatch run does not authorize via OWNERS

    Scenario: A file that cannot be read names nobody
      Given the file "OWNERS" of the repository is:
        """
        approver: [outsider]
        """
      And OWNERS authorization is enabled
      When the outsider posts "/crew-triage" on the issue
      Then the dispatch run does not authorize via OWNERS
      And the job "dispatch" succeeds saying "OWNERS name nobody: OWNERS:1"
