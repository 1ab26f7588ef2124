package result

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/understudy-dev/understudy/evidence"
)

// Scrub returns v, a Record or a part of one, with every text in it passed through s. Numbers and the
// shape stay.
func Scrub[T any](v T, s *evidence.Scrubber) (out T, err error) {
	b, err := json.Marshal(v)
	if err != nil {
		return out, fmt.Errorf("take secrets out: %w", err)
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber() // a large id must not become a rounded one
	if err := d.Decode(&tree); err != nil {
		return out, fmt.Errorf("take secrets out: %w", err)
	}
	if b, err = json.Marshal(scrub(tree, s)); err != nil {
		return out, fmt.Errorf("take secrets out: %w", err)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		return out, fmt.Errorf("take secrets out: %w", err)
	}
	return out, nil
}

func scrub(v any, s *evidence.Scrubber) any {
	switch v := v.(type) {
	case string:
		return s.String(v)
	case json.Number:
		if text := v.String(); s.String(text) != text {
			return s.String(text) // a secret that was kept as a number
		}
	case []any:
		for i := range v {
			v[i] = scrub(v[i], s)
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for k, x := range v {
			clean[s.String(k)] = scrub(x, s)
		}
		return clean
	}
	return v
}
