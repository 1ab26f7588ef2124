package driver

import "context"

// Platform says where the platform under test keeps things and what it calls them: the part of
// platform.yaml that steps need. Patterns contain {stage} and are expanded by the steps.
type Platform struct {
	Name            string
	ScriptPath      string           // where the dummy script is committed
	ResultsFile     string           // base name of the dummy's results inside an artifact
	PolicyFile      string           // base name of the egress policy's record inside an artifact
	ArtifactPattern string           // name of a stage's result artifact, such as "crew-{stage}"
	WorkflowFile    string           // file name of the platform's workflow, such as "crew.yml"
	JobPattern      string           // name of a stage's job, such as "run ({stage})"
	FailureMarker   string           // text that every failure comment of the platform contains
	OwnersMarker    string           // text that the log of a run contains if an OWNERS file decided that its actor may
	AgentFile       string           // path in the repository of the file that tells the agent {name} what to do
	RawURL          string           // where a file of a public repository is fetched: {server}, {repo}, {ref} and {path}
	Harness         Harness          // of agents that a scenario brings
	Edits           map[string]Edit  // by name: EditKillSwitch and its like
	Metrics         Metrics          // of a run
	Runtimes        []Runtime        // in the order of the platform file: the first is the one that is installed
	Stages          []Stage          // in the order of the platform file
	Actors          map[string]Actor // by name, without the built-in observer
}

// Stage is one kind of work of the platform, done by one agent.
type Stage struct {
	Name   string
	Label  string  // what starts it when it is put on an issue; "" when something else does
	Result string  // where its agent leaves its result, below the workspace; "" when it leaves none
	Schema Schema  // of the result
	Checks []Check // what the platform asks of the result beyond the schema
}

// Schema is a JSON Schema as read. The zero value is that there is none.
type Schema struct {
	File string // where it was read from, for people
	Text []byte
}

// Check is one demand on a JSON document: there is something at Path (keys joined by dots), and, if
// Matches is given, it is text that this regular expression matches. A When that does not hold takes
// the demand away. Without a Path the demand is on the document's text, which may then be no JSON.
type Check struct {
	Path    string
	Matches string
	When    Condition
}

// Condition holds if the text at Path equals Equals. The zero value always holds.
type Condition struct{ Path, Equals string }

// Actor is one person or program that acts on the forge.
type Actor struct {
	Name  string // as scenarios call him
	Login string
	Role  string // admin, maintain, write, triage, read, none
	Bot   bool
	// Scopes are those of his classic token; nil is all that his account may.
	Scopes []string
	// App makes him an app, installed on the test organisation with these permissions; then Role is none.
	App map[string]string
}

// Enrollment describes a repository to create and to install the platform into. Fresh asks for an
// installation of its own where others are content with a copy.
type Enrollment struct {
	NewRepo
	Fresh  bool
	Preset *Preset // for this installation alone, instead of the one of the run; nil is that one
}

// Preset is a configuration on which an installation stands.
type Preset struct {
	From string // a file as people call it, or an https URL
	Data []byte // of a file; nil of a URL, which the platform's installer fetches itself
}

// Installer puts the platform into a repository and takes it out again.
type Installer interface {
	// Enroll creates a repository as the admin and installs the platform into it. An environment may
	// hand out a copy of an installation that it made before, if nobody can tell the difference; the
	// journal says which it was in an entry of type "platform.installed".
	Enroll(ctx context.Context, in Enrollment) error
	Install(ctx context.Context, r Repo) error
	Remove(ctx context.Context, r Repo) error
}
