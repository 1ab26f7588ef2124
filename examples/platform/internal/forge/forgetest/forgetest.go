// Package forgetest is a forge for crew's own tests: one repository in memory, with the few routes
// that crew calls. Any other call fails the test.
//
//	f := forgetest.New(t)
//	client, err := forge.New(f.URL, "token", forgetest.Repo)
package forgetest

import (
	"cmp"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/nacl/box"
)

// Repo is the one repository.
const Repo = "acme/app"

// Forge is the repository's state. Read it when no call is under way.
type Forge struct {
	URL string

	mu        sync.Mutex
	Labels    []string          // of the repository
	Issue     []string          // labels of issue 1, in the order they came
	Comments  []string          // of issue 1
	Reactions []string          // to issue 1, in the order they came
	Variables map[string]string //
	Roles     map[string]string // in the repository, by login; "" is none
	Secrets   map[string]string // opened with the repository's key
	Commits   []Commit          // of the default branch, oldest first
	Calls     []string          // "token METHOD path", of changes
	Pulls     map[string]string // JSON of pull requests by number
	Opened    []map[string]any  // pull requests, as they were asked for
	Reviews   []map[string]any  // of pull request 1, as they were asked for
	Fail      map[string]int    // "METHOD path" → status to answer instead
	Root      string            // directory with the files that every branch has now; "" has none
	moved     int               // how often the branch still moves under the caller

	trees       map[string]map[string]string
	commits     map[string]Commit
	public, key *[32]byte
}

// Commit is a commit with all files of its tree.
type Commit struct {
	SHA     string
	Message string
	Files   map[string]string
	tree    string
}

// New starts a forge with a repository of one file and one issue; the test ends it.
func New(t testing.TB) *Forge {
	t.Helper()
	public, key, err := box.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	f := &Forge{
		Variables: map[string]string{}, Secrets: map[string]string{}, Fail: map[string]int{},
		trees: map[string]map[string]string{}, commits: map[string]Commit{}, public: public, key: key,
	}
	f.push("Initial commit", f.tree(map[string]string{"README.md": "# app\n"}))
	s := httptest.NewServer(f.handler(t))
	t.Cleanup(s.Close)
	f.URL = s.URL + "/api/v3"
	return f
}

// MoveBranch makes the next n updates of the branch come too late.
func (f *Forge) MoveBranch(n int) { f.moved = n }

func hash(parts ...any) string {
	sum := sha1.Sum([]byte(fmt.Sprintln(parts...)))
	return hex.EncodeToString(sum[:])
}

func (f *Forge) tree(files map[string]string) string {
	var parts []any
	for _, p := range slices.Sorted(maps.Keys(files)) {
		parts = append(parts, p, files[p])
	}
	f.trees[hash(parts...)] = files
	return hash(parts...)
}

func (f *Forge) push(message, tree string) string {
	c := Commit{SHA: hash(len(f.commits), message, tree), Message: message, Files: f.trees[tree], tree: tree}
	f.commits[c.SHA] = c
	f.Commits = append(f.Commits, c)
	return c.SHA
}

func (f *Forge) head() Commit { return f.Commits[len(f.Commits)-1] }

type answer struct {
	status int
	body   any
}

func missing() answer { return answer{404, map[string]string{"message": "Not Found"}} }

func (f *Forge) handler(t testing.TB) http.Handler {
	mux := http.NewServeMux()
	on := func(pattern string, do func(r *http.Request, in map[string]any) answer) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /api/v3/repos/"+Repo+path, func(w http.ResponseWriter, r *http.Request) {
			f.mu.Lock()
			defer f.mu.Unlock()
			data, _ := io.ReadAll(r.Body)
			in := map[string]any{}
			_ = json.Unmarshal(data, &in)
			token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			name := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/v3/repos/"+Repo)
			if r.Method != http.MethodGet {
				f.Calls = append(f.Calls, token+" "+name)
			}
			a := answer{f.Fail[name], map[string]string{"message": "told to fail"}}
			if a.status == 0 {
				a = do(r, in)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(a.status)
			if a.body != nil {
				_ = json.NewEncoder(w).Encode(a.body)
			}
		})
	}
	f.repository(on)
	f.git(on)
	f.issue(on)
	f.pulls(on)
	f.content(on)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("unexpected call %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusNotImplemented)
	})
	return mux
}

type register func(pattern string, do func(r *http.Request, in map[string]any) answer)

// legacy is the permission that stands for a role where GitHub knows no more than these.
// See https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user.
func legacy(role string) string {
	switch role {
	case "maintain":
		return "write"
	case "triage":
		return "read"
	}
	return role
}

func (f *Forge) repository(on register) {
	on("GET /collaborators/{login}/permission", func(r *http.Request, _ map[string]any) answer {
		role := cmp.Or(f.Roles[r.PathValue("login")], "none")
		return answer{200, map[string]any{"permission": legacy(role), "role_name": role}}
	})
	on("GET ", func(*http.Request, map[string]any) answer {
		return answer{200, map[string]any{"default_branch": "main"}}
	})
	on("POST /labels", func(_ *http.Request, in map[string]any) answer {
		name := in["name"].(string)
		if slices.Contains(f.Labels, name) {
			return answer{422, map[string]string{"message": "Validation Failed"}}
		}
		f.Labels = append(f.Labels, name)
		return answer{201, in}
	})
	on("GET /labels/{name}", func(r *http.Request, _ map[string]any) answer {
		if !slices.Contains(f.Labels, r.PathValue("name")) {
			return missing()
		}
		return answer{200, map[string]string{"name": r.PathValue("name")}}
	})
	on("GET /actions/variables/{name}", func(r *http.Request, _ map[string]any) answer {
		v, ok := f.Variables[r.PathValue("name")]
		if !ok {
			return missing()
		}
		return answer{200, map[string]string{"name": r.PathValue("name"), "value": v}}
	})
	on("POST /actions/variables", func(_ *http.Request, in map[string]any) answer {
		f.Variables[in["name"].(string)] = in["value"].(string)
		return answer{201, nil}
	})
	on("PATCH /actions/variables/{name}", func(r *http.Request, in map[string]any) answer {
		f.Variables[r.PathValue("name")] = in["value"].(string)
		return answer{204, nil}
	})
	on("GET /actions/secrets/public-key", func(*http.Request, map[string]any) answer {
		return answer{200, map[string]string{"key_id": "k1", "key": base64.StdEncoding.EncodeToString(f.public[:])}}
	})
	on("PUT /actions/secrets/{name}", func(r *http.Request, in map[string]any) answer {
		sealed, _ := base64.StdEncoding.DecodeString(in["encrypted_value"].(string))
		open, ok := box.OpenAnonymous(nil, sealed, f.public, f.key)
		if !ok || in["key_id"] != "k1" {
			return answer{422, map[string]string{"message": "Bad secret"}}
		}
		f.Secrets[r.PathValue("name")] = string(open)
		return answer{201, nil}
	})
}

func (f *Forge) git(on register) {
	on("GET /git/trees/main", func(r *http.Request, _ map[string]any) answer {
		list := []map[string]string{}
		for _, p := range slices.Sorted(maps.Keys(f.head().Files)) {
			list = append(list, map[string]string{"path": p, "type": "blob"})
		}
		return answer{200, map[string]any{"tree": list, "truncated": false}}
	})
	on("GET /git/ref/heads/main", func(*http.Request, map[string]any) answer {
		return answer{200, map[string]any{"object": map[string]string{"sha": f.head().SHA}}}
	})
	on("GET /git/commits/{sha}", func(r *http.Request, _ map[string]any) answer {
		return answer{200, map[string]any{"tree": map[string]string{"sha": f.commits[r.PathValue("sha")].tree}}}
	})
	on("POST /git/trees", func(_ *http.Request, in map[string]any) answer {
		files := maps.Clone(f.trees[in["base_tree"].(string)])
		for _, e := range in["tree"].([]any) {
			e := e.(map[string]any)
			files[e["path"].(string)] = e["content"].(string)
		}
		return answer{201, map[string]string{"sha": f.tree(files)}}
	})
	on("POST /git/commits", func(_ *http.Request, in map[string]any) answer {
		c := Commit{Message: in["message"].(string), tree: in["tree"].(string), Files: f.trees[in["tree"].(string)]}
		c.SHA = hash(in)
		f.commits[c.SHA] = c
		return answer{201, map[string]string{"sha": c.SHA}}
	})
	on("PATCH /git/refs/heads/main", func(_ *http.Request, in map[string]any) answer {
		if f.moved > 0 {
			f.moved--
			files := maps.Clone(f.head().Files)
			files["other.txt"] += "x"
			f.push("Somebody else", f.tree(files))
			return answer{422, map[string]string{"message": "Update is not a fast forward"}}
		}
		f.Commits = append(f.Commits, f.commits[in["sha"].(string)])
		return answer{200, nil}
	})
}

func (f *Forge) issue(on register) {
	on("GET /issues/1", func(*http.Request, map[string]any) answer {
		labels := []map[string]string{}
		for _, l := range f.Issue {
			labels = append(labels, map[string]string{"name": l})
		}
		return answer{200, map[string]any{"number": 1, "labels": labels}}
	})
	on("POST /issues/1/labels", func(_ *http.Request, in map[string]any) answer {
		for _, l := range in["labels"].([]any) {
			f.Issue = append(f.Issue, l.(string))
		}
		return answer{200, []any{}}
	})
	on("DELETE /issues/1/labels/{name}", func(r *http.Request, _ map[string]any) answer {
		f.Issue = slices.DeleteFunc(f.Issue, func(l string) bool { return l == r.PathValue("name") })
		return answer{200, []any{}}
	})
	on("POST /issues/1/reactions", func(_ *http.Request, in map[string]any) answer {
		content := in["content"].(string)
		if at := slices.Index(f.Reactions, content); at >= 0 {
			return answer{200, map[string]int{"id": at + 1}}
		}
		f.Reactions = append(f.Reactions, content)
		return answer{201, map[string]int{"id": len(f.Reactions)}}
	})
	on("DELETE /issues/1/reactions/{id}", func(r *http.Request, _ map[string]any) answer {
		id, err := strconv.Atoi(r.PathValue("id"))
		if err != nil || id < 1 || id > len(f.Reactions) {
			return missing()
		}
		f.Reactions = slices.Delete(f.Reactions, id-1, id)
		return answer{204, nil}
	})
	on("GET /issues/1/comments", func(*http.Request, map[string]any) answer {
		list := []map[string]any{}
		for i, body := range f.Comments {
			list = append(list, map[string]any{"id": i + 1, "body": body})
		}
		return answer{200, list}
	})
	on("POST /issues/1/comments", func(_ *http.Request, in map[string]any) answer {
		f.Comments = append(f.Comments, in["body"].(string))
		return answer{201, map[string]any{"id": len(f.Comments)}}
	})
	on("PATCH /issues/comments/{id}", func(r *http.Request, in map[string]any) answer {
		id, _ := strconv.Atoi(r.PathValue("id"))
		f.Comments[id-1] = in["body"].(string)
		return answer{200, nil}
	})
}
