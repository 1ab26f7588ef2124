// Package stage lists the six stages of crew's work. What each does with a result is in package post.
package stage

// Label is a label of the repository.
type Label struct{ Name, Color, Description string }

// Stage is one kind of work, done by the agents that have its role.
type Stage struct {
	Role   string
	Starts []Label // that start it when they are put on
	Sets   []Label // that its post step puts on
}

// Labels that post steps put on. ReadyToCode is a hand-off: it starts the next stage.
const (
	Triaged     = "triaged"
	ReadyToCode = "ready-to-code"
	NeedsInfo   = "needs-info"
	PullOpen    = "pr-open"
	Priority    = "priority-" // high, medium or low follows
)

// All returns the stages in the order in which work goes through them.
func All() []Stage {
	return []Stage{
		{
			Role:   "triage",
			Starts: []Label{{"ready-for-triage", "0e8a16", "starts the triage agent"}},
			Sets: []Label{
				{Triaged, "1d76db", "the triage agent has looked at it"},
				{NeedsInfo, "d93f0b", "the triage agent has questions"},
			},
		},
		{
			Role:   "code",
			Starts: []Label{{ReadyToCode, "5319e7", "says enough to be worked on; starts the code agent"}},
			Sets:   []Label{{PullOpen, "0052cc", "the code agent has opened a pull request for it"}},
		},
		{Role: "review", Starts: []Label{{"ready-for-review", "fbca04", "starts the review agent"}}},
		{Role: "fix"},
		{Role: "retro"},
		{
			Role: "prioritize",
			Sets: []Label{
				{Priority + "high", "b60205", "matters much"},
				{Priority + "medium", "e99695", "matters"},
				{Priority + "low", "f9d0c4", "matters little"},
			},
		},
	}
}

// Roles returns the names of the stages.
func Roles() (roles []string) {
	for _, s := range All() {
		roles = append(roles, s.Role)
	}
	return roles
}

// Schema is the file below crew's directory that the results of a role are held to.
func Schema(role string) string { return "schemas/" + role + "-result.schema.json" }

// Labels returns all labels that the stages know.
func Labels() (all []Label) {
	for _, s := range All() {
		all = append(append(all, s.Starts...), s.Sets...)
	}
	return all
}
