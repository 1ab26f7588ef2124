package forge_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// crashed copies the directory of a running forge, as a kill at this moment would leave it.
func crashed(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "crashed")
	// Copying takes a while in which the forge goes on; state.log is what it was at the beginning.
	log, err := os.ReadFile(filepath.Join(dir, "state.log"))
	must(t, err)
	must(t, os.CopyFS(to, os.DirFS(dir)))
	must(t, os.WriteFile(filepath.Join(to, "state.log"), log, 0o600))
	return to
}

// TestKeptForgeAnswersTheSame closes a forge, and copies the directory of a running one; both are opened.
func TestKeptForgeAnswersTheSame(t *testing.T) {
	dir := t.TempDir()
	w, names := newFull(t, forge.Options{Dir: dir, Keep: true})
	if w.forge.Reopened() {
		t.Error("a new forge says that it was re-opened")
	}
	must(t, w.admin.CancelRuns("The forge ended while this ran."))
	reads, changes := visits(t, names)
	want := answers(t, w, reads)
	left := crashed(t, dir)
	must(t, w.forge.Close(t.Context()))
	for name, dir := range map[string]string{"closed": dir, "crashed": left} {
		t.Run(name, func(t *testing.T) {
			c := w.newFrom(forge.Options{Dir: dir, Keep: true})
			if !c.forge.Reopened() {
				t.Error("it does not say that it was re-opened")
			}
			if diff := cmp.Diff(want, answers(t, c, reads)); diff != "" {
				t.Error(diff)
			}
			before := c.admin.Journal().Last()
			c.ada.want(201, "POST", issues, map[string]any{"title": "new"})
			if e := c.lastEntry("issues.opened"); e.Seq <= before {
				t.Errorf("the event got number %d, and there were %d", e.Seq, before)
			}
			work(t, c, changes)
			must(t, c.forge.Close(t.Context()))
			again := w.newFrom(forge.Options{Dir: dir, Keep: true})
			again.ada.want(404, "GET", "/repos/acme/app", nil)
			for _, files := range []string{"artifacts", "caches"} {
				if list, err := os.ReadDir(filepath.Join(dir, files)); err != nil || len(list) > 0 {
					t.Errorf("%s that nobody knows: %v, %v", files, list, err)
				}
			}
		})
	}
}

// TestEveryAnswerIsKept kills after each answer.
func TestEveryAnswerIsKept(t *testing.T) {
	dir := t.TempDir()
	w, names := newFull(t, forge.Options{Dir: dir, Keep: true})
	must(t, w.admin.CancelRuns("The forge ended while this ran."))
	reads, changes := visits(t, names)
	for _, v := range changes[:len(changes)-1] { // without the repository there is nothing to read
		v.by(w.ada).send(v.route.Method, "/api/v3"+v.path, v.body)
		if strings.Contains(v.path, "/rerun") || strings.Contains(v.path, "/approve") { // a run that nobody runs is cancelled when the forge starts again
			must(t, w.admin.CancelRuns("The forge ended while this ran."))
			v.by(w.ada).send("PATCH", "/api/v3/repos/acme/app", map[string]any{"description": v.path})
		}
		c := w.newFrom(forge.Options{Dir: crashed(t, dir), Keep: true})
		for _, r := range reads {
			if r.path == "/rate_limit" || strings.Contains(r.path, "/hooks") { // deliveries end when they end: no answer tells of them
				continue
			}
			mine, its := w.ada.send("GET", "/api/v3"+r.path, nil), c.ada.send("GET", "/api/v3"+r.path, nil)
			if diff := cmp.Diff(address.ReplaceAllString(string(mine.body), "URL"), address.ReplaceAllString(string(its.body), "URL")); diff != "" {
				t.Fatalf("after %s %s, GET %s: %s", v.route.Method, v.path, r.path, diff)
			}
		}
	}
}

// TestWhatWasCutOff spoils a directory as a kill does, and worse.
func TestWhatWasCutOff(t *testing.T) {
	dir := t.TempDir()
	w, _ := newFull(t, forge.Options{Dir: dir, Keep: true})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "other"})
	run, err := w.admin.SaveRun(forge.Run{Repo: "acme/app", HeadSHA: w.head("acme/app", "main"), Workflow: "w.yml", Event: "push", Actor: "ada", Status: "in_progress"})
	must(t, err)
	_, err = w.admin.SaveJob(forge.Job{RunID: run.ID, Status: "in_progress"})
	must(t, err)
	last := w.ada.want(201, "POST", issues, map[string]any{"title": "last"}).at("number")
	appendTo := func(path, text string) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		must(t, err)
		_, err = f.WriteString(text)
		must(t, err)
		must(t, f.Close())
	}
	for name, c := range map[string]struct {
		spoil func(dir string)
		fails string
	}{
		"state torn":         {func(d string) { appendTo(d+"/state.log", `{"Version":2,"Jour`) }, ""},
		"journal torn":       {func(d string) { appendTo(d+"/journal.ndjson", `{"Seq":`) }, ""},
		"journal ahead":      {func(d string) { appendTo(d+"/journal.ndjson", `{"Seq":99999,"Kind":"change"}`+"\n") }, ""},
		"lock of git":        {func(d string) { appendTo(d+"/repos/1.git/refs/heads/main.lock", "") }, ""},
		"unknown repository": {func(d string) { must(t, os.CopyFS(d+"/repos/99.git", os.DirFS(d+"/repos/1.git"))) }, ""},
		"unknown artifact":   {func(d string) { appendTo(d+"/artifacts/4.zip", "x") }, ""},
		"unknown cache":      {func(d string) { appendTo(d+"/caches/4", "x") }, ""},
		"half a compaction":  {func(d string) { appendTo(d+"/state.log.new", "{") }, ""},
		"deletion begun":     {func(d string) { must(t, os.RemoveAll(d+"/repos/2.git")) }, ""},
		"state spoilt":       {func(d string) { appendTo(d+"/state.log", "{}}\n") }, "state.log:"},
		"newer state":        {func(d string) { appendTo(d+"/state.log", `{"Version":3}`+"\n") }, "version 3"},
		"journal lost":       {func(d string) { must(t, os.Remove(d+"/journal.ndjson")) }, "which state.log counts"},
		"journal spoilt":     {func(d string) { must(t, os.WriteFile(d+"/journal.ndjson", []byte("x\n"), 0o600)) }, "entry at byte 0"},
	} {
		t.Run(name, func(t *testing.T) {
			at := crashed(t, dir)
			c.spoil(at)
			if c.fails != "" {
				f, err := forge.New(forge.Options{Dir: at, Keep: true})
				if err == nil {
					f.Close(t.Context())
				}
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("got %v, want %q in it", err, c.fails)
				}
				return
			}
			x := w.newFrom(forge.Options{Dir: at, Keep: true})
			x.ada.want(200, "GET", fmt.Sprint(issues, "/", last), nil).is("title", "last")
			x.ada.want(200, "GET", fmt.Sprint(actions, "/runs/", run.ID), nil).is("conclusion", "cancelled")
			x.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "third"})
			x.ada.want(200, "GET", "/repos/acme/third/git/matching-refs/heads", nil).is("0", nil)
			clone := t.TempDir()
			mustGit(t, clone, "clone", "-q", x.remote(x.ada.token, "acme/app"), ".")
			mustGit(t, clone, "commit", "-q", "--allow-empty", "-m", "more")
			mustGit(t, clone, "push", "-q")
			_, err := x.admin.PutArtifact(forge.Artifact{RunID: 1, Name: "more"}, strings.NewReader("zip"))
			must(t, err)
			_, err = x.admin.PutCache(forge.Cache{Repo: "acme/app", Ref: "refs/heads/main", Key: "more", Version: "v"}, strings.NewReader("bytes"))
			must(t, err)
		})
	}
}

// TestRefsOfGitCount moves a ref as a push that was never answered does.
func TestRefsOfGitCount(t *testing.T) {
	dir := t.TempDir()
	w, names := newFull(t, forge.Options{Dir: dir, Keep: true})
	must(t, w.forge.Close(t.Context()))
	mustGit(t, filepath.Join(dir, "repos", "1.git"), "update-ref", "refs/heads/pushed", names["$HEAD"])
	mustGit(t, filepath.Join(dir, "repos", "1.git"), "update-ref", "-d", "refs/tags/v1")
	c := w.newFrom(forge.Options{Dir: dir, Keep: true})
	c.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/pushed", nil).is("object.sha", names["$HEAD"])
	c.ada.want(404, "GET", "/repos/acme/app/git/ref/tags/v1", nil)
	if e := c.lastEntry("ref.recovered"); e.Detail["ref"] != "refs/tags/v1" {
		t.Errorf("journal: %+v", e)
	}
}

// TestFullDisk refuses what cannot be stored, and still reads.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	f, err := forge.New(forge.Options{Dir: dir, Keep: true})
	must(t, err)
	w := (&world{t: t}).adopt(f)
	must(t, w.admin.AddUser(forge.User{Login: "ada"}))
	must(t, w.admin.AddOrg("acme", "ada"))
	w.ada = w.mint(forge.TokenSpec{Login: "ada"})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	clone := t.TempDir()
	mustGit(t, clone, "clone", "-q", w.remote(w.ada.token, "acme/app"), ".")
	mustGit(t, clone, "commit", "-q", "--allow-empty", "-m", "more")
	must(t, w.forge.FailDisk())
	for range 2 {
		r := w.ada.want(507, "POST", issues, map[string]any{"title": "lost"})
		if !strings.Contains(string(r.body), "nothing can be stored any more") {
			t.Errorf("%s", r.body)
		}
		if out, err := git(t, clone, "push", "-q"); err == nil || !strings.Contains(out, "507") {
			t.Errorf("push: %v, %s", err, out)
		}
		w.ada.want(200, "GET", "/repos/acme/app", nil)
	}
	left := crashed(t, dir)
	if err := f.Close(context.WithoutCancel(t.Context())); err == nil {
		t.Error("Close is silent about what was not stored")
	}
	c := w.newFrom(forge.Options{Dir: left, Keep: true})
	c.ada.want(404, "GET", issues+"/1", nil)
}

// TestCompaction lets state.log grow until it is written anew.
func TestCompaction(t *testing.T) {
	dir := t.TempDir()
	w, _ := newFull(t, forge.Options{Dir: dir, Keep: true})
	for n := range 80 {
		w.ada.want(200, "PATCH", issues+"/1", map[string]any{"body": fmt.Sprint(n, strings.Repeat("x", 60000))})
	}
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "state.log"))
		must(t, err)
		return info.Size()
	}
	before := size()
	must(t, w.forge.Close(t.Context()))
	c := w.newFrom(forge.Options{Dir: dir, Keep: true})
	if after := size(); before < 4<<20 || after > 200<<10 {
		t.Errorf("state.log had %d bytes, and has %d", before, after)
	}
	if body := c.ada.want(200, "GET", issues+"/1", nil).at("body").(string); !strings.HasPrefix(body, "79x") {
		t.Errorf("the body is %.9s", body)
	}
	if first := c.admin.Journal().Entries(0)[0].Seq; first == 1 {
		t.Error("all of a long journal was read")
	}
}
