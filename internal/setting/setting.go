// Package setting changes one setting in the text of a file that people write, and leaves everything
// else there as it is: the order of its keys and its comments.
package setting

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// The formats that a file of settings can have.
const (
	YAML = "yaml"
	INI  = "ini"
)

// Formats are all there are.
func Formats() []string { return []string{YAML, INI} }

// FormatOf is the format that a file's name tells, or "".
func FormatOf(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".yaml", ".yml":
		return YAML
	case ".ini", ".cfg", ".conf":
		return INI
	}
	return ""
}

// Key is one step of the way to a setting: the key of a mapping, or the section of an INI file. With By
// the key's value is a list, and the step goes on to the entry of it whose key By has the value Is.
type Key struct{ Name, By, Is string }

// String is the key as ParsePath reads it.
func (k Key) String() string {
	if k.By == "" {
		return k.Name
	}
	return fmt.Sprintf("%s[%s=%s]", k.Name, k.By, k.Is)
}

// Path is the way to a setting from the top of its file.
type Path []Key

// String is the path as ParsePath reads it, unless a placeholder has put dots into it.
func (p Path) String() string {
	keys := make([]string, len(p))
	for i, k := range p {
		keys[i] = k.String()
	}
	return strings.Join(keys, ".")
}

// ParsePath reads keys joined by dots: "agents.{name}.enabled", or "agents[name={name}].enabled" where
// agents is a list of mappings.
func ParsePath(text string) (Path, error) {
	var p Path
	for part := range strings.SplitSeq(text, ".") {
		k := Key{Name: part}
		if name, rest, ok := strings.Cut(part, "["); ok {
			by, is, eq := strings.Cut(strings.TrimSuffix(rest, "]"), "=")
			if !strings.HasSuffix(rest, "]") || !eq || by == "" || is == "" {
				return nil, fmt.Errorf("%q: an entry of a list is found by one of its keys, as in agents[name=triage]", part)
			}
			k = Key{name, by, is}
		}
		if k.Name == "" || strings.ContainsAny(k.Name+k.By+k.Is, "[]\r\n") {
			return nil, fmt.Errorf("%q is no path of keys joined by dots", text)
		}
		if n := len(p); n > 0 && p[n-1].By == k.Name {
			return nil, fmt.Errorf("%q: the key by which an entry is found cannot be what changes", text)
		}
		p = append(p, k)
	}
	return p, nil
}

// Fill replaces placeholders, which are names in braces, in each key. What is put in stays one key,
// whatever it holds.
func (p Path) Fill(with map[string]string) Path {
	out := make(Path, len(p))
	for i, k := range p {
		out[i] = Key{Fill(k.Name, with), Fill(k.By, with), Fill(k.Is, with)}
	}
	return out
}

// Fill replaces the placeholders of a text in one pass. Those that with does not name stay.
func Fill(text string, with map[string]string) string {
	pairs := make([]string, 0, 2*len(with))
	for name, value := range with {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Edit is one change: the setting at Path becomes Value, or, with Append, the list there gets Value
// unless it has it. Value is text, a number or true or false.
type Edit struct {
	Format string
	Path   Path
	Value  any
	Append bool
}

// ErrAbsent is that a file has no such setting.
var ErrAbsent = errors.New("there is no such setting")

// Apply returns data with the change. An error begins with the file's name and the line, where it is at
// one; data that has the setting already is returned as it is.
func Apply(file string, data []byte, e Edit) ([]byte, error) {
	switch e.Format {
	case YAML:
		return applyYAML(file, data, e)
	case INI:
		return applyINI(file, data, e)
	}
	return nil, fmt.Errorf("%s: unknown format %q; there are: %s", file, e.Format, strings.Join(Formats(), ", "))
}

// Read returns the text of the setting at a path, or ErrAbsent.
func Read(file string, data []byte, format string, p Path) (string, error) {
	switch format {
	case YAML:
		return readYAML(file, data, p)
	case INI:
		return readINI(file, data, p)
	}
	return "", fmt.Errorf("%s: unknown format %q; there are: %s", file, format, strings.Join(Formats(), ", "))
}
