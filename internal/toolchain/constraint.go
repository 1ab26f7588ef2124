package toolchain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Constraint says which versions are asked for. The zero value takes every release.
type Constraint struct {
	text string
	any  [][]bound // one of these, all of whose bounds hold
	ok   func(Version) bool
}

// bound is one comparison: "<", "<=", ">", ">=" or "=".
type bound struct {
	op string
	v  Version
}

const maxConstraint = 200 // bytes

var (
	comparator = pattern(`^(==?|[<>]=?|\^|~>?)?v?(\d{1,9}|[xX*])(?:\.(\d{1,9}|[xX*]))?(?:\.(\d{1,9}|[xX*]))?(?:-?([A-Za-z][0-9A-Za-z.-]*))?(?:\+[0-9A-Za-z.-]*)?$`)
	spaced     = pattern(`([<>=~^])\s+`)
)

// ParseConstraint reads a range as npm writes them: "1.26" and "1.26.x" are all of 1.26, "^1.2 || >=3 <4",
// "1.2 - 1.4", "~1.2.3", "*". Commas are spaces.
// https://github.com/npm/node-semver#ranges
func ParseConstraint(text string) (Constraint, error) {
	c := Constraint{text: strings.TrimSpace(text)}
	if len(text) > maxConstraint {
		return c, fmt.Errorf("a range of versions of more than %d bytes", maxConstraint)
	}
	for alternative := range strings.SplitSeq(c.text, "||") {
		bounds, err := parseAlternative(strings.ReplaceAll(alternative, ",", " "))
		if err != nil {
			return c, fmt.Errorf("%q is not a range of versions: %w", c.text, err)
		}
		c.any = append(c.any, bounds)
	}
	return c, nil
}

func parseAlternative(text string) ([]bound, error) {
	if from, to, ok := strings.Cut(text, " - "); ok {
		low, err := parseComparator(">=" + strings.TrimSpace(from))
		if err != nil {
			return nil, err
		}
		high, err := parseComparator("<=" + strings.TrimSpace(to))
		return append(low, high...), err
	}
	fields := strings.Fields(spaced().ReplaceAllString(text, "$1"))
	if len(fields) == 0 {
		return nil, fmt.Errorf("a part of it is empty")
	}
	var out []bound
	for _, field := range fields {
		bounds, err := parseComparator(field)
		if err != nil {
			return nil, err
		}
		out = append(out, bounds...)
	}
	return out, nil
}

func parseComparator(text string) ([]bound, error) {
	m := comparator().FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%q is none of N.N.N, N.N.x, ^, ~, >=, <=, >, <", text)
	}
	var parts []int // up to the first wildcard
	for _, part := range m[2:5] {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		parts = append(parts, n)
	}
	v := Version{Pre: strings.ReplaceAll(m[5], ".", "")}
	for i, part := range []*int{&v.Major, &v.Minor, &v.Patch} {
		if i < len(parts) {
			*part = parts[i]
		}
	}
	switch {
	case len(parts) == 0:
		if m[1] == "<" || m[1] == ">" {
			return nil, fmt.Errorf("%q is no version at all", text)
		}
		return nil, nil
	case v.Pre != "" && len(parts) < 3 && m[1] != "" && m[1] != "=":
		return nil, fmt.Errorf("%q has a name but not three numbers", text)
	}
	return bounds(m[1], v, len(parts)), nil
}

// bounds are what an operator and a version of n parts mean.
func bounds(op string, v Version, n int) []bound {
	whole := n == 3 || v.Pre != ""
	switch op {
	case "^":
		for n = 1; n < 3 && v.part(n-1) == 0; n++ {
		}
		return []bound{{">=", v}, {"<", v.next(n)}}
	case "~", "~>":
		return []bound{{">=", v}, {"<", v.next(min(n, 2))}}
	case ">=":
		return []bound{{">=", v}}
	case ">":
		if whole {
			return []bound{{">", v}}
		}
		return []bound{{">=", v.next(n)}}
	case "<":
		return []bound{{"<", v}}
	case "<=":
		if whole {
			return []bound{{"<=", v}}
		}
		return []bound{{"<", v.next(n)}}
	}
	if whole {
		return []bound{{"=", v}}
	}
	return []bound{{">=", v}, {"<", v.next(n)}}
}

func (v Version) part(i int) int { return [...]int{v.Major, v.Minor, v.Patch}[i] }

// next is the first version whose first n parts are others.
func (v Version) next(n int) Version {
	switch n {
	case 1:
		return Version{Major: v.Major + 1}
	case 2:
		return Version{Major: v.Major, Minor: v.Minor + 1}
	}
	return Version{Major: v.Major, Minor: v.Minor, Patch: v.Patch + 1}
}

// Allows reports whether a version is one of those. What is not a release is only asked for by name, as
// at npm.
func (c Constraint) Allows(v Version) bool {
	if c.ok != nil {
		return v.Pre == "" && c.ok(v)
	}
	if len(c.any) == 0 {
		return v.Pre == ""
	}
	return slices.ContainsFunc(c.any, func(bounds []bound) bool {
		named := v.Pre == ""
		for _, b := range bounds {
			if !b.holds(v) {
				return false
			}
			named = named || b.v.Pre != "" && b.v.Major == v.Major && b.v.Minor == v.Minor && b.v.Patch == v.Patch
		}
		return named
	})
}

func (b bound) holds(v Version) bool {
	c := v.Compare(b.v)
	switch b.op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	}
	return c == 0
}

// String is the constraint as it was asked for.
func (c Constraint) String() string {
	if c.text == "" {
		return "of any version"
	}
	return c.text
}
