package policy_test

import (
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/policy"
)

func TestAFaultThatNeverStruckIsBroken(t *testing.T) {
	const fault = "delivery.late@push"
	set := driver.Entry{Seq: 1, Type: "fault.set", Subject: fault, Cause: "step:2"}
	struck := driver.Entry{Seq: 2, Type: "fault.struck", Subject: fault, Cause: "event:1"}
	for _, tt := range []struct {
		name    string
		journal []driver.Entry
		steps   []result.Step
		want    int
	}{
		{"struck", []driver.Entry{set, struck}, nil, 0},
		{"idle", []driver.Entry{set}, nil, 1},
		{"another struck", []driver.Entry{set, {Seq: 2, Type: "fault.struck", Subject: "delivery.twice"}}, nil, 1},
		{"of a flag", []driver.Entry{{Seq: 1, Type: "fault.set", Subject: fault}}, nil, 0},
		{"steps not reached", []driver.Entry{set}, []result.Step{{Verdict: result.Skipped}}, 0},
	} {
		got := policy.Judge(policy.Options{})(result.Scenario{Journal: tt.journal, Steps: tt.steps})
		if len(got) != tt.want || tt.want > 0 && (got[0].Policy != policy.IdleFault || got[0].Problem.Verdict != result.Broken || got[0].Cause != "step:2") {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}
