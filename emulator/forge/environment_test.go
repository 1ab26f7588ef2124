package forge_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
)

const (
	environments = "/repos/acme/app/environments"
	environment  = environments + "/production"
)

func TestEnvironments(t *testing.T) {
	w := newWorld(t)
	w.ada.want(404, "GET", environment, nil)
	w.ada.want(404, "GET", environment+"/variables", nil)
	w.ada.want(200, "PUT", environments+"/Production", nil).is("name", "Production")
	w.ada.want(200, "PUT", environments+"/a%2Fb", map[string]any{"wait_timer": 0, "reviewers": nil, "deployment_branch_policy": nil}).is("name", "a/b")
	w.ada.want(200, "GET", environment, nil).is("name", "Production")
	all := w.ada.want(200, "GET", environments, nil)
	all.is("environments.0.name", "a/b")
	all.is("environments.1.name", "Production")
	writer := w.user("wes", "write")
	writer.want(403, "PUT", environments+"/other", nil)
	writer.want(200, "GET", environment, nil)
	seedConfig(t, writer, environment, "", nil)
	w.user("rea", "read").want(403, "GET", environment+"/secrets", nil)
	w.ada.want(200, "GET", environment+"/secrets", nil).is("secrets.0.name", "TOKEN")
	w.ada.want(200, "GET", environment+"/variables/mode", nil).is("value", "fast")
	w.ada.want(404, "GET", actions+"/variables/mode", nil) // the repository's own are others

	variables, secrets, err := w.admin.Deploy("acme/app", "PRODUCTION")
	must(t, err)
	if d := cmp.Diff([]map[string]string{{"MODE": "fast"}, {"TOKEN": "hunter2"}}, []map[string]string{variables, secrets}); d != "" {
		t.Errorf("Deploy (-want +got):\n%s", d)
	}
	w.ada.want(204, "DELETE", environment, nil)
	w.ada.want(404, "DELETE", environment, nil)
	w.ada.want(404, "GET", environment+"/secrets", nil)
}

func TestDeployMakesTheEnvironment(t *testing.T) {
	w := newWorld(t)
	variables, secrets, err := w.admin.Deploy("acme/app", "fresh")
	if err != nil || len(variables)+len(secrets) > 0 {
		t.Errorf("Deploy: %v, %v, %v", variables, secrets, err)
	}
	w.ada.want(200, "GET", environments+"/fresh", nil)
	if _, _, err := w.admin.Deploy("acme/none", "fresh"); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("a repository that is not there: %v", err)
	}
	for _, name := range []string{"", " ", "a\nb", strings.Repeat("x", 256)} {
		if _, _, err := w.admin.Deploy("acme/app", name); err == nil {
			t.Errorf("the name %q was taken", name)
		}
	}
}

// TestProtectionRulesAreRefused: to take them would be to claim that somebody is waited for.
func TestProtectionRulesAreRefused(t *testing.T) {
	w := newWorld(t)
	for rule, value := range map[string]any{
		"wait_timer": 30, "prevent_self_review": true, "reviewers": []any{map[string]any{"type": "User", "id": 1}},
		"deployment_branch_policy": map[string]any{"protected_branches": true, "custom_branch_policies": false},
	} {
		if message := w.ada.want(422, "PUT", environment, map[string]any{rule: value}).at("message").(string); !strings.Contains(message, rule) {
			t.Errorf("%s: %s", rule, message)
		}
	}
	w.ada.want(404, "GET", environment, nil)
}
