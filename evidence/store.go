package evidence

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// DefaultLimit is how many bytes of one item a store keeps when Options does not say.
const DefaultLimit = 32 << 20

// Options configure a Store.
type Options struct {
	Log      *slog.Logger // nil discards
	Scrubber *Scrubber    // nil makes a new one
	Limit    int64        // bytes kept of one item; 0 is DefaultLimit
}

// Store is a Sink on disk. It keeps bytes by digest below dir/evidence and makes links for people
// below dir/by-scenario. It is safe for concurrent use and holds nothing open.
type Store struct {
	dir   string
	scrub *Scrubber
	limit int64
	log   *slog.Logger
}

var _ Sink = (*Store)(nil)

// Open makes dir a store, or opens the store that it is.
func Open(dir string, o Options) (*Store, error) {
	s := &Store{dir: dir, scrub: o.Scrubber, limit: o.Limit, log: o.Log}
	if s.scrub == nil {
		s.scrub = new(Scrubber)
	}
	if s.limit == 0 {
		s.limit = DefaultLimit
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.limit < 0 {
		return nil, fmt.Errorf("open evidence store %s: limit %d is negative", dir, s.limit)
	}
	if err := os.MkdirAll(filepath.Join(dir, "evidence"), 0o755); err != nil {
		return nil, fmt.Errorf("open evidence store: %w", err)
	}
	return s, nil
}

// Scrubber returns what all evidence passes through. Tell it each secret as soon as it exists.
func (s *Store) Scrubber() *Scrubber { return s.scrub }

// Put stores what r gives, scrubbed, under the digest of the scrubbed bytes; a zip is scrubbed
// inside. An item above the limit is cut, with a last line that says so, Ref.Cut set and a warning
// in the log; r is read to its end all the same, so that who writes it is not blocked.
func (s *Store) Put(ctx context.Context, m Meta, r io.Reader) (Ref, error) {
	m.Name, m.Origin = s.scrub.String(m.Name), s.scrub.String(m.Origin)
	ref, err := s.put(ctx, m, r)
	if err != nil {
		return Ref{}, fmt.Errorf("keep evidence %q: %w", m.Name, err)
	}
	if ref.Cut > 0 {
		s.log.Warn("evidence cut", "part", "evidence", "scenario", m.Scenario, "name", m.Name,
			"kept", s.limit, "dropped", ref.Cut)
	}
	return ref, nil
}

func (s *Store) put(ctx context.Context, m Meta, r io.Reader) (Ref, error) {
	tmp, err := os.CreateTemp(filepath.Join(s.dir, "evidence"), ".tmp-*")
	if err != nil {
		return Ref{}, err
	}
	defer os.Remove(tmp.Name()) // is gone already when all went well
	defer tmp.Close()
	sum := sha256.New()
	cut, err := s.copy(io.MultiWriter(tmp, sum), bufio.NewReader(&readerUntil{ctx, r}))
	if err != nil {
		return Ref{}, err
	}
	info, err := tmp.Stat()
	if err != nil {
		return Ref{}, err
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	path := filepath.Join("evidence", digest[:2], digest)
	if err := s.settle(tmp, filepath.Join(s.dir, path)); err != nil {
		return Ref{}, err
	}
	return Ref{Meta: m, Digest: "sha256:" + digest, Size: info.Size(), Path: filepath.ToSlash(path), Cut: cut}, nil
}

func (s *Store) copy(w io.Writer, r *bufio.Reader) (cut int64, err error) {
	if head, _ := r.Peek(len(zipMagic)); string(head) == zipMagic {
		return s.copyZip(w, r)
	}
	return s.copyBounded(w, s.scrub.Reader(r))
}

func (s *Store) copyBounded(w io.Writer, r io.Reader) (cut int64, err error) {
	if _, err := io.Copy(w, io.LimitReader(r, s.limit)); err != nil {
		return 0, err
	}
	if cut, err = io.Copy(io.Discard, r); err != nil || cut == 0 {
		return 0, err
	}
	_, err = io.WriteString(w, cutLine(s.limit, cut))
	return cut, err
}

func cutLine(kept, dropped int64) string {
	return fmt.Sprintf("\n[understudy: cut after %d bytes; %d more were dropped]\n", kept, dropped)
}

// settle gives the finished file its name in one step. Whoever finds the name there already has
// found the same bytes.
func (s *Store) settle(tmp *os.File, path string) error {
	if err := tmp.Chmod(0o644); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// Link makes ref findable for people as dir/by-scenario/SCENARIO/NAME and returns that path,
// relative to the store's directory. Scenario and name are made safe for every file system. A name
// that another piece of evidence has already gets a number: "log-2.txt".
func (s *Store) Link(ref Ref, name string) (string, error) {
	scenario := ref.Scenario
	if scenario == "" {
		scenario = "run"
	}
	dir := filepath.Join(append([]string{s.dir, "by-scenario"}, safePath(scenario)...)...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("link evidence %q: %w", name, err)
	}
	target, err := filepath.Rel(dir, filepath.Join(s.dir, filepath.FromSlash(ref.Path)))
	if err != nil {
		return "", fmt.Errorf("link evidence %q: %w", name, err)
	}
	name = safeName(s.scrub.String(name))
	ext := filepath.Ext(name)
	for n, try := 1, name; ; n, try = n+1, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n+1, ext) {
		link := filepath.Join(dir, try)
		err := os.Symlink(target, link)
		if errors.Is(err, os.ErrExist) {
			if there, _ := os.Readlink(link); there != target {
				continue
			}
			err = nil
		}
		if err != nil {
			return "", fmt.Errorf("link evidence %q: %w", name, err)
		}
		rel, err := filepath.Rel(s.dir, link)
		return filepath.ToSlash(rel), err
	}
}

func safePath(id string) []string {
	var parts []string
	for _, p := range strings.Split(id, "/") {
		if p != "" {
			parts = append(parts, safeName(p))
		}
	}
	return parts
}

// safeName keeps letters, digits and "._+()-" and makes one dash of any other stretch. The colon of
// a scenario id goes too: upload-artifact and Windows refuse it.
func safeName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._+()", r):
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	out := strings.TrimRight(strings.TrimLeft(b.String(), "-."), "-")
	if len(out) > 120 {
		out = out[:60] + "-" + out[len(out)-59:]
	}
	if out == "" {
		return "unnamed"
	}
	return out
}

// readerUntil ends with the context's error once that has one.
type readerUntil struct {
	ctx context.Context
	r   io.Reader
}

func (r *readerUntil) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
