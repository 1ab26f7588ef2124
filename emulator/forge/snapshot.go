package forge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/internal/journal"
)

// Snapshot is a forge as it was at one moment. Any number of forges can start from it, at once as
// well, each with Options.From. It belongs to nobody but its maker: the forge it was taken of and
// those that started from it do not need it any more, and it does not need them.
//
// It holds Actions secrets in the clear, and tokens as digests.
type Snapshot struct {
	dir     string // repos/ID.git, artifacts/ID.zip, caches/ID, assets/ID
	temp    bool   // Close removes dir
	image   state.Image
	entries []journal.Entry
}

// Snapshot returns the forge as it is at one moment: no push is half in it, no change is without its
// event. A forge that starts from it has the same ids and the same refs, knows the same tokens, and
// its journal goes on from the entries of this one, so that their numbers stay valid as causes.
// Running jobs are not in it: a run that is under way stays so in the copy until somebody saves it
// or calls Admin.CancelRuns. Addresses that the forge signed for a short time end.
// The caller closes the snapshot.
func (s *Server) Snapshot(ctx context.Context) (*Snapshot, error) {
	if !s.enter() {
		return nil, errors.New("take snapshot: the forge is closed")
	}
	defer s.running.Done()
	dir, err := os.MkdirTemp("", "understudy-snapshot-")
	if err != nil {
		return nil, fmt.Errorf("take snapshot: %w", err)
	}
	out := &Snapshot{dir: dir, temp: true}
	if err := s.admin.freeze(ctx, out); err != nil {
		return nil, fmt.Errorf("take snapshot: %w", errors.Join(err, out.Close()))
	}
	return out, nil
}

func (a *Admin) freeze(ctx context.Context, out *Snapshot) error {
	for _, d := range []string{"repos", "artifacts", "caches", "assets"} {
		if err := os.Mkdir(filepath.Join(out.dir, d), 0o700); err != nil {
			return err
		}
	}
	if err := a.freezeRepos(out); err != nil {
		return err
	}
	for _, r := range out.image.Repos {
		if err := a.git.Pack(ctx, r.ID, filepath.Join(out.dir, "repos")); err != nil {
			return err
		}
	}
	out.entries = a.journal.Entries(0)
	// What was journalled since the image was taken is not in it.
	after := slices.IndexFunc(out.entries, func(e journal.Entry) bool { return e.Seq > out.image.Journal })
	if after >= 0 {
		out.entries = out.entries[:after]
	}
	return nil
}

// freezeRepos copies state, repositories and artifacts while no ref can move.
func (a *Admin) freezeRepos(out *Snapshot) error {
	held := map[int64]bool{}
	out.image = a.state.Image()
	for {
		fresh := false
		// New repositories have higher ids than those that are held, so the order stays rising.
		for _, r := range out.image.Repos {
			if !held[r.ID] {
				defer a.git.Hold(r.ID)()
				held[r.ID], fresh = true, true
			}
		}
		if !fresh {
			break
		}
		out.image = a.state.Image()
	}
	for _, r := range out.image.Repos {
		if err := a.git.Freeze(r.ID, filepath.Join(out.dir, "repos")); err != nil {
			return err
		}
	}
	for _, x := range out.image.Artifacts {
		err := gitstore.Link(a.artifactPath(x.ID), artifactPath(out.dir, x.ID))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // deleted meanwhile: the copy answers as for one that expired
			return err
		}
	}
	return linkStored(out.image, a.dir, out.dir)
}

// Close removes what the snapshot keeps on disk. Forges that started from it go on.
func (s *Snapshot) Close() error {
	if !s.temp {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// The files of a saved snapshot, beside repos and artifacts.
const (
	imageFile   = "image.json"
	journalFile = "journal.ndjson"
)

// Save writes the snapshot into dir, which must not exist, for OpenSnapshot.
func (s *Snapshot) Save(dir string) error {
	if err := s.save(dir); err != nil {
		return fmt.Errorf("save snapshot: %w", err)
	}
	return nil
}

func (s *Snapshot) save(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := gitstore.LinkTree(s.dir, dir, func(path string) bool { return path == imageFile || path == journalFile }); err != nil {
		return err
	}
	data, err := s.image.Encode()
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, e := range s.entries {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, journalFile), lines.Bytes(), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, imageFile), data, 0o600)
}

// OpenSnapshot reads what Save wrote. The directory must stay while forges are started from it; they
// do not change it.
func OpenSnapshot(dir string) (*Snapshot, error) {
	s, err := openSnapshot(dir)
	if err != nil {
		return nil, fmt.Errorf("open snapshot %s: %w", dir, err)
	}
	return s, nil
}

func openSnapshot(dir string) (*Snapshot, error) {
	data, err := os.ReadFile(filepath.Join(dir, imageFile))
	if err != nil {
		return nil, err
	}
	image, err := state.DecodeImage(data)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, journalFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := readEntries(f)
	if err != nil {
		return nil, err
	}
	return &Snapshot{dir: dir, image: image, entries: entries}, nil
}

// readEntries reads a journal of one entry per line.
func readEntries(from io.Reader) ([]journal.Entry, error) {
	dec := json.NewDecoder(bufio.NewReader(from))
	dec.DisallowUnknownFields()
	var out []journal.Entry
	for {
		var e journal.Entry
		err := dec.Decode(&e)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("journal, entry %d: %w", len(out)+1, err)
		}
		out = append(out, e)
	}
}

// adopt puts the files of a snapshot into the directory of a new forge.
func (s *Snapshot) adopt(git *gitstore.Store, dir string) error {
	for _, r := range s.image.Repos {
		if err := git.Adopt(r.ID, filepath.Join(s.dir, "repos")); err != nil {
			return fmt.Errorf("copy %s: %w", r.Name, err)
		}
	}
	for _, x := range s.image.Artifacts {
		err := gitstore.Link(artifactPath(s.dir, x.ID), artifactPath(dir, x.ID))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("copy artifact %d: %w", x.ID, err)
		}
	}
	return linkStored(s.image, s.dir, dir)
}
