package result

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/internal/outline"
)

// ErrDiffer says that records cannot be merged since they are not of the same thing.
var ErrDiffer = errors.New("records differ")

// MergeOptions say what may be merged. The zero value merges only what is of one platform build and
// one set of feature texts.
type MergeOptions struct {
	Mixed bool     // platforms or features that differ are told as warnings; the first record's stand
	Names []string // what errors call the records; "record 2" where there is none
}

func (o MergeOptions) name(i int) string {
	if i < len(o.Names) {
		return o.Names[i]
	}
	return fmt.Sprintf("record %d", i+1)
}

// Merge puts records together: shards, which hold different scenarios of one suite, become one
// trial; records that hold the same scenarios become trials one after another. A scenario goes into
// the first trial of its cell that does not hold it yet. Features and scenarios come to stand in the
// order of their files and lines, so the order of shards does not matter. The records are not changed.
func Merge(records []Record, o MergeOptions) (Record, error) {
	if len(records) == 0 {
		return Record{}, errors.New("merge records: there is none")
	}
	out := records[0]
	out.Platform.Digest = maps.Clone(out.Platform.Digest)
	if len(records) > 1 {
		out.Budget = nil // each of them had its own
	}
	out.Features, out.Warnings, out.Problems, out.Cells, out.Workflows = nil, nil, nil, nil, nil
	m := merging{out: &out, first: o.name(0), texts: map[string]string{}}
	for i, r := range records {
		for j, earlier := range records[:i] {
			if sameRun(earlier, r) {
				return Record{}, fmt.Errorf("merge records: %s and %s are of one and the same run", o.name(j), o.name(i))
			}
		}
		m.add(o.name(i), r)
	}
	if len(m.differ) > 0 && !o.Mixed {
		return Record{}, fmt.Errorf("merge records: %w: %s", ErrDiffer, strings.Join(m.differ, "; "))
	}
	for _, d := range m.differ {
		m.warn("merged records differ: " + d)
	}
	slices.SortStableFunc(out.Features, func(a, b Source) int { return cmp.Compare(a.URI, b.URI) })
	for _, c := range out.Cells {
		for t := range c.Trials {
			c.Trials[t].Number = t + 1
			slices.SortStableFunc(c.Trials[t].Scenarios, func(a, b Scenario) int { return inFileOrder(a.ID, b.ID) })
		}
	}
	return out, nil
}

// sameRun tells whether two records were written by one run, which must not count twice.
func sameRun(a, b Record) bool {
	return !a.Started.IsZero() && a.Started.Equal(b.Started) && a.Ended.Equal(b.Ended) && a.Seed == b.Seed &&
		a.Platform.Defect == b.Platform.Defect
}

type merging struct {
	out    *Record
	first  string            // name of the first record
	texts  map[string]string // of the features by URI
	differ []string
}

func (m *merging) add(name string, r Record) {
	out := m.out
	if r.Started.Before(out.Started) {
		out.Started = r.Started
	}
	if r.Ended.After(out.Ended) {
		out.Ended = r.Ended
	}
	if r.Seed != out.Seed {
		out.Seed = 0 // there is no one seed
	}
	out.Jobs = max(out.Jobs, r.Jobs)
	for _, i := range strings.Split(r.Isolation, ", ") {
		if !slices.Contains(strings.Split(out.Isolation, ", "), i) {
			out.Isolation += ", " + i
		}
	}
	if r.Kit != out.Kit {
		m.warn(fmt.Sprintf("merged records are of understudy %s and %s", out.Kit, r.Kit))
	}
	if !slices.ContainsFunc(r.Cells, func(c Cell) bool {
		return slices.ContainsFunc(c.Trials, func(t Trial) bool { return len(t.Scenarios) > 0 })
	}) {
		out.Problems = append(out.Problems, Problem{Verdict: Broken, What: "nothing ran in " + name})
	}
	m.platform(name, r.Platform)
	if !slices.Equal(r.Faults, out.Faults) {
		m.differ = append(m.differ, fmt.Sprintf("%s has the faults %q, %s %q", m.first, out.Faults, name, r.Faults))
	}
	if !maps.Equal(r.Strictness, out.Strictness) {
		m.differ = append(m.differ, fmt.Sprintf("%s has the strictness %v, %s %v", m.first, out.Strictness, name, r.Strictness))
	}
	m.features(name, r.Features)
	m.workflows(r.Workflows)
	for _, w := range r.Warnings {
		m.warn(w)
	}
	out.Problems = append(out.Problems, r.Problems...)
	for _, c := range r.Cells {
		m.cell(c)
	}
}

func (m *merging) warn(text string) {
	if !slices.Contains(m.out.Warnings, text) {
		m.out.Warnings = append(m.out.Warnings, text)
	}
}

func (m *merging) platform(name string, p Platform) {
	first := m.out.Platform
	if p.Name != first.Name {
		m.differ = append(m.differ, fmt.Sprintf("%s is of platform %q, %s of %q", m.first, first.Name, name, p.Name))
	}
	if p.Defect != first.Defect {
		m.differ = append(m.differ, fmt.Sprintf("%s has defect %q, %s %q", m.first, first.Defect, name, p.Defect))
	}
	if p.Preset != first.Preset {
		m.differ = append(m.differ, fmt.Sprintf("%s has preset %q, %s %q", m.first, first.Preset, name, p.Preset))
	}
	files := slices.Sorted(maps.Keys(first.Digest))
	for _, f := range slices.Sorted(maps.Keys(p.Digest)) {
		if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	for _, f := range files {
		if a, b := first.Digest[f], p.Digest[f]; a != b {
			m.differ = append(m.differ, fmt.Sprintf("%s of platform %s is %s in %s and %s in %s",
				f, first.Name, orAbsent(a), m.first, orAbsent(b), name))
		}
	}
}

func orAbsent(digest string) string {
	if digest == "" {
		return "absent"
	}
	if len(digest) > 19 {
		return digest[:19] + "…" // "sha256:" and twelve digits
	}
	return digest
}

func (m *merging) features(name string, sources []Source) {
	for _, s := range sources {
		text, ok := m.texts[s.URI]
		switch {
		case !ok:
			m.texts[s.URI] = s.Text
			m.out.Features = append(m.out.Features, s)
		case text != s.Text:
			m.differ = append(m.differ, fmt.Sprintf("feature %s has another text in %s", s.URI, name))
		}
	}
}

func (m *merging) workflows(files []outline.File) {
	for _, f := range files {
		if !slices.ContainsFunc(m.out.Workflows, func(have outline.File) bool { return have.Digest == f.Digest }) {
			m.out.Workflows = append(m.out.Workflows, f)
		}
	}
	sortWorkflows(m.out.Workflows)
}

// cell puts each trial's scenarios where they are not yet.
func (m *merging) cell(c Cell) {
	i := slices.IndexFunc(m.out.Cells, func(have Cell) bool {
		return have.Suite == c.Suite && have.Profile == c.Profile && have.Environment == c.Environment && have.Case == c.Case
	})
	if i < 0 {
		i = len(m.out.Cells)
		m.out.Cells = append(m.out.Cells, Cell{Suite: c.Suite, Profile: c.Profile, Environment: c.Environment, Case: c.Case})
	}
	into := &m.out.Cells[i]
	for _, t := range c.Trials {
		for _, s := range t.Scenarios {
			into.Trials = place(into.Trials, s)
		}
	}
}

func place(trials []Trial, s Scenario) []Trial {
	for i := range trials {
		if !slices.ContainsFunc(trials[i].Scenarios, func(have Scenario) bool { return have.ID == s.ID }) {
			trials[i].Scenarios = append(trials[i].Scenarios, s)
			return trials
		}
	}
	return append(trials, Trial{Scenarios: []Scenario{s}})
}

// inFileOrder compares ids by file, then by line as a number.
func inFileOrder(a, b string) int {
	fileA, lineA := splitID(a)
	fileB, lineB := splitID(b)
	return cmp.Or(cmp.Compare(fileA, fileB), cmp.Compare(lineA, lineB), cmp.Compare(a, b))
}

func splitID(id string) (file string, line int) {
	i := strings.LastIndexByte(id, ':')
	if i < 0 {
		return id, 0
	}
	line, err := strconv.Atoi(id[i+1:])
	if err != nil {
		return id, 0
	}
	return id[:i], line
}

// Rebase returns r with the paths of its evidence seen from elsewhere: each has base put before it.
func Rebase(r Record, base string) Record {
	base = strings.TrimSuffix(base, "/")
	if base == "" || base == "." {
		return r
	}
	r.Cells = slices.Clone(r.Cells)
	for c := range r.Cells {
		trials := slices.Clone(r.Cells[c].Trials)
		for t := range trials {
			scenarios := slices.Clone(trials[t].Scenarios)
			for s := range scenarios {
				refs := slices.Clone(scenarios[s].Evidence)
				for i := range refs {
					refs[i].Path = base + "/" + refs[i].Path
					if refs[i].Link != "" {
						refs[i].Link = base + "/" + refs[i].Link
					}
				}
				scenarios[s].Evidence = refs
			}
			trials[t].Scenarios = scenarios
		}
		r.Cells[c].Trials = trials
	}
	return r
}
