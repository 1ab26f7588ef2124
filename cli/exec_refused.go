package cli

import (
	"fmt"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/emulator/network"
)

// refusals names each refused attempt once, when it happens, and in the end how often it did.
type refusals struct {
	s *screen

	mu    sync.Mutex
	order []string
	count map[string]int
}

func (r *refusals) add(f network.Refusal) { r.tell(f.What, f.By) }

// addOfJob is add for what a workflow of the forge tried.
func (r *refusals) addOfJob(f network.Refusal) {
	r.tell(f.What, strings.TrimPrefix(f.By+", in a workflow", ", "))
}

func (r *refusals) tell(what, by string) {
	line := what
	if by != "" {
		line += " (" + by + ")"
	}
	line = strings.Map(printable, line)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == nil {
		r.count = map[string]int{}
	}
	if r.count[line]++; r.count[line] == 1 {
		r.order = append(r.order, line)
		r.s.note("understudy: refused: " + line)
	}
}

// summary says what was tried more than once.
func (r *refusals) summary() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.order {
		if n := r.count[line]; n > 1 {
			r.s.note(fmt.Sprintf("understudy: refused %d times: %s", n, line))
		}
	}
}
