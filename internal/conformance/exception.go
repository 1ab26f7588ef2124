package conformance

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

// Exception is a difference from the description that is GitHub's own.
type Exception struct {
	Finding         // in Operation, Part and At * stands for any text
	Evidence string // a file in testdata/evidence
	Why      string
}

func (e Exception) covers(f Finding) bool {
	return fits(e.Operation, f.Operation) && fits(e.Part, f.Part) && fits(e.At, f.At) && e.Says == f.Says
}

// fits reports whether a text is of a pattern.
func fits(pattern, text string) bool {
	first, rest, any := strings.Cut(pattern, "*")
	text, found := strings.CutPrefix(text, first)
	if !found || !any {
		return found && text == ""
	}
	for i := range len(text) + 1 {
		if fits(rest, text[i:]) {
			return true
		}
	}
	return false
}

// evidence is what upstream answered, or wrote itself.
type evidence struct {
	Source string          `json:"source"`
	Method string          `json:"method"` // "" shows a member or an address in Body only
	Path   string          `json:"path"`
	Sent   json.RawMessage `json:"sent"`
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
}

//go:embed testdata/evidence/*.json
var evidenceFiles embed.FS

// Prove returns an error unless the evidence of an exception shows it: a recorded answer has the
// finding of the exception itself; other evidence has the member, or names the address.
func (c *Checker) Prove(e Exception) error {
	data, err := evidenceFiles.ReadFile("testdata/evidence/" + e.Evidence)
	if err != nil {
		return err
	}
	var is evidence
	if err := json.Unmarshal(data, &is); err != nil {
		return fmt.Errorf("%s: %w", e.Evidence, err)
	}
	if is.Source == "" {
		return fmt.Errorf("%s does not say where it is from", e.Evidence)
	}
	if is.Method == "" {
		return shows(e, is.Body)
	}
	o := c.Find(is.Method, is.Path)
	if o == nil {
		return fmt.Errorf("%s: no operation is %s %s", e.Evidence, is.Method, is.Path)
	}
	all, err := c.differences(o, Exchange{Method: is.Method, Path: is.Path, Sent: is.Sent, Status: is.Status, Kind: jsonKind, Body: is.Body})
	for _, f := range all {
		if e.covers(f) {
			return err
		}
	}
	return fmt.Errorf("%s has no %s: %q", e.Evidence, e.Finding, all)
}

func shows(e Exception, body []byte) error {
	if e.At != "" {
		member := e.At[strings.LastIndexByte(e.At, '/')+1:]
		if !strings.Contains(string(body), fmt.Sprintf("%q:", member)) {
			return fmt.Errorf("%s has no member %s", e.Evidence, member)
		}
		return nil
	}
	_, address, _ := strings.Cut(e.Operation, " ")
	for _, text := range strings.Split(string(body), `"`) {
		if fits("*"+address, text) {
			return nil
		}
	}
	return fmt.Errorf("%s names no address %s", e.Evidence, address)
}

// except drops the findings that are exceptions, and notes which exceptions were needed.
func (c *Checker) except(all []Finding) []Finding {
	var left []Finding
	for _, f := range all {
		if !c.excused(f) {
			left = append(left, f)
		}
	}
	return left
}

func (c *Checker) excused(f Finding) bool {
	for i, e := range exceptions() {
		if e.covers(f) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.used[i] = true
			return true
		}
	}
	return false
}

// Exceptions returns all that are allowed.
func (c *Checker) Exceptions() []Exception { return exceptions() }

// Stale returns the exceptions that nothing needed.
func (c *Checker) Stale() []Exception {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Exception
	for i, e := range exceptions() {
		if !c.used[i] {
			all = append(all, e)
		}
	}
	return all
}

// Allowed reports whether an operation may be served that is described nowhere.
func (c *Checker) Allowed(method, path string) bool {
	for _, e := range exceptions() {
		if e.Says == nowhere && fits(e.Operation, method+" "+path) {
			return true
		}
	}
	return false
}
