package forge_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/internal/scope"
)

// accessRule is what GitHub's documentation says of who may do one operation: a line of testdata/access-rules.txt.
type accessRule struct {
	operation  string // method and pattern, or "git push"
	done       int    // status for who may
	who        string // role in the repository, or one of the words that the file explains
	scopes     []string
	permission []string // of tokens that have permissions, as issues:write; one suffices
	flags      []string
}

// accessException is a cell, or several, for which the rules do not suffice: with the reason, in the same file.
type accessException struct {
	line      int
	operation string
	kinds     []string
	columns   []string
	status    int
	used      bool
}

// accessRules are the derivation: nothing in it comes from the forge.
type accessRules struct {
	rules      map[string]accessRule
	exceptions []*accessException
}

func readAccessRules(t *testing.T, file string) accessRules {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	out := accessRules{rules: map[string]accessRule{}}
	page := ""
	for n, line := range strings.Split(string(text), "\n") {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || strings.HasPrefix(line, "##"):
		case f[0] == "#":
			page = f[1]
		case f[0] == "!":
			out.exceptions = append(out.exceptions, readException(t, n+1, f[1:]))
		default:
			r := accessRule{operation: f[0] + " " + f[1]}
			if len(f) < 6 || page == "" {
				t.Fatalf("%s:%d: want operation, status, who, scope, permission, below a page", file, n+1)
			}
			r.done, err = strconv.Atoi(f[2])
			must(t, err)
			r.who, r.scopes, r.permission, r.flags = f[3], alternatives(f[4]), alternatives(f[5]), f[6:]
			if _, twice := out.rules[r.operation]; twice {
				t.Fatalf("%s:%d: %s stands there twice", file, n+1, r.operation)
			}
			out.rules[r.operation] = r
		}
	}
	return out
}

func alternatives(s string) []string {
	if s == "-" {
		return nil
	}
	return strings.Split(s, "|")
}

// readException reads: operation, kinds, columns, status, reason.
func readException(t *testing.T, line int, f []string) *accessException {
	t.Helper()
	if len(f) < 6 {
		t.Fatalf("line %d: want operation, kinds, columns, status and a reason", line)
	}
	status, err := strconv.Atoi(f[4])
	must(t, err)
	return &accessException{line: line, operation: f[0] + " " + f[1], kinds: strings.Split(f[2], ","), columns: strings.Split(f[3], ","), status: status}
}

// status is the answer that a column gets to an operation on a kind of repository.
func (x accessRules) status(operation, kind string, c column) int {
	derived := x.rules[operation].status(c, kind)
	for _, e := range x.exceptions {
		if e.operation != operation || !matches(e.kinds, kind) || !matches(e.columns, c.name) {
			continue
		}
		if e.status != derived {
			e.used = true
		}
		derived = e.status
	}
	return derived
}

func matches(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, "*")
}

// unused complains of exceptions that change nothing.
func (x accessRules) unused(t *testing.T) {
	t.Helper()
	for _, e := range x.exceptions {
		if !e.used {
			t.Errorf("testdata/access-rules.txt:%d: the rules alone say %d: take the exception out", e.line, e.status)
		}
	}
}

// complete complains of operations without a rule, and of rules for what is not served.
func (x accessRules) complete(t *testing.T, ops []visit) {
	t.Helper()
	for _, v := range ops {
		if _, known := x.rules[v.operation()]; !known {
			t.Errorf("no rule for %s: testdata/access-rules.txt says who may, by GitHub's page of the operation", v.operation())
		}
	}
	for name := range x.rules {
		if !slices.ContainsFunc(ops, func(v visit) bool { return v.operation() == name }) {
			t.Errorf("testdata/access-rules.txt has a rule for %s, which is not served", name)
		}
	}
	for _, e := range x.exceptions {
		if _, known := x.rules[e.operation]; !known {
			t.Errorf("testdata/access-rules.txt:%d: an exception to no rule: %s", e.line, e.operation)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

func (r accessRule) status(c column, kind string) int {
	switch {
	case r.who == "anyone":
		return r.done
	case r.who == "jwt":
		return 401
	case c.sort == "nobody" && !r.inRepo():
		return r.flag("nobody", 401)
	case r.who == "installation":
		return c.may(c.sort == "app" || c.sort == "job", r.done)
	case r.who == "user":
		return r.ofUser(c)
	case r.inRepo():
		return r.ofRepo(c, kind)
	}
	return r.ofOrg(c, kind)
}

// inRepo reports whether the rule is about what is in a repository.
func (r accessRule) inRepo() bool { return slices.Contains(accessRoles(), r.who) || r.who == "app" }

// accessRoles are those of a repository, lowest first.
// https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories/managing-repository-roles/repository-roles-for-an-organization
func accessRoles() []string { return []string{"read", "triage", "write", "maintain", "admin"} }

// rank is the place of a role; nobody's is -1.
func rank(role string) int { return slices.Index(accessRoles(), role) }

func (r accessRule) has(flag string) bool { return slices.Contains(r.flags, flag) }

// flag is the status that a flag as refused=404 gives.
func (r accessRule) flag(name string, otherwise int) int {
	for _, f := range r.flags {
		if v, ok := strings.CutPrefix(f, name+"="); ok {
			n, _ := strconv.Atoi(v)
			return n
		}
	}
	return otherwise
}

func (c column) may(yes bool, done int) int {
	if yes {
		return done
	}
	return 403
}

// granted reports whether a token that has permissions has one that suffices.
func (r accessRule) granted(c column) bool {
	for _, p := range r.permission {
		name, level, _ := strings.Cut(p, ":")
		if name == "metadata" || c.permissions[name] == "write" || c.permissions[name] == level {
			return true
		}
	}
	return len(r.permission) == 0
}

// scoped reports whether a classic token has one of the scopes, or one that includes one.
func (c column) scoped(scopes []string) bool {
	if c.scopes == nil {
		return true
	}
	for _, name := range scopes {
		for ; name != ""; name = scope.Wider(name) {
			if slices.Contains(c.scopes, name) {
				return true
			}
		}
	}
	return false
}

// scopesIn are the scopes of which one suffices in a repository.
// https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
func (r accessRule) scopesIn(private bool) []string {
	switch {
	case r.has("only"):
		return r.scopes
	case private:
		return append([]string{"repo"}, r.scopes...)
	}
	return append([]string{"public_repo", "repo"}, r.scopes...)
}

func (r accessRule) changes() bool {
	return !strings.HasPrefix(r.operation, "GET ") && r.operation != "git fetch" && r.operation != "raw file"
}

// ofRepo follows the order in which GitHub looks: is it there for who asks, may his token, may he, may anybody.
func (r accessRule) ofRepo(c column, kind string) int {
	private := kind == "private"
	sees := !private || c.role != "" && c.scoped(append([]string{"repo"}, r.scopes...))
	open := !private && r.who == "read" && !r.changes() && !r.has("login")
	switch {
	case !sees && r.has("git") && c.sort == "nobody":
		return 401
	case !sees:
		return 404
	case open && c.sort == "nobody":
		return r.flag("nobody", r.done)
	case open:
		return r.done
	case c.sort == "nobody":
		return r.flag("nobody", 401)
	case c.permissions != nil && !r.granted(c):
		return r.flag("ungranted", 403)
	case !c.scoped(r.scopesIn(private)):
		return r.flag("unscoped", 404)
	}
	acts := c.sort == "app" || c.sort == "job" // what it may is its permissions alone
	role := max(rank(c.role), map[bool]int{true: -1, false: 0}[private])
	switch {
	case r.who == "app" && !acts:
		return 403
	case !acts && r.who != "app" && role < rank(r.who):
		return r.flag("refused", 403)
	case kind == "archived" && r.changes() && !r.has("archived"):
		return 403
	}
	return r.done
}

func (r accessRule) ofUser(c column) int {
	switch {
	case c.sort == "app" || c.sort == "job":
		return 403
	case c.sort == "fine":
		return c.may(r.granted(c), r.done)
	case r.scopes != nil && !c.scoped(r.scopes):
		return r.flag("unscoped", 403)
	case c.org == "" && r.has("member"):
		return 404
	}
	return r.done
}

func (r accessRule) ofOrg(c column, kind string) int {
	switch {
	case c.permissions != nil:
		if !r.granted(c) {
			return r.flag("ungranted", 403)
		}
		return r.done
	case c.org == "":
		return r.flag("stranger", 404)
	case !c.scoped(r.scopes):
		return r.flag("unscoped", 403)
	case r.who == "owner" && c.org != "owner" && !r.has("grant="+c.grant):
		return r.flag("refused", 403)
	case r.who == "self", kind == "archived" && r.has("frozen"):
		return 403
	}
	return r.done
}
