package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Canon returns what must be equal when the same suite is run twice: verdicts, steps, observations,
// findings and the causal tree, as text with a line for each. What may differ is left out (times,
// order of siblings, reads, tries, whether what held was seen before quiet or at it, workers, work
// that was pending) or masked (ids, digests, ports, tokens, leased names, directories), numbered in
// each scenario by first mention.
func Canon(r Record) []byte {
	var out strings.Builder
	for _, p := range r.Problems {
		c := canon{}
		c.problem("", &p)
		out.WriteString(number(strings.Join(c.lines, "\n") + "\n"))
	}
	for _, cell := range r.Cells {
		for _, t := range cell.Trials {
			fmt.Fprintf(&out, "cell %s/%s/%s/%s trial %d\n", cell.Suite, cell.Profile, cell.Environment, cell.Case, t.Number)
			for _, s := range t.Scenarios {
				out.WriteString(number(canonScenario(s)))
			}
		}
	}
	return []byte(out.String())
}

type canon struct{ lines []string }

func (c *canon) add(indent, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	c.lines = append(c.lines, indent+strings.ReplaceAll(strings.TrimSpace(line), "\n", "\n"+indent+"| "))
}

func canonScenario(s Scenario) string {
	c := canon{}
	c.add("", "scenario %s %s %s %s", s.ID, s.Verdict, s.Name, s.Reason)
	for _, st := range s.Steps {
		c.add("  ", "step %d %s %s %s %s", st.Number, st.Verdict, st.Keyword, st.Text, st.Argument)
		c.observations("    ", st.Observations)
		c.problem("    ", st.Problem)
	}
	if len(s.After) > 0 {
		c.add("  ", "after")
		// The packs look at what runs left, and runs beside one another end in any order.
		c.observations("    ", slices.SortedStableFunc(slices.Values(s.After), byMasked(observed)))
	}
	for _, f := range slices.SortedStableFunc(slices.Values(s.Findings), byMasked(found)) {
		c.add("  ", "finding %s", found(f))
		c.problem("    ", &f.Problem)
	}
	if len(s.Journal) > 0 {
		c.add("  ", "tree")
		c.tree("    ", Tree(s.Journal))
	}
	return strings.Join(c.lines, "\n") + "\n"
}

func byMasked[T any](text func(T) string) func(a, b T) int {
	return func(a, b T) int { return cmp.Compare(mask(text(a)), mask(text(b))) }
}

func observed(o Observation) string {
	var got bytes.Buffer
	if err := json.Compact(&got, o.Got); err != nil {
		got.Reset()
		got.Write(o.Got)
	}
	decided := o.Decided
	if o.OK && decided == "exact" {
		decided = "" // whether a look that holds comes before quiet or at it is a matter of time
	}
	return fmt.Sprintf("saw %s %s ok=%t %s want %s got %s", o.Subject, o.Key, o.OK, decided, o.Want, got.String())
}

func found(f Finding) string { return f.Policy + " " + f.Cause + " " + f.Problem.What }

func (c *canon) observations(indent string, all []Observation) {
	for _, o := range all {
		c.add(indent, "%s", observed(o))
	}
}

func (c *canon) problem(indent string, p *Problem) {
	if p == nil {
		return
	}
	what := p.What
	if len(p.Pending) > 0 {
		what = "at the deadline" // the text counts what was open and tells the last look
	}
	c.add(indent, "problem %s %s at %s", p.Verdict, what, p.Where)
	if p.Expected != "" || p.Seen != "" {
		c.add(indent, "expected %s", p.Expected)
		c.add(indent, "seen %s", p.Seen)
	}
}

func (c *canon) tree(indent string, nodes []*Node) {
	for _, b := range canonNodes(indent, nodes) {
		c.lines = append(c.lines, b.text)
	}
}

// branch is a node with all below it as one text, and what is left of that once masked.
type branch struct{ text, masked string }

// canonNodes gives each node's branch, siblings sorted by what is left of them.
func canonNodes(indent string, nodes []*Node) []branch {
	var out []branch
	for _, n := range nodes {
		if n.Kind == KindRequest && !n.Changes() && n.Entries[0].Type == "request" {
			continue
		}
		c := canon{}
		title := n.Title
		if n.Kind == KindStep {
			title = "" // stands above
		}
		c.add(indent, "%s %s %s %s %s", n.ID, title, n.Status, n.Actor, detail(n))
		own := strings.Join(c.lines, "\n")
		texts, masked := []string{own}, []string{mask(own)}
		for _, below := range canonNodes(indent+"  ", n.Children) {
			texts, masked = append(texts, below.text), append(masked, below.masked)
		}
		out = append(out, branch{strings.Join(texts, "\n"), strings.Join(masked, "\n")})
	}
	slices.SortStableFunc(out, func(a, b branch) int { return cmp.Compare(a.masked, b.masked) })
	return out
}

// detail leaves out what stands elsewhere, the id of a request, which no two runs share, and all about an
// installation: which platform it was is said of the whole record, and a copy is as good as an original.
func detail(n *Node) string {
	if len(n.Entries) > 0 && n.Entries[0].Type == "platform.installed" {
		return ""
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(n.Detail)) {
		switch k {
		case "text", "name", "conclusion", "status", "decision", "request_id":
		default:
			fmt.Fprintf(&b, "%s=%s ", k, n.Detail[k])
		}
	}
	return b.String()
}

// volatile finds what differs between equal runs. The group named after a noun is numbered under
// that noun, so that run:5 and /runs/5 stay the same run; the others under their own name.
var volatile = regexp.MustCompile(`\b(?P<noun>event|run|job|request|note|fault|artifact|comment|check-run|delivery|token)(?:s?[:/]| (?:id )?)(?P<id>[0-9]+)\b` +
	`|(?P<json>"(?:id|run_id|job_id)":\s*"?)(?P<value>[0-9]+)` +
	`|(?P<node>"node_id":\s*")(?P<blob>[A-Za-z0-9_=]+)` +
	`|(?P<uuid>\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b)` +
	`|(?P<sha>\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b)` +
	`|(?P<token>\b(?:gh[opsur]_|github_pat_)[A-Za-z0-9_]+)` +
	`|(?P<time>\b[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)` +
	`|(?P<port>(?:127\.0\.0\.1|\[::1\]|localhost):[0-9]+)` +
	`|(?P<lease>\btest-repo-[0-9]+\b)` +
	`|(?P<dir>\bunderstudy-[0-9]{4,}\b|\b(?:lease|job-[0-9]+)-[0-9]{4,}\b|/act/[0-9a-f]{16}\b)` +
	`|(?P<duration>\b[0-9]+(?:\.[0-9]+)?(?:ns|µs|ms| ?s)\b)`)

// mask puts the same word for all values of a kind.
func mask(text string) string {
	return rewrite(text, func(kind, _ string) string { return "<" + kind + ">" })
}

// number puts a word with a number that tells apart what was apart.
func number(text string) string {
	seen := map[string]map[string]int{}
	return rewrite(text, func(kind, value string) string {
		if kind == "duration" || kind == "time" {
			return "<" + kind + ">"
		}
		if seen[kind] == nil {
			seen[kind] = map[string]int{}
		}
		if seen[kind][value] == 0 {
			seen[kind][value] = len(seen[kind]) + 1
		}
		return fmt.Sprintf("<%s %d>", kind, seen[kind][value])
	})
}

func rewrite(text string, as func(kind, value string) string) string {
	names := volatile.SubexpNames()
	var out strings.Builder
	last := 0
	for _, m := range volatile.FindAllStringSubmatchIndex(text, -1) {
		group := map[string]string{}
		for i := 1; i < len(names); i++ {
			if m[2*i] >= 0 {
				group[names[i]] = text[m[2*i]:m[2*i+1]]
			}
		}
		out.WriteString(text[last:m[0]])
		last = m[1]
		switch {
		case group["noun"] != "":
			out.WriteString(as(group["noun"], group["id"]))
		case group["json"] != "":
			out.WriteString(group["json"] + as("id", group["value"]))
		case group["node"] != "":
			out.WriteString(group["node"] + as("node", group["blob"]))
		default:
			for kind, value := range group {
				out.WriteString(as(kind, value))
			}
		}
	}
	out.WriteString(text[last:])
	return out.String()
}
