// Package gitstore keeps bare git repositories on disk, by number. Programs reach them through
// the real git binary over smart HTTP; the forge's own commits are made in process with go-git.
// Both take the repository's lock to write, so refs move in one order. It knows no users.
package gitstore

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/understudy-dev/understudy/driver"
)

// ErrNotFound says that an object, a path or a ref is not there.
var ErrNotFound = fmt.Errorf("in the repository: %w", driver.ErrNotFound)

// Store is safe for concurrent use.
type Store struct {
	dir     string
	git     string
	env     []string
	pushing string // see Keep

	mu           sync.Mutex
	locks        map[int64]*sync.Mutex
	keepRemoved  bool
	capabilities []byte // see fetchCapabilities
}

// New returns a store below dir, which must exist. It needs a git binary on the PATH.
func New(dir string) (*Store, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("find git: %w", err)
	}
	for _, d := range []string{"repos", "spool"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return nil, err
		}
	}
	return &Store{
		dir: dir, git: git, locks: map[int64]*sync.Mutex{},
		// Complete: nothing of the caller's own git configuration may show.
		env: []string{
			"PATH=" + filepath.Dir(git) + ":/usr/bin:/bin", "HOME=" + filepath.Join(dir, "no-home"), "LC_ALL=C",
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0",
		},
	}, nil
}

// path is where repository id stands.
func (s *Store) path(id int64) string {
	return filepath.Join(s.dir, "repos", name(id))
}

func (s *Store) lock(id int64) *sync.Mutex {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.locks[id]
	if l == nil {
		l = &sync.Mutex{}
		s.locks[id] = l
	}
	return l
}

// config suits a repository that lives for one scenario or in one directory of a served forge: it is never
// packed behind our back and need not survive a power cut. Any object can be fetched by its hash, as at GitHub.
const config = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
	fsync = none
[gc]
	auto = 0
[receive]
	autogc = false
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
`

// Create makes an empty repository whose HEAD names branch.
func (s *Store) Create(id int64, branch string) error {
	dir := s.path(id)
	for _, d := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		return err
	}
	return s.SetHead(id, branch)
}

// SetHead makes HEAD name branch.
func (s *Store) SetHead(id int64, branch string) error {
	// Written aside and renamed: git reads HEAD without a lock.
	tmp := filepath.Join(s.path(id), "HEAD.new")
	if err := os.WriteFile(tmp, []byte("ref: refs/heads/"+branch+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(s.path(id), "HEAD"))
}

// Remove deletes a repository.
func (s *Store) Remove(id int64) error {
	l := s.lock(id)
	l.Lock()
	defer l.Unlock()
	s.mu.Lock()
	delete(s.locks, id)
	s.mu.Unlock()
	return s.drop(id)
}

// Repo is one repository, opened for one piece of work by one goroutine.
type Repo struct {
	id    int64
	store *Store
	objs  *filesystem.Storage
}

// Open returns a view of a repository for reading.
func (s *Store) Open(id int64) *Repo {
	fs := newDirectory(s.path(id))
	return &Repo{id: id, store: s, objs: filesystem.NewStorage(fs, cache.NewObjectLRU(8*cache.MiByte))}
}

// Update runs fn while nobody else can move refs of the repository.
func (s *Store) Update(id int64, fn func(*Repo) error) error {
	l := s.lock(id)
	l.Lock()
	defer l.Unlock()
	if _, err := os.Stat(s.path(id)); err != nil {
		return fmt.Errorf("repository: %w", ErrNotFound)
	}
	return fn(s.Open(id))
}
