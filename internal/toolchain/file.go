package toolchain

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
)

var (
	goLine      = pattern(`(?m)^go\s+(\d\S*)`)
	goToolchain = pattern(`(?m)^toolchain\s+go(\d\S*)`)
	asdf        = map[string]func() *regexp.Regexp{
		"Go":      pattern(`(?m)^(?:golang|go)\s+v?(\S+)`),
		"Node.js": pattern(`(?m)^node(?:js)?\s+v?(\S+)`),
		"Python":  pattern(`(?m)^python\s+v?(\S+)`),
		"Java":    pattern(`(?m)^java\s+(?:\S*?-)?v?(\d[\d.]*)`),
	}
	requiresPython = pattern(`(?m)^\s*requires-python\s*=\s*["']([^"'\n]+)["']`)
	pipfile        = pattern(`(?m)^\s*python_(?:full_)?version\s*=\s*["']([^"'\n]+)["']`)
	sdkman         = pattern(`(?m)^\s*java\s*=\s*(\d[\d.]*)`)
	leadingDigits  = pattern(`\d[\d.]*`)
)

// WantOf reads what a file of this name asks of the tool. The line `go` of a go.mod, and the line
// `toolchain`, mean that version or a newer one, as they do to Go itself.
func (t Tool) WantOf(name string, content []byte) (Constraint, error) {
	spec, err := t.specOf(path.Base(name), string(content))
	if err == nil && spec == "" {
		err = fmt.Errorf("it names no version of %s", t.Name)
	}
	var c Constraint
	if err == nil {
		c, err = t.Want(spec)
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

func (t Tool) specOf(base, content string) (string, error) {
	first := func(pattern func() *regexp.Regexp) string {
		if m := pattern().FindStringSubmatch(content); m != nil {
			return m[1]
		}
		return ""
	}
	switch {
	case base == ".tool-versions":
		return first(asdf[t.Name]), nil
	case base == "go.mod", base == "go.work":
		if v := first(goToolchain); v != "" {
			return ">=" + v, nil
		}
		if v := first(goLine); v != "" {
			return ">=" + v, nil
		}
		return "", nil
	case base == "package.json":
		return nodeOf(content)
	case base == "pyproject.toml":
		return first(requiresPython), nil
	case base == "Pipfile":
		return first(pipfile), nil
	case base == ".sdkmanrc":
		return first(sdkman), nil
	}
	for line := range strings.Lines(content) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" && t.Name == "Java" {
			return leadingDigits().FindString(line), nil
		} else if line != "" {
			return line, nil
		}
	}
	return "", nil
}

// nodeOf takes volta before devEngines before engines.
func nodeOf(content string) (string, error) {
	type engine struct{ Name, Version string }
	var p struct {
		Volta      struct{ Node string } `json:"volta"`
		Engines    struct{ Node string } `json:"engines"`
		DevEngines struct {
			Runtime json.RawMessage `json:"runtime"` // one, or a list
		} `json:"devEngines"`
	}
	if err := json.Unmarshal([]byte(content), &p); err != nil {
		return "", err
	}
	var runtimes []engine
	if json.Unmarshal(p.DevEngines.Runtime, &runtimes) != nil {
		var one engine
		if json.Unmarshal(p.DevEngines.Runtime, &one) == nil {
			runtimes = []engine{one}
		}
	}
	if p.Volta.Node != "" {
		return p.Volta.Node, nil
	}
	for _, r := range runtimes {
		if strings.EqualFold(r.Name, "node") && r.Version != "" {
			return r.Version, nil
		}
	}
	return p.Engines.Node, nil
}
