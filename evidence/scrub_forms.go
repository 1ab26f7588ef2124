package evidence

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// plainForms are the ways in which a text is written without hiding it: as it is, in a URL, in JSON.
func plainForms(value string) []string {
	forms := []string{value, url.QueryEscape(value), url.PathEscape(value)}
	for _, f := range forms[1:3] {
		forms = append(forms, lowerPercent(f))
	}
	return append(forms, jsonForms(value)...)
}

// secretForms adds what else can give a secret away: base64, and for a value of several lines each
// line, since logs prefix lines.
func secretForms(value string) []string {
	forms := append(plainForms(value), base64Forms(value)...)
	for _, line := range strings.Split(value, "\n") {
		if line = strings.TrimSpace(line); line != value && len(line) >= MinSecret {
			forms = append(forms, plainForms(line)...)
			forms = append(forms, base64Forms(line)...)
		}
	}
	return forms
}

var percent = regexp.MustCompile(`%[0-9A-F]{2}`)

func lowerPercent(s string) string { return percent.ReplaceAllStringFunc(s, strings.ToLower) }

func jsonForms(value string) []string {
	var forms []string
	for _, html := range []bool{true, false} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		if err := e.Encode(value); err == nil { // a string always encodes
			forms = append(forms, strings.Trim(strings.TrimSuffix(b.String(), "\n"), `"`))
		}
	}
	return forms
}

// base64Forms are the value's own encodings and, for each of the three places at which it can begin
// inside a longer text ("user:token" of basic authorisation), the characters that depend on it
// alone. At either end at most four bits of it share a character with a neighbour and stay.
func base64Forms(value string) []string {
	var forms []string
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, enc.EncodeToString([]byte(value)))
		for before := range 3 {
			text := enc.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, before), value...))
			from, to := (before*8+5)/6, (before+len(value))*8/6
			forms = append(forms, text[from:to])
		}
	}
	return forms
}
