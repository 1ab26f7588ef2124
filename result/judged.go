package result

import (
	"bytes"
	"encoding/json"
)

// cutValue stands for a value that was too large to keep whole.
type cutValue struct {
	Cut   *string `json:"cut"` // the beginning of its JSON form
	Bytes *int    `json:"bytes"`
}

// Cut returns what an observation keeps of a value whose JSON form has that many bytes.
func Cut(beginning []byte, size int) (json.RawMessage, error) {
	text := string(bytes.ToValidUTF8(beginning, []byte("\uFFFD")))
	return json.Marshal(cutValue{&text, &size})
}

// Whole tells whether the observation keeps all of the value that was seen.
func (o Observation) Whole() bool {
	d := json.NewDecoder(bytes.NewReader(o.Got))
	d.DisallowUnknownFields()
	var c cutValue
	return d.Decode(&c) != nil || c.Cut == nil || c.Bytes == nil
}

// Judged returns what a scenario that ran comes to: the gravest of its steps and findings. Only one
// all of whose steps passed passes; one without steps is broken.
func (s Scenario) Judged() Verdict {
	v, all := Skipped, len(s.Steps) > 0
	for _, st := range s.Steps {
		v = Worse(v, st.Verdict)
		all = all && st.Verdict == Passed
	}
	for _, f := range s.Findings {
		v = Worse(v, f.Problem.Verdict)
	}
	if !all {
		v = Worse(v, Broken)
	}
	return v
}
