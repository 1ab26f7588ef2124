package html

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/result"
)

// The types below are what the page's script reads. Verdicts are by name, texts are plain.

// trialData is the inside of one trial of a scenario.
type trialData struct {
	Number   int           `json:"n"`
	Verdict  string        `json:"v"`
	Sign     string        `json:"g"`
	Took     string        `json:"took,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Problems []problemData `json:"problems,omitempty"`
	Words    []wordsData   `json:"words,omitempty"`
	Steps    []stepData    `json:"steps,omitempty"`
	After    []seenData    `json:"after,omitempty"`
	Tree     []nodeData    `json:"tree,omitempty"`
	Files    []fileData    `json:"files,omitempty"`
	Entries  int           `json:"entries,omitempty"` // of the journal in the record
	Left     int           `json:"left,omitempty"`    // reads of the kit that are not shown
	Cut      int           `json:"cut,omitempty"`     // others that are not shown, because there are too many
}

type problemData struct {
	Verdict  string   `json:"v"`
	Head     string   `json:"head"`
	Place    string   `json:"place,omitempty"`
	What     string   `json:"what"`
	Where    string   `json:"where,omitempty"`
	Expected string   `json:"want,omitempty"`
	Seen     string   `json:"got,omitempty"`
	Hint     string   `json:"hint,omitempty"`
	Pending  []string `json:"open,omitempty"`
	Stack    string   `json:"stack,omitempty"`
}

// wordsData is how the log of a failed job ended.
type wordsData struct {
	Of   string `json:"of"`
	Text string `json:"text"`
}

type stepData struct {
	Number   int        `json:"n"`
	Verdict  string     `json:"v"`
	Keyword  string     `json:"k"`
	Text     string     `json:"t"`
	Argument string     `json:"arg,omitempty"`
	Took     string     `json:"took,omitempty"`
	Seen     []seenData `json:"seen,omitempty"`
}

type seenData struct {
	Subject string `json:"s"`
	Key     string `json:"key,omitempty"`
	Got     string `json:"got"`
	Want    string `json:"want,omitempty"`
	Bad     bool   `json:"bad,omitempty"`
	Notes   string `json:"notes,omitempty"`
}

type fileData struct {
	Name   string `json:"name"`
	Href   string `json:"href"`
	Origin string `json:"of,omitempty"`
	Step   int    `json:"step,omitempty"`
	Size   string `json:"size"`
	Cut    int64  `json:"cut,omitempty"`
}

func inside(t trial, base string) trialData {
	s := t.scenario
	v := verdictOf(s.Verdict)
	d := trialData{Number: t.number, Verdict: v.Name, Sign: v.Sign, Took: took(s.Seconds), Reason: s.Reason, After: seen(s.After), Entries: len(s.Journal)}
	file, _, _ := strings.Cut(s.ID, ":")
	for _, st := range s.Steps {
		d.Steps = append(d.Steps, stepData{st.Number, verdictOf(st.Verdict).Name, st.Keyword, st.Text, clip(st.Argument), took(st.Seconds), seen(st.Observations)})
		if st.Problem != nil {
			place := fmt.Sprintf("%s:%d", file, st.Line)
			d.Problems = append(d.Problems, problem(*st.Problem, st.Keyword+" "+st.Text, place))
		}
	}
	for _, f := range s.Findings {
		at := ""
		if f.Cause != "" {
			at = "at " + f.Cause
		}
		d.Problems = append(d.Problems, problem(f.Problem, f.Policy, at))
	}
	tree := result.Tree(s.Journal)
	for _, n := range result.Failing(tree) {
		if text := n.Detail["error"]; text != "" {
			d.Words = append(d.Words, wordsData{of(n), clip(text)})
		}
	}
	for _, ref := range s.Evidence {
		name := cmp.Or(ref.Link, ref.Path)
		d.Files = append(d.Files, fileData{ref.Name, href(base, name), ref.Origin, ref.Step, size(ref.Size), ref.Cut})
	}
	shown := shower{files: s.Evidence}
	d.Tree = shown.nodes(tree)
	d.Left, d.Cut = shown.left, shown.cut
	return d
}

func of(n *result.Node) string {
	text := strings.Replace(n.ID, ":", " ", 1) + " " + n.Title
	if step := n.Detail["failed_step"]; step != "" {
		text += fmt.Sprintf(" at “%s”", step)
	}
	return text
}

func problem(p result.Problem, head, place string) problemData {
	where := p.Where
	if where == place {
		where = ""
	}
	return problemData{verdictOf(p.Verdict).Name, head, place, clip(p.Sentence()), where, clip(p.Expected), clip(p.Seen), p.Hint, p.Pending, clip(p.Stack)}
}

func seen(all []result.Observation) []seenData {
	var out []seenData
	for _, o := range all {
		var notes []string
		if o.Tries > 1 {
			notes = append(notes, fmt.Sprintf("looked %d times", o.Tries))
		}
		switch o.Decided {
		case "":
		case "exact":
			notes = append(notes, "decided at quiet")
		default:
			notes = append(notes, o.Decided)
		}
		out = append(out, seenData{o.Subject, o.Key, clip(compact(o.Got)), clip(o.Want), !o.OK, strings.Join(notes, ", ")})
	}
	return out
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return plainJSON.Replace(b.String())
}

// plainJSON takes back what encoding/json does to text for the sake of HTML; the page does not need it.
var plainJSON = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

const clipBytes = 8 << 10

// clip keeps one huge text from making the page huge; the record has it whole.
func clip(s string) string {
	if len(s) <= clipBytes {
		return s
	}
	at := clipBytes
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return fmt.Sprintf("%s… (%d more bytes in the record)", s[:at], len(s)-at)
}

func took(s float64) string {
	switch {
	case s <= 0:
		return ""
	case s < 0.0005:
		return "< 1 ms"
	case s < 0.0995:
		return fmt.Sprintf("%.0f ms", s*1000)
	}
	return fmt.Sprintf("%.1f s", s)
}

func size(n int64) string { return fmt.Sprintf("%.1f kB", float64(n)/1000) }
