// Package fault tells a forge to misbehave as the real one does: late, lost and doubled deliveries, and
// whatever else the catalogue lists. A Fault is a value with a text form; a Set holds those that are in
// force, and is asked at the points where one can strike.
//
//	f, err := fault.Parse("delivery.twice@issues.labeled")
//	set := fault.NewSet(fault.Options{Journal: j, Seed: seed})
//	remove, err := set.Inject(f)
//	if hit, ok := set.Strike("delivery.twice", fault.Target{What: "issues.labeled", Of: "workflows"}); ok { … }
//
// A new fault is an entry of the catalogue and a call of Strike where it acts; flags, steps, the Go API, the
// documentation and the journal know it then.
package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Always, as Fault.Times, strikes whenever it can.
const Always = -1

// maxNumber bounds every number of a fault.
const maxNumber = 1_000_000

// maxText bounds what Parse reads.
const maxText = 1000

// Fault is one way to misbehave. Its text form is NAME[=ARG,…][@WHERE]: an ARG is KEY:VALUE, or the bare
// value of the fault's first argument; from, times and chance are arguments of every fault.
type Fault struct {
	Name   string            // of the catalogue: "delivery.late"
	Args   map[string]string // what the catalogue lists for it; what is left out has its default
	At     string            // where it strikes, in the form that the catalogue names; "" is wherever it can
	From   int               // the first match that it strikes, counted from 1; 0 is the first
	Times  int               // how many matches it strikes; 0 is one, Always is all of them
	Chance int               // of each of them, in percent, decided by the seed; 0 is certain
}

// Parse reads the text form. Its errors name the fault, what is wrong with it and what there is.
func Parse(text string) (Fault, error) {
	if len(text) > maxText {
		return Fault{}, fmt.Errorf("a fault is written in at most %d bytes, not %d", maxText, len(text))
	}
	head, where, placed := strings.Cut(text, "@")
	name, args, given := strings.Cut(head, "=")
	k, ok := find(name)
	if !ok {
		return Fault{}, unknown(name)
	}
	f := Fault{Name: name, At: where}
	if placed && where == "" {
		return Fault{}, fmt.Errorf("fault %q: after @ comes %s", text, k.At.names())
	}
	if given {
		for i, part := range strings.Split(args, ",") {
			if err := f.read(k, i, part); err != nil {
				return Fault{}, fmt.Errorf("fault %q: %w", text, err)
			}
		}
	}
	if err := f.Check(); err != nil {
		return Fault{}, err
	}
	return f, nil
}

// read takes one argument.
func (f *Fault) read(k Kind, at int, part string) error {
	key, value, keyed := strings.Cut(part, ":")
	if !keyed {
		if at > 0 || len(k.Args) == 0 {
			return fmt.Errorf("%q is no KEY:VALUE; there are %s", part, k.keys())
		}
		key, value = k.Args[0].Name, part
	}
	if f.has(key) {
		return fmt.Errorf("%s is given twice", key)
	}
	var err error
	switch key {
	case "from":
		f.From, err = number(key, value, maxNumber)
	case "times":
		if value == "always" {
			f.Times = Always
		} else {
			f.Times, err = number(key, value, maxNumber)
		}
	case "chance":
		f.Chance, err = number(key, value, 99)
	default:
		if f.Args == nil {
			f.Args = map[string]string{}
		}
		f.Args[key] = value
	}
	return err
}

func (f *Fault) has(key string) bool {
	_, ok := f.Args[key]
	return ok || key == "from" && f.From != 0 || key == "times" && f.Times != 0 || key == "chance" && f.Chance != 0
}

func number(key, value string, most int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most || strconv.Itoa(n) != value {
		return 0, fmt.Errorf("%s is a whole number from 1 to %d, not %q", key, most, value)
	}
	return n, nil
}

// Check says what is wrong with a fault that was not parsed.
func (f Fault) Check() error {
	k, ok := find(f.Name)
	if !ok {
		return unknown(f.Name)
	}
	for key, value := range f.Args {
		a, ok := k.arg(key)
		if !ok {
			return fmt.Errorf("fault %s: there is no argument %q; there are %s", f.Name, key, k.keys())
		}
		if err := a.check(value); err != nil {
			return fmt.Errorf("fault %s: %w", f.Name, err)
		}
	}
	switch {
	case f.From < 0 || f.From > maxNumber:
		return fmt.Errorf("fault %s: from is a whole number from 1 to %d, not %d", f.Name, maxNumber, f.From)
	case f.Times < Always || f.Times > maxNumber:
		return fmt.Errorf("fault %s: times is a whole number from 1 to %d or always, not %d", f.Name, maxNumber, f.Times)
	case f.Chance < 0 || f.Chance > 99:
		return fmt.Errorf("fault %s: chance is from 1 to 99 percent, not %d; left out it is certain", f.Name, f.Chance)
	}
	if f.At != "" {
		if err := k.At.check(f.At); err != nil {
			return fmt.Errorf("fault %s: %w", f.Name, err)
		}
	}
	return nil
}

// Arg is the value of an argument, or its default.
func (f Fault) Arg(name string) string {
	if v, ok := f.Args[name]; ok {
		return v
	}
	k, _ := find(f.Name)
	a, _ := k.arg(name)
	return a.Default
}

// Number is the value of an argument that is a number; 0 where it has none.
func (f Fault) Number(name string) int {
	n, err := strconv.Atoi(f.Arg(name))
	if err != nil {
		return 0
	}
	return n
}

// String is the form that Parse reads, with the arguments in the catalogue's order.
func (f Fault) String() string {
	k, _ := find(f.Name)
	var args []string
	for i, a := range k.Args {
		value, ok := f.Args[a.Name]
		switch {
		case !ok:
		case i == 0 && !strings.Contains(value, ":"):
			args = append(args, value)
		default:
			args = append(args, a.Name+":"+value)
		}
	}
	if f.From > 0 {
		args = append(args, "from:"+strconv.Itoa(f.From))
	}
	switch {
	case f.Times == Always:
		args = append(args, "times:always")
	case f.Times > 0:
		args = append(args, "times:"+strconv.Itoa(f.Times))
	}
	if f.Chance > 0 {
		args = append(args, "chance:"+strconv.Itoa(f.Chance))
	}
	out := f.Name
	if len(args) > 0 {
		out += "=" + strings.Join(args, ",")
	}
	if f.At != "" {
		out += "@" + f.At
	}
	return out
}

func unknown(name string) error {
	all := Names()
	var near []string
	if top, _, ok := strings.Cut(name, "."); ok {
		near = slices.DeleteFunc(slices.Clone(all), func(n string) bool { return !strings.HasPrefix(n, top+".") })
	}
	if len(near) > 0 {
		all = near
	}
	return fmt.Errorf("there is no fault %q; there are %s", name, strings.Join(all, ", "))
}
