package fault

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is one fault of the catalogue.
type Kind struct {
	Name    string
	Does    string   // one sentence
	At      Place    // what its WHERE names
	Args    []Arg    // beside from, times and chance; the first may be given without its name
	Example string   // in the text form
	Sweep   []string // the forms in which run --sweep tries it against whatever suite there is
}

// Arg is an argument of a fault.
type Arg struct {
	Name    string
	Means   string
	Default string   // "" is none
	OneOf   []string // the values that there are, or
	Most    int      // a whole number from 1 to Most, or, with neither, any text without a comma or @
	Narrows bool     // it strikes only targets whose Is has this value
}

// Place is what the WHERE of a fault names.
type Place string

// The places.
const (
	Events   Place = "event"   // "issues.labeled", or "issues" for all its actions
	Files    Place = "file"    // ".github/workflows/ci.yml", or ".github/workflows/*"
	Requests Place = "request" // "GET /repos/*/*/issues", or "/repos/**" for every method
)

// The faults of deliveries.
const (
	Late      = "delivery.late"
	Twice     = "delivery.twice"
	Reordered = "delivery.reordered"
	Dropped   = "delivery.dropped"
	Unindexed = "delivery.unindexed"
)

// to narrows a fault to one kind of receiver.
func to() Arg {
	return Arg{Name: "to", Means: "the receivers that it strikes; without it both", OneOf: []string{"workflows", "hooks"}, Narrows: true}
}

// Catalogue returns all faults, in the order in which people read them.
func Catalogue() []Kind { return slices.Concat(deliveries(), answers(), gits(), consistency()) }

func deliveries() []Kind {
	return []Kind{
		{
			Name: Late, At: Events, Sweep: []string{"delivery.late=times:always"}, Example: "delivery.late=2@issues.labeled",
			Does: "The delivery of an event is held until so many others went to the same receiver, or until nothing else goes on.",
			Args: []Arg{{Name: "after", Means: "how many others; without it nothing else must go on", Most: maxNumber}, to()},
		},
		{
			Name: Twice, At: Events, Sweep: []string{"delivery.twice=times:always"}, Example: "delivery.twice=late@issues.labeled",
			Does: "An event is delivered twice, under the same delivery GUID where there is one.",
			Args: []Arg{{Name: "again", Means: "when the second one comes: right after the first, or when nothing else goes on", Default: "now", OneOf: []string{"now", "late"}}, to()},
		},
		{
			Name: Reordered, At: Events, Sweep: []string{"delivery.reordered=times:always"}, Example: "delivery.reordered@issues.labeled",
			Does: "The next delivery to the same receiver comes before that of the event; without a next one it comes when nothing else goes on.",
			Args: []Arg{to()},
		},
		{
			Name: Dropped, At: Events, Sweep: []string{"delivery.dropped"}, Example: "delivery.dropped=workflows@issues.labeled",
			Does: "The delivery of an event is lost: no run starts, no webhook is called, and none is listed.",
			Args: []Arg{to()},
		},
		{
			Name: Unindexed, At: Files, Sweep: []string{"delivery.unindexed"}, Example: "delivery.unindexed=times:2@.github/workflows/ci.yml",
			Does: "A workflow file is missed by whoever looks for it next, as before GitHub has indexed the push that brought it: an event starts nothing of it, or the list of workflows lacks it. With times:N that happens so often, and then it is there.",
		},
	}
}

// Names are those of the catalogue.
func Names() []string {
	var out []string
	for _, k := range Catalogue() {
		out = append(out, k.Name)
	}
	return out
}

func find(name string) (Kind, bool) {
	all := Catalogue()
	i := slices.IndexFunc(all, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return all[i], true
}

func (k Kind) arg(name string) (Arg, bool) {
	i := slices.IndexFunc(k.Args, func(a Arg) bool { return a.Name == name })
	if i < 0 {
		return Arg{}, false
	}
	return k.Args[i], true
}

// keys lists the arguments for people.
func (k Kind) keys() string {
	var out []string
	for _, a := range k.Args {
		out = append(out, a.Name)
	}
	return strings.Join(append(out, "from", "times", "chance"), ", ")
}

func (a Arg) check(value string) error {
	switch {
	case len(a.OneOf) > 0 && !slices.Contains(a.OneOf, value):
		return fmt.Errorf("%s is %s, not %q", a.Name, strings.Join(a.OneOf, " or "), value)
	case a.Most > 0:
		_, err := number(a.Name, value, a.Most)
		return err
	case value == "" || strings.ContainsAny(value, ",@\n"):
		return fmt.Errorf("%s is a text without comma and @, not %q", a.Name, value)
	}
	return nil
}
