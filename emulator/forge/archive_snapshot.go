package forge

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// Snapshot makes the forge as it was after a step into a snapshot below dir, an empty directory that
// must stay while forges are started from it; step 0 is the end. entries are the scenario's journal from its
// first entry on; what came after the step is left out. Its actors have no tokens yet.
func (a *Archive) Snapshot(dir string, step int, entries []Entry) (*Snapshot, error) {
	s, err := a.snapshot(dir, step, entries)
	if err != nil {
		return nil, fmt.Errorf("go back to step %d: %w", step, err)
	}
	return s, nil
}

func (a *Archive) snapshot(dir string, step int, entries []Entry) (*Snapshot, error) {
	chosen := a.images[len(a.images)-1]
	if step != 0 {
		chosen.Step = 0
		for _, im := range a.images {
			if im.Step <= step {
				chosen = im
			}
		}
		if chosen.Step == 0 {
			return nil, fmt.Errorf("the forge was first kept after step %d", a.images[0].Step)
		}
	}
	im, err := a.image(chosen)
	if err != nil {
		return nil, err
	}
	if entries, err = until(entries, im.Journal); err != nil {
		return nil, err
	}
	if err := a.repositories(dir, im); err != nil {
		return nil, err
	}
	if err := a.artifacts(dir, im); err != nil {
		return nil, err
	}
	return &Snapshot{dir: dir, image: im, entries: entries}, nil
}

// until returns the entries up to number last, all of them from the first on.
func until(entries []Entry, last uint64) ([]Entry, error) {
	for i, e := range entries {
		if e.Seq != uint64(i)+1 {
			return nil, fmt.Errorf("entry %d of the journal has number %d", i+1, e.Seq)
		}
		if e.Seq == last {
			return entries[:i+1], nil
		}
	}
	if last == 0 {
		return nil, nil
	}
	return nil, fmt.Errorf("the journal ends at entry %d, and the forge was kept at %d: they do not belong together", len(entries), last)
}

var shaForm = regexp.MustCompile(`^[0-9a-f]{40}$`)

func (a *Archive) repositories(dir string, im state.Image) error {
	git, err := gitstore.New(dir)
	if err != nil {
		return err
	}
	for _, r := range im.Repos {
		if !gitstore.RefName("refs/heads/" + r.DefaultBranch) {
			return fmt.Errorf("repository %s has no default branch %q", r.Name, r.DefaultBranch)
		}
		if err := git.Create(r.ID, r.DefaultBranch); err != nil {
			return fmt.Errorf("repository %s: %w", r.Name, err)
		}
		err := git.Update(r.ID, func(g *gitstore.Repo) error {
			for _, o := range a.objects[r.ID] {
				err := g.WriteObject(gitstore.Object{SHA: o.SHA, Type: o.Type, Data: o.bytes()})
				if err != nil && !errors.Is(err, gitstore.ErrObject) { // changed on its way: it is missing, as git says
					return err
				}
			}
			for ref, sha := range r.Refs {
				if !gitstore.RefName(ref) || !shaForm.MatchString(sha) {
					return fmt.Errorf("%q is no ref, or %q no commit", ref, sha)
				}
				if err := g.SetRef(ref, sha); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("repository %s: %w", r.Name, err)
		}
	}
	return nil
}

// artifacts packs the files of each artifact again. What was cleaned has another size and digest now.
func (a *Archive) artifacts(dir string, im state.Image) error {
	if err := os.MkdirAll(filepath.Join(dir, "artifacts"), 0o700); err != nil {
		return err
	}
	for i := range im.Artifacts {
		x := &im.Artifacts[i].Artifact
		files, ok := a.files[x.ID]
		if !ok {
			continue // it answers as one that expired
		}
		var err error
		if x.Size, x.Digest, err = pack(artifactPath(dir, x.ID), files, x); err != nil {
			return fmt.Errorf("artifact %d: %w", x.ID, err)
		}
	}
	return nil
}

func pack(path string, files []fileLine, x *state.Artifact) (size int64, digest string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, file := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: file.Name, Method: zip.Deflate, Modified: x.Created})
		if err != nil {
			return 0, "", err
		}
		if _, err := w.Write(file.bytes()); err != nil {
			return 0, "", err
		}
	}
	if err := z.Close(); err != nil {
		return 0, "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, "", err
	}
	sum := sha256.Sum256(data)
	return int64(len(data)), "sha256:" + hex.EncodeToString(sum[:]), f.Close()
}
