Feature: Workspace
  What an agent is told of its event, and what is taken from it.

  Scenario: The event reaches the agent's workspace
    Given the enrolled test repository
    And an issue with title "$(touch pwned); `touch pwned` ::error::x" and body containing "${{ secrets.CREW_BOT_TOKEN }}"
    And a dummy agent that would:
      | description           | op            | args                                                      |
      | Know of the event     | assert_env    | CREW_EVENT_PATH                                           |
      | Read the event        | assert_json   | input/event.json, issue.number, 1                         |
      | Know the issue's page | assert_env    | CREW_ISSUE_URL                                            |
      | Know its role         | assert_env    | CREW_ROLE, triage                                         |
      | Know of feedback      | assert_env    | CREW_FEEDBACK                                             |
      | See what was carried  | assert_file   | pwned                                                     |
      | Emit triage JSON      | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Know of the event
    And the agent will succeed to Read the event
    And the agent will succeed to Know the issue's page
    And the agent will succeed to Know its role
    And the agent will fail to Know of feedback
    And the agent will fail to See what was carried
    And the agent will succeed to Emit triage JSON

  Scenario: A link in the agent's output is refused by name
    Given the enrolled test repository
    And an issue
    And the file ".crew/config.yaml" of the repository has "commands: {dummy: [sh, -c, 'ln -s {repo}/README.md output/link.txt; exec understudy-job agent dummy --script {dir}/behaviour/current-scenario.yaml --workspace {workspace} --repo {repo} --proxy {proxy}']}" in the place of "# What drives the agents."
    And a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow fails reporting "output/link.txt in the agent's output is a symbolic link"
    And the agent will succeed to Emit triage JSON
    And the issue does not have label "triaged"

  Scenario: The agent reaches nothing by which it could steer the job's later steps
    Given the enrolled test repository
    And an issue
    And a dummy agent that would:
      | description                     | op            | args                                                      |
      | Set variables of later steps    | assert_env    | GITHUB_ENV                                                |
      | Set outputs                     | assert_env    | GITHUB_OUTPUT                                             |
      | Find the job's token            | assert_env    | GITHUB_TOKEN                                              |
      | Find the bot's token            | assert_env    | CREW_BOT_TOKEN                                            |
      | Find the runner's token         | assert_env    | ACTIONS_RUNTIME_TOKEN                                     |
      | Find the raw event              | assert_env    | CREW_EVENT_PAYLOAD                                        |
      | Emit triage JSON                | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will fail to Set variables of later steps
    And the agent will fail to Set outputs
    And the agent will fail to Find the job's token
    And the agent will fail to Find the bot's token
    And the agent will fail to Find the runner's token
    And the agent will fail to Find the raw event
    And the agent will succeed to Emit triage JSON

  Scenario: The agent's job carries out nothing that stands in an issue's title
    Given the enrolled test repository
    And an issue with title "$(touch carried-out.txt)" and body containing "$(touch carried-out.txt)"
    And a dummy agent that would:
      | description       | op            | args                                                      |
      | See what was done | read_file     | carried-out.txt                                           |
      | Emit triage JSON  | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will fail to See what was done
    And the agent will succeed to Emit triage JSON

  Scenario: No job ends by what stands in an issue's title
    Given the enrolled test repository
    And an issue with title "$(kill $$)" and body containing "$(kill $$)"
    And a dummy agent that would:
      | description       | op            | args                                                      |
      | Emit triage JSON  | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the agent will succeed to Emit triage JSON
