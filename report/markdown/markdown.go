// Package markdown renders a record as a short summary, fit for a pull request or for what
// $GITHUB_STEP_SUMMARY names: what it came to, and for each scenario that did not pass what was
// expected and seen. The page tells the rest.
//
//	err := markdown.Format{Page: "index.html"}.Write(w, record)
package markdown

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/report"
	"github.com/understudy-dev/understudy/result"
)

// Limits of the summary; a step summary holds 1 MiB.
const (
	maxBlocks   = 50  // scenarios told in full
	maxValue    = 600 // bytes of one value
	maxEvidence = 4   // links of one scenario
)

// Format renders the summary. The zero value is ready.
type Format struct {
	Base string // the run's directory as seen from where the summary lies; "" when it lies in it
	Page string // where the page lies; "" gives no link
}

var _ report.Format = Format{}

// Write renders r.
func (f Format) Write(w io.Writer, r result.Record) error {
	d := document{base: f.Base, tried: r.Tries()}
	d.head(r, f.Page)
	d.table(r)
	told, more := 0, 0
	for s := range r.Scenarios() {
		switch {
		case s.Verdict == result.Passed || s.Verdict == result.Skipped:
		case told == maxBlocks:
			more++
		default:
			told++
			d.scenario(s)
		}
	}
	if more > 0 {
		d.line("\n… and %d more that did not pass.", more)
	}
	d.skipped(r)
	d.workflows(r)
	if _, err := io.WriteString(w, d.String()); err != nil {
		return fmt.Errorf("write markdown report: %w", err)
	}
	return nil
}

type document struct {
	strings.Builder
	base  string
	tried map[string][]result.Verdict
}

func (d *document) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func mark(v result.Verdict) string {
	switch v {
	case result.Passed:
		return "✅"
	case result.Failed:
		return "❌"
	case result.Skipped:
		return "⏭️"
	}
	return "⚠️"
}

func (d *document) head(r result.Record, page string) {
	v := r.Verdict()
	d.line("## %s %s: %s", mark(v), inline(r.Platform.Name), v)
	c := r.Counts()
	var counts []string
	for _, n := range []struct {
		count int
		what  result.Verdict
	}{{c.Passed, result.Passed}, {c.Failed, result.Failed}, {c.Broken, result.Broken}, {c.Skipped, result.Skipped}} {
		if n.count > 0 {
			counts = append(counts, fmt.Sprintf("**%d** %s", n.count, n.what))
		}
	}
	if len(counts) == 0 {
		counts = []string{"**nothing ran**"}
	}
	text := strings.Join(counts, " · ")
	if took := r.Ended.Sub(r.Started); took > 0 {
		text += fmt.Sprintf(" in %.1f s", took.Seconds())
	}
	if spent := r.Spent(); spent != "" {
		text += " · " + spent
	}
	if r.Platform.Defect != "" {
		text += " · seeded defect " + code(r.Platform.Defect)
	}
	if r.Platform.Preset != "" {
		text += " · preset " + code(r.Platform.Preset)
	}
	for _, f := range r.Faults {
		text += " · fault " + code(f)
	}
	if page != "" {
		text += " · [the whole report](" + link(page) + ")"
	}
	d.line("\n%s", text)
	for _, p := range r.Problems {
		d.line("\n> %s %s", mark(result.Broken), inline(p.What))
		if p.Hint != "" {
			d.line("> hint: %s", inline(p.Hint))
		}
	}
	for _, w := range r.Warnings {
		d.line("\n> warning: %s", inline(w))
	}
}

// table lists what did not pass, and what came to several verdicts when it was tried again.
func (d *document) table(r result.Record) {
	var rows []string
	for _, c := range r.Cells {
		for _, t := range c.Trials {
			for _, s := range t.Scenarios {
				again := d.changed(s.ID)
				if !again && (s.Verdict == result.Passed || s.Verdict == result.Skipped) {
					continue
				}
				name := inline(s.Name)
				if len(c.Trials) > 1 {
					name += fmt.Sprintf(" (trial %d)", t.Number)
				}
				rows = append(rows, fmt.Sprintf("| %s %s | %s | %s | %.1f s |", mark(s.Verdict), inline(string(s.Verdict)), code(s.ID), name, s.Seconds))
			}
		}
	}
	if len(rows) == 0 {
		return
	}
	d.line("\n| verdict | scenario | name | time |\n| --- | --- | --- | ---: |")
	for _, row := range rows {
		d.line("%s", row)
	}
}

// changed tells whether a scenario came to different verdicts when it was tried again.
func (d *document) changed(id string) bool {
	for _, v := range d.tried[id] {
		if v != d.tried[id][0] {
			return true
		}
	}
	return false
}

func (d *document) scenario(s result.Scenario) {
	d.line("\n<details open><summary>%s <code>%s</code> %s</summary>", mark(s.Verdict), escape(s.ID), escape(s.Name))
	for _, st := range s.Steps {
		if st.Problem != nil {
			d.line("\n**%s** (line %d)", inline(st.Keyword+" "+st.Text), st.Line)
			d.problem(*st.Problem)
		}
	}
	for _, f := range s.Findings {
		d.line("\n**%s** %s", inline(f.Policy), inline(f.Cause))
		d.problem(f.Problem)
	}
	var links []string
	for i, ref := range s.Evidence {
		if ref.MediaType == driver.ForgeArchive {
			continue // nothing to read: understudy open shows it
		}
		if i == maxEvidence {
			links = append(links, fmt.Sprintf("%d more in the report", len(s.Evidence)-i))
			break
		}
		path := ref.Link
		if path == "" {
			path = ref.Path
		}
		links = append(links, "["+inline(ref.Name)+"]("+link(joined(d.base, path))+")")
	}
	if len(links) > 0 {
		d.line("\nevidence: %s", strings.Join(links, " · "))
	}
	d.line("\n</details>")
}

func (d *document) problem(p result.Problem) {
	d.line("\n%s", inline(p.Sentence()))
	for _, v := range []struct{ name, value string }{
		{"expected", p.Expected}, {"seen", p.Seen}, {"hint", p.Hint}, {"still open", strings.Join(p.Pending, "; ")},
	} {
		if v.value != "" {
			d.line("- %s: %s", v.name, code(v.value))
		}
	}
}

func (d *document) skipped(r result.Record) {
	reasons, ids := []string{}, map[string][]string{}
	for s := range r.Scenarios() {
		if s.Verdict == result.Skipped {
			if ids[s.Reason] == nil {
				reasons = append(reasons, s.Reason)
			}
			ids[s.Reason] = append(ids[s.Reason], code(s.ID))
		}
	}
	for _, reason := range reasons {
		d.line("\nskipped, %s: %s", inline(reason), strings.Join(ids[reason], ", "))
	}
}

func joined(base, path string) string {
	if base == "" {
		return path
	}
	return strings.TrimSuffix(base, "/") + "/" + path
}

func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// inline shows text as text, whatever it looks like.
func inline(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "#", `\#`, "@", "@<!-- -->",
		"<", "&lt;", ">", "&gt;", "&", "&amp;").Replace(cut(oneLine(s)))
}

// code shows text in a code span that it cannot end, and that does not end a table's cell.
func code(s string) string {
	s = strings.ReplaceAll(cut(oneLine(s)), "|", "¦")
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || s == "" {
		s = " " + s + " "
	}
	return fence + s + fence
}

// escape shows text inside of HTML, where nothing is Markdown.
func escape(s string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", `"`, "&quot;", "@", "@<!-- -->").Replace(cut(oneLine(s)))
}

// link is a path as the target of a link.
func link(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if c > ' ' && c < 0x7f && !strings.ContainsRune(`()<>[]\"%|@`, rune(c)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func cut(s string) string {
	if len(s) <= maxValue {
		return s
	}
	return strings.ToValidUTF8(s[:maxValue], "") + "…"
}

// clean takes out what has no look of its own.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
