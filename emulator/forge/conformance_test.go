package forge_test

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/emulator/forge/internal/api"
	"github.com/understudy-dev/understudy/internal/conformance"
)

// checker has seen all answers of the package's tests: newForgeIn puts it between client and forge.
var checker = sync.OnceValues(conformance.New)

func TestMain(m *testing.M) { goleak.VerifyTestMain(whole{m}) }

// whole looks at what the tests left out, when all of them ran.
type whole struct{ *testing.M }

func (w whole) Run() int {
	code := w.M.Run()
	if code != 0 || testing.Short() {
		return code
	}
	for _, name := range []string{"test.run", "test.skip", "test.fuzz", "test.list"} {
		if flag.Lookup(name).Value.String() != "" {
			return code
		}
	}
	c, err := checker()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, line := range leftOut(c) {
		fmt.Fprintln(os.Stderr, "conformance:", line)
		code = 1
	}
	return code
}

// leftOut lists served operations that no test had a success of, and exceptions that no test needed.
func leftOut(c *conformance.Checker) []string {
	var all []string
	for _, r := range api.Routes() {
		if o := c.Find(r.Method, r.Pattern); o != nil && !c.Seen(o, 200) {
			all = append(all, fmt.Sprintf("%s (%s %s): no test was answered with success", o.ID, r.Method, r.Pattern))
		}
	}
	for _, e := range c.Stale() {
		all = append(all, fmt.Sprintf("no test needs the exception %s; remove it from internal/conformance/exceptions.go", e.Finding))
	}
	return all
}

// TestServedOperations holds what the page of a forge shows as served to the router.
func TestServedOperations(t *testing.T) {
	c, err := checker()
	must(t, err)
	served := map[string]bool{}
	for _, o := range forge.Operations() {
		served[o.ID] = o.Served
	}
	for _, r := range api.Routes() {
		if o := c.Find(r.Method, r.Pattern); o != nil && !served[o.ID] {
			t.Errorf("%s (%s %s) is shown as unserved", o.ID, r.Method, r.Pattern)
		}
	}
	if served["gists/get"] {
		t.Error("what is not routed is shown as served")
	}
}

// TestRoutesAreDescribed holds the router to GitHub's description: paths, methods and query parameters.
func TestRoutesAreDescribed(t *testing.T) {
	c, err := checker()
	must(t, err)
	for _, r := range api.Routes() {
		o := c.Find(r.Method, r.Pattern)
		if o == nil {
			if !c.Allowed(r.Method, r.Pattern) {
				t.Errorf("%s %s is in no group that is kept: add its tag to groups in internal/conformance/refresh, and run make refresh-openapi", r.Method, r.Pattern)
			}
			continue
		}
		takes := map[string]bool{}
		for _, q := range r.Query {
			takes[q] = true
		}
		if r.List {
			takes["per_page"], takes["page"] = true, true
		}
		for q := range takes {
			if _, known := o.Query[q]; !known {
				t.Errorf("%s (%s) takes the query parameter %s, which is not described", o, o.ID, q)
			}
		}
		for q, required := range o.Query {
			if required && !takes[q] {
				t.Errorf("%s (%s) does not take the query parameter %s, which is required", o, o.ID, q)
			}
		}
	}
}
