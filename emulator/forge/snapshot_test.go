package forge_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// snapshot takes one that is closed with the test.
func (w *world) snapshot() *forge.Snapshot {
	w.t.Helper()
	s, err := w.forge.Snapshot(w.t.Context())
	must(w.t, err)
	w.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return s
}

// newFrom starts another world; its actors have the tokens of the first.
func (w *world) newFrom(o forge.Options) *world {
	w.t.Helper()
	f, err := forge.New(o)
	must(w.t, err)
	w.t.Cleanup(func() {
		if err := f.Close(context.WithoutCancel(w.t.Context())); err != nil {
			w.t.Error(err)
		}
	})
	return w.adopt(f)
}

// adopt is a world with a forge that somebody else closes.
func (w *world) adopt(f *forge.Server) *world {
	tr := &http.Transport{}
	w.t.Cleanup(tr.CloseIdleConnections)
	c := &world{t: w.t, forge: f, admin: f.Admin(), http: &http.Client{Transport: tr}}
	c.ada = actor{c, w.ada.token}
	return c
}

// address is that of any forge: what a webhook delivered keeps the address of who delivered it.
var address = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`)

// answers are the bodies of all reads, with the address taken out.
func answers(t *testing.T, w *world, reads []visit) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, v := range reads {
		if v.path == "/rate_limit" {
			continue // a forge counts what itself was asked
		}
		r := v.by(w.ada).send("GET", "/api/v3"+v.path, nil)
		if r.status >= 400 {
			t.Errorf("GET %s = %d: %s", v.path, r.status, r.body)
		}
		out[v.path] = fmt.Sprint(r.status, " ", address.ReplaceAllString(string(r.body), "URL"))
	}
	return out
}

// TestCopyAnswersTheSame asks every route that reads, before and after.
func TestCopyAnswersTheSame(t *testing.T) {
	w, names := newFull(t, forge.Options{})
	reads, _ := visits(t, names)
	want := answers(t, w, reads)
	s := w.snapshot()
	saved := filepath.Join(t.TempDir(), "saved")
	must(t, s.Save(saved))
	opened, err := forge.OpenSnapshot(saved)
	must(t, err)
	last := w.lastEntry("push").Seq
	for name, from := range map[string]*forge.Snapshot{"taken": s, "opened": opened} {
		t.Run(name, func(t *testing.T) {
			c := w.newFrom(forge.Options{From: from})
			if diff := cmp.Diff(want, answers(t, c, reads)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(w.admin.Journal().Entries(0)[:last], c.admin.Journal().Entries(0)[:last]); diff != "" {
				t.Errorf("journal: %s", diff)
			}
			before := c.admin.Journal().Last()
			c.ada.want(201, "POST", issues, map[string]any{"title": "new"}).is("number", 8.0)
			if e := c.lastEntry("issues.opened"); e.Seq <= before {
				t.Errorf("the event got number %d, and there were %d already", e.Seq, before)
			}
			dir := t.TempDir()
			mustGit(t, dir, "clone", "-q", c.remote(c.ada.token, "acme/app"), ".")
			if got := mustGit(t, dir, "rev-parse", "HEAD"); got != names["$HEAD"] {
				t.Errorf("cloned %s, want %s", got, names["$HEAD"])
			}
		})
	}
}

// bytesBelow are all files below a directory.
func bytesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			out[strings.TrimPrefix(path, dir)] = string(data)
			return err
		}
		return err
	}))
	return out
}

// work changes whatever can be changed: by push, by API, by deleting.
func work(t *testing.T, w *world, changes []visit) {
	t.Helper()
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), ".")
	for n := range 3 {
		must(t, os.WriteFile(filepath.Join(dir, "README.md"), fmt.Appendf(nil, "changed %d\n", n), 0o600))
		mustGit(t, dir, "commit", "-qam", "change")
		mustGit(t, dir, "push", "-q", "--force", "origin", "HEAD:main", "HEAD:side")
	}
	mustGit(t, dir, "push", "-q", "origin", "--delete", "v1", "side")
	for _, v := range changes {
		v.by(w.ada).send(v.route.Method, "/api/v3"+v.path, v.body)
	}
}

// TestCopyAndOriginShareNothingThatChanges works in one and looks at the files of the others.
func TestCopyAndOriginShareNothingThatChanges(t *testing.T) {
	dirs := [3]string{t.TempDir(), t.TempDir(), t.TempDir()}
	w, names := newFull(t, forge.Options{Dir: dirs[0]})
	_, changes := visits(t, names)
	s := w.snapshot()
	saved := filepath.Join(t.TempDir(), "saved")
	must(t, s.Save(saved))
	worlds := [3]*world{w, w.newFrom(forge.Options{From: s, Dir: dirs[1]}), w.newFrom(forge.Options{From: s, Dir: dirs[2]})}
	for _, at := range []int{1, 0} {
		before := [3]map[string]string{}
		for i, dir := range dirs {
			before[i] = bytesBelow(t, dir)
		}
		kept := bytesBelow(t, saved)
		work(t, worlds[at], changes)
		for i, dir := range dirs {
			if diff := cmp.Diff(before[i], bytesBelow(t, dir)); (diff != "") != (i == at) {
				t.Errorf("work in %d, look at %d: %.2000s", at, i, diff)
			}
		}
		if diff := cmp.Diff(kept, bytesBelow(t, saved)); diff != "" {
			t.Errorf("work in %d, look at what was saved: %.2000s", at, diff)
		}
	}
	must(t, s.Close())
	worlds[2].ada.want(200, "GET", contents+"README.md", nil)
	worlds[2].ada.want(200, "GET", actions+"/artifacts/1/zip", nil)
	f, err := worlds[2].admin.OpenCache(1)
	must(t, err)
	must(t, f.Close())
}

// TestSnapshotUnderLoad takes snapshots while others push and comment: the refs of state and git agree,
// and the journal of a copy ends with what is in it.
func TestSnapshotUnderLoad(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), ".")
	w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/heads/side", "sha": mustGit(t, dir, "rev-parse", "origin/main")})
	pushed := make(chan error, 1000)
	writers.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			_, err := git(t, dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprint(n))
			if err == nil {
				_, err = git(t, dir, "push", "-q", "origin", "HEAD:main", fmt.Sprintf("HEAD:b%d", n%5))
			}
			pushed <- err
		}
	})
	writers.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			for _, r := range []reply{
				w.ada.send("PUT", contents+fmt.Sprint("f", n), map[string]any{"message": "m", "content": "eA==", "branch": "side"}),
				w.ada.send("POST", issues, map[string]any{"title": fmt.Sprint(n)}),
			} {
				if r.status != 201 {
					t.Errorf("%d: %s", r.status, r.body)
				}
			}
		}
	})
	defer writers.Wait()
	defer cancel()
	for range 12 {
		must(t, <-pushed)
		s := w.snapshot()
		at := t.TempDir()
		c := w.newFrom(forge.Options{From: s, Dir: at})
		want := map[string]string{}
		opened := 0
		for _, e := range c.admin.Journal().Entries(0) {
			switch e.Type {
			case "push":
				want[e.Detail["ref"]] = e.Detail["sha"]
			case "issues.opened":
				opened++
			}
		}
		got := map[string]string{}
		for _, ref := range c.ada.want(200, "GET", "/repos/acme/app/git/matching-refs/heads", nil).at("").([]any) {
			got[dig(ref, "ref").(string)] = dig(ref, "object.sha").(string)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the journal and the refs: %s", diff)
		}
		inGit := map[string]string{}
		for line := range strings.SplitSeq(mustGit(t, filepath.Join(at, "repos", "1.git"), "show-ref"), "\n") {
			sha, ref, _ := strings.Cut(line, " ")
			inGit[ref] = sha
		}
		if diff := cmp.Diff(got, inGit); diff != "" {
			t.Errorf("the refs of state and git: %s", diff)
		}
		mustGit(t, filepath.Join(at, "repos", "1.git"), "fsck", "--full", "--strict")
		if found := c.ada.send("GET", fmt.Sprintf("%s/%d", issues, opened), nil).status; opened > 0 && found != 200 {
			t.Errorf("issue %d was opened and is not there", opened)
		}
		c.ada.want(404, "GET", fmt.Sprintf("%s/%d", issues, opened+1), nil)
	}
}

func TestCancelRuns(t *testing.T) {
	w := newWorld(t)
	seedRun(t, w)
	run, err := w.admin.SaveRun(forge.Run{Repo: "acme/app", HeadSHA: w.head("acme/app", "main"), Workflow: ".github/workflows/ci.yml", Event: "push", Actor: "ada", Status: "in_progress"})
	must(t, err)
	for _, status := range []string{"in_progress", "queued"} {
		_, err = w.admin.SaveJob(forge.Job{RunID: run.ID, Name: status, Status: status, Steps: []forge.Step{{Number: 1, Status: status}}})
		must(t, err)
	}
	after := w.seq()
	must(t, w.admin.CancelRuns("it was ended while this ran"))
	must(t, w.admin.CancelRuns("nothing is left to end"))
	want := []string{"job.completed", "workflow_job.completed", "check_run.completed", "job.started", "workflow_job.in_progress", "job.completed",
		"workflow_job.completed", "check_run.completed", "run.completed", "workflow_run.completed", "check_suite.completed"}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	w.ada.want(200, "GET", actions+"/runs/1", nil).is("conclusion", "failure")
	w.ada.want(200, "GET", actions+"/runs/2", nil).is("conclusion", "cancelled")
	jobs := w.ada.want(200, "GET", actions+"/runs/2/jobs", nil)
	for _, n := range []string{"0", "1"} {
		jobs.is("jobs."+n+".conclusion", "cancelled")
		jobs.is("jobs."+n+".steps.0.conclusion", "cancelled")
	}
	if log := w.ada.want(200, "GET", actions+"/jobs/2/logs", nil).body; !strings.Contains(string(log), "Z ##[error]it was ended while this ran\n") {
		t.Errorf("log: %s", log)
	}
	if e := w.lastEntry("run.completed"); e.Detail["reason"] != "it was ended while this ran" {
		t.Errorf("run.completed = %+v", e)
	}
}

func TestBadSnapshot(t *testing.T) {
	w := newWorld(t)
	s := w.snapshot()
	used := forge.Options{From: s}
	used.Journal = w.admin.Journal()
	if f, err := forge.New(used); err == nil {
		f.Close(t.Context())
		t.Error("a journal in use was taken")
	}
	for file, content := range map[string]string{
		"image.json": `{"Version":1,"Cats":[]}`, "journal.ndjson": `{"Seq":1}` + "\n" + `{"Seq":3}` + "\n", "repos/1.git": "",
	} {
		dir := filepath.Join(t.TempDir(), "saved")
		must(t, s.Save(dir))
		must(t, os.RemoveAll(filepath.Join(dir, file)))
		if content != "" {
			must(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600))
		}
		opened, err := forge.OpenSnapshot(dir)
		if err == nil {
			var f *forge.Server
			if f, err = forge.New(forge.Options{From: opened}); err == nil {
				f.Close(t.Context())
			}
		}
		if err == nil {
			t.Errorf("it was opened with another %s", file)
		}
	}
	if err := s.Save(t.TempDir()); err == nil {
		t.Error("it was saved over a directory")
	}
}

// installed is a world with what an installed platform and a day's work leave: 3 repositories with 60
// files, 20 issues.
func installed(b testing.TB) *world {
	b.Helper()
	w := newForge(b)
	for n := range 3 {
		files := fstest.MapFS{}
		for f := range 20 {
			files[fmt.Sprintf(".crew/stage-%d/part-%d.yml", f%4, f)] = &fstest.MapFile{Data: []byte(strings.Repeat(fmt.Sprintf("repo %d, line %d\n", n, f), 50))}
		}
		_, err := w.admin.Seed(fmt.Sprintf("acme/repo-%d", n), "ada", files)
		must(b, err)
	}
	for n := range 20 {
		w.ada.want(201, "POST", "/repos/acme/repo-0/issues", map[string]any{"title": fmt.Sprint(n), "body": "body", "labels": []string{"bug"}})
		w.ada.want(201, "POST", fmt.Sprintf("/repos/acme/repo-0/issues/%d/comments", n+1), map[string]any{"body": "comment"})
	}
	return w
}

// BenchmarkSnapshot prints what a snapshot costs, what starting a forge from it costs, and, to compare, what
// an empty forge and the making of the same world cost.
func BenchmarkSnapshot(b *testing.B) {
	w := installed(b)
	s, err := w.forge.Snapshot(b.Context())
	must(b, err)
	defer s.Close()
	start := func(b *testing.B, o forge.Options) {
		for b.Loop() {
			f, err := forge.New(o)
			must(b, err)
			b.StopTimer()
			must(b, f.Close(b.Context()))
			b.StartTimer()
		}
	}
	b.Run("Take", func(b *testing.B) {
		for b.Loop() {
			x, err := w.forge.Snapshot(b.Context())
			must(b, err)
			b.StopTimer()
			must(b, x.Close())
			b.StartTimer()
		}
	})
	b.Run("Copy", func(b *testing.B) { start(b, forge.Options{From: s}) })
	b.Run("Empty", func(b *testing.B) { start(b, forge.Options{}) })
}
