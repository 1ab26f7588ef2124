package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// shareable is the length in JSON from which equal schemas are written once.
const shareable = 400

// share replaces schemas that are written out more than once by references to one. Upstream repeats
// accounts and repositories in each webhook; without this the file would be twice as long.
func share(sections map[string]object) {
	s := sharer{seen: map[string]int{}, shared: object{}}
	for _, section := range sections {
		s.each(section, func(o object, text string) any {
			s.seen[text]++
			return o
		})
	}
	for _, section := range sections {
		s.each(section, func(o object, text string) any {
			if s.seen[text] < 2 {
				return o
			}
			sum := sha256.Sum256([]byte(text))
			name := "shared-" + hex.EncodeToString(sum[:4])
			s.shared[name] = o
			return object{"$ref": "#/schemas/" + name}
		})
	}
	for name, schema := range s.shared {
		sections["schemas"][name] = schema
	}
}

type sharer struct {
	seen   map[string]int
	shared object
}

// each offers do all schemas of an object with properties below a value, outer ones before inner
// ones, and puts what it returns in their place.
func (s *sharer) each(v any, do func(object, string) any) any {
	switch v := v.(type) {
	case []any:
		for i, below := range v {
			v[i] = s.each(below, do)
		}
	case object:
		var after any = v
		if _, found := v["properties"].(object); found {
			text, err := json.Marshal(v)
			if err == nil && len(text) >= shareable {
				after = do(v, string(text))
			}
		}
		for name, below := range v {
			v[name] = s.each(below, do)
		}
		return after
	}
	return v
}
