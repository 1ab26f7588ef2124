package actions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
)

const (
	maxCells = 256 // as at GitHub
	maxName  = 100
)

// expand returns the cells of a matrix, in order: the product of its lists, the first one slowest,
// without what is excluded, then what is included.
// https://docs.github.com/en/actions/how-tos/write-workflows/choose-what-workflows-do/run-job-variations
func expand(v any) ([]*expr.Object, error) {
	m, ok := v.(*expr.Object)
	if !ok {
		return nil, errors.New("matrix is not a mapping")
	}
	include, err := objects(m, "include")
	if err != nil {
		return nil, err
	}
	exclude, err := objects(m, "exclude")
	if err != nil {
		return nil, err
	}
	cells, keys, err := product(m)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 && len(include) == 0 {
		return nil, errors.New("matrix must define at least one vector")
	}
	for _, x := range exclude {
		for _, k := range x.Keys() {
			if !slices.Contains(keys, k) {
				return nil, fmt.Errorf("matrix excludes by %q, which it does not have", k)
			}
		}
	}
	cells = slices.DeleteFunc(cells, func(c *expr.Object) bool {
		return slices.ContainsFunc(exclude, func(x *expr.Object) bool { return covers(c, x, x.Keys()) })
	})
	cells = widen(cells, include, keys)
	if len(cells) > maxCells {
		return nil, fmt.Errorf("matrix has %d cells; %d are the limit", len(cells), maxCells)
	}
	return cells, nil
}

func objects(m *expr.Object, key string) ([]*expr.Object, error) {
	v, ok := m.Get(key)
	if !ok || v == nil || v == "" {
		return nil, nil
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("matrix %s is not a list", key)
	}
	out := make([]*expr.Object, len(list))
	for i, e := range list {
		if out[i], ok = e.(*expr.Object); !ok {
			return nil, fmt.Errorf("matrix %s: entry %d is not a mapping", key, i+1)
		}
	}
	return out, nil
}

func product(m *expr.Object) (cells []*expr.Object, keys []string, err error) {
	for _, k := range m.Keys() {
		if strings.EqualFold(k, "include") || strings.EqualFold(k, "exclude") {
			continue
		}
		v, _ := m.Get(k)
		list, ok := v.([]any)
		if !ok {
			return nil, nil, fmt.Errorf("matrix %q is not a list", k)
		}
		if len(list) == 0 {
			return nil, nil, fmt.Errorf("matrix vector %q does not contain any values", k)
		}
		if len(keys) == 0 {
			cells = []*expr.Object{{}}
		}
		if len(cells)*len(list) > 4*maxCells { // exclude may take some out again
			return nil, nil, fmt.Errorf("matrix has too many cells; %d are the limit", maxCells)
		}
		keys = append(keys, k)
		var next []*expr.Object
		for _, c := range cells {
			for _, value := range list {
				wider := copyOf(c)
				wider.Set(k, value)
				next = append(next, wider)
			}
		}
		cells = next
	}
	return cells, keys, nil
}

// widen adds each included entry to the cells whose original values it does not contradict, or as a
// cell of its own if there is none.
func widen(cells []*expr.Object, include []*expr.Object, keys []string) []*expr.Object {
	var own []*expr.Object
	for _, in := range include {
		var shared []string
		for _, k := range in.Keys() {
			if slices.Contains(keys, k) {
				shared = append(shared, k)
			}
		}
		fits := false
		for _, c := range cells {
			if !covers(c, in, shared) {
				continue
			}
			fits = true
			for _, k := range in.Keys() {
				v, _ := in.Get(k)
				c.Set(k, v)
			}
		}
		if !fits {
			own = append(own, copyOf(in))
		}
	}
	return append(cells, own...)
}

// covers reports whether c has part's values for the keys.
func covers(c, part *expr.Object, keys []string) bool {
	for _, k := range keys {
		want, _ := part.Get(k)
		got, ok := c.Get(k)
		if !ok || expr.ToJSON(got) != expr.ToJSON(want) {
			return false
		}
	}
	return true
}

func copyOf(o *expr.Object) *expr.Object {
	out := &expr.Object{}
	for _, k := range o.Keys() {
		v, _ := o.Get(k)
		out.Set(k, v)
	}
	return out
}

// cellName appends the cell's values to a job's name: "run (triage, 3)".
func cellName(name string, cell *expr.Object) string {
	var values []string
	if cell != nil {
		leaves(cell, &values)
	}
	if len(values) > 0 {
		name += " (" + strings.Join(values, ", ") + ")"
	}
	if r := []rune(name); len(r) > maxName {
		name = string(r[:maxName-3]) + "..."
	}
	return name
}

func leaves(v any, out *[]string) {
	switch v := v.(type) {
	case *expr.Object:
		for _, k := range v.Keys() {
			e, _ := v.Get(k)
			leaves(e, out)
		}
	case []any:
		for _, e := range v {
			leaves(e, out)
		}
	default:
		if s := expr.String(v); s != "" {
			*out = append(*out, s)
		}
	}
}
