package envvar_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/envvar"
)

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		environ string // separated by blanks
		want    envvar.Values
	}{
		{"", envvar.Values{}},
		{"GODOG_CONCURRENCY=3 GODOG_TAGS=@a,@b&&~@slow", envvar.Values{Jobs: 3, Tags: "(@a or @b) and (not @slow)"}},
		{"BEHAVIOUR_POOL_SIZE=4", envvar.Values{Jobs: 4}},
		{"BEHAVIOUR_POOL_SIZE=4 GODOG_CONCURRENCY=3", envvar.Values{Jobs: 3}},
		{"BEHAVIOUR_POOL_SIZE=4 GODOG_CONCURRENCY=5", envvar.Values{Jobs: 4}},
		{"BEHAVIOUR_POOL_SIZE=4 GODOG_CONCURRENCY=0", envvar.Values{Jobs: 4}},
		{"BEHAVIOUR_CAPABILITIES=", envvar.Values{Capabilities: []string{}}},
		{"BEHAVIOUR_CAPABILITIES=a,b", envvar.Values{Capabilities: []string{"a", "b"}}},
		{"BEHAVIOUR_ARTIFACT_DIR=d BEHAVIOUR_CONFIG_PRESET=p.yaml", envvar.Values{Artifacts: "d", Preset: "p.yaml"}},
		{"BEHAVIOUR_SCM=github BEHAVIOUR_CI=githubactions BEHAVIOUR_INSTALL_MODE=per-repo ENVIRONMENT=dev", envvar.Values{}},
		{"BEHAVIOUR_SCM= PLAYBACK_RUNTIME= GODOG_CONCURRENCY= BEHAVIOUR_POOL_SIZE=", envvar.Values{}},
		{"BEHAVIOUR_APP_SET=other BEHAVIOUR_SUITE_NAME=bt TEST_ACTOR_WRITE_PAT=x E2E_LOCK_TIMEOUT=soon E2E_MINE=1 BEHAVIOURAL=1", envvar.Values{}},
	} {
		got, err := envvar.Read(strings.Fields(tt.environ))
		if err != nil {
			t.Errorf("%s: %v", tt.environ, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.environ, diff)
		}
	}
}

// TestRefused: name, value and what there is instead are told, of all variables at once.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ environ, want string }{
		{"BEHAVIOUR_SCM=gitlab", "BEHAVIOUR_SCM=gitlab: this value is not built yet; it is github, also when unset"},
		{"BEHAVIOUR_SCM=githib", "BEHAVIOUR_SCM=githib: there is no such value; it is github, also when unset; is it github?"},
		{"BEHAVIOUR_CI=tekton", "BEHAVIOUR_CI=tekton: this value is not built yet; it is githubactions, also when unset"},
		{"BEHAVIOUR_INSTALL_MODE=per-org", "BEHAVIOUR_INSTALL_MODE=per-org: this value is not built yet; it is per-repo, also when unset"},
		{"ENVIRONMENT=stage", "ENVIRONMENT=stage: this value is not built yet; it is dev, also when unset"},
		{"ENVIRONMENT=production", "ENVIRONMENT=production: there is no such value; it is dev, also when unset"},
		{"PLAYBACK_RUNTIME=dummy-playback", "PLAYBACK_RUNTIME=dummy-playback: this value is not built yet; leave it unset"},
		{"BEHAVIOUR_POOL_SIZE=0", "BEHAVIOUR_POOL_SIZE=0: it is a number from 1 on"},
		{"GODOG_CONCURRENCY=-1", "GODOG_CONCURRENCY=-1: it is a number from 0 on"},
		{"BEHAVIOUR_CAPABILITIES=a,,b", `BEHAVIOUR_CAPABILITIES=a,,b: "" is not a name; the form is NAME,NAME`},
		{"BEHAVIOUR_SCN=github", "BEHAVIOUR_SCN: there is no such variable; is it BEHAVIOUR_SCM?"},
		{"GODOG_CONCURRENCY=x BEHAVIOUR_SCN=s ENVIRONMENT=e", "ENVIRONMENT=e: there is no such value; it is dev, also when unset\n" +
			"BEHAVIOUR_SCN: there is no such variable; is it BEHAVIOUR_SCM?\nGODOG_CONCURRENCY=x: it is a number from 0 on"},
	} {
		if _, err := envvar.Read(strings.Fields(tt.environ)); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	_, err := envvar.Read([]string{"BEHAVIOUR_TOKEN_OF_MINE=s3cret"})
	if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "there are BEHAVIOUR_APP_SET, ") {
		t.Errorf("a name that nobody knows: %v", err)
	}
}
