package forge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/internal/journal"
)

// cutOff is why a run that was under way when a kept forge ended is cancelled.
const cutOff = "The forge ended while this ran."

// How much of the journal is read at the opening, and how large its file may become before only its
// end is kept.
const (
	recalled   = 256 << 10
	maxJournal = 64 << 20
)

// keep opens what an earlier forge left in dir, or begins anew there.
func (s *Server) keep(dir string, git *gitstore.Store, o state.Options) (*state.State, *keeper, error) {
	git.Keep()
	k := &keeper{dir: dir, journal: o.Journal}
	kept, err := k.open()
	if err != nil {
		return nil, nil, errors.Join(err, k.closeFiles())
	}
	if s.reopened = kept.Version != 0; !s.reopened {
		kept = state.New(o).Image()
	}
	if k.state, err = k.recover(kept, git, o); err != nil {
		return nil, nil, errors.Join(err, k.closeFiles())
	}
	if err := k.start(); err != nil {
		return nil, nil, errors.Join(err, k.closeFiles())
	}
	return k.state, k, nil
}

func (k *keeper) closeFiles() error {
	var errs []error
	for _, f := range []*os.File{k.log, k.entries} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// recover makes a state of what is stored and of what git and the directory of artifacts hold, which
// may be ahead of it by what nobody was told of.
func (k *keeper) recover(kept state.Image, git *gitstore.Store, o state.Options) (*state.State, error) {
	known := map[int64]bool{}
	for _, r := range kept.Repos {
		known[r.ID] = true
	}
	refs, err := git.Recover(known)
	if err != nil {
		return nil, err
	}
	im, moved := kept, []journal.Entry{}
	im.Repos = slices.Clone(kept.Repos)
	for i := len(im.Repos) - 1; i >= 0; i-- {
		r := &im.Repos[i]
		now, there := refs[r.ID]
		if !there { // its deletion had begun
			im = im.Without(*r)
			continue
		}
		if !maps.Equal(now, r.Refs) {
			moved = append(moved, movedRefs(*r, now)...)
			r.Refs = now
		}
		if err := git.SetHead(r.ID, r.DefaultBranch); err != nil {
			return nil, err
		}
	}
	if err := k.sweep(im); err != nil {
		return nil, err
	}
	st, err := state.FromImage(o, im)
	if err != nil {
		return nil, err
	}
	for _, e := range moved {
		o.Journal.Append(e)
	}
	return st, st.CancelRuns(cutOff)
}

// movedRefs journals refs that git moved for pushes that were never answered. They start nothing.
func movedRefs(r state.RepoImage, now map[string]string) []journal.Entry {
	names := map[string]bool{}
	for ref := range r.Refs {
		names[ref] = true
	}
	for ref := range now {
		names[ref] = true
	}
	var out []journal.Entry
	for _, ref := range slices.Sorted(maps.Keys(names)) {
		if r.Refs[ref] != now[ref] {
			out = append(out, journal.Entry{Kind: journal.Change, Type: "ref.recovered", Subject: fmt.Sprintf("repository:%d", r.ID),
				Detail: map[string]string{"repo": r.Name, "ref": ref, "before": cmp.Or(r.Refs[ref], state.Zero), "after": cmp.Or(now[ref], state.Zero)}})
		}
	}
	return out
}

// sweep removes files whose artifact or cache entry is not known: their ids are given again.
func (k *keeper) sweep(im state.Image) error {
	artifacts, caches, assets := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, a := range im.Artifacts {
		artifacts[strconv.FormatInt(a.ID, 10)+".zip"] = true
	}
	for _, r := range im.Repos {
		for _, c := range r.Caches {
			caches[strconv.FormatInt(c.ID, 10)] = true
		}
		for _, id := range assetsOf(r) {
			assets[strconv.FormatInt(id, 10)] = true
		}
	}
	for dir, known := range map[string]map[string]bool{"artifacts": artifacts, "caches": caches, "assets": assets} {
		list, err := os.ReadDir(filepath.Join(k.dir, dir))
		if err != nil {
			return err
		}
		for _, e := range list {
			if !known[e.Name()] {
				if err := os.Remove(filepath.Join(k.dir, dir, e.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// open reads state and journal, cuts off what was not finished, and opens both to append to. The image
// of a directory in which nothing was stored has version 0.
func (k *keeper) open() (state.Image, error) {
	for _, name := range []string{stateFile + spare, journalFile + spare} {
		if err := os.Remove(filepath.Join(k.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return state.Image{}, err
		}
	}
	im, first, whole, err := readLog(filepath.Join(k.dir, stateFile))
	if err != nil {
		return im, err
	}
	if k.log, err = reopen(filepath.Join(k.dir, stateFile), whole); err != nil {
		return im, err
	}
	k.base, k.size, k.last = first, whole, im
	if whole > 2*first+1<<20 {
		if err := k.compact(); err != nil { // keeps the next opening short
			return im, err
		}
	}
	return im, k.openJournal(im.Journal)
}

func reopen(path string, whole int64) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		err = f.Truncate(whole)
	}
	return f, err
}

// readLog reads state.log and says how many of its bytes are its first line, and how many are whole lines.
func readLog(path string) (im state.Image, first, whole int64, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return im, 0, 0, nil
	}
	if err != nil {
		return im, 0, 0, err
	}
	var b state.Builder
	for n := 1; ; n++ {
		line, _, found := bytes.Cut(data[whole:], []byte("\n"))
		if !found {
			break
		}
		d, err := readDelta(line)
		if err == nil {
			err = b.Add(d)
		}
		if err != nil {
			return im, 0, 0, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		whole += int64(len(line)) + 1
		if n == 1 {
			first = whole
		}
	}
	if whole == 0 {
		return im, 0, 0, nil
	}
	return b.Image(), first, whole, nil
}

func readDelta(line []byte) (d state.Delta, err error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err = dec.Decode(&d); err == nil && d.Version == state.ImageVersion {
		return d, nil
	}
	var form struct{ Version int } // asked only now: a long line is read once
	if err := json.Unmarshal(line, &form); err != nil {
		return d, err
	}
	if form.Version != state.ImageVersion {
		return d, fmt.Errorf("it is of version %d, and this program reads version %d", form.Version, state.ImageVersion)
	}
	return d, err
}

// openJournal reads the end of the journal up to entry last, and cuts off what follows.
func (k *keeper) openJournal(last uint64) error {
	path := filepath.Join(k.dir, journalFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	k.entries = f
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	for window := int64(recalled); ; window *= 8 {
		from := max(0, size-window)
		entries, start, end, err := readTail(f, from, size, last)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if len(entries) == 0 && last > 0 && from > 0 {
			continue // one entry is larger than the window
		}
		if at := uint64(len(entries)); last > 0 && (at == 0 || entries[at-1].Seq != last) {
			return fmt.Errorf("%s: entry %d, which state.log counts, is not there", path, last)
		}
		if err := f.Truncate(end); err != nil {
			return err
		}
		if end > maxJournal {
			if err := k.shorten(path, start, end); err != nil {
				return err
			}
		}
		return k.journal.Restore(entries)
	}
}

// readTail reads whole lines between from and size as entries up to last; start is where the first
// begins and end where the last ends.
func readTail(f io.ReaderAt, from, size int64, last uint64) (entries []journal.Entry, start, end int64, err error) {
	data := make([]byte, size-from)
	if _, err := f.ReadAt(data, from); err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, 0, err
	}
	start = from
	if from > 0 {
		_, rest, _ := strings.Cut(string(data), "\n")
		start += int64(len(data) - len(rest))
		data = []byte(rest)
	}
	end = start
	for {
		line, rest, found := bytes.Cut(data, []byte("\n"))
		if !found {
			return entries, start, end, nil
		}
		var e journal.Entry
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&e); err != nil {
			return nil, 0, 0, fmt.Errorf("the entry at byte %d: %w", end, err)
		}
		if e.Seq > last {
			return entries, start, end, nil
		}
		entries = append(entries, e)
		end += int64(len(line)) + 1
		data = rest
	}
}

// shorten keeps only the end of the journal's file.
func (k *keeper) shorten(path string, start, end int64) error {
	data := make([]byte, end-start)
	if _, err := k.entries.ReadAt(data, start); err != nil {
		return err
	}
	f, err := replace(path, data)
	if err != nil {
		return err
	}
	old := k.entries
	k.entries = f
	return old.Close()
}
