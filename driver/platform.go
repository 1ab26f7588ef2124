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
	Stages          []string         // in the order of the platform file
	Actors          map[string]Actor // by name, without the built-in observer
}

// Actor is one person or program that acts on the forge.
type Actor struct {
	Name  string // as scenarios call him
	Login string
	Role  string // admin, maintain, write, triage, read, none
	Bot   bool
}

// Installer puts the platform into a repository and takes it out again.
type Installer interface {
	Install(ctx context.Context, r Repo) error
	Remove(ctx context.Context, r Repo) error
}
