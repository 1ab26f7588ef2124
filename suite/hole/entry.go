package hole

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Entry is a hole that somebody knows of, as understudy.yaml has it.
type Entry struct {
	What   []string // "KIND NAME" each
	Reason string
	Since  string // a day, such as 2026-12-01
	Line   int
}

// Rules that a problem is against.
const (
	Undeclared = "hole"       // no entry says that it is known
	Malformed  = "hole-entry" // an entry says too little, or what cannot be
	Stale      = "stale-hole" // an entry says so of what is none, or no longer
)

// Problem is what is wrong with the list of known holes.
type Problem struct {
	Rule string
	Line int // of the entry; 0 is the list as a whole
	What string
	Hint string
}

// Check holds the entries to the holes of a suite. An entry cannot be since a day after today.
func Check(s Suite, holes []Hole, entries []Entry, today time.Time) (problems []Problem) {
	known := map[string]int{}
	for _, e := range entries {
		problems = append(problems, e.check(today)...)
		for _, what := range e.What {
			switch line, twice := known[what]; {
			case twice:
				problems = append(problems, Problem{Malformed, e.Line, fmt.Sprintf("%s is said twice, in line %d as well", what, line), ""})
			case slices.ContainsFunc(holes, func(h Hole) bool { return h.String() == what }):
			default:
				problems = append(problems, e.none(s, what))
			}
			known[what] = e.Line
		}
	}
	for _, h := range holes {
		if _, ok := known[h.String()]; !ok {
			problems = append(problems, Problem{Undeclared, 0, fmt.Sprintf("%s: %s", h, h.Why),
				fmt.Sprintf("cover it, or say that it is known: holes: [{what: %s, reason: WHY, since: YYYY-MM-DD}]", quoted(h.String()))})
		}
	}
	return problems
}

// check looks at an entry alone.
func (e Entry) check(today time.Time) (problems []Problem) {
	tell := func(what, hint string) { problems = append(problems, Problem{Malformed, e.Line, what, hint}) }
	about := "the hole"
	if len(e.What) > 0 {
		about = strings.Join(e.What, ", ")
	} else {
		tell("the hole does not say what it is in", "what: KIND NAME, such as stage review; kinds are "+list(kinds()))
	}
	if strings.TrimSpace(e.Reason) == "" {
		tell(about+" has no reason", "reason: why nothing covers it")
	}
	switch day, err := time.Parse(time.DateOnly, e.Since); {
	case e.Since == "":
		tell(about+" has no date", "since: the day from which it is known, such as "+today.Format(time.DateOnly))
	case err != nil:
		tell(fmt.Sprintf("%s is since %q, which is no day", about, e.Since), "a day is such as "+today.Format(time.DateOnly))
	case day.After(today.AddDate(0, 0, 1)): // it may be tomorrow elsewhere
		tell(fmt.Sprintf("%s is since %s, which is still to come", about, e.Since), "")
	}
	return problems
}

// none says why an entry is about no hole.
func (e Entry) none(s Suite, what string) Problem {
	kind, name, ok := strings.Cut(what, " ")
	if !ok || !slices.Contains(kinds(), Kind(kind)) || name == "" {
		return Problem{Malformed, e.Line, fmt.Sprintf("%q is not of the form KIND NAME", what), "kinds are " + list(kinds())}
	}
	if all := s.all(Kind(kind)); !slices.Contains(all, name) {
		hint := "there is none"
		if len(all) > 0 {
			hint = "there are " + strings.Join(all, ", ")
		}
		if Kind(kind) == Scenario {
			hint = "" // there are too many
		}
		return Problem{Stale, e.Line, fmt.Sprintf("%s is no hole: there is no such %s", what, kind), hint}
	}
	return Problem{Stale, e.Line, what + " is no hole any more: a configured run covers it", "take the entry out"}
}

// all are the names of a kind.
func (s Suite) all(k Kind) (names []string) {
	switch k {
	case Capability:
		return s.capabilities()
	case Runtime:
		return s.Runtimes
	case Tag:
		return s.tags()
	case Scenario:
		for _, c := range s.Scenarios {
			names = append(names, c.Name)
		}
		return names
	}
	return s.Stages
}

// Known is the entry that speaks of a hole.
func Known(entries []Entry, h Hole) (Entry, bool) {
	i := slices.IndexFunc(entries, func(e Entry) bool { return slices.Contains(e.What, h.String()) })
	if i < 0 {
		return Entry{}, false
	}
	return entries[i], true
}

// quoted is text as YAML takes it in a list between brackets.
func quoted(text string) string {
	if strings.ContainsAny(text, `@:#,[]{}"'&*!|>%\`) || text != strings.TrimSpace(text) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return text
}

func list(all []Kind) string {
	texts := make([]string, len(all))
	for i, k := range all {
		texts[i] = string(k)
	}
	return strings.Join(texts, ", ")
}
