package html

import (
	"fmt"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/coverage"
)

// maxGaps bounds what is shown of one file; understudy report --coverage tells all.
const maxGaps = 200

// flowView is what the scenarios took of a workflow file.
type flowView struct {
	Path, Summary string
	Gaps          []coverage.Gap
	Advice        []string
	Least         string // "" of what never ran
	Open          bool
}

// flows tells of each workflow file of the record. One alone is shown open.
func flows(r result.Record) []flowView {
	var out []flowView
	for _, w := range coverage.Of(r).Workflows {
		v := flowView{Path: w.Path, Summary: w.Summary(), Gaps: w.Gaps(), Advice: w.Advice()}
		if w.Runs > 0 {
			v.Least = w.Permissions.Block()
		}
		if len(v.Gaps) > maxGaps {
			v.Summary += fmt.Sprintf(" · the first %d of %d gaps", maxGaps, len(v.Gaps))
			v.Gaps = v.Gaps[:maxGaps]
		}
		out = append(out, v)
	}
	if len(out) == 1 {
		out[0].Open = true
	}
	return out
}
