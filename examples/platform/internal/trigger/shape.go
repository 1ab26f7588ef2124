package trigger

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"example.com/crew/internal/event"
)

// shape tells CEL the fields of an event, so that a wrong one is found when a trigger is compiled.
// The values themselves are maps: a part that an event does not have is no key.
type shape struct {
	types.Provider
	root   *types.Type
	fields map[string]map[string]*types.Type // by type and field
}

func newShape() (*shape, error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, fmt.Errorf("prepare CEL: %w", err)
	}
	s := &shape{Provider: registry, fields: map[string]map[string]*types.Type{}}
	s.root, err = s.add(reflect.TypeFor[event.Event]())
	return s, err
}

func (s *shape) add(t reflect.Type) (*types.Type, error) {
	switch t.Kind() {
	case reflect.Pointer:
		return s.add(t.Elem())
	case reflect.String:
		return cel.StringType, nil
	case reflect.Int64:
		return cel.IntType, nil
	case reflect.Bool:
		return cel.BoolType, nil
	case reflect.Slice:
		of, err := s.add(t.Elem())
		return cel.ListType(of), err
	case reflect.Struct:
	default:
		return nil, fmt.Errorf("an event has a field of type %s", t)
	}
	name := "crew." + t.Name()
	s.fields[name] = map[string]*types.Type{}
	for i := range t.NumField() {
		of, err := s.add(t.Field(i).Type)
		if err != nil {
			return nil, err
		}
		s.fields[name][fieldName(t.Field(i))] = of
	}
	return cel.ObjectType(name), nil
}

func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// FindStructType is part of CEL's types.Provider.
func (s *shape) FindStructType(name string) (*types.Type, bool) {
	if _, ok := s.fields[name]; ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return s.Provider.FindStructType(name)
}

// FindStructFieldNames is part of CEL's types.Provider.
func (s *shape) FindStructFieldNames(name string) ([]string, bool) {
	if fields, ok := s.fields[name]; ok {
		return slices.Sorted(maps.Keys(fields)), true
	}
	return s.Provider.FindStructFieldNames(name)
}

// FindStructFieldType is part of CEL's types.Provider. Without accessors CEL looks the field up as a
// map's key.
func (s *shape) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	fields, ok := s.fields[name]
	if !ok {
		return s.Provider.FindStructFieldType(name, field)
	}
	t, ok := fields[field]
	return &types.FieldType{Type: t}, ok
}

// NewValue is part of CEL's types.Provider. Triggers look at events and make none.
func (s *shape) NewValue(name string, fields map[string]ref.Val) ref.Val {
	if _, ok := s.fields[name]; ok {
		return types.NewErr("a trigger cannot make a %s", name)
	}
	return s.Provider.NewValue(name, fields)
}

// value turns an event into what CEL looks at.
func value(e event.Event) map[string]any { return object(reflect.ValueOf(e)) }

func object(v reflect.Value) map[string]any {
	out := make(map[string]any, v.NumField())
	for i := range v.NumField() {
		name, f := fieldName(v.Type().Field(i)), v.Field(i)
		if f.Kind() == reflect.Pointer {
			if f.IsNil() {
				continue
			}
			f = f.Elem()
		}
		if f.Kind() == reflect.Struct {
			out[name] = object(f)
		} else {
			out[name] = f.Interface()
		}
	}
	return out
}
