// Package mask hides secrets in what a job shows, as GitHub's runner does: by value, by the forms a value
// takes on its way into a log, and line by line.
//
// https://github.com/actions/runner (Sdk/DTLogging/Logging/SecretMasker.cs and ValueEncoders.cs,
// Runner.Worker/Worker.cs and ActionCommandManager.cs)
package mask

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// shown stands for a secret, and for secrets that touch or overlap.
const shown = "***"

// Masker knows secrets. The zero value knows none. It is not safe for concurrent use.
type Masker struct {
	known map[string]bool
	forms []string
}

// Add makes value a secret: it, each of its lines, and for each of them what it looks like in base64
// (also behind one or two other bytes), in JSON, in an address, in XML, in an expression, on a command
// line, and without quotes around it. There is no least length, as at GitHub, where a secret `a` hides
// every a; only what is empty or all space is nobody's secret.
func (m *Masker) Add(value string) {
	m.add(value)
	for _, line := range strings.FieldsFunc(value, func(r rune) bool { return r == '\r' || r == '\n' }) {
		m.add(line)
	}
}

func (m *Masker) add(value string) {
	if strings.TrimSpace(value) == "" || m.known[value] {
		return
	}
	if m.known == nil {
		m.known = map[string]bool{}
	}
	m.known[value] = true
	for _, form := range append(forms(value), value) {
		if form != "" && !slices.Contains(m.forms, form) {
			m.forms = append(m.forms, form)
		}
	}
}

func forms(value string) []string {
	b := []byte(value)
	out := []string{
		base64.StdEncoding.EncodeToString(b),
		strings.ReplaceAll(value, `"`, `\"`),
		strings.ReplaceAll(value, "'", "''"),
		inJSON(value), strings.ReplaceAll(url.QueryEscape(value), "+", "%20"), inXML(value),
	}
	for shift := 1; shift <= 2 && shift < len(b); shift++ {
		out = append(out, base64.StdEncoding.EncodeToString(b[shift:]))
	}
	if len(value) > 8 && value[0] == '"' && value[len(value)-1] == '"' {
		out = append(out, value[1:len(value)-1])
	}
	return out
}

func inJSON(value string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

func inXML(value string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(value)
}

// Hide returns s with every secret in it replaced.
func (m *Masker) Hide(s string) string {
	if m == nil || s == "" {
		return s
	}
	type span struct{ from, to int }
	var found []span
	for _, secret := range m.forms {
		for at := 0; ; {
			i := strings.Index(s[at:], secret)
			if i < 0 {
				break
			}
			found = append(found, span{at + i, at + i + len(secret)})
			at += i + 1 // an occurrence may overlap the one before
		}
	}
	if len(found) == 0 {
		return s
	}
	slices.SortFunc(found, func(a, b span) int { return a.from - b.from })
	var out strings.Builder
	end := 0
	for i := 0; i < len(found); {
		from, to := found[i].from, found[i].to
		for i++; i < len(found) && found[i].from <= to; i++ {
			to = max(to, found[i].to)
		}
		out.WriteString(s[end:from])
		out.WriteString(shown)
		end = to
	}
	out.WriteString(s[end:])
	return out.String()
}
