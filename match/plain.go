package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Encode returns the JSON form of a value that is looked at. Bytes that are text become that text;
// a list or map that is nil becomes an empty one, since what is absent is nil itself.
func Encode(v any) (json.RawMessage, error) {
	if b, ok := v.([]byte); ok && utf8.Valid(b) {
		return json.Marshal(string(b))
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Slice:
		if r.IsNil() {
			return json.RawMessage("[]"), nil
		}
	case reflect.Map:
		if r.IsNil() {
			return json.RawMessage("{}"), nil
		}
	}
	return json.Marshal(v)
}

// Decode returns the plain value of its JSON form: nil, bool, string, int64, float64, []string where
// all elements are texts and []any otherwise, map[string]string and map[string]any likewise.
func Decode(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more follows the value")
	}
	return simple(v), nil
}

func simple(v any) any {
	switch v := v.(type) {
	case json.Number:
		return number(v.String())
	case []any:
		texts := make([]string, 0, len(v))
		for i := range v {
			v[i] = simple(v[i])
			if s, ok := v[i].(string); ok {
				texts = append(texts, s)
			}
		}
		if len(texts) == len(v) {
			return texts
		}
	case map[string]any:
		texts := make(map[string]string, len(v))
		for k := range v {
			v[k] = simple(v[k])
			if s, ok := v[k].(string); ok {
				texts[k] = s
			}
		}
		if len(texts) == len(v) {
			return texts
		}
	}
	return v
}

// number is an int64 where the value is a whole one that fits, so that 2, 2.0 and 2e0 are equal.
func number(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s // out of range: equal only to itself
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return f
}

// plain returns what a matcher looks at: v as it is after it was kept and read back. A value without
// a JSON form is left as it is.
func plain(v any) any {
	switch v := v.(type) {
	case nil, bool:
		return v
	case string:
		if utf8.ValidString(v) {
			return v
		}
	case []string:
		if v != nil && !slices.ContainsFunc(v, func(s string) bool { return !utf8.ValidString(s) }) {
			return v
		}
	case int:
		return int64(v)
	case int64:
		return v
	}
	raw, err := Encode(v)
	if err != nil {
		return v
	}
	p, err := Decode(raw)
	if err != nil {
		return v
	}
	return p
}
