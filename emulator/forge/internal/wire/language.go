package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Languages are how many bytes of a repository are in each language, most first: an object whose members have an order.
// https://docs.github.com/en/rest/repos/repos#list-repository-languages
type Languages []Language

// Language is a language with its bytes.
type Language struct {
	Name  string
	Bytes int64
}

// MarshalJSON implements json.Marshaler.
func (l Languages) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range l {
		name, err := json.Marshal(x.Name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%d", name, x.Bytes)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
