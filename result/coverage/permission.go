package coverage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
)

// Permissions are what a token was given and what was done with it. Levels are read and write.
type Permissions struct {
	Declared map[string]string `json:"declared"`          // null: nothing is said, so that the default holds
	Used     map[string]string `json:"used"`              // the least that suffices
	Refused  map[string]string `json:"refused,omitempty"` // asked for and not given
}

func declared(p map[string]string) Permissions {
	return Permissions{Declared: maps.Clone(p), Used: map[string]string{}}
}

// take reads what a request of the job needed.
func (p *Permissions) take(e driver.Entry) {
	if e.Type == "identity.token" {
		raise(p.Used, "id-token", "write")
		return
	}
	for _, needed := range strings.Fields(e.Detail["permission"]) {
		scope, level, _ := strings.Cut(needed, ":")
		if e.Detail["status"] == "403" && !covers(p.given()[scope], level) {
			if p.Refused == nil {
				p.Refused = map[string]string{}
			}
			raise(p.Refused, scope, level)
			continue
		}
		raise(p.Used, scope, level)
	}
}

// given is what the token may do: what is declared, or what GitHub gives by default.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#permissions
func (p *Permissions) given() map[string]string {
	if p.Declared != nil {
		return p.Declared
	}
	return map[string]string{"contents": "read", "packages": "read"}
}

func covers(have, want string) bool { return have == "write" || have == want }

func raise(m map[string]string, scope, level string) {
	if !covers(m[scope], level) {
		m[scope] = level
	}
}

// Excess says, for each scope that is declared and was not used or used less, both: "declares issues:
// write, used issues: read". It is empty when nothing is declared.
func (p Permissions) Excess() []string {
	var out []string
	if len(p.Declared) > 12 && len(p.Used) < len(p.Declared) { // read-all, write-all
		used := "nothing"
		if len(p.Used) > 0 {
			used = inWords(p.Used)
		}
		return []string{fmt.Sprintf("declares nearly everything (%d scopes), used %s", len(p.Declared), used)}
	}
	for _, scope := range slices.Sorted(maps.Keys(p.Declared)) {
		have, used := p.Declared[scope], p.Used[scope]
		switch {
		case used == "":
			out = append(out, fmt.Sprintf("declares %s: %s, used nothing of it", scope, have))
		case have != used && covers(have, used):
			out = append(out, fmt.Sprintf("declares %s: %s, used %s: %s", scope, have, scope, used))
		}
	}
	return out
}

// Lacking says what was asked for and refused.
func (p Permissions) Lacking() []string {
	var out []string
	for _, scope := range slices.Sorted(maps.Keys(p.Refused)) {
		out = append(out, fmt.Sprintf("asked for %s: %s, which it does not have", scope, p.Refused[scope]))
	}
	return out
}

func inWords(m map[string]string) string {
	var out []string
	for _, scope := range slices.Sorted(maps.Keys(m)) {
		out = append(out, scope+": "+m[scope])
	}
	return strings.Join(out, ", ")
}

// Block is what was used, as the `permissions:` of a file or of a job.
func (p Permissions) Block() string {
	if len(p.Used) == 0 {
		return "permissions: {}\n"
	}
	var b strings.Builder
	b.WriteString("permissions:\n")
	for _, scope := range slices.Sorted(maps.Keys(p.Used)) {
		fmt.Fprintf(&b, "  %s: %s\n", scope, p.Used[scope])
	}
	return b.String()
}

// sum adds up the jobs' permissions for the file.
func (f *counted) sum() {
	for _, j := range f.Jobs {
		for scope, level := range j.Permissions.Used {
			raise(f.Permissions.Used, scope, level)
		}
	}
}
