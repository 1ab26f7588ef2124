package result_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/result"
)

var update = flag.Bool("update", false, "write golden files")

// A file in testdata/tree holds journal lines, "----", and the tree, its failing nodes and their
// chains. A line is: SEQ [read] TYPE CAUSE SUBJECT key=value;key=value with "-" for what is empty.
func TestTree(t *testing.T) {
	files, err := filepath.Glob("testdata/tree/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, _ := strings.Cut(string(b), "----\n")
			tree := result.Tree(journal(t, input))
			var got strings.Builder
			show(&got, "", tree)
			for _, n := range result.Failing(tree) {
				var ids []string
				for _, c := range result.Chain(tree, n.ID) {
					ids = append(ids, c.ID)
				}
				fmt.Fprintf(&got, "failing %s\n", strings.Join(ids, " → "))
			}
			if *update {
				if err := os.WriteFile(file, []byte(input+"----\n"+got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
		})
	}
}

func journal(t *testing.T, input string) []driver.Entry {
	t.Helper()
	var entries []driver.Entry
	for line := range strings.Lines(input) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, " ", 2)
		seq, err := strconv.ParseUint(f[0], 10, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		e := driver.Entry{Seq: seq, Change: true, Detail: map[string]string{}}
		rest, read := strings.CutPrefix(f[1], "read ")
		e.Change = !read
		f = append(strings.Fields(rest), "-", "-")
		e.Type, e.Cause = f[0], driver.Cause(dash(f[1]))
		e.Subject = dash(strings.ReplaceAll(f[2], "_/", " /"))
		if f[3] != "-" {
			for _, kv := range strings.Split(strings.Join(f[3:len(f)-2], " "), ";") {
				k, v, _ := strings.Cut(kv, "=")
				e.Detail[k] = v
			}
		}
		entries = append(entries, e)
	}
	return entries
}

func dash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

func show(b *strings.Builder, indent string, nodes []*result.Node) {
	for _, n := range nodes {
		fmt.Fprintf(b, "%s%s %s [%s]", indent, n.ID, n.Title, n.Status)
		if n.Unfinished {
			b.WriteString(" unfinished")
		}
		if n.Kind == result.KindRequest && !n.Changes() {
			b.WriteString(" read")
		}
		b.WriteString("\n")
		show(b, indent+"  ", n.Children)
	}
}

func TestChainOfUnknownNode(t *testing.T) {
	tree := result.Tree([]driver.Entry{{Seq: 1, Type: "step", Subject: "step:1"}})
	if got := result.Chain(tree, "run:9"); got != nil {
		t.Errorf("got %v, want nil", got)
	}
}

func TestTreeLeavesItsInputAlone(t *testing.T) {
	in := []driver.Entry{{Seq: 2, Type: "push", Cause: "step:1"}, {Seq: 1, Type: "step", Subject: "step:1"}}
	tree := result.Tree(in)
	if in[0].Seq != 2 {
		t.Error("the caller's entries were sorted")
	}
	if len(tree) != 1 || len(tree[0].Children) != 1 {
		t.Errorf("entries out of order are not linked: %v", tree)
	}
}

func TestTreeLeavesOutlinesOut(t *testing.T) {
	tree := result.Tree([]driver.Entry{
		{Seq: 1, Type: "workflow.file", Subject: ".github/workflows/ci.yml", Detail: map[string]string{"digest": "sha256:1"}},
		{Seq: 2, Type: "workflow.job", Subject: "job:1", Cause: "run:1"},
	})
	if len(tree) != 0 {
		t.Errorf("got %d roots, want none: what is known of files has no cause", len(tree))
	}
}
