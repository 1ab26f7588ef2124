package page

import (
	"bytes"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// cleaned returns a copy of a value in which each string went through clean.
func cleaned(v any, clean func([]byte) []byte) any {
	if v == nil {
		return nil
	}
	return cleanedValue(reflect.ValueOf(v), clean).Interface()
}

func cleanedValue(v reflect.Value, clean func([]byte) []byte) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(string(clean([]byte(v.String()))))
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			break
		}
		inner := cleanedValue(v.Elem(), clean)
		if v.Kind() == reflect.Interface {
			out.Set(inner)
			break
		}
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(inner)
	case reflect.Slice:
		if v.IsNil() {
			break
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(cleanedValue(v.Index(i), clean))
		}
	case reflect.Map:
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for it := v.MapRange(); it.Next(); {
			out.SetMapIndex(it.Key(), cleanedValue(it.Value(), clean))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(cleanedValue(v.Field(i), clean))
			}
		}
	}
	return out
}

// visible writes out what would steer the reader's eye: controls, and marks that turn the direction of
// the text around them.
func visible(b []byte) []byte {
	if !hidden(b) {
		return b
	}
	out := make([]byte, 0, len(b)+64)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r < 0x20 && r != '\n' && r != '\t' && r != '\r':
			out = utf8.AppendRune(out, 0x2400+r)
		case steers(r):
			out = fmt.Appendf(out, "[U+%04X]", r)
		default:
			out = utf8.AppendRune(out, r) // of what is no UTF-8, the replacement
		}
		b = b[n:]
	}
	return out
}

func hidden(b []byte) bool {
	return !utf8.Valid(b) || bytes.ContainsFunc(b, func(r rune) bool {
		return r < 0x20 && r != '\n' && r != '\t' && r != '\r' || steers(r)
	})
}

func steers(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
