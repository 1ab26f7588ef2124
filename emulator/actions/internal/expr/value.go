package expr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"
)

const (
	maxDepth  = 50      // of nested expressions, as at GitHub
	maxSource = 21000   // characters of one expression, as at GitHub
	maxString = 1 << 20 // bytes of one computed string
	maxNested = 100     // levels of a JSON document
)

// Object is a JSON object that keeps the order of its keys and finds them without regard to case.
// The zero value is empty and ready to use.
type Object struct {
	keys  []string
	vals  []any
	index map[string]int
}

// Set adds a key or replaces its value; the place of a key stays the one it got first.
func (o *Object) Set(key string, v any) {
	fold := strings.ToUpper(key)
	if i, ok := o.index[fold]; ok {
		o.vals[i] = v
		return
	}
	if o.index == nil {
		o.index = map[string]int{}
	}
	o.index[fold] = len(o.keys)
	o.keys = append(o.keys, key)
	o.vals = append(o.vals, v)
}

// Get returns the value of a key and whether there is one.
func (o *Object) Get(key string) (any, bool) {
	if i, ok := o.index[strings.ToUpper(key)]; ok {
		return o.vals[i], true
	}
	return nil, false
}

// Keys returns the keys in order. The caller must not change the slice.
func (o *Object) Keys() []string { return o.keys }

// Len returns the number of keys.
func (o *Object) Len() int { return len(o.keys) }

// Strings returns m as an object, in the order of its keys.
func Strings(m map[string]string) *Object {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	o := &Object{}
	for _, k := range keys {
		o.Set(k, m[k])
	}
	return o
}

// Plain returns v with objects turned into maps, for encoding/json.
func Plain(v any) any {
	switch v := v.(type) {
	case *Object:
		m := make(map[string]any, len(v.keys))
		for i, k := range v.keys {
			m[k] = Plain(v.vals[i])
		}
		return m
	case []any:
		s := make([]any, len(v))
		for i := range v {
			s[i] = Plain(v[i])
		}
		return s
	}
	return v
}

// FromJSON decodes one JSON document: null, bool, float64, string, []any or *Object.
func FromJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	v, err := decode(d, 0)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("empty or incomplete JSON")
	}
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON value")
	}
	return v, nil
}

func decode(d *json.Decoder, depth int) (any, error) {
	if depth > maxNested {
		return nil, fmt.Errorf("JSON is nested deeper than %d levels", maxNested)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if open == '[' {
		list := []any{}
		for d.More() {
			v, err := decode(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	o := &Object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := decode(d, depth+1)
		if err != nil {
			return nil, err
		}
		o.Set(key.(string), v) // the decoder accepts only strings here
	}
	_, err = d.Token()
	return o, err
}

// ToJSON encodes v as GitHub's toJSON does: two spaces a level, keys in order.
func ToJSON(v any) string {
	var b strings.Builder
	encode(&b, v, "")
	return b.String()
}

func encode(b *strings.Builder, v any, indent string) {
	in := indent + "  "
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			b.WriteString("[]")
			return
		}
		b.WriteString("[\n")
		for i, e := range v {
			b.WriteString(in)
			encode(b, e, in)
			endItem(b, i == len(v)-1)
		}
		b.WriteString(indent + "]")
	case *Object:
		if v.Len() == 0 {
			b.WriteString("{}")
			return
		}
		b.WriteString("{\n")
		for i, k := range v.keys {
			b.WriteString(in + quote(k) + ": ")
			encode(b, v.vals[i], in)
			endItem(b, i == len(v.keys)-1)
		}
		b.WriteString(indent + "}")
	case string:
		b.WriteString(quote(v))
	case nil:
		b.WriteString("null")
	default:
		b.WriteString(String(v))
	}
}

func endItem(b *strings.Builder, last bool) {
	if !last {
		b.WriteByte(',')
	}
	b.WriteByte('\n')
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes, and a bytes.Buffer always takes it
	return strings.TrimSuffix(b.String(), "\n")
}

// Truthy reports whether v counts as true: all but null, false, 0, NaN and "".
func Truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0 && !math.IsNaN(v)
	case string:
		return v != ""
	}
	return true
}

// String converts v as GitHub does where text is wanted.
func String(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return formatNumber(v)
	case string:
		return v
	case []any:
		return "Array"
	}
	return "Object"
}

func formatNumber(f float64) string {
	switch {
	case f == 0:
		return "0"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(f, 'G', 15, 64)
}

// number converts v as GitHub does before it compares values of different kinds.
func number(v any) float64 {
	switch v := v.(type) {
	case nil:
		return 0
	case bool:
		if v {
			return 1
		}
		return 0
	case float64:
		return v
	case string:
		return parseNumber(v)
	}
	return math.NaN()
}

func parseNumber(s string) float64 {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0
	}
	if rest, ok := strings.CutPrefix(s, "0x"); ok {
		return parseInt(rest, 16)
	}
	if rest, ok := strings.CutPrefix(s, "0o"); ok {
		return parseInt(rest, 8)
	}
	switch s {
	case "Infinity", "+Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	}
	// ParseFloat also takes "inf", "0b1", "1_0" and hexadecimal floats, which GitHub does not.
	if strings.Trim(s, "+-.0123456789eE") != "" {
		return math.NaN()
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return math.NaN()
	}
	return f
}

func parseInt(s string, base int) float64 {
	n, err := strconv.ParseUint(s, base, 32)
	if err != nil {
		return math.NaN()
	}
	return float64(int32(uint32(n)))
}
