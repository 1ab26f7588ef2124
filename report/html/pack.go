package html

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/result"
)

// packBytes is about how much text a pack holds: a pack is unpacked when one of its scenarios is
// opened, so it is small enough not to be noticed and large enough to be worth compressing.
const packBytes = 192 << 10

// packView is a script element that holds scenarios, as compressed JSON.
type packView struct {
	ID   string
	Data template.HTML // base64
}

// indexData tells for each scenario of the page, in order, in which pack it is and what search looks at.
type indexData struct {
	Packs []int    `json:"packs"`
	Text  []string `json:"text"`
}

// pack compresses what is inside the scenarios. A pack is a list of scenarios, each a list of trials.
func pack(cases []*caseView, base string) ([]packView, template.HTML, error) {
	var packs []packView
	var index indexData
	var open [][]byte
	total := 0
	flush := func() error {
		if len(open) == 0 {
			return nil
		}
		data, err := squeeze(slices.Concat([]byte("["), bytes.Join(open, []byte(",")), []byte("]")))
		packs = append(packs, packView{fmt.Sprintf("pack-%d", len(packs)), data})
		open, total = nil, 0
		return err
	}
	for _, c := range cases {
		trials := []trialData{}
		for _, t := range c.trials {
			trials = append(trials, inside(t, base))
		}
		data, err := json.Marshal(trials)
		if err != nil {
			return nil, "", fmt.Errorf("pack %s: %w", c.ID, err)
		}
		index.Packs = append(index.Packs, len(packs))
		index.Text = append(index.Text, haystack(c))
		open = append(open, data)
		if total += len(data); total >= packBytes {
			if err := flush(); err != nil {
				return nil, "", err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, "", err
	}
	data, err := json.Marshal(index)
	if err != nil {
		return nil, "", err
	}
	squeezed, err := squeeze(data)
	return packs, squeezed, err
}

// squeeze gives base64, which needs no escaping.
func squeeze(data []byte) (template.HTML, error) {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return template.HTML(base64.StdEncoding.EncodeToString(b.Bytes())), nil
}

// haystack is what search looks at: names, steps, tags, labels and what went wrong, each once.
func haystack(c *caseView) string {
	var words []string
	add := func(s string) {
		if s = strings.ToLower(s); s != "" && !slices.Contains(words, s) {
			words = append(words, s)
		}
	}
	add(c.ID)
	for _, t := range c.trials {
		s := t.scenario
		add(s.Name)
		add(s.Feature)
		add(s.Rule)
		add(s.Reason)
		for _, tag := range s.Tags {
			add(tag)
		}
		for _, st := range s.Steps {
			add(st.Text)
			if st.Problem != nil {
				add(line(st.Problem.What))
			}
		}
		for _, f := range s.Findings {
			add(f.Policy)
			add(line(f.Problem.What))
		}
		for _, e := range s.Journal {
			add(e.Detail["label"])
			if strings.HasPrefix(e.Type, string(result.KindJob)+".") || strings.HasPrefix(e.Type, string(result.KindRun)+".") {
				add(e.Detail["name"])
				add(e.Detail["workflow"])
			}
		}
	}
	return strings.Join(words, "\n")
}
