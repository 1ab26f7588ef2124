package gitstore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Service is one of git's two smart HTTP services.
type Service string

// The services.
const (
	UploadPack  Service = "git-upload-pack"
	ReceivePack Service = "git-receive-pack"
)

// ParseService reads a service's name.
func ParseService(name string) (Service, bool) {
	s := Service(name)
	return s, s == UploadPack || s == ReceivePack
}

// waitDelay bounds the wait for a client that neither reads nor goes away once git is killed.
const waitDelay = 5 * time.Second

func (s *Store) command(ctx context.Context, id int64, service Service, protocol string, args ...string) *exec.Cmd {
	sub := strings.TrimPrefix(string(service), "git-")
	// Refs of pull requests are the forge's own: everybody may fetch them, and nobody may push them.
	cmd := exec.CommandContext(ctx, s.git, append(append([]string{"-c", "receive.hideRefs=refs/pull", sub, "--stateless-rpc"}, args...), s.path(id))...)
	cmd.Dir = s.path(id)
	cmd.Env = slices.Clone(s.env)
	cmd.WaitDelay = waitDelay
	if protocol != "" {
		cmd.Env = append(cmd.Env, "GIT_PROTOCOL="+protocol)
	}
	return cmd
}

// Advertise writes the answer to GET info/refs.
func (s *Store) Advertise(ctx context.Context, id int64, service Service, protocol string, w io.Writer) error {
	line := fmt.Sprintf("# service=%s\n", service)
	if _, err := fmt.Fprintf(w, "%04x%s0000", len(line)+4, line); err != nil {
		return err
	}
	if service == UploadPack && protocol == "version=2" {
		capabilities, err := s.fetchCapabilities(ctx, id)
		if err == nil {
			_, err = w.Write(capabilities)
		}
		return err
	}
	return pipe(s.command(ctx, id, service, protocol, "--advertise-refs"), nil, w)
}

// fetchCapabilities is what git says first in version 2 of its protocol. It names no refs, and is the same for
// all repositories of the store, as they have the same configuration; git is asked once.
// https://git-scm.com/docs/protocol-v2#_capability_advertisement
func (s *Store) fetchCapabilities(ctx context.Context, id int64) ([]byte, error) {
	s.mu.Lock()
	kept := s.capabilities
	s.mu.Unlock()
	if kept != nil {
		return kept, nil
	}
	var out bytes.Buffer
	if err := pipe(s.command(ctx, id, UploadPack, "version=2", "--advertise-refs"), nil, &out); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.capabilities = out.Bytes()
	return s.capabilities, nil
}

// Fetch answers one upload-pack request.
func (s *Store) Fetch(ctx context.Context, id int64, protocol string, body io.Reader, w io.Writer) error {
	return pipe(s.command(ctx, id, UploadPack, protocol), body, w)
}

func pipe(cmd *exec.Cmd, in io.Reader, out io.Writer) error {
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git: %w: %s", err, strings.TrimSpace(errs.String()))
	}
	return nil
}

// Spool is the whole body of a push, kept on disk.
type Spool struct{ f *os.File }

// Spool reads body to its end, at most limit bytes. The caller closes the spool.
func (s *Store) Spool(body io.Reader, limit int64) (*Spool, error) {
	f, err := os.CreateTemp(filepath.Join(s.dir, "spool"), "push-*")
	if err != nil {
		return nil, err
	}
	sp := &Spool{f}
	n, err := io.Copy(f, io.LimitReader(body, limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("push of more than %d bytes", limit)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		sp.Close()
		return nil, err
	}
	return sp, nil
}

// Close removes the spool.
func (sp *Spool) Close() {
	sp.f.Close()
	os.Remove(sp.f.Name())
}

// RefMove is what became of one ref.
type RefMove struct {
	Ref     string
	Before  string
	After   string
	Forced  bool
	Commits []wire.PushCommit
	Head    *wire.PushCommit
}

// Receive applies a push and returns git's report and the refs that moved. Call it within Update.
// The context should outlive the client: a push that has come whole is applied whole. Refs with new or
// changed workflow files are refused, one by one, when refuse is set.
func (r *Repo) Receive(ctx context.Context, protocol string, sp *Spool, refuse *NoWorkflows, guarded []Guarded) (report []byte, moves []RefMove, err error) {
	before, err := r.Refs()
	if err != nil {
		return nil, nil, err
	}
	cmd := r.store.command(ctx, r.id, ReceivePack, protocol)
	hooks, err := r.store.hooks(refuse, guarded)
	if err != nil {
		return nil, nil, err
	}
	cmd.Env = append(cmd.Env, hooks...)
	lock, err := r.store.pushLock()
	if err != nil {
		return nil, nil, err
	}
	if lock != nil {
		defer lock.Close()
		cmd.ExtraFiles = []*os.File{lock}
	}
	var out bytes.Buffer
	if err := pipe(cmd, sp.f, &out); err != nil {
		return nil, nil, err
	}
	// Opened anew: the storage remembers which packs there were.
	after, err := r.store.Open(r.id).moves(ctx, before)
	return declined(out.Bytes()), after, err
}

// moves compares the refs on disk with those before.
func (r *Repo) moves(ctx context.Context, before map[string]string) ([]RefMove, error) {
	now, err := r.Refs()
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(now))
	for n := range before {
		if _, ok := now[n]; !ok {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	var out []RefMove
	for _, n := range names {
		m := RefMove{Ref: n, Before: zero, After: zero}
		if sha, ok := before[n]; ok {
			m.Before = sha
		}
		if sha, ok := now[n]; ok {
			m.After = sha
		}
		if m.Before == m.After {
			continue
		}
		if m.Commits, m.Head, m.Forced, err = r.Pushed(ctx, m.Before, m.After, before); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
