package driver

import "context"

// TrackerCapability is what a scenario requires that has an issue tracker.
const TrackerCapability Capability = "tracker"

// Tracker is an issue tracker. Each account has his own view of it.
type Tracker interface {
	// As returns the tracker as an account sees it; "" is the one that administers it. An account that the
	// environment can make is made; ErrUnknownActor says that there is none.
	As(ctx context.Context, account string) (TrackerSession, error)
}

// TrackerSession is the tracker as one account sees it.
type TrackerSession struct {
	Tickets  Tickets
	Projects TrackerProjects
}

// Ticket is an issue of a tracker. Key is such as APP-12: the project's key and a number.
type Ticket struct {
	Key     string
	Summary string
	Labels  []string
}

// TicketEdit changes what is not empty.
type TicketEdit struct {
	Summary      string
	AddLabels    []string
	RemoveLabels []string
}

// Tickets opens, reads and edits the issues of a tracker.
type Tickets interface {
	// Open makes the issue with its key. A tracker that gives it another one answers ErrConflict.
	Open(ctx context.Context, t Ticket) error
	Get(ctx context.Context, key string) (Ticket, error)
	Edit(ctx context.Context, key string, edit TicketEdit) error
	Comment(ctx context.Context, key, body string) error
}

// TrackerProjects makes projects and says who has which role in them. What is there already is left as it is.
type TrackerProjects interface {
	Create(ctx context.Context, key string) error
	// Back gives a project role to all members of a group; role and group are made where there are none.
	Back(ctx context.Context, project, role, group string) error
	// Join makes an account a member of a group, which is made if there is none.
	Join(ctx context.Context, group, account string) error
}

// Poller runs the platform's poller of the tracker, as its platform file says.
type Poller interface {
	// Poll runs it once for a project and returns what it printed. That it fails is an error.
	Poll(ctx context.Context, project string) (output []byte, err error)
}

func (unassignedTracker) As(context.Context, string) (TrackerSession, error) {
	return TrackerSession{}, unassigned{}.refuse("tracker")
}

func (u unassigned) Poll(context.Context, string) ([]byte, error) {
	return nil, u.refuse("poller")
}

// unassignedTracker is apart from unassigned, which has an As of a forge's.
type unassignedTracker struct{}
