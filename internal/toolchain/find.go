package toolchain

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Program is a tool that is here.
type Program struct {
	Path    string
	Text    string // its version, in its own words
	Version Version
	Why     error // why it tells no version; it is not to be chosen then
}

const patience = 20 * time.Second // of a program that is asked for its version

// Programs yields the programs on a PATH that could be the tool, as they come, and asks each for its version
// only when it is its turn.
func (t Tool) Programs(ctx context.Context, path string) func(yield func(Program) bool) {
	return func(yield func(Program) bool) {
		for _, dir := range filepath.SplitList(path) {
			if !filepath.IsAbs(dir) {
				continue
			}
			for _, name := range t.in(dir) {
				if !yield(t.ask(ctx, filepath.Join(dir, name), path)) {
					return
				}
			}
		}
	}
}

// in lists the programs of a directory that could be the tool, shortest names first.
func (t Tool) in(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	form := regexp.MustCompile(t.names)
	var names []string
	for _, e := range entries {
		if !form.MatchString(e.Name()) {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			names = append(names, e.Name())
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(a) - len(b) })
	return names
}

func (t Tool) ask(ctx context.Context, program, path string) Program {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, t.argv...)
	cmd.Dir = "/" // no go.mod, .python-version or .nvmrc has a say
	cmd.Env = []string{"PATH=" + path, "HOME=/nonexistent", "GOTOOLCHAIN=local", "LC_ALL=C"}
	cmd.WaitDelay = time.Second
	told, err := cmd.CombinedOutput()
	p := Program{Path: program}
	if err != nil {
		p.Why = err
		return p
	}
	p.Text, p.Version, p.Why = t.read(string(told))
	return p
}

// Choose returns the first of the programs that the constraint allows. The error says what was asked for,
// what is here, and what to do.
func (t Tool) Choose(programs func(yield func(Program) bool), want Constraint) (Program, error) {
	var here []string
	for p := range programs {
		if p.Why == nil && want.Allows(p.Version) {
			return p, nil
		}
		if p.Why == nil {
			here = append(here, fmt.Sprintf("%s (%s)", p.Text, p.Path))
		}
	}
	return Program{}, &Lacking{Tool: t, Want: want, Here: here}
}

// Lacking is why no program was chosen.
type Lacking struct {
	Tool Tool
	Want Constraint
	Here []string
}

// Error tells what was asked for, and what is here.
func (e *Lacking) Error() string {
	here := "there is none on the PATH of this machine"
	if len(e.Here) > 0 {
		here = "on the PATH of this machine is " + strings.Join(e.Here, ", ")
	}
	return fmt.Sprintf("%s %s is asked for, and %s", e.Tool.Name, e.Want, here)
}

// Hint tells what to do.
func (e *Lacking) Hint() string {
	if len(e.Here) == 0 {
		return "nothing is downloaded: install it"
	}
	return "nothing is downloaded: ask for a range, such as `>=" + strings.TrimPrefix(e.low(), "v") + "`, or install it"
}

// low is a version that a range may begin with.
func (e *Lacking) low() string {
	for _, bounds := range e.Want.any {
		for _, b := range bounds {
			if b.op == "=" || b.op == ">=" {
				return fmt.Sprintf("%d.%d", b.v.Major, b.v.Minor)
			}
		}
	}
	text, _, _ := strings.Cut(e.Here[0], " ")
	return text
}
