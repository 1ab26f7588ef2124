package forge_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// archived is what a keeper writes, read again.
func archived(t testing.TB, k *forge.Keeper, clean func(string) string) ([]byte, *forge.Archive) {
	t.Helper()
	var b bytes.Buffer
	must(t, k.Archive(&b, clean))
	a, err := forge.OpenArchive(bytes.NewReader(b.Bytes()))
	must(t, err)
	return b.Bytes(), a
}

// back is the forge as it was after a step; ada has a new token.
func (w *world) back(a *forge.Archive, step int) *world {
	w.t.Helper()
	s, err := a.Snapshot(w.t.TempDir(), step, w.admin.Journal().Entries(0))
	must(w.t, err)
	c := w.newFrom(forge.Options{From: s})
	c.ada = c.mint(forge.TokenSpec{Login: "ada"})
	return c
}

// TestArchiveAnswersTheSame asks every route that reads. What an archive must not hold, keys, caches
// and what artifacts weigh, is not the same.
func TestArchiveAnswersTheSame(t *testing.T) {
	w, names := newFull(t, forge.Options{})
	k := w.admin.Keeper()
	all, _ := visits(t, names)
	var reads []visit
	for _, v := range all {
		if !strings.Contains(v.path, "public-key") && !strings.Contains(v.path, "artifacts") && !strings.Contains(v.path, "/cache") {
			reads = append(reads, v)
		}
	}
	k.Keep(1)
	want := answers(t, w, reads)
	_, a := archived(t, k, nil)
	c := w.back(a, 1)
	if diff := cmp.Diff(want, answers(t, c, reads)); diff != "" {
		t.Error(diff)
	}
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", c.remote(c.ada.token, "acme/app"), ".")
	mustGit(t, dir, "fsck", "--strict")
	if got := mustGit(t, dir, "rev-parse", "HEAD"); got != names["$HEAD"] {
		t.Errorf("cloned %s, want %s", got, names["$HEAD"])
	}
}

// TestGoingBack keeps a forge through changes, a deleted branch and a deleted repository among them.
func TestGoingBack(t *testing.T) {
	w := newWorld(t)
	k := w.admin.Keeper()
	k.Keep(1)
	w.ada.want(201, "POST", issues, map[string]any{"title": "bug"})
	w.ada.want(201, "PUT", contents+"a.bin", map[string]any{"message": "m", "content": encode("\x00\xff\x80"), "branch": "main"})
	head := w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).at("object.sha").(string)
	w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/heads/side", "sha": head})
	k.Keep(2)
	k.Keep(3) // nothing happened
	w.ada.want(204, "DELETE", "/repos/acme/app/git/refs/heads/side", nil)
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"state": "closed"})
	k.Keep(4)
	w.ada.want(204, "DELETE", "/repos/acme/app", nil)
	k.Keep(5)

	_, a := archived(t, k, nil)
	if diff := cmp.Diff([]int{1, 2, 4, 5}, a.Steps()); diff != "" {
		t.Errorf("steps: %s", diff)
	}
	for step, want := range map[int]struct {
		issues int
		state  string
		side   int
	}{1: {0, "", 404}, 2: {1, "open", 200}, 3: {1, "open", 200}, 4: {1, "closed", 404}} {
		c := w.back(a, step)
		if got, last := c.admin.Journal().Last(), w.admin.Journal().Last(); got >= last {
			t.Errorf("step %d: the journal goes on to %d of %d", step, got, last)
		}
		list := c.ada.want(200, "GET", issues+"?state=all", nil).names("", "state")
		if len(list) != want.issues || len(list) > 0 && list[0] != want.state {
			t.Errorf("step %d: issues %v, want %+v", step, list, want)
		}
		c.ada.want(want.side, "GET", "/repos/acme/app/git/ref/heads/side", nil)
		dir := t.TempDir()
		mustGit(t, dir, "clone", "-q", c.remote(c.ada.token, "acme/app"), ".")
		if step > 1 && mustGit(t, dir, "rev-parse", "HEAD") != head {
			t.Errorf("step %d: another head", step)
		}
	}
	for _, step := range []int{0, 5, 99} {
		w.back(a, step).ada.want(404, "GET", "/repos/acme/app", nil)
	}
	if _, err := a.Snapshot(t.TempDir(), 2, w.admin.Journal().Entries(0)[:3]); err == nil || !strings.Contains(err.Error(), "do not belong together") {
		t.Errorf("another journal: got %v", err)
	}
}

// TestArchiveHoldsNoSecret plants one wherever a forge takes text.
func TestArchiveHoldsNoSecret(t *testing.T) {
	const secret = "s3cr3t-abcdefgh"
	clean := func(s string) string { return strings.ReplaceAll(s, secret, "[secret]") }
	w := newWorld(t)
	k := w.admin.Keeper()
	w.ada.want(201, "POST", issues, map[string]any{"title": secret, "body": "with " + secret})
	w.ada.want(201, "PUT", contents+"safe.txt", map[string]any{"message": "safe", "content": encode("safe")})
	good := w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).at("object.sha").(string)
	w.ada.want(201, "PUT", contents+"leak.txt", map[string]any{"message": "leak", "content": encode("a " + secret)})
	run, job, _ := seedRun(t, w)
	must(t, w.admin.AppendLog(job.ID, []byte("log "+secret+"\n")))
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	f, err := z.Create("result-" + secret)
	must(t, err)
	_, err = f.Write([]byte("result " + secret))
	must(t, err)
	must(t, z.Close())
	art, err := w.admin.PutArtifact(forge.Artifact{RunID: run.ID, JobID: job.ID, Name: "zipped"}, &packed)
	must(t, err)
	w.ada.want(201, "PUT", actions+"/secrets/MINE", map[string]any{"encrypted_value": seal(t, w.ada, actions+"/secrets", "hidden-"+secret),
		"key_id": w.ada.want(200, "GET", actions+"/secrets/public-key", nil).at("key_id")})
	w.ada.want(201, "POST", "/repos/acme/app/hooks", map[string]any{"config": map[string]any{"url": w.forge.URL() + "/nowhere", "secret": "hidden-hook"}})
	w.ada.want(201, "PUT", "/orgs/acme/actions/secrets/OURS", map[string]any{"encrypted_value": seal(t, w.ada, "/orgs/acme/actions/secrets", "hidden-ours"),
		"key_id": w.ada.want(200, "GET", "/orgs/acme/actions/secrets/public-key", nil).at("key_id"), "visibility": "all"})
	k.Keep(1)

	data, a := archived(t, k, clean)
	for what, bad := range map[string]string{"a secret": secret, "a secret in base64": encode(secret)[:16], "the value of an Actions secret": "hidden-", "a private key": `"Private":"`, "tokens": "\"Tokens\""} {
		if strings.Contains(string(data), bad) {
			t.Errorf("the archive holds %s", what)
		}
	}
	if left := strings.Join(a.LeftOut, "\n"); !strings.Contains(left, "blob") || !strings.Contains(left, "of app holds a secret") || strings.Contains(left, secret) {
		t.Errorf("left out: %q", left)
	}
	c := w.back(a, 1)
	c.ada.want(200, "GET", issues+"/1", nil).is("title", "[secret]")
	c.ada.want(200, "GET", actions+"/secrets/MINE", nil).is("name", "MINE")
	log, err := c.admin.View().Log(job.ID, 0, 1<<20)
	if err != nil || !strings.HasSuffix(string(log.Text), "log [secret]\n") {
		t.Errorf("log: %q, %v", log.Text, err)
	}
	r, err := c.admin.OpenArtifact(art.ID)
	must(t, err)
	defer r.Close()
	again, err := io.ReadAll(r)
	must(t, err)
	zr, err := zip.NewReader(bytes.NewReader(again), int64(len(again)))
	if err != nil || len(zr.File) != 1 || zr.File[0].Name != "result-[secret]" {
		t.Errorf("artifact: %v, %v", zr, err)
	}
	dir := t.TempDir()
	if _, err := git(t, dir, "clone", "-q", c.remote(c.ada.token, "acme/app"), "."); err == nil {
		t.Error("a repository that lacks an object was cloned")
	}
	c.ada.want(200, "GET", "/repos/acme/app/contents/safe.txt?ref="+good, nil)
}

// TestArchiveKnowsEverySecret: what an image learns to hold under such a name has to be taken out by blank, too.
func TestArchiveKnowsEverySecret(t *testing.T) {
	suspect := regexp.MustCompile(`(?i)secret|passw|private$|digest|sealing|credential`)
	var found []string
	var walk func(at string, ty reflect.Type)
	walk = func(at string, ty reflect.Type) {
		switch ty.Kind() {
		case reflect.Slice, reflect.Pointer, reflect.Map:
			walk(at, ty.Elem())
		case reflect.Struct:
			for f := range ty.Fields() {
				if suspect.MatchString(f.Name) && f.Type.Kind() != reflect.Bool {
					found = append(found, at+f.Name)
				} else if f.Type != reflect.TypeFor[time.Time]() {
					walk(at+f.Name+".", f.Type)
				}
			}
		}
	}
	walk("", reflect.TypeFor[state.Image]())
	slices.Sort(found)
	// The digest of an artifact or of a release's file is no secret, and tokens are left out whole.
	want := []string{"Accounts.ConfigImage.Sealing", "Accounts.ConfigImage.Secrets", "Artifacts.Artifact.Digest", "Hooks.Config.Secret",
		"Repos.ConfigImage.Sealing", "Repos.ConfigImage.Secrets",
		"Repos.Environments.ConfigImage.Sealing", "Repos.Environments.ConfigImage.Secrets", "Repos.Releases.Assets.Digest", "Tokens.Digest"}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-known +found):\n%s", diff)
	}
}

func TestArchiveOfAnotherVersion(t *testing.T) {
	data := `{"head":{"version":2,"more":{}}}` + "\n" + `{"novel":1}`
	if _, err := forge.OpenArchive(strings.NewReader(data)); !errors.Is(err, forge.ErrArchiveVersion) {
		t.Errorf("got %v", err)
	}
}

// TestBadArchive cuts and bends an archive in every place.
func TestBadArchive(t *testing.T) {
	w := newWorld(t)
	k := w.admin.Keeper()
	var b bytes.Buffer
	if err := k.Archive(&b, nil); err == nil {
		t.Error("an archive without a step was written")
	}
	k.Keep(1)
	w.ada.want(201, "POST", issues, map[string]any{"title": "bug"})
	k.Keep(2)
	good, _ := archived(t, k, nil)
	lines := bytes.SplitAfter(good, []byte("\n"))
	lines = lines[:len(lines)-1]
	for i := range lines {
		without := bytes.Join(append(append([][]byte{}, lines[:i]...), lines[i+1:]...), nil)
		if _, err := forge.OpenArchive(bytes.NewReader(without)); err == nil {
			t.Errorf("an archive without line %d is read", i+1)
		}
		if _, err := forge.OpenArchive(bytes.NewReader(bytes.Join(lines[:i], nil))); err == nil {
			t.Errorf("an archive of %d lines is read", i)
		}
		if _, err := forge.OpenArchive(bytes.NewReader(append(bytes.Join(lines[:i], nil), lines[i][:len(lines[i])/2]...))); err == nil {
			t.Errorf("an archive that ends within line %d is read", i+1)
		}
	}
	for _, bad := range []string{"", "{}", "x", string(good) + `{"row":{}}`, strings.Replace(string(good), `{"object"`, `{"objekt"`, 1)} {
		if _, err := forge.OpenArchive(strings.NewReader(bad)); err == nil {
			t.Errorf("%.60q is read", bad)
		}
	}
}

// FuzzArchive opens and goes back to whatever is read: it never panics, and writes nowhere else.
func FuzzArchive(f *testing.F) {
	w := newWorld(f)
	k := w.admin.Keeper()
	k.Keep(1)
	w.ada.want(201, "POST", issues, map[string]any{"title": "bug"})
	k.Keep(2)
	good, _ := archived(f, k, nil)
	entries := w.admin.Journal().Entries(0)
	f.Add(good)
	f.Add(bytes.ReplaceAll(good, []byte("refs/heads/main"), []byte("refs/heads/../../../../x")))
	f.Add(bytes.ReplaceAll(good, []byte(`"DefaultBranch":"main"`), []byte(`"DefaultBranch":"../x\n"`)))
	f.Add(bytes.ReplaceAll(good, []byte(`"type":"blob"`), []byte(`"type":"ofs-delta"`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := forge.OpenArchive(bytes.NewReader(data))
		if err != nil {
			return
		}
		dir := t.TempDir()
		below := filepath.Join(dir, "a", "b", "c", "d")
		must(t, os.MkdirAll(below, 0o700))
		for _, step := range append(a.Steps(), 0) {
			at, err := os.MkdirTemp(below, "at-")
			must(t, err)
			s, err := a.Snapshot(at, step, entries)
			if err != nil {
				continue
			}
			if c, err := forge.New(forge.Options{From: s, NoPort: true}); err == nil {
				must(t, c.Close(t.Context()))
			}
		}
		if found, _ := filepath.Glob(filepath.Join(dir, "*")); len(found) > 1 {
			t.Errorf("written outside: %v", found)
		}
	})
}
