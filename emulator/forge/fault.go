package forge

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/internal/order"
)

// Fault is one way in which a forge can be told to misbehave as GitHub does: its name is one of Faults, and
// what is left out has its default. ParseFault reads the form of flags and steps.
//
//	forge.Options{Faults: []forge.Fault{{Name: "delivery.twice", At: "issues.labeled", Times: forge.Always}}}
type Fault = fault.Fault

// Always, as Fault.Times, strikes whenever it can.
const Always = fault.Always

// ParseFault reads NAME[=ARG,…][@WHERE]: "delivery.late=2@issues.labeled".
func ParseFault(text string) (Fault, error) { return fault.Parse(text) }

// FaultKind describes a fault that there is.
type FaultKind = fault.Kind

// FaultArg describes an argument of one.
type FaultArg = fault.Arg

// Faults lists the faults that there are.
func Faults() []FaultKind { return fault.Catalogue() }

// Inject puts faults in force from now on, in addition to those that are; with one that is wrong none is.
// remove takes them out again. What a fault does to a delivery that is under way then is done.
func (a *Admin) Inject(faults ...Fault) (remove func(), err error) {
	remove, err = a.server.order.Faults().InjectFor(a.state.Marked(), faults...)
	if err != nil {
		return nil, fmt.Errorf("inject fault: %w", err)
	}
	return remove, nil
}

// InForce are the faults that are in force, also those that struck as often as they should.
func (a *Admin) InForce() []Fault { return a.server.order.Faults().InForce() }

// ClearFaults takes all faults out.
func (a *Admin) ClearFaults() { a.server.order.Faults().Clear() }

// Order decides when the deliveries of this forge go on. It is for a workflow engine, so that one schedule and
// one set of faults govern both; the forge closes it.
func (s *Server) Order() *order.Order { return s.order }

// deliver sends a delivery on its way to a webhook. The state is locked.
func (s *Server) deliver(x state.Delivery) {
	event := x.Event
	if x.Action != "" {
		event += "." + x.Action
	}
	receiver := fmt.Sprintf("hook %d", x.HookID)
	about := ""
	if !s.order.Plain() {
		about = labelOf(x.Payload)
	}
	what := "deliver " + strings.TrimSpace(event+" "+about) + " to " + receiver
	s.order.Deliver(order.Delivery{
		What: what, Event: event, About: about, Seq: x.Seq, To: order.Hooks, Receiver: receiver, Cause: x.Cause, Work: x.Obligation,
		Go: func(again bool) {
			d := x
			if again {
				d.ID, d.Obligation = 0, s.admin.ledger.Open(what+" once more")
			}
			s.hooks.Deliver(d)
		},
	})
}

// labelOf is the label that an event is about, or "".
func labelOf(payload json.RawMessage) string {
	var body struct {
		Label struct {
			Name string `json:"name"`
		} `json:"label"`
	}
	if json.Unmarshal(payload, &body) != nil {
		return ""
	}
	return body.Label.Name
}
