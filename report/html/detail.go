package html

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

var digest = regexp.MustCompile(`\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b`)

// detail is what the title and the other columns do not tell of a journal entry. Digests are shortened:
// they are for recognising, the record has them whole.
func detail(d map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(d)) {
		switch k {
		case "action", "event", "repo", "status", "decision", "name", "conclusion", "workflow", "text", "error", "failed_step", "reason", "label":
			continue
		}
		parts = append(parts, k+" "+digest.ReplaceAllStringFunc(line(d[k]), func(s string) string { return s[:8] }))
	}
	return strings.Join(parts, ", ")
}

func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	if t.Nanosecond() == 0 {
		return t.UTC().Format("15:04:05")
	}
	return t.UTC().Format("15:04:05.000")
}
