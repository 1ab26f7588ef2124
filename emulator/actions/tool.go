package actions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
	"github.com/understudy-dev/understudy/internal/toolchain"
)

// tools remembers which programs of the jobs' PATH were asked for their versions. It is used under
// Engine.accepting.
type tools map[string][]toolchain.Program

// programs yields a tool's programs, each asked once.
func (e *Engine) programs(t toolchain.Tool) func(yield func(toolchain.Program) bool) {
	return func(yield func(toolchain.Program) bool) {
		known, ok := e.tools[t.Action]
		if !ok {
			for p := range t.Programs(e.ctx, e.o.Env["PATH"]) {
				known = append(known, p)
			}
			e.tools[t.Action] = known
		}
		for _, p := range known {
			if !yield(p) {
				return
			}
		}
	}
}

// lacking are the versions of tools that a file asks for in so many words and that are not here, so that the
// run is refused before it starts. What an expression or a file asks for is known in its step.
func (e *Engine) lacking(wf *workflow.Workflow) error {
	var out workflow.Problems
	for _, j := range wf.Jobs {
		for _, s := range j.Steps {
			tool, ok := toolchain.Of(s.Uses)
			if !ok {
				continue
			}
			for _, in := range s.With {
				if in.Name != tool.Input || strings.Contains(in.Text, "${{") || strings.TrimSpace(in.Text) == "" {
					continue
				}
				if p := e.missing(tool, in); p != nil {
					p.Path = wf.Path
					out = append(out, *p)
				}
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// missing is the problem with one version, or nil.
func (e *Engine) missing(tool toolchain.Tool, in workflow.Given) *workflow.Problem {
	want, err := tool.Want(in.Text)
	if err == nil {
		_, err = tool.Choose(e.programs(tool), want)
	}
	var lacking *toolchain.Lacking
	switch {
	case err == nil:
		return nil
	case errors.As(err, &lacking):
		return &workflow.Problem{Line: in.Line, Msg: fmt.Sprintf("`%s:` %v", tool.Input, err), Hint: lacking.Hint()}
	}
	return &workflow.Problem{Line: in.Line, Msg: fmt.Sprintf("`%s:` %v", tool.Input, err)}
}
