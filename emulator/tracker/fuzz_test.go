package tracker

import (
	"testing"
	"time"
)

// FuzzJQL: no query makes the parser panic or loop, and one that is read can be applied.
func FuzzJQL(f *testing.F) {
	for _, seed := range []string{
		`project = APP AND labels in (a, "b c") ORDER BY created DESC, key`, `updated >= "-4w 2d"`, `labels is not EMPTY`, `key not in (A-1)`,
		`"project" = 'A\'P'`, `order by`, `(`, `project in (`, `x = = y`, `updated >= -`,
	} {
		f.Add(seed)
	}
	now := func() time.Time { return time.Unix(1_800_000_000, 0) }
	f.Fuzz(func(_ *testing.T, text string) {
		q, err := parseJQL(text, now)
		if err != nil {
			return
		}
		i := &issue{project: &project{key: "APP"}, number: 1, labels: []string{"a"}}
		q.holds(i)
		q.compare(i, i)
	})
}

// FuzzDocument: no document makes the reader panic, and one that is a document can be read.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"x"},{"type":"hardBreak"}]}]}`))
	f.Add([]byte(`{"type":"doc","version":1,"content":[{"type":"mention","attrs":{"text":"@a"}},{"type":"bulletList","content":[{"type":"listItem"},{"type":"listItem"}]}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if _, ok := parseDocument(data); ok {
			textOf(data)
		}
	})
}
