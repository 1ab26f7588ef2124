package behaviourtest_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestGoTestGuide runs the test file of docs/guide/go-test.md as it stands there, in a module that is not the
// kit's: what it needs of the kit can be named from outside, and comes with the command that the guide gives.
func TestGoTestGuide(t *testing.T) {
	if testing.Short() {
		return // it builds a module of its own
	}
	t.Parallel()
	guide := read(t, "../docs/guide/go-test.md")
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(guide, -1)
	if len(blocks) != 1 {
		t.Fatalf("the guide has %d Go files, want one", len(blocks))
	}
	e := newElsewhere(t, map[string]string{"bot_test.go": blocks[0][1]})
	get := regexp.MustCompile(`(?m)^\$ go (get .*)$`).FindStringSubmatch(guide)
	if get == nil {
		t.Fatal("the guide does not say how to get the kit")
	}
	e.write(t, "go.mod", "module example.com/elsewhere\n\ngo 1.26.0\n")
	e.must(t, strings.Fields(get[1])...)
	args := []string{"test", "-mod=readonly", "-v", "."} // as without our GOFLAGS: what get left out is missing
	if _, err := exec.LookPath("gcc"); err == nil {
		args = append(args, "-race")
	}
	out := e.must(t, args...)
	for _, want := range []string{"--- PASS: TestGreet", "--- PASS: TestClone", "--- PASS: TestFromOneMoment"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	e.must(t, "vet", ".")
	deps := e.must(t, "list", "-deps", "-test", ".")
	for _, heavy := range []string{"nektos/act", "cucumber", "spf13/cobra"} {
		if strings.Contains(deps, heavy) {
			t.Errorf("a forge in a test brings %s with it", heavy)
		}
	}
}
