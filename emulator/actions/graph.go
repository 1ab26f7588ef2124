package actions

import (
	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
)

// graph is the jobs of one workflow file within a run: of the run's own file, or of one that a job calls.
// It belongs to the run's goroutine.
type graph struct {
	r *run
	*called
	inputs    any
	caller    *cell // nil for the run's own file
	nodes     []*node
	byKey     map[string]*node
	cancelled bool
	past      *pastGraph // the jobs in the attempt before; nil when all of them run
}

func (r *run) newGraph(c *called, inputs any, caller *cell) *graph {
	g := &graph{r: r, called: c, inputs: inputs, caller: caller, byKey: map[string]*node{}}
	switch {
	case caller != nil && caller.past != nil:
		g.past = caller.past.Child
	case caller == nil && r.again != nil:
		g.past = r.again.past
	}
	for _, j := range c.wf.Jobs {
		n := &node{r: r, g: g, job: j}
		g.nodes = append(g.nodes, n)
		g.byKey[j.Key] = n
	}
	return g
}

// advance begins every job whose needs have ended; a job that is skipped can free others at once.
func (g *graph) advance() {
	for again := true; again; {
		again = false
		for _, n := range g.nodes {
			if !n.begun && n.needsEnded() {
				n.begin()
				again = true
			}
			n.launch()
			if n.advanceCalls() {
				again = true
			}
		}
	}
}

// busy reports whether a job has not ended.
func (g *graph) busy() bool {
	for _, n := range g.nodes {
		if !n.ended() {
			return true
		}
	}
	return false
}

// stop cancels every job.
func (g *graph) stop() {
	g.cancelled = true
	for _, n := range g.nodes {
		n.cancel()
	}
}

// conclusion adds up the jobs. What was cancelled stays so, whatever its jobs made of it.
func (g *graph) conclusion() string {
	counts := map[string]int{}
	for _, n := range g.nodes {
		counts[n.result]++
	}
	switch {
	case g.cancelled:
		return cancelled
	case counts[failure] > 0:
		return failure
	case counts[cancelled] > 0:
		return cancelled
	case counts[success] == 0:
		return skipped
	}
	return success
}

// prefix stands before the names of the graph's jobs: "deploy / ".
func (g *graph) prefix() string {
	if g.caller == nil {
		return ""
	}
	return g.caller.rec.Name + " / "
}

// permissions are what a job's token may do: what its file says, else what its caller's may. That a file asks
// for more than its caller has was refused before the run.
func (g *graph) permissions(j *workflow.Job) map[string]string {
	own := firstOf(j.Permissions, g.wf.Permissions)
	switch {
	case own == nil && g.caller != nil:
		return g.caller.rec.Permissions
	case own == nil:
		return g.r.src.permissions()
	}
	return own
}

// levels order what a token may do to a scope.
var levels = map[string]int{"none": 0, "read": 1, "write": 2}

// allowed is the level of a scope; nil stands for what a token may do by default.
func allowed(permissions map[string]string, scope string) string {
	if level, ok := permissions[scope]; ok {
		return level
	}
	if permissions == nil && (scope == "contents" || scope == "packages") {
		return "read"
	}
	return "none"
}

// outputs are what the called file gives to its caller.
func (g *graph) outputs() (map[string]string, error) {
	jobs := &expr.Object{}
	for _, n := range g.nodes {
		o := &expr.Object{}
		o.Set("result", n.result)
		o.Set("outputs", expr.Strings(n.outputs))
		jobs.Set(n.job.Key, o)
	}
	scope := g.r.scope(nil)
	scope.Contexts["jobs"], scope.Contexts["inputs"] = jobs, g.inputs
	out := map[string]string{}
	for _, o := range g.wf.On.Call.Outputs {
		v, err := o.Value.Eval(scope)
		if err != nil {
			return nil, err
		}
		out[o.Name] = expr.String(v)
	}
	return out, nil
}
