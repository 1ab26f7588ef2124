package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/result"
)

// scenarioID finds a scenario of the records by its id or, where that names just one, by its name. An
// unknown one is an error that names the nearest.
func scenarioID(asked string, records ...result.Record) (string, error) {
	var all []result.Scenario
	for _, r := range records {
		for s := range r.Scenarios() {
			if s.ID == asked {
				return asked, nil
			}
			if !slices.ContainsFunc(all, func(o result.Scenario) bool { return o.ID == s.ID }) {
				all = append(all, s)
			}
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("the record has no scenarios")
	}
	var named []string
	for _, s := range all {
		if s.Name == asked {
			named = append(named, s.ID)
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	if len(named) > 1 {
		return "", &hinted{fmt.Errorf("%d scenarios are named %q", len(named), asked), "give the id of one: " + strings.Join(named, ", ")}
	}
	slices.SortStableFunc(all, func(a, b result.Scenario) int { return remote(a, asked) - remote(b, asked) })
	return "", &hinted{fmt.Errorf("the record has no scenario %q", asked),
		fmt.Sprintf("the nearest of its %d is %s  %s", len(all), all[0].ID, all[0].Name)}
}

// remote tells how far a scenario is from what was asked for: in the same file the lines between them,
// else what the ids do not begin with alike.
func remote(s result.Scenario, asked string) int {
	const elsewhere = 1 << 20
	file, line, _ := strings.Cut(s.ID, ":")
	askedFile, askedLine, _ := strings.Cut(asked, ":")
	if n, err := strconv.Atoi(askedLine); err == nil && file == askedFile {
		if m, err := strconv.Atoi(line); err == nil {
			return min(max(n-m, m-n), elsewhere-1)
		}
	}
	if strings.Contains(strings.ToLower(s.Name), strings.ToLower(asked)) {
		return elsewhere
	}
	same := 0
	for same < len(asked) && same < len(s.ID) && asked[same] == s.ID[same] {
		same++
	}
	return elsewhere + 1 + len(asked) - same
}
