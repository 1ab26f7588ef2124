package dummy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

const maxJSON = 16 << 20

var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	jsonPath     = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
)

// variable is what assert_env is told: "NAME" or "NAME, VALUE".
type variable struct {
	name  string
	value string
	given bool // VALUE was given, be it empty
}

func parseVariable(args string) (variable, error) {
	name, value, given := strings.Cut(args, ",")
	v := variable{strings.TrimSpace(name), strings.TrimSpace(value), given}
	if !variableName.MatchString(v.name) {
		return v, fmt.Errorf("args %q: it takes `NAME` or `NAME, VALUE`; %q is no name of a variable", args, v.name)
	}
	return v, nil
}

// assertEnv never tells the value that is there: it may be a secret, and results are published.
func assertEnv(env []string, args string) error {
	want, err := parseVariable(args)
	if err != nil {
		return err
	}
	got, set := lookUp(env, want.name)
	switch {
	case !set:
		return fmt.Errorf("%s is not set", want.name)
	case want.given && got != want.value:
		return fmt.Errorf("%s is set, but not to %q", want.name, want.value)
	case !want.given && got == "":
		return fmt.Errorf("%s is set, but empty", want.name)
	}
	return nil
}

// lookUp finds a variable as a program's C library would: the first of a name counts.
func lookUp(env []string, name string) (string, bool) {
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// place is what assert_json is told: "FILE, PATH" or "FILE, PATH, EXPECTED".
type place struct {
	file, path string
	expected   string
	given      bool
}

func parsePlace(args string) (place, error) {
	parts := strings.SplitN(args, ",", 3)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if len(parts) < 2 {
		return place{}, fmt.Errorf("args %q: it takes `FILE, PATH` or `FILE, PATH, EXPECTED`", args)
	}
	p := place{file: parts[0], path: parts[1]}
	if len(parts) == 3 {
		if p.expected, p.given = parts[2], true; p.expected == "" {
			return p, fmt.Errorf("args %q: EXPECTED is empty; the empty text is \"\"", args)
		}
	}
	if err := checkPath(p.file); err != nil {
		return p, err
	}
	if !jsonPath.MatchString(p.path) {
		return p, fmt.Errorf("args %q: PATH is keys joined by dots, such as user.name or items.0; not %q", args, p.path)
	}
	return p, nil
}

func assertJSON(workspace, args string) error {
	p, err := parsePlace(args)
	if err != nil {
		return err
	}
	data, err := readAll(workspace, p.file)
	if err != nil {
		return err
	}
	doc, err := decode(data)
	if err != nil {
		return fmt.Errorf("%s is not valid JSON: %w", p.file, err)
	}
	got, err := descend(doc, p.path)
	if err != nil {
		return fmt.Errorf("%s: %w", p.file, err)
	}
	if p.given {
		// What is no JSON is meant as text, so that words need no quotes in a table.
		want, err := decode([]byte(p.expected))
		if err != nil {
			want = p.expected
		}
		if !same(got, want) {
			return fmt.Errorf("%s: %s is %s, not %s", p.file, p.path, show(got), show(want))
		}
		return nil
	}
	if got == nil || got == false {
		return fmt.Errorf("%s: %s is %s, which counts as absent; when it is meant, expect it: `%s, %s, %s`",
			p.file, p.path, show(got), p.file, p.path, show(got))
	}
	return nil
}

func readAll(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, plain(err)
	}
	defer root.Close()
	if err := regular(root, name); err != nil {
		return nil, err
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxJSON+1))
	if err != nil {
		return nil, plain(err)
	}
	if len(data) > maxJSON {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxJSON)
	}
	return data, nil
}

// decode returns the only value of data, numbers as they are written.
func decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("there is nothing in it")
		}
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, nil
}

// descend follows the keys of path; a number is a place in a list, counted from 0.
func descend(v any, path string) (any, error) {
	done := ""
	for key := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			next, ok := in[key]
			if !ok {
				return nil, fmt.Errorf("there is no %s%s", done, key)
			}
			v = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(in) {
				return nil, fmt.Errorf("there is no %s%s: it is a list of %d", done, key, len(in))
			}
			v = in[i]
		default:
			return nil, fmt.Errorf("there is no %s%s: %s is %s", done, key, strings.TrimSuffix(done, "."), show(v))
		}
		done += key + "."
	}
	return v, nil
}

// same compares numbers by value, everything else exactly.
func same(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		if !ok {
			return false
		}
		f, errF := x.Float64()
		g, errG := y.Float64()
		return x == y || errF == nil && errG == nil && f == g
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k := range x {
			if other, ok := y[k]; !ok || !same(x[k], other) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// show renders a value for an error, cut to what fits a line.
func show(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "unprintable"
	}
	s := []rune(strings.TrimSpace(b.String()))
	if len(s) > 200 {
		return string(s[:200]) + "…"
	}
	return string(s)
}
