package state

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// Artifact is a bundle of files that a run left. Its bytes are kept elsewhere, by ID.
type Artifact struct {
	ID      int64
	RunID   int64
	JobID   int64
	Repo    string
	Name    string
	Size    int64
	Digest  string
	Expires time.Time
	Created time.Time
	Attempt int
}

type artifact struct {
	Artifact
	run *run
}

// ClaimArtifact returns the ID of an artifact to come, when its run is there and has none of that name.
func (s *State) ClaimArtifact(in Artifact) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkArtifact(in); err != nil {
		return 0, err
	}
	return s.nextID(nounArtifact), nil
}

func (s *State) checkArtifact(in Artifact) error {
	x := s.runs[in.RunID]
	if x == nil {
		return fmt.Errorf("run %d: %w", in.RunID, driver.ErrNotFound)
	}
	if in.Name == "" {
		return fmt.Errorf("artifact of run %d has no name", in.RunID)
	}
	if slices.ContainsFunc(x.arts, func(a *artifact) bool { return a.Name == in.Name && a.Attempt == x.Attempt }) {
		return fmt.Errorf("run %d has an artifact %q already", in.RunID, in.Name)
	}
	return nil
}

// AddArtifact registers an artifact whose bytes are stored, under an ID from ClaimArtifact.
func (s *State) AddArtifact(in Artifact) (Artifact, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkArtifact(in); err != nil {
		return Artifact{}, err
	}
	x := s.runs[in.RunID]
	in.Repo, in.Attempt = x.Repo, x.Attempt
	if in.Created.IsZero() {
		in.Created = s.now()
	}
	if in.Expires.IsZero() {
		in.Expires = in.Created.AddDate(0, 0, 90)
	}
	a := &artifact{Artifact: in, run: x}
	x.arts = append(x.arts, a)
	s.arts[in.ID] = a
	cause := fmt.Sprintf("run:%d", in.RunID)
	if in.JobID != 0 {
		cause = fmt.Sprintf("job:%d", in.JobID)
	}
	s.jour.Append(journal.Entry{
		Time: s.now(), Kind: journal.Change, Type: "artifact.created", Cause: cause, Actor: x.Actor,
		Subject: fmt.Sprintf("artifact:%d", in.ID),
		Detail:  map[string]string{"name": in.Name, "repo": in.Repo, "run": fmt.Sprint(in.RunID), "digest": in.Digest},
	})
	return in, nil
}

// current are the artifacts of the run as it is now, oldest first. Those of earlier attempts belong to it
// as far as everything has not run anew since, and a newer one of their name does not stand before them.
func (x *run) current() []*artifact {
	var out []*artifact
	for i, a := range x.arts {
		newer := func(b *artifact) bool { return b.Name == a.Name }
		if a.Attempt >= x.fresh && !slices.ContainsFunc(x.arts[i+1:], newer) {
			out = append(out, a)
		}
	}
	return out
}

// RunArtifacts lists the artifacts of a run as it is now, whoever may see them, oldest first.
func (s *State) RunArtifacts(runID int64) []Artifact {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.runs[runID]
	if x == nil {
		return nil
	}
	var out []Artifact
	for _, a := range x.current() {
		out = append(out, a.Artifact)
	}
	return out
}

// DropArtifact forgets an artifact.
func (s *State) DropArtifact(id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.arts[id]
	if a == nil {
		return fmt.Errorf("artifact %d: %w", id, driver.ErrNotFound)
	}
	s.dropArtifact(a)
	return nil
}

func (s *State) dropArtifact(a *artifact) {
	delete(s.arts, a.ID)
	a.run.arts = slices.DeleteFunc(a.run.arts, func(x *artifact) bool { return x == a })
	s.led.Changed()
}

// Artifacts lists the artifacts of a run, or with run 0 of a whole repository, newest first. name
// "" selects all names.
func (s *State) Artifacts(who Identity, full string, runID int64, name string) ([]wire.Artifact, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadActions)
	if err != nil {
		return nil, err
	}
	from := r.runs
	if runID != 0 {
		_, x, err := s.run(who, full, ReadActions, runID)
		if err != nil {
			return nil, err
		}
		from = []*run{x}
	}
	out := []wire.Artifact{}
	for _, x := range slices.Backward(from) {
		for _, a := range slices.Backward(x.current()) {
			if name == "" || a.Name == name {
				out = append(out, s.viewArtifact(r, a))
			}
		}
	}
	return out, nil
}

// Artifact returns one artifact.
func (s *State) Artifact(who Identity, full string, id int64) (wire.Artifact, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, a, err := s.artifact(who, full, id, ReadActions)
	if err != nil {
		return wire.Artifact{}, err
	}
	return s.viewArtifact(r, a), nil
}

// SeeArtifact answers nil when who may download an artifact that has not expired. Also in a public repository that
// takes a token, with the permission or a scope for repositories.
func (s *State) SeeArtifact(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, a, err := s.artifact(who, full, id, ReadActions)
	switch {
	case err != nil:
		return err
	case who.Anonymous() || !who.tok.grants("actions", "read") || !who.scoped("public_repo", "repo"):
		return wire.Forbidden("You must have the actions scope to download artifacts.")
	case s.now().After(a.Expires):
		return wire.NewError(http.StatusGone, "Artifact has expired")
	}
	return nil
}

// DeleteArtifact forgets an artifact when who may.
func (s *State) DeleteArtifact(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, a, err := s.artifact(who, full, id, WriteActions)
	if err != nil {
		return err
	}
	s.dropArtifact(a)
	return nil
}

func (s *State) artifact(who Identity, full string, id int64, need Need) (*repo, *artifact, error) {
	r, err := s.open(who, full, need)
	if err != nil {
		return nil, nil, err
	}
	a := s.arts[id]
	if a == nil || a.run.repo != r {
		return nil, nil, wire.NotFound()
	}
	return r, a, nil
}

func (s *State) viewArtifact(r *repo, a *artifact) wire.Artifact {
	u := s.base.API("/repos/%s/actions/artifacts/%d", wire.EscapePath(r.fullName()), a.ID)
	return wire.Artifact{
		ID: a.ID, NodeID: wire.NodeID("Artifact", a.ID), Name: a.Name, SizeInBytes: a.Size, URL: u, ArchiveDownloadURL: u + "/zip",
		Digest: optional(a.Digest), Expired: s.now().After(a.Expires), CreatedAt: wire.Time{Time: a.Created},
		UpdatedAt: wire.Time{Time: a.Created}, ExpiresAt: wire.Time{Time: a.Expires},
		WorkflowRun: wire.ArtifactRun{ID: a.RunID, RepositoryID: r.id, HeadRepositoryID: r.id, HeadBranch: a.run.HeadBranch, HeadSHA: a.run.HeadSHA},
	}
}
