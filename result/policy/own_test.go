package policy_test

import (
	"encoding/json"
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/policy"
)

func TestOwnKnowsAllThatIsFound(t *testing.T) {
	s := result.Scenario{After: []result.Observation{{Subject: policy.Recorded, Key: "run:1 a", Got: json.RawMessage(`{"success": false}`)}},
		Journal: []driver.Entry{{Type: "run.completed", Subject: "run:1", Detail: map[string]string{"conclusion": "failure"}},
			{Type: "unknown-route", Subject: "GET /x"}, {Type: "panic", Subject: "p"}}}
	names := map[string]bool{}
	for _, f := range policy.Judge(policy.Options{})(s) {
		names[f.Policy] = true
		if !policy.Own(f.Policy) {
			t.Errorf("%s is not known as a policy's", f.Policy)
		}
	}
	if len(names) != 4 || policy.Own("cleanup") {
		t.Errorf("found %v", names)
	}
}
