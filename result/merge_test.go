package result_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/result"
)

var day = time.Date(2026, 8, 20, 9, 0, 0, 0, time.UTC)

// shard is a record of n trials with these scenarios, "b:10" or "b:10=failed".
func shard(start int, n int, ids ...string) result.Record {
	r := result.Record{Schema: 1, Kit: "k", Started: day.Add(time.Duration(start) * time.Minute), Seed: 7, Jobs: 2, Isolation: "namespaces",
		Platform: result.Platform{Name: "crew", Digest: map[string]string{"crew": "sha256:aa"}}}
	r.Ended = r.Started.Add(time.Second)
	c := result.Cell{Suite: "s", Profile: "dummy", Environment: "local"}
	for t := range n {
		trial := result.Trial{Number: t + 1}
		for _, id := range ids {
			id, verdict, ok := strings.Cut(id, "=")
			if !ok {
				verdict = "passed"
			}
			uri, _, _ := strings.Cut(id, ":")
			if !slices.ContainsFunc(r.Features, func(s result.Source) bool { return s.URI == uri }) {
				r.Features = append(r.Features, result.Source{URI: uri, Text: "text of " + uri})
			}
			trial.Scenarios = append(trial.Scenarios, result.Scenario{ID: id, Verdict: result.Verdict(verdict)})
		}
		c.Trials = append(c.Trials, trial)
	}
	r.Cells = []result.Cell{c}
	return r
}

func outline(r result.Record) string {
	var b strings.Builder
	for _, c := range r.Cells {
		fmt.Fprintf(&b, "%s/%s/%s%s", c.Suite, c.Profile, c.Environment, c.Case)
		for _, t := range c.Trials {
			fmt.Fprintf(&b, " %d:", t.Number)
			for _, s := range t.Scenarios {
				fmt.Fprintf(&b, " %s=%s", s.ID, s.Verdict)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestMerge(t *testing.T) {
	other := shard(3, 1, "a:1")
	other.Cells[0].Environment = "live"
	for _, tt := range []struct {
		name    string
		records []result.Record
		want    string
	}{
		{"one", []result.Record{shard(0, 1, "a:1")}, "s/dummy/local 1: a:1=passed\n"},
		{"shards", []result.Record{shard(0, 1, "b:10", "b:9"), shard(1, 1, "a:1=failed")},
			"s/dummy/local 1: a:1=failed b:9=passed b:10=passed\n"},
		{"trials", []result.Record{shard(0, 1, "a:1=failed", "a:2"), shard(1, 1, "a:1", "a:2")},
			"s/dummy/local 1: a:1=failed a:2=passed 2: a:1=passed a:2=passed\n"},
		{"shards of trials", []result.Record{shard(0, 2, "a:1"), shard(1, 2, "a:2")},
			"s/dummy/local 1: a:1=passed a:2=passed 2: a:1=passed a:2=passed\n"},
		{"what failed once more", []result.Record{shard(0, 1, "a:1=failed", "a:2"), shard(1, 1, "a:1")},
			"s/dummy/local 1: a:1=failed a:2=passed 2: a:1=passed\n"},
		{"two cells", []result.Record{shard(0, 1, "a:1"), other}, "s/dummy/local 1: a:1=passed\ns/dummy/live 1: a:1=passed\n"},
	} {
		got, err := result.Merge(tt.records, result.MergeOptions{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, outline(got)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestMergeKeepsWhatIsOfTheRun(t *testing.T) {
	a, b := shard(5, 1, "b:1"), shard(0, 1, "a:1")
	a.Warnings, b.Warnings = []string{"w"}, []string{"w", "v"}
	b.Problems = []result.Problem{{Verdict: result.Broken, What: "the site could not be closed"}}
	b.Jobs, b.Seed, b.Kit, b.Isolation = 8, 9, "l", "process groups"
	before := fmt.Sprintf("%+v %+v", a, b)
	got, err := result.Merge([]result.Record{a, b}, result.MergeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprintf("%+v %+v", a, b) != before {
		t.Error("the records were changed")
	}
	want := result.Record{Schema: 1, Kit: "k", Started: b.Started, Ended: a.Ended, Jobs: 8, Isolation: "namespaces, process groups", Platform: a.Platform,
		Features: []result.Source{{URI: "a", Text: "text of a"}, {URI: "b", Text: "text of b"}}, Cells: got.Cells,
		Warnings: []string{"w", "merged records are of understudy k and l", "v"}, Problems: b.Problems}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMergeRefusesWhatDiffers(t *testing.T) {
	for want, change := range map[string]func(r *result.Record){
		`a.json is of platform "crew", b.json of "shell"`:                                     func(r *result.Record) { r.Platform.Name = "shell" },
		`a.json has preset "", b.json "p.yaml"`:                                               func(r *result.Record) { r.Platform.Preset = "p.yaml" },
		`a.json has defect "", b.json "skip-schema"`:                                          func(r *result.Record) { r.Platform.Defect = "skip-schema" },
		`crew of platform crew is sha256:aa in a.json and sha256:bb in b.json`:                func(r *result.Record) { r.Platform.Digest = map[string]string{"crew": "sha256:bb"} },
		`crew of platform crew is sha256:aa in a.json and absent in b.json`:                   func(r *result.Record) { r.Platform.Digest = nil },
		`a.json has the strictness map[], b.json map[unread-output:red]`:                      func(r *result.Record) { r.Strictness = map[string]string{"unread-output": "red"} },
		`feature a has another text in b.json`:                                                func(r *result.Record) { r.Features[0].Text = "changed" },
		`schema.json of platform crew is absent in a.json and sha256:012345678901… in b.json`: func(r *result.Record) { r.Platform.Digest["schema.json"] = "sha256:0123456789012345" },
	} {
		a, b := shard(0, 1, "a:1"), shard(1, 1, "a:2")
		change(&b)
		o := result.MergeOptions{Names: []string{"a.json", "b.json"}}
		if _, err := result.Merge([]result.Record{a, b}, o); !errors.Is(err, result.ErrDiffer) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		o.Mixed = true
		got, err := result.Merge([]result.Record{a, b}, o)
		if err != nil || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], want) {
			t.Errorf("mixed: got %v, warnings %q, want %q", err, got.Warnings, want)
		}
	}
	a := shard(0, 1, "a:1")
	if _, err := result.Merge([]result.Record{a, shard(1, 1, "a:1"), a}, result.MergeOptions{}); err == nil || !strings.Contains(err.Error(), "record 1 and record 3 are of one and the same run") {
		t.Errorf("one record twice: got %v", err)
	}
	if _, err := result.Merge(nil, result.MergeOptions{}); err == nil {
		t.Error("no record is merged")
	}
}

// TestShardsInAnyOrder cuts a suite into shards of random scenarios and merges them in random order.
func TestShardsInAnyOrder(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		var ids []string
		for i := range 1 + rnd.IntN(30) {
			ids = append(ids, fmt.Sprintf("f%d:%d", rnd.IntN(4), 1+i))
		}
		trials := 1 + rnd.IntN(3)
		whole, err := result.Merge([]result.Record{shard(0, trials, ids...)}, result.MergeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		parts := map[int][]string{}
		for _, id := range ids {
			n := rnd.IntN(4)
			parts[n] = append(parts[n], id)
		}
		var shards []result.Record
		for _, n := range slices.Sorted(maps.Keys(parts)) {
			shards = append(shards, shard(n, trials, parts[n]...))
		}
		rnd.Shuffle(len(shards), func(i, j int) { shards[i], shards[j] = shards[j], shards[i] })
		got, err := result.Merge(shards, result.MergeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(result.Canon(whole)), string(result.Canon(got))); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

func TestRebase(t *testing.T) {
	r := shard(0, 1, "a:1")
	ref := evidence.Ref{Path: "evidence/aa/aabb", Link: "by-scenario/a/log.txt"}
	r.Cells[0].Trials[0].Scenarios[0].Evidence = []evidence.Ref{ref, {Path: "evidence/bb"}}
	got := result.Rebase(r, "runs/1/").Cells[0].Trials[0].Scenarios[0].Evidence
	want := []evidence.Ref{{Path: "runs/1/evidence/aa/aabb", Link: "runs/1/by-scenario/a/log.txt"}, {Path: "runs/1/evidence/bb"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Cells[0].Trials[0].Scenarios[0].Evidence[0] != ref {
		t.Error("the record was changed")
	}
	if got := result.Rebase(r, ".").Cells[0].Trials[0].Scenarios[0].Evidence[0]; got != ref {
		t.Errorf("got %+v", got)
	}
}

// TestMergeKeepsThatNothingRan holds that a shard that came to nothing stays red beside a green one.
func TestMergeKeepsThatNothingRan(t *testing.T) {
	green, none := recordOf(result.Passed), result.Record{Schema: result.Schema}
	green.Started, green.Ended = time.Unix(1, 0), time.Unix(2, 0)
	for _, records := range [][]result.Record{{green, none}, {none, green}} {
		got, err := result.Merge(records, result.MergeOptions{Mixed: true})
		if err != nil {
			t.Fatal(err)
		}
		if code := result.ExitCode(got); code != 3 || len(got.Problems) != 1 {
			t.Errorf("exit code %d, problems %+v", code, got.Problems)
		}
	}
}
