package state_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// TestDeltasBuildTheImage takes an image after every step of a state's life and builds the last one of
// the differences, each written and read.
func TestDeltasBuildTheImage(t *testing.T) {
	w := full(t)
	var b state.Builder
	var last state.Image
	keep := func(what string, want bool) {
		t.Helper()
		im := w.Image()
		d, changed := im.Since(last)
		if changed != want {
			t.Errorf("%s: changed is %v", what, changed)
		}
		data, err := json.Marshal(d)
		try(t, err)
		var read state.Delta
		try(t, json.Unmarshal(data, &read))
		try(t, b.Add(read))
		if diff := cmp.Diff(im, b.Image()); diff != "" {
			t.Fatalf("%s: %s", what, diff)
		}
		last = im
	}
	keep("all", true)
	keep("nothing", false)
	ada := w.identity(t, state.TokenSpec{Login: "ada"})
	keep("token", true)
	for what, do := range map[string]func() error{
		"comment": func() error { _, err := w.AddComment(ada, "acme/app", 1, "x"); return err },
		"edit":    func() error { _, err := w.EditComment(ada, "acme/app", 1, "y"); return err },
		"delete":  func() error { return w.DeleteComment(ada, "acme/app", 2) },
		"label":   func() error { _, err := w.SetLabels(ada, "acme/app", 1, nil); return err },
		"ref": func() error {
			return w.MoveRefs(ada, "acme/app", []state.RefChange{{Ref: "refs/heads/main", Before: "aaaaaaaaaaaaa", After: state.Zero}})
		},
		"log": func() error { return w.AppendLog(2, []byte("more")) },
		"step": func() error {
			_, err := w.SaveJob(state.Job{ID: 2, Status: "in_progress", Steps: []state.Step{{Number: 2}}})
			return err
		},
		"artifact": func() error { return w.DropArtifact(3) },
		"member":   func() error { return w.SetOrgRole("acme", "bob", state.None) },
		"variable": func() error { return w.DeleteVariable(ada, state.Level{Repo: "acme/app"}, "REGION") },
		"secret":   func() error { return w.DeleteSecret(ada, state.Level{Repo: "acme/app"}, "PASSWORD") },
		"check": func() error {
			name := "renamed"
			_, err := w.EditCheck(w.robot(t), "acme/app", last.Checks[0].ID, state.CheckEdit{Name: &name})
			return err
		},
		"unreact": func() error { return w.Unreact(ada, "acme/app", state.Reacted{Issue: 2}, 1) },
		"mark":    func() error { w.Mark("step:9"); return nil },
	} {
		try(t, do())
		keep(what, true)
	}
	try(t, w.CancelRuns("gone"))
	keep("cancel", true)
	_, err := w.DeleteRepo(ada, "ada/app")
	try(t, err)
	keep("fork", true)
	without := last.Without(last.Repos[0])
	_, err = w.DeleteRepo(ada, "acme/app")
	try(t, err)
	keep("repository", true)
	without.Journal = last.Journal
	tables := func(im state.Image) []int {
		return []int{len(im.Repos), len(im.Issues), len(im.Comments), len(im.Runs), len(im.Jobs), len(im.Artifacts), len(im.Checks), len(im.Suites), len(im.Statuses)}
	}
	if got := tables(without); !slices.Equal(got, tables(last)) || !slices.Equal(got, []int{1, 0, 0, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("without the repository there are %v, after its deletion %v", got, tables(last))
	}
	if err := b.Add(state.Delta{Image: state.Image{Version: state.ImageVersion}, Logs: []state.LogTail{{Job: 1, At: 9999}}}); err == nil {
		t.Error("a log with a hole was taken")
	}
}

func (w world) robot(t *testing.T) state.Identity {
	t.Helper()
	return w.identity(t, state.TokenSpec{Login: "robot[bot]", Permissions: map[string]string{"checks": "write"}})
}
