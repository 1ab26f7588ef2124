package forge_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// secretWord is in all that the private repository holds.
const secretWord = "hush-hush"

// client is one of many that work at once. It notes what was acknowledged, to be read back at the end.
type client struct {
	actor
	name string
	rng  *rand.Rand
	kept []kept
}

// kept is what an acknowledged write has left behind.
type kept struct {
	path string
	want map[string]any
}

// TestFiftyClients has people of several roles open, label, comment on and close issues, push and merge in one
// repository and in a private one, all at once. Each write that was acknowledged is read back at the end, and
// nobody has seen of the private repository who may not. LOAD_ROUNDS says how often each does its work.
func TestFiftyClients(t *testing.T) {
	rounds := 2
	if s := os.Getenv("LOAD_ROUNDS"); s != "" {
		var err error
		rounds, err = strconv.Atoi(s)
		must(t, err)
	}
	w := newWorld(t)
	w.tcp.MaxIdleConnsPerHost = 64
	w.http = &http.Client{Transport: w.tcp} // what the description says of each answer is asked elsewhere
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "private", "auto_init": true, "private": true, "description": secretWord})
	var all []*client
	for _, of := range []struct {
		n           int
		role, given string
	}{{8, "writer", "write"}, {4, "pusher", "write"}, {12, "triager", "triage"}, {10, "reader", "read"}, {8, "member", ""}, {8, "stranger", ""}} {
		for i := range of.n {
			c := &client{actor: w.user(fmt.Sprintf("%s-%d", of.role, i), of.given), name: fmt.Sprintf("%s-%d", of.role, i), rng: rand.New(rand.NewPCG(1, uint64(len(all))))}
			if of.role == "member" {
				w.ada.want(204, "PUT", "/repos/acme/private/collaborators/"+c.name, map[string]any{"permission": "write"})
			}
			all = append(all, c)
		}
	}
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Go(func() {
			for n := range rounds {
				c.work(n)
			}
		})
	}
	wg.Wait()
	w.quiet()
	readBack(t, w, all)
}

// work is one round of what somebody of the role does.
func (c *client) work(n int) {
	title := fmt.Sprintf("%s does %d", c.name, n)
	switch role, _, _ := strings.Cut(c.name, "-"); role {
	case "writer":
		c.merge(n)
	case "pusher":
		c.push(n)
	case "triager":
		c.issue("acme/app", title, true)
	case "reader":
		c.issue("acme/app", title, false)
	case "member":
		c.issue("acme/private", secretWord+" "+title, true)
	}
	if !strings.HasPrefix(c.name, "member") {
		c.pry()
	}
}

// issue opens an issue and says something; who may gives it a label and closes it, who may not is refused.
func (c *client) issue(repo, title string, may bool) {
	at := "/repos/" + repo + "/issues"
	number := c.want(201, "POST", at, map[string]any{"title": title, "body": title}).at("number")
	one := fmt.Sprintf("%s/%v", at, number)
	said := c.want(201, "POST", one+"/comments", map[string]any{"body": "I say: " + title})
	c.kept = append(c.kept, kept{fmt.Sprintf("/repos/%s/issues/comments/%v", repo, said.at("id")), map[string]any{"body": "I say: " + title, "user.login": c.name}})
	left := map[string]any{"title": title, "user.login": c.name, "comments": 1.0, "state": "open", "labels.0.name": nil}
	label := map[string]any{"labels": []string{[]string{"bug", "question"}[c.rng.IntN(2)]}}
	if may {
		left["labels.0.name"] = c.want(200, "POST", one+"/labels", label).at("0.name")
	} else {
		c.want(403, "POST", one+"/labels", label)
	}
	if may || c.rng.IntN(2) == 0 { // one's own may be closed by anybody
		left["state"] = c.want(200, "PATCH", one, map[string]any{"state": "closed"}).at("state")
	}
	c.kept = append(c.kept, kept{one, left})
}

// merge commits to a branch by the API, opens a pull request and merges it, again while others were first.
func (c *client) merge(n int) {
	const repo = "/repos/acme/app"
	branch := fmt.Sprintf("%s-%d", c.name, n)
	file := map[string]any{"message": "add " + branch, "content": base64.StdEncoding.EncodeToString([]byte(branch)), "branch": branch}
	sha := c.want(200, "GET", repo+"/git/ref/heads/main", nil).at("object.sha")
	c.want(201, "POST", repo+"/git/refs", map[string]any{"ref": "refs/heads/" + branch, "sha": sha})
	c.want(201, "PUT", repo+"/contents/"+branch+".txt", file)
	c.kept = append(c.kept, kept{repo + "/contents/" + branch + ".txt?ref=" + branch, map[string]any{"content": file["content"].(string) + "\n"}})
	number := c.want(201, "POST", repo+"/pulls", map[string]any{"title": branch, "head": branch, "base": "main"}).at("number")
	pull := fmt.Sprintf("%s/pulls/%v", repo, number)
	for {
		r := c.send("PUT", pull+"/merge", map[string]any{"merge_method": []string{"merge", "squash", "rebase"}[c.rng.IntN(3)]})
		if r.status == 200 {
			c.kept = append(c.kept, kept{pull, map[string]any{"merged": true, "merge_commit_sha": r.at("sha"), "merged_by.login": c.name}},
				kept{repo + "/contents/" + branch + ".txt", map[string]any{"content": file["content"].(string) + "\n"}},
				kept{fmt.Sprintf("%s/compare/%v...main", repo, r.at("sha")), map[string]any{"behind_by": 0.0}})
			return
		}
		if r.status != 405 && r.status != 409 {
			c.w.t.Errorf("merge of %s = %d: %s", branch, r.status, r.body)
			return
		}
	}
}

// push commits in a clone of one's own and pushes to main, again after a pull while others were first.
func (c *client) push(n int) {
	dir, err := os.MkdirTemp(c.w.t.TempDir(), c.name)
	must(c.w.t, err)
	file := fmt.Sprintf("%s-%d.txt", c.name, n)
	mustGit(c.w.t, dir, "clone", "-q", c.w.remote(c.token, "acme/app"), ".")
	must(c.w.t, os.WriteFile(filepath.Join(dir, file), []byte(file), 0o600))
	mustGit(c.w.t, dir, "add", ".")
	mustGit(c.w.t, dir, "commit", "-q", "-m", "push "+file)
	for {
		if out, err := git(c.w.t, dir, "push", "-q", "origin", "HEAD:main"); err == nil {
			break
		} else if !strings.Contains(out, "rejected") {
			c.w.t.Errorf("push of %s: %v\n%s", file, err, out)
			return
		}
		mustGit(c.w.t, dir, "pull", "-q", "--rebase", "origin", "main")
	}
	sha := mustGit(c.w.t, dir, "rev-parse", "HEAD")
	c.kept = append(c.kept, kept{"/repos/acme/app/contents/" + file, map[string]any{"content": base64.StdEncoding.EncodeToString([]byte(file)) + "\n"}},
		kept{"/repos/acme/app/compare/" + sha + "...main", map[string]any{"behind_by": 0.0}})
}

// pry looks for the private repository wherever one might see something of it.
func (c *client) pry() {
	for path, status := range map[string]int{
		"/repos/acme/private": 404, "/repos/acme/private/issues": 404, "/repos/acme/private/issues/1": 404, "/repos/acme/private/issues/1/comments": 404,
		"/repos/acme/private/contents/README.md": 404, "/repos/acme/private/git/ref/heads/main": 404,
		"/orgs/acme/repos": 200, "/user/repos": 200, "/search/issues?q=" + secretWord: 200, "/repos/acme/app/issues?state=all&sort=updated": 200,
	} {
		r := c.send("GET", path, nil)
		if r.status != status || strings.Contains(string(r.body), secretWord) || status == 200 && strings.Contains(string(r.body), "acme/private") {
			c.w.t.Errorf("%s sees %s = %d: %.300s", c.name, path, r.status, r.body)
		}
	}
	if c.send("POST", "/repos/acme/private/issues", map[string]any{"title": "by " + c.name}).status != 404 {
		c.w.t.Errorf("%s writes to the private repository", c.name)
	}
}

// readBack asks the owner for all that was acknowledged, and for what should not be.
func readBack(t *testing.T, w *world, all []*client) {
	t.Helper()
	n, opened := 0, map[string]int{}
	for _, c := range all {
		for _, k := range c.kept {
			r := w.ada.want(200, "GET", k.path, nil)
			for at, want := range k.want {
				if got := r.at(at); got != want {
					t.Errorf("%s of %s: %s = %v, want %v", k.path, c.name, at, got, want)
				}
			}
			n++
			if at := regexp.MustCompile(`^(.*)/(issues|pulls)/\d+$`).FindStringSubmatch(k.path); at != nil {
				opened[at[1]]++
			}
		}
	}
	for repo, want := range opened {
		got := 0
		for page := 1; ; page++ {
			some := w.ada.want(200, "GET", fmt.Sprintf("%s/issues?state=all&per_page=100&page=%d", repo, page), nil)
			titles := some.names("", "title")
			got += len(titles)
			if len(titles) < 100 {
				break
			}
		}
		if got != want {
			t.Errorf("%s has %d issues, %d were acknowledged", repo, got, want)
		}
	}
	t.Logf("%d clients, %d writes read back", len(all), n)
	if dir := t.TempDir(); n > 0 {
		mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), ".")
		mustGit(t, dir, "fsck", "--strict")
	}
}
