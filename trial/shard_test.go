package trial_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

func TestParseShard(t *testing.T) {
	if s, err := trial.ParseShard("2/3"); err != nil || s != (trial.Shard{Number: 2, Of: 3}) {
		t.Errorf("got %v, %v", s, err)
	}
	for _, text := range []string{"", "1", "/", "0/3", "4/3", "-1/3", "1/0", "a/b", "1/3/5", "1 /3"} {
		if s, err := trial.ParseShard(text); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
}

func TestShardsAreThePlan(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	text.WriteString("Feature: F\n")
	for i := range 10 {
		fmt.Fprintf(&text, "  Scenario: %d\n    Given nothing\n", i)
	}
	for name, content := range map[string]string{
		trial.ConfigFile: "features: features\n", "features/f.feature": text.String(), "others/e.feature": text.String(), "others/d.feature": text.String(),
		"others/" + trial.ConfigFile: "features: .\n",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	shard := func(number, of int, seed int64) []string {
		t.Helper()
		p, err := trial.Prepare(trial.Options{Paths: []string{dir}, Seed: seed, Shard: trial.Shard{Number: number, Of: of}})
		if err != nil {
			t.Fatal(err)
		}
		return p.IDs()
	}
	var all []string
	for n := 1; n <= 3; n++ {
		ids := shard(n, 3, 7)
		if len(ids) < 3 || len(ids) > 4 {
			t.Errorf("shard %d of 3 has %d of 10", n, len(ids))
		}
		all = append(all, ids...)
	}
	slices.Sort(all)
	whole := shard(1, 1, 7)
	slices.Sort(whole)
	if len(whole) != 10 || !slices.Equal(all, whole) {
		t.Errorf("the shards are %v, the plan %v", all, whole)
	}
	if slices.Equal(shard(1, 3, 7), shard(1, 3, 8)) && slices.Equal(shard(2, 3, 7), shard(2, 3, 8)) {
		t.Error("another seed deals the same")
	}
	named := func(files ...string) []string {
		var paths []string
		for _, f := range files {
			paths = append(paths, filepath.Join(dir, "others", f))
		}
		p, err := trial.Prepare(trial.Options{Paths: paths, Seed: 7, Shard: trial.Shard{Number: 1, Of: 2}})
		if err != nil {
			t.Fatal(err)
		}
		return slices.Sorted(slices.Values(p.IDs()))
	}
	if a, b := named("d.feature", "e.feature"), named("e.feature", "d.feature"); !slices.Equal(a, b) {
		t.Errorf("in another order of the files the shard has %v, not %v", b, a)
	}
	if _, err := trial.Prepare(trial.Options{Paths: []string{dir}, Shard: trial.Shard{Number: 11, Of: 11}}); !errors.Is(err, suite.ErrNothingSelected) {
		t.Errorf("a shard of nothing: %v", err)
	}
}
