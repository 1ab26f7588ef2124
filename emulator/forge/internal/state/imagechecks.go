package state

import (
	"fmt"
	"slices"
)

// CheckImage is a check run that an app made in the repository Repo.
type CheckImage struct {
	Repo int64
	Check
}

// SuiteImage is a check suite of an app in the repository Repo.
type SuiteImage struct {
	Repo int64
	Suite
}

// StatusImage is a commit status of the repository Repo.
type StatusImage struct {
	Repo int64
	Status
}

func (im *Image) addChecks(r *repo) {
	for _, c := range r.checks {
		ci := CheckImage{Repo: r.id, Check: c.Check}
		ci.Annotations = slices.Clone(c.Annotations)
		im.Checks = append(im.Checks, ci)
	}
	for _, x := range r.suites {
		im.Suites = append(im.Suites, SuiteImage{Repo: r.id, Suite: x.Suite})
	}
	for _, x := range r.statuses {
		im.Statuses = append(im.Statuses, StatusImage{Repo: r.id, Status: x.Status})
	}
}

// readChecks comes after the runs and jobs, with which check suites and check runs share their ids.
func (r reader) readChecks(im Image) error {
	for _, in := range im.Suites {
		x := &suite{Suite: in.Suite, repo: r.repos[in.Repo]}
		if x.repo == nil || r.s.runs[in.ID] != nil {
			return fmt.Errorf("check suite %d is of repository %d", in.ID, in.Repo)
		}
		if err := put(r, nounRun, r.s.suites, in.ID, x); err != nil {
			return err
		}
		x.repo.suites = append(x.repo.suites, x)
	}
	for _, in := range im.Checks {
		x := &check{Check: in.Check, repo: r.repos[in.Repo]}
		x.Annotations = slices.Clone(in.Annotations)
		if x.repo == nil || r.s.jobs[in.ID] != nil || progress(in.Status) < 0 {
			return fmt.Errorf("check run %d is %q, of repository %d", in.ID, in.Status, in.Repo)
		}
		if own, run := r.s.findSuite(x.repo, in.Suite); own == nil && run == nil {
			return fmt.Errorf("check run %d is of suite %d, which is not there", in.ID, in.Suite)
		}
		if err := put(r, nounJob, r.s.checks, in.ID, x); err != nil {
			return err
		}
		x.repo.checks = append(x.repo.checks, x)
	}
	seen := map[int64]*status{}
	for _, in := range im.Statuses {
		x, of := &status{in.Status}, r.repos[in.Repo]
		if of == nil {
			return fmt.Errorf("status %d is of repository %d", in.ID, in.Repo)
		}
		if err := put(r, nounStatus, seen, in.ID, x); err != nil {
			return err
		}
		of.statuses = append(of.statuses, x)
	}
	return nil
}

func checkKey(x CheckImage) int64   { return x.ID }
func suiteKey(x SuiteImage) int64   { return x.ID }
func statusKey(x StatusImage) int64 { return x.ID }
