package world

import (
	"context"
	"fmt"
)

// Slot is the private state of one step pack. A package variable of the pack holds it; no other
// package can read it, and it is fresh in every World, so there is nothing to reset.
type Slot[T any] struct{ name string }

// NewSlot returns a slot; name is for people.
func NewSlot[T any](name string) *Slot[T] { return &Slot[T]{name: name} }

// Of returns the slot's value in the World that ctx carries; it starts as the zero value of T.
// Without a World it returns a value that nobody else sees.
func (s *Slot[T]) Of(ctx context.Context) *T {
	w := From(ctx)
	if v, ok := w.slots[s]; ok {
		return v.(*T)
	}
	v := new(T)
	w.slots[s] = v
	return v
}

// String returns the slot's name.
func (s *Slot[T]) String() string { return s.name }

// Share lets other packs read v under a name. A later value of the same name replaces it.
func Share[T any](ctx context.Context, name string, v T) { From(ctx).shared[name] = v }

// Shared returns what was shared under a name. When nothing was, or a value of another type, the
// error names it.
func Shared[T any](ctx context.Context, name string) (T, error) {
	var none T
	w := From(ctx)
	if w.stray {
		return none, fmt.Errorf("read %q: %w", name, ErrNoWorld)
	}
	v, ok := w.shared[name]
	if !ok {
		return none, fmt.Errorf("no step has given %q yet; the step that does must come before this one", name)
	}
	t, ok := v.(T)
	if !ok {
		return none, fmt.Errorf("%q is a %T here, not a %T", name, v, none)
	}
	return t, nil
}
