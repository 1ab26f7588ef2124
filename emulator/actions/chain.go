package actions

import (
	"fmt"
	"strconv"
	"strings"
)

// maxDepth is how many runs workflow_run may start one after another.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflow_run
const maxDepth = 3

// depth is that of the run which a workflow_run is about.
func (e *Engine) depth(h happening) int {
	id, _ := at(h.payload, "workflow_run", "id").(float64)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.depths[int64(id)]
}

// maxChain is how many runs may cause one another. A job that acts with a person's token starts runs, as at
// GitHub, so that a workflow can start itself without end; GitHub lets it.
const maxChain = 50

// endless says why an event starts no run any more: too many runs have led to it.
func (h happening) endless() string {
	switch {
	case h.depth > maxDepth:
		return fmt.Sprintf("workflow_run starts no more than %d runs after one another", maxDepth)
	case h.chain >= maxChain:
		return fmt.Sprintf("%d runs have caused one another up to this %s: a workflow that starts itself is stopped here", h.chain, h.name)
	}
	return ""
}

// chain is how many runs led to an event of a cause: none to what people do.
func (e *Engine) chain(cause string) int {
	if !strings.HasPrefix(cause, "job:") && !strings.HasPrefix(cause, "run:") {
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.chains[cause] + 1
}

// lengthen notes how many runs led to what a run or a job does.
func (e *Engine) lengthen(cause string, id int64, chain int) {
	if chain == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.chains[cause+strconv.FormatInt(id, 10)] = chain
}
