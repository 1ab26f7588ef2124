package state

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// Cache is a cache entry of a repository. Its bytes are kept elsewhere, by ID.
type Cache struct {
	ID      int64
	JobID   int64  // that made it
	Repo    string // given out, not kept: the repository may be called something else later
	Ref     string // whose runs it is for
	Key     string
	Version string
	Size    int64
	Created time.Time
	Used    time.Time
}

// maxUnused is how long an entry may lie, as at GitHub.
// https://docs.github.com/en/actions/reference/workflows-and-actions/dependency-caching#usage-limits-and-eviction-policy
const maxUnused = 7 * 24 * time.Hour

// ClaimCache returns the ID of a cache entry to come, when the repository is there and has none of that key,
// version and ref.
func (s *State) ClaimCache(in Cache) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.checkCache(in); err != nil {
		return 0, err
	}
	return s.nextID(nounCache), nil
}

func (s *State) checkCache(in Cache) (*repo, error) {
	r := s.repos[key(in.Repo)]
	if r == nil {
		return nil, fmt.Errorf("repository %s: %w", in.Repo, driver.ErrNotFound)
	}
	if in.Key == "" || in.Version == "" || in.Ref == "" {
		return nil, fmt.Errorf("a cache entry of %s has no key, version or ref", in.Repo)
	}
	same := func(c *Cache) bool { return c.Key == in.Key && c.Version == in.Version && c.Ref == in.Ref }
	if slices.ContainsFunc(r.caches, func(c *Cache) bool { return same(c) && !s.forgotten(c) }) {
		return nil, fmt.Errorf("%s has a cache entry %q of that version on %s already", in.Repo, in.Key, in.Ref)
	}
	return r, nil
}

func (s *State) forgotten(c *Cache) bool { return s.now().Sub(c.Used) > maxUnused }

// AddCache registers an entry whose bytes are stored, under an ID from ClaimCache. So that the repository's
// entries have no more than limit bytes, those that were not used for longest go, as do all that nobody used
// for a week: their IDs are returned, and the journal names them.
func (s *State) AddCache(in Cache, limit int64) (out Cache, gone []int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.checkCache(in)
	if err != nil {
		return Cache{}, nil, err
	}
	if in.Size > limit {
		return Cache{}, nil, fmt.Errorf("the cache entry %q has %d bytes, and all of %s may have %d", in.Key, in.Size, in.Repo, limit)
	}
	x := &in
	x.Repo, x.Created, x.Used = "", s.now(), s.now()
	r.caches = append(r.caches, x)
	s.tellCache("cache.created", r, x, nil)
	for _, c := range slices.Clone(r.caches) {
		if s.forgotten(c) {
			gone = append(gone, c.ID)
			s.evict(r, c, "nobody used it for 7 days")
		}
	}
	for r.cached() > limit {
		oldest := slices.MinFunc(r.caches, func(a, b *Cache) int { return cmp.Or(a.Used.Compare(b.Used), cmp.Compare(a.ID, b.ID)) })
		gone = append(gone, oldest.ID)
		s.evict(r, oldest, fmt.Sprintf("the caches of a repository have %d bytes here at most", limit))
	}
	return r.giveCache(x), gone, nil
}

// cached are the bytes of all entries.
func (r *repo) cached() (n int64) {
	for _, c := range r.caches {
		n += c.Size
	}
	return n
}

func (r *repo) giveCache(c *Cache) Cache {
	out := *c
	out.Repo = r.fullName()
	return out
}

func (s *State) evict(r *repo, c *Cache, why string) {
	r.dropCache(c)
	s.tellCache("cache.evicted", r, c, map[string]string{"message": why})
}

func (r *repo) dropCache(c *Cache) {
	r.caches = slices.DeleteFunc(r.caches, func(x *Cache) bool { return x == c })
}

func (s *State) tellCache(what string, r *repo, c *Cache, detail map[string]string) {
	if detail == nil {
		detail = map[string]string{}
	}
	detail["repo"], detail["key"], detail["ref"], detail["size"] = r.fullName(), c.Key, c.Ref, fmt.Sprint(c.Size)
	cause := ""
	if c.JobID != 0 && what == "cache.created" {
		cause = fmt.Sprintf("job:%d", c.JobID)
	}
	s.jour.Append(journal.Entry{
		Time: s.now(), Kind: journal.Change, Type: what, Cause: cause, Subject: fmt.Sprintf("cache:%d", c.ID), Detail: detail,
	})
}

// RepoCaches lists the entries of a repository, whoever may see them, oldest first.
func (s *State) RepoCaches(full string) []Cache {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return nil
	}
	var out []Cache
	for _, c := range r.caches {
		if !s.forgotten(c) {
			out = append(out, r.giveCache(c))
		}
	}
	return out
}

// UseCache notes that an entry was used now. It reports false when there is none.
func (s *State) UseCache(full string, id int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return false
	}
	i := slices.IndexFunc(r.caches, func(c *Cache) bool { return c.ID == id })
	if i >= 0 {
		r.caches[i].Used = s.now()
		s.led.Changed()
	}
	return i >= 0
}

// CacheQuery selects cache entries: those whose key begins so, of a ref. Sort is "created_at",
// "last_accessed_at", "size_in_bytes" or "".
type CacheQuery struct {
	Key, Ref, Sort string
	Ascending      bool
}

// Caches lists cache entries, those used last first unless the query says otherwise.
func (s *State) Caches(who Identity, full string, q CacheQuery) ([]wire.Cache, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadActions)
	if err != nil {
		return nil, err
	}
	var list []*Cache
	for _, c := range r.caches {
		if strings.HasPrefix(c.Key, q.Key) && (q.Ref == "" || q.Ref == c.Ref) && !s.forgotten(c) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *Cache) int {
		by := map[string]int{"created_at": a.Created.Compare(b.Created), "size_in_bytes": cmp.Compare(a.Size, b.Size)}
		order, known := by[q.Sort]
		if !known {
			order = a.Used.Compare(b.Used)
		}
		order = cmp.Or(order, cmp.Compare(a.ID, b.ID))
		if q.Ascending {
			return order
		}
		return -order
	})
	out := []wire.Cache{}
	for _, c := range list {
		out = append(out, viewCache(c))
	}
	return out, nil
}

// DeleteCaches forgets the entries of exactly this key, of all refs or of one, and returns them.
func (s *State) DeleteCaches(who Identity, full, name, ref string) ([]wire.Cache, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteActions)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return nil, wire.Unprocessable("Invalid request.\n\nkey is missing: the complete key of the entries to delete")
	}
	return s.deleteCaches(r, func(c *Cache) bool { return c.Key == name && (ref == "" || ref == c.Ref) })
}

// DeleteCache forgets one entry.
func (s *State) DeleteCache(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteActions)
	if err == nil {
		_, err = s.deleteCaches(r, func(c *Cache) bool { return c.ID == id })
	}
	return err
}

func (s *State) deleteCaches(r *repo, these func(*Cache) bool) ([]wire.Cache, error) {
	out := []wire.Cache{}
	for _, c := range slices.Clone(r.caches) {
		if these(c) && !s.forgotten(c) {
			out = append(out, viewCache(c))
			r.dropCache(c)
		}
	}
	if len(out) == 0 {
		return nil, wire.NotFound()
	}
	s.led.Changed()
	return out, nil
}

// CacheUsage tells how many entries a repository has, and how large they are.
func (s *State) CacheUsage(who Identity, full string) (wire.CacheUsage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadActions)
	if err != nil {
		return wire.CacheUsage{}, err
	}
	out := wire.CacheUsage{FullName: r.fullName()}
	for _, c := range r.caches {
		if !s.forgotten(c) {
			out.Count++
			out.Size += c.Size
		}
	}
	return out, nil
}

func viewCache(c *Cache) wire.Cache {
	return wire.Cache{
		ID: c.ID, Ref: c.Ref, Key: c.Key, Version: c.Version, LastAccessedAt: wire.Time{Time: c.Used}, CreatedAt: wire.Time{Time: c.Created},
		SizeInBytes: c.Size,
	}
}
