package setting

import (
	"fmt"
	"slices"
	"strings"
)

// iniLine is one line of an INI file, read.
type iniLine struct {
	section    string // that the line stands in, or begins
	head       bool   // it begins a section
	key, value string
	before     string // what stands before the value: the key, = and the spaces
}

// lines reads an INI file: [section], key = value, and comments from ; or # at a line's beginning. A
// value goes to the end of its line.
func lines(file string, data []byte) (raw []string, parsed []iniLine, err error) {
	if len(data) > maxFile {
		return nil, nil, fmt.Errorf("%s: has %d bytes; %d is the most for a file of settings", file, len(data), maxFile)
	}
	section := ""
	raw = strings.SplitAfter(string(data), "\n")
	if raw[len(raw)-1] == "" {
		raw = raw[:len(raw)-1]
	}
	for i, line := range raw {
		text := strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(text)
		l := iniLine{section: section}
		switch {
		case trimmed == "" || trimmed[0] == ';' || trimmed[0] == '#':
		case trimmed[0] == '[':
			if !strings.HasSuffix(trimmed, "]") {
				return nil, nil, fmt.Errorf("%s:%d: the section %q has no end", file, i+1, trimmed)
			}
			section = strings.TrimSpace(trimmed[1 : len(trimmed)-1])
			l = iniLine{section: section, head: true}
		default:
			key, value, ok := strings.Cut(text, "=")
			if !ok || strings.TrimSpace(key) == "" {
				return nil, nil, fmt.Errorf("%s:%d: %q is no key with a value, no section and no comment", file, i+1, trimmed)
			}
			value = strings.TrimSpace(value)
			l.key, l.value = strings.TrimSpace(key), value
			l.before = text[:len(text)-len(strings.TrimLeft(text[len(key)+1:], " \t"))]
		}
		parsed = append(parsed, l)
	}
	return raw, parsed, nil
}

// iniPlace is the section and key of a path; a key before all sections has section "".
func iniPlace(file string, p Path) (section, key string, err error) {
	if slices.ContainsFunc(p, func(k Key) bool { return k.By != "" }) || len(p) > 2 || len(p) == 0 {
		return "", "", fmt.Errorf("%s: %s: the path to a setting of an INI file is KEY or SECTION.KEY", file, p)
	}
	key = p[len(p)-1].Name
	if len(p) == 2 {
		section = p[0].Name
	}
	if strings.ContainsAny(section+key, "[]\r\n") || strings.ContainsAny(key, "=") || strings.TrimSpace(key) != key ||
		strings.TrimSpace(section) != section || key == "" || strings.ContainsAny(key[:1], ";#") {
		return "", "", fmt.Errorf("%s: %q and %q cannot be a section and a key of an INI file", file, section, key)
	}
	return section, key, nil
}

// find is the index of the line with a key, or -1.
func find(file string, parsed []iniLine, section, key string) (int, error) {
	found := -1
	for i, l := range parsed {
		if l.section != section || l.key != key {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%s:%d: the key %q is there twice", file, i+1, key)
		}
		found = i
	}
	return found, nil
}

func applyINI(file string, data []byte, e Edit) ([]byte, error) {
	section, key, err := iniPlace(file, e.Path)
	if err != nil {
		return nil, err
	}
	value := fmt.Sprint(e.Value)
	if strings.ContainsAny(value, "\r\n") || strings.TrimSpace(value) != value {
		return nil, fmt.Errorf("%s: %q cannot be the value of a key of an INI file", file, value)
	}
	raw, parsed, err := lines(file, data)
	if err != nil {
		return nil, err
	}
	i, err := find(file, parsed, section, key)
	if err != nil {
		return nil, err
	}
	if i < 0 {
		return []byte(strings.Join(added(raw, parsed, section, key+" = "+value), "")), nil
	}
	if e.Append && parsed[i].value != "" {
		listed := strings.Split(parsed[i].value, ",")
		if slices.ContainsFunc(listed, func(v string) bool { return strings.TrimSpace(v) == value }) {
			return data, nil
		}
		value = parsed[i].value + ", " + value
	}
	if value == parsed[i].value {
		return data, nil
	}
	end := raw[i][len(strings.TrimRight(raw[i], "\r\n")):]
	before := parsed[i].before
	if parsed[i].value == "" && strings.HasSuffix(before, "=") {
		before += " "
	}
	raw[i] = before + value + end
	return []byte(strings.Join(raw, "")), nil
}

// added puts a line at the end of a section, which is made if need be.
func added(raw []string, parsed []iniLine, section, line string) []string {
	end := "\n"
	if len(raw) > 0 && strings.HasSuffix(raw[0], "\r\n") {
		end = "\r\n"
	}
	last := -1 // the last line of the section that is not blank
	for i, l := range parsed {
		if l.section == section && (l.head || l.key != "") {
			last = i
		}
	}
	if n := len(raw); n > 0 && !strings.HasSuffix(raw[n-1], "\n") {
		raw[n-1] += end
	}
	switch {
	case last >= 0:
		return slices.Insert(raw, last+1, line+end)
	case section != "":
		if len(raw) > 0 {
			raw = append(raw, end)
		}
		return append(raw, "["+section+"]"+end, line+end)
	}
	first := slices.IndexFunc(parsed, func(l iniLine) bool { return l.head })
	if first < 0 {
		return append(raw, line+end)
	}
	return slices.Insert(raw, first, line+end)
}

func readINI(file string, data []byte, p Path) (string, error) {
	section, key, err := iniPlace(file, p)
	if err != nil {
		return "", err
	}
	_, parsed, err := lines(file, data)
	if err != nil {
		return "", err
	}
	i, err := find(file, parsed, section, key)
	if err != nil {
		return "", err
	}
	if i < 0 {
		return "", fmt.Errorf("%s: %s: %w", file, p, ErrAbsent)
	}
	return parsed[i].value, nil
}
