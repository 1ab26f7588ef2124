// Package envvar knows the environment variables that a run of a suite goes by: those of suites that run against real
// services keep their names here, so that the same job can start both.
//
//	v, err := envvar.Read(os.Environ()) // everything that is wrong, before anything starts
package envvar

import "strings"

// Variable is one row of the table.
type Variable struct {
	Name    string
	Default string   // as the page says it; of a choice it is the first of Allowed
	Allowed []string // the values of a choice; nil is what Form says
	Planned []string // values of a choice that other suites know, and that are not built here
	Form    string   // what a value looks like
	Does    string
	Unread  bool // it is about services that are not here: no value of it changes a result
	Secret  bool // the page says so; no value of it is ever printed
}

// Table returns all variables, in the order of the page.
func Table() []Variable {
	return append([]Variable{
		{Name: "BEHAVIOUR_SCM", Allowed: []string{"github"}, Planned: []string{"gitlab", "forgejo"}, Does: "the forge's dialect"},
		{Name: "BEHAVIOUR_CI", Allowed: []string{"githubactions"}, Planned: []string{"gitlabci", "forgejoactions", "tekton"}, Does: "what runs workflows"},
		{Name: "BEHAVIOUR_INSTALL_MODE", Allowed: []string{"per-repo"}, Planned: []string{"per-org"}, Does: "where the platform is installed"},
		{Name: "ENVIRONMENT", Allowed: []string{"dev"}, Planned: []string{"stage"}, Does: "which infrastructure is under test; here it is always that of this machine"},
		{Name: "PLAYBACK_RUNTIME", Default: "none", Allowed: []string{""}, Planned: []string{"dummy-playback"}, Does: "the runtime of recorded runs"},
		{Name: "BEHAVIOUR_CAPABILITIES", Default: "the platform file's", Form: "NAME,NAME", Does: "what `@requires:capability:NAME` asks for; set but empty is none; `--capabilities`"},
		{Name: "BEHAVIOUR_CONFIG_PRESET", Default: "none", Form: "a file or an https URL", Does: "the configuration that the platform is installed on; `--preset`"},
		{Name: "BEHAVIOUR_ARTIFACT_DIR", Default: "`out`; under go test `t.ArtifactDir()`", Form: "a directory", Does: "where record, reports and evidence stay; `--out`"},
		{Name: "BEHAVIOUR_POOL_SIZE", Default: "what the environment can hold", Form: "a number from 1 on", Does: "at most so many scenarios at once, each with a repository of its own"},
		{Name: "GODOG_CONCURRENCY", Default: "0, the size of the pool", Form: "a number from 0 on", Does: "scenarios at once; `--jobs`"},
		{Name: "GODOG_TAGS", Default: "all", Form: "`@a and not @b`, also `@a && ~@b`", Does: "run only scenarios that match; `--tags`"},
	}, elsewhere()...)
}

// elsewhere are the variables of real services. A run has a forge of its own, with actors of its own, and the
// platform and its agents get none of the caller's variables; so they are let be.
func elsewhere() []Variable {
	var all []Variable
	add := func(does string, secret bool, names ...string) {
		for _, name := range names {
			all = append(all, Variable{Name: name, Form: "anything", Does: does, Unread: true, Secret: secret})
		}
	}
	add("names of a shared pool; each run has a forge of its own", false, "BEHAVIOUR_SUITE_NAME")
	add("a set of registered apps; here the platform file names who acts", false, "BEHAVIOUR_APP_SET")
	add("a cloud's project or identity; there is no cloud here", false, "E2E_GCP_PROJECT_ID", "E2E_GCP_WIF_PROVIDER", "E2E_GCP_MINT_PROJECT_ID")
	add("how long to wait for a shared organisation; nothing is shared here", false, "E2E_LOCK_TIMEOUT")
	add("a token of a real account; the forge gives each actor its own", true, "TEST_ACTOR_WRITE_PAT", "TEST_ACTOR_TRIAGE_PAT", "TEST_ACTOR_OUTSIDER_PAT")
	add("a gateway to models; steps about it are not built", false, "E2E_INFERENCE_GATEWAY_URL", "E2E_INFERENCE_GATEWAY_AUDIENCE")
	add("a key of a gateway to models; steps about it are not built", true, "E2E_INFERENCE_GATEWAY_TEST_KEY")
	return all
}

// allowed says what a value can be.
func (v Variable) allowed() string {
	switch {
	case v.Allowed == nil:
		return "it is " + strings.ReplaceAll(v.Form, "`", "")
	case v.Allowed[0] == "":
		return "leave it unset"
	}
	return "it is " + strings.Join(v.Allowed, " or ") + ", also when unset"
}
