package playlist_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/crew/internal/forge"
	"example.com/crew/internal/playlist"
)

const sha = "abcdef0123456789abcdef0123456789abcdef01"

// crewDir makes crew's directory with these files of recorded results.
func crewDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, playlist.Dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, playlist.Dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRoundsAreReplayedInOrder(t *testing.T) {
	dir := crewDir(t, map[string]string{
		"playlist.yaml": "review: [1.yaml, 2.yaml]\n",
		"1.yaml":        "result: {action: request_changes, head_sha: '{{head_sha}}'}\n",
		"2.yaml":        "result: {action: approve, body: 'of {{ number }}'}\n",
	})
	env := map[string]string{"CREW_NUMBER": "7", "CREW_HEAD_SHA": sha}
	for round, want := range map[int]string{1: `{"action":"request_changes","head_sha":"` + sha + `"}`, 2: `{"action":"approve","body":"of 7"}`} {
		r, err := playlist.Load(dir, "review", round)
		if err != nil {
			t.Fatal(err)
		}
		ws := t.TempDir()
		if err := os.Mkdir(filepath.Join(ws, "output"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := r.Replay(t.Context(), ws, "", func(name string) string { return env[name] }); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(ws, "output", "agent-result.json"))
		if err != nil || string(got) != want+"\n" {
			t.Errorf("round %d: %s, %v; want %s", round, got, err, want)
		}
	}
	if err := mustLoad(t, dir, 1).Replay(t.Context(), t.TempDir(), "", func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), "{{head_sha}}") {
		t.Errorf("a commit that nobody told: %v", err)
	}
	_, err := playlist.Load(dir, "review", 3)
	if ended, ok := errors.AsType[playlist.Ended](err); !ok || ended.Has != 2 || !strings.Contains(err.Error(), "agent review has come to round 3, recorded rounds: 2") {
		t.Errorf("beyond the end: %v", err)
	}
}

func mustLoad(t *testing.T, dir string, round int) playlist.Recorded {
	t.Helper()
	r, err := playlist.Load(dir, "review", round)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBadPlaylistsAreRefusedWithTheirPlace(t *testing.T) {
	const list = "review: [1.yaml]\n"
	for name, tc := range map[string]struct{ list, round, want string }{
		"no list":            {"review: 1.yaml\n", "", "results/playlist.yaml:1: "},
		"outside":            {"code: []\nreview: [../config.yaml]\n", "", `results/playlist.yaml:2: agent review, round 1: "../config.yaml" is no file`},
		"no file":            {"review: [2.yaml]\n", "", "results/playlist.yaml:1: agent review, round 1: read results/2.yaml"},
		"unknown key":        {list, "result: {}\nbranches: x\n", `results/1.yaml:2: key "branches" is unknown`},
		"no result":          {list, "branch: crew/1\n", "results/1.yaml: result is missing"},
		"files, no branch":   {list, "result: {}\nfiles:\n  a: b\n", "results/1.yaml:3: files need a branch"},
		"file outside":       {list, "result: {}\nbranch: b\nfiles:\n  ../a: b\n", `results/1.yaml:4: "../a" is no path`},
		"git's own":          {list, "result: {}\nbranch: b\nfiles:\n  .git/hooks/x: b\n", `".git/hooks/x" is no path`},
		"wrong placeholder":  {list, "result: {body: '{{head}}'}\n", `placeholder "{{head}}" is unknown; there are number, head_sha, head_branch`},
		"no JSON":            {list, "result: {1: .nan}\n", "results/1.yaml:1: result has what JSON has not"},
		"two documents":      {list, "result: {}\n---\nresult: {}\n", "a second document"},
		"a playlist as such": {"review: [playlist.yaml]\n", "", "is no file of recorded results"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := crewDir(t, map[string]string{"playlist.yaml": tc.list, "1.yaml": tc.round})
			_, err := playlist.Load(dir, "review", 1)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), dir) {
				t.Errorf("got %v; want %q", err, tc.want)
			}
		})
	}
}

func TestFilesAreCommittedOnTheRecordedBranch(t *testing.T) {
	remote, checkout := t.TempDir(), filepath.Join(t.TempDir(), "c")
	git := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t.invalid"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git(remote, "init", "--quiet", "-b", "main")
	git(remote, "commit", "--quiet", "--allow-empty", "-m", "one")
	git(remote, "checkout", "--quiet", "-b", "crew/7-x")
	git(remote, "commit", "--quiet", "--allow-empty", "-m", "two")
	there := git(remote, "rev-parse", "HEAD")
	git(remote, "checkout", "--quiet", "main")
	git(remote, "clone", "--quiet", remote, checkout)
	event := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(event, []byte(`{"pull_request":{"head":{"ref":"crew/7-x"}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := crewDir(t, map[string]string{
		"playlist.yaml": "review: [1.yaml]\n",
		"1.yaml":        "result: {}\nbranch: '{{head_branch}}'\nfiles:\n  src/a.txt: |\n    a\n",
	})
	ws := t.TempDir()
	if err := os.Mkdir(filepath.Join(ws, "output"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"CREW_EVENT_PATH": event}
	if err := mustLoad(t, dir, 1).Replay(t.Context(), ws, checkout, func(name string) string { return env[name] }); err != nil {
		t.Fatal(err)
	}
	if got := git(checkout, "symbolic-ref", "--short", "HEAD"); got != "crew/7-x" {
		t.Errorf("left on branch %s", got)
	}
	if got := git(checkout, "rev-parse", "HEAD~1"); got != there {
		t.Errorf("the branch continues %s, the remote's is at %s", got, there)
	}
	if got := git(checkout, "show", "HEAD:src/a.txt"); got != "a" {
		t.Errorf("committed %q", got)
	}
}

// comments is a tracking issue in memory.
type comments struct {
	mu  sync.Mutex
	all []forge.Comment
}

func (c *comments) Append(_ context.Context, _ int, body string) (forge.Comment, error) {
	return c.write("crew[bot]", "Bot", body), nil
}

func (c *comments) write(login, kind, body string) forge.Comment {
	c.mu.Lock()
	defer c.mu.Unlock()
	made := forge.Comment{ID: int64(len(c.all) + 1), Body: body}
	made.User.Login, made.User.Type = login, kind
	c.all = append(c.all, made)
	return made
}

func (c *comments) Comments(context.Context, int) ([]forge.Comment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]forge.Comment(nil), c.all...), nil
}

func TestNoTwoRunsTakeTheSameRound(t *testing.T) {
	const runs = 20
	c := &comments{}
	c.write("mallory", "User", "<!-- crew:playback:review:1 -->\nthis is mine")
	var wg sync.WaitGroup
	rounds := make([]int, runs)
	for i := range runs {
		for _, agent := range []string{"review", "code"} {
			wg.Go(func() {
				round, err := playlist.Take(context.Background(), c, 1, agent, strconv.Itoa(i+1))
				if err != nil {
					t.Error(err)
				}
				if agent == "review" {
					rounds[i] = round
				}
			})
		}
	}
	wg.Wait()
	seen := map[int]bool{}
	for i, round := range rounds {
		if round < 1 || round > runs || seen[round] {
			t.Errorf("run %d took round %d; all: %v", i+1, round, rounds)
		}
		seen[round] = true
		if again, err := playlist.Take(t.Context(), c, 1, "review", strconv.Itoa(i+1)); err != nil || again != round {
			t.Errorf("run %d, started again, took round %d after %d: %v", i+1, again, round, err)
		}
	}
}
