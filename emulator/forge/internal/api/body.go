package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// The most bytes that request bodies can have.
const (
	smallBody = 1 << 20
	largeBody = 100 << 20 // file contents
)

// decode reads a JSON body of at most limit bytes. A field that is not understood is refused
// loudly: to ignore it would be to claim that its effect took place.
func (c *call) decode(limit int64, into any) error {
	if c.ContentLength > limit {
		return &http.MaxBytesError{Limit: limit}
	}
	data, err := io.ReadAll(http.MaxBytesReader(nil, c.Body, limit))
	if err != nil {
		return err
	}
	if data = bytes.TrimSpace(data); len(data) == 0 {
		return nil
	}
	if !json.Valid(data) || !utf8.Valid(data) { // Decode would end before what follows, and repair what is no text
		return wire.NewError(http.StatusBadRequest, "Problems parsing JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err = dec.Decode(into)
	var typ *json.UnmarshalTypeError
	var refused *wire.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &typ) && typ.Field == "" && data[0] != '{':
		return wire.NewError(http.StatusBadRequest, "Body should be a JSON object")
	case errors.As(err, &typ):
		return wire.Unprocessable(fmt.Sprintf("Invalid request.\n\nFor '%s', %s is not of type %s.", typ.Field, typ.Value, jsonType(typ.Type)))
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		field := strings.TrimPrefix(err.Error(), "json: unknown field ")
		return wire.Unsupported("body field " + field + " of " + c.route.method + " " + c.route.pattern)
	}
	return wire.NewError(http.StatusBadRequest, "Problems parsing JSON")
}

// jsonType names a type as JSON Schema does.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonType(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Struct, reflect.Map, reflect.Interface:
		return "object"
	}
	return "integer"
}

// missing is the answer to a request without a field that it must have.
func missing(field string) error {
	return wire.Unprocessable(fmt.Sprintf("Invalid request.\n\n%q wasn't supplied.", field))
}

// page cuts one page out of a list and says in the Link header where the others are.
func page[T any](c *call, base wire.Base, all []T) []T { return pageOf(c, base, all, 30, 100) }

// pageOf is page for lists whose pages are of another size.
func pageOf[T any](c *call, base wire.Base, all []T, usual, most int) []T {
	q := c.URL.Query()
	size := min(positive(q.Get("per_page"), usual), most)
	n := positive(q.Get("page"), 1)
	last := max(1, (len(all)+size-1)/size)
	var links []string
	link := func(rel string, to int) {
		q.Set("page", strconv.Itoa(to))
		links = append(links, fmt.Sprintf(`<%s?%s>; rel="%s"`, base.API("%s", c.path), q.Encode(), rel))
	}
	if n > 1 {
		link("prev", min(n-1, last))
	}
	if n < last {
		link("next", n+1)
		link("last", last)
	}
	if n > 1 {
		link("first", 1)
	}
	if len(links) > 0 {
		c.header.Set("Link", strings.Join(links, ", "))
	}
	from := min((n-1)*size, len(all))
	return all[from:min(from+size, len(all))]
}

// positive reads a count; what is none gets the default, as at GitHub.
func positive(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 1<<30 {
		return otherwise
	}
	return n
}

// list is an answer with one page of a list.
func list[T any](c *call, base wire.Base, all []T, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return ok(page(c, base, all))
}

// counted is an answer with one page of a list, under a name and beside its whole length.
func counted[T any](c *call, base wire.Base, name string, all []T, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return ok(map[string]any{"total_count": len(all), name: page(c, base, all)})
}

// oneOf reads a query parameter that has a few values; absent is usual, which is one of them.
func (c *call) oneOf(name, usual string, others ...string) (string, error) {
	v := c.URL.Query().Get(name)
	if v == "" || v == usual {
		return usual, nil
	}
	if slices.Contains(others, v) {
		return v, nil
	}
	all := strings.Join(append(others, usual), ", ")
	return "", wire.Unprocessable(fmt.Sprintf("Invalid request.\n\n%s %q: want one of %s.", name, v, strings.Trim(all, ", ")))
}

// sinceOf reads the time of the query parameter since; absent is the zero time.
func (c *call) sinceOf() (time.Time, error) {
	s := c.URL.Query().Get("since")
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, wire.Unprocessable("Invalid request.\n\nInvalid since: want ISO 8601.")
	}
	return t, nil
}

// nullable is a JSON string that may be null, and knows it.
type nullable struct {
	value string
	null  bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *nullable) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = nullable{null: true}
		return nil
	}
	n.null = false
	return json.Unmarshal(data, &n.value)
}

// stringList reads the forms in which clients send label names: strings, or objects with a name.
type stringList []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *stringList) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	*l = stringList{}
	for _, it := range items {
		var name string
		if len(it) > 0 && it[0] == '{' {
			var o struct {
				Name string `json:"name"`
			}
			if err := json.Unmarshal(it, &o); err != nil {
				return err
			}
			name = o.Name
		} else if err := json.Unmarshal(it, &name); err != nil {
			return err
		}
		*l = append(*l, name)
	}
	return nil
}

// labelNames reads a body that is a list of names or an object with labels; the dialect takes both.
func labelNames(c *call) ([]string, error) {
	var in labelSet
	if err := c.decode(smallBody, &in); err != nil {
		return nil, err
	}
	return in.names, nil
}

type labelSet struct{ names stringList }

// UnmarshalJSON implements json.Unmarshaler.
func (s *labelSet) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		if err := json.Unmarshal(data, &s.names); err != nil {
			return wire.Unprocessable("Invalid request.\n\nFor 'items', labels are strings.")
		}
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var o struct {
		Labels stringList `json:"labels"`
	}
	err := dec.Decode(&o)
	s.names = o.Labels
	return err
}
