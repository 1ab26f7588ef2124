package suite_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
)

// keeping gives leases with a keeper that notes what it was asked for.
type keeping struct {
	site
	err  error
	kept []int
}

func (k *keeping) Lease(ctx context.Context, scenario string) (*environment.Lease, error) {
	l, err := k.site.Lease(ctx, scenario)
	if err == nil {
		l.Drivers.Keeper = k
	}
	return l, err
}

func (k *keeping) Keep(_ context.Context, step int) error {
	k.kept = append(k.kept, step)
	return k.err
}

func (k *keeping) Archive(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, "the forge")
	return errors.Join(err, k.err)
}

// TestTheForgeIsKept: after each step that ran and at the end, whatever the steps came to; that it cannot be
// kept is no fault of the scenario.
func TestTheForgeIsKept(t *testing.T) {
	words := pack(passes("good"), step("bad", "bad", func(context.Context) error { return errors.New("bad") }))
	for name, tt := range map[string]struct {
		steps string
		err   error
		want  []int
		refs  int
		v     result.Verdict
	}{
		"passed":         {"    Given good\n    And good\n", nil, []int{1, 2, 3}, 1, result.Passed},
		"not passed":     {"    Given bad\n    And good\n", nil, []int{1, 3}, 1, result.Broken},
		"cannot be kept": {"    Given good\n", errors.New("no"), []int{1, 2}, 0, result.Passed},
	} {
		t.Run(name, func(t *testing.T) {
			store, err := evidence.Open(t.TempDir(), evidence.Options{})
			if err != nil {
				t.Fatal(err)
			}
			k := &keeping{err: tt.err}
			trials, err := suite.Run(t.Context(), suite.Options{
				Planned: one(t, tt.steps), Packs: []suite.Pack{words}, Site: k, Sink: store})
			if err != nil {
				t.Fatal(err)
			}
			s := trials[0].Scenarios[0]
			if diff := cmp.Diff(tt.want, k.kept); diff != "" || s.Verdict != tt.v || len(s.Evidence) != tt.refs || len(s.Findings) != 0 {
				t.Errorf("kept (-want +got):\n%s\n%s, evidence %+v, findings %+v", diff, s.Verdict, s.Evidence, s.Findings)
			}
			if tt.refs == 1 && (s.Evidence[0].MediaType != driver.ForgeArchive || s.Evidence[0].Size != int64(len("the forge"))) {
				t.Errorf("got %+v", s.Evidence[0])
			}
		})
	}
}
