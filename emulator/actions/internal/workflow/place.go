package workflow

import "github.com/understudy-dev/understudy/emulator/actions/internal/expr"

// What an expression may mention where it stands.
// https://docs.github.com/en/actions/reference/workflows-and-actions/contexts#context-availability
var (
	inRunName        = expr.Place{Contexts: []string{"github", "inputs", "vars"}}
	inWorkflowEnv    = expr.Place{Contexts: []string{"github", "secrets", "inputs", "vars"}}
	inRunConcurrency = inRunName

	inJobIf     = expr.Place{Contexts: []string{"github", "needs", "vars", "inputs"}, Status: true}
	inStrategy  = expr.Place{Contexts: []string{"github", "needs", "vars", "inputs"}}
	inJob       = expr.Place{Contexts: []string{"github", "needs", "strategy", "matrix", "vars", "inputs"}}
	inJobEnv    = expr.Place{Contexts: []string{"github", "needs", "strategy", "matrix", "vars", "secrets", "inputs"}}
	inDefaults  = expr.Place{Contexts: []string{"github", "needs", "strategy", "matrix", "env", "vars", "inputs"}}
	inJobOutput = expr.Place{Contexts: []string{"github", "needs", "strategy", "matrix", "job", "runner", "env", "vars", "secrets", "steps", "inputs"}}

	inEnvironmentURL = expr.Place{Contexts: []string{"github", "needs", "strategy", "matrix", "job", "runner", "env", "vars", "steps", "inputs"}}

	inStep   = expr.Place{Contexts: inJobOutput.Contexts, Files: true}
	inStepIf = expr.Place{
		Contexts: []string{"github", "needs", "strategy", "matrix", "job", "runner", "env", "vars", "steps", "inputs"},
		Status:   true, Files: true,
	}
)
