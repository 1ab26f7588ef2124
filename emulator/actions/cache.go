package actions

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	cachePrefix = "/twirp/github.actions.results.api.v1.CacheService/"
	maxCacheKey = 512 // characters
	maxKeys     = 10  // of one request
	maxUploads  = 100 // of one job that are not finished
)

// cacheScopes are whose entries a run's jobs may see: those of its own ref, which they also make, then those
// of the branch that a pull request goes to, then the default branch's. A pull request's own ref is its
// merge, so that nothing it makes, from a fork or not, is ever seen by another ref.
// https://docs.github.com/en/actions/reference/workflows-and-actions/dependency-caching#restrictions-for-accessing-a-cache
func (r *run) cacheScopes() []cacheScope {
	out := []cacheScope{{Ref: r.h.ref, Permission: 3}}
	read := func(branch string) {
		ref := "refs/heads/" + branch
		if branch != "" && !slices.ContainsFunc(out, func(c cacheScope) bool { return c.Ref == ref }) {
			out = append(out, cacheScope{Ref: ref, Permission: 1})
		}
	}
	if r.h.pull != nil {
		read(r.h.pull.base)
	}
	read(r.src.DefaultBranch)
	return out
}

// cacheCall holds the fields of all three calls. What else clients send, such as metadata, is ignored: the
// token says which scopes they have.
type cacheCall struct {
	Key     string      `json:"key"`
	Keys    []string    `json:"restore_keys"`
	Version string      `json:"version"`
	Size    json.Number `json:"size_bytes"` // protobuf writes int64 as text
}

// UnmarshalJSON also takes the other spellings that protobuf's JSON allows.
func (c *cacheCall) UnmarshalJSON(b []byte) error {
	type plain cacheCall
	in := struct {
		*plain
		CamelKeys []string    `json:"restoreKeys"`
		CamelSize json.Number `json:"sizeBytes"`
	}{plain: (*plain)(c)}
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	c.Keys, c.Size = append(c.Keys, in.CamelKeys...), cmp.Or(c.Size, in.CamelSize)
	return nil
}

func (s *artifacts) cacheRoutes(mux *http.ServeMux) {
	for name, call := range map[string]func(context.Context, runtimeClaims, cacheCall) (any, error){
		"CreateCacheEntry": s.createCache, "FinalizeCacheEntryUpload": s.finalizeCache, "GetCacheEntryDownloadURL": s.findCache,
	} {
		mux.HandleFunc("POST "+cachePrefix+name, func(w http.ResponseWriter, r *http.Request) {
			out, err := s.cacheCall(w, r, call)
			s.answer(w, r, out, err)
		})
	}
	mux.HandleFunc("GET "+blobPrefix+"cache/{id}", s.getCache)
	mux.HandleFunc("/_apis/artifactcache/", func(w http.ResponseWriter, _ *http.Request) {
		const msg = "version 1 of the cache service (_apis/artifactcache) is not served, only version 2 is; " +
			"@actions/cache asks for version 1 where GITHUB_SERVER_URL is neither github.com nor below localhost or ghe.com"
		writeJSON(w, http.StatusNotImplemented, map[string]string{"message": msg})
	})
}

func (s *artifacts) cacheCall(
	w http.ResponseWriter, r *http.Request, call func(context.Context, runtimeClaims, cacheCall) (any, error),
) (any, error) {
	claims, err := s.who(r)
	if err != nil {
		return nil, err
	}
	var in cacheCall
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCall)).Decode(&in); err != nil {
		return nil, refused(http.StatusBadRequest, "malformed", "the body is not the JSON of a call: %v", err)
	}
	if s.o.Caches == nil {
		return nil, refused(http.StatusNotImplemented, "unimplemented", "caches are not kept here")
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	return call(r.Context(), claims, in)
}

func (c cacheCall) check() error {
	if len(c.Keys)+1 > maxKeys {
		return refused(http.StatusBadRequest, "invalid_argument", "%d keys are more than %d", len(c.Keys)+1, maxKeys)
	}
	for _, key := range append([]string{c.Key}, c.Keys...) {
		if key == "" || len([]rune(key)) > maxCacheKey || strings.ContainsFunc(key, func(r rune) bool { return r == ',' || r < ' ' }) {
			return refused(http.StatusBadRequest, "invalid_argument", "the key %.80q is not valid", key)
		}
	}
	if c.Version == "" || len(c.Version) > maxCacheKey {
		return refused(http.StatusBadRequest, "invalid_argument", "the version %.80q is not valid", c.Version)
	}
	return nil
}

// writable is the ref whose entries a job makes.
func (c runtimeClaims) writable() (string, error) {
	i := slices.IndexFunc(c.Caches, cacheScope.writes)
	if i < 0 {
		return "", refused(http.StatusForbidden, "permission_denied", "cache write denied: the token has no scope that it may write to")
	}
	return c.Caches[i].Ref, nil
}

func cacheKey(repo, ref string, in cacheCall) string {
	return strings.Join([]string{"cache", repo, ref, in.Version, in.Key}, "\n")
}

func (s *artifacts) createCache(ctx context.Context, who runtimeClaims, in cacheCall) (any, error) {
	ref, err := who.writable()
	if err != nil {
		return nil, err
	}
	all, err := s.o.Caches.Caches(ctx, who.Repo)
	if err != nil {
		return nil, fmt.Errorf("list caches: %w", err)
	}
	taken := slices.ContainsFunc(all, func(c Cache) bool { return c.Ref == ref && c.Key == in.Key && c.Version == in.Version })
	u := &upload{key: cacheKey(who.Repo, ref, in), id: rand.Text(), who: who, created: s.o.Now(), limit: s.o.MaxCache}
	s.forget()
	s.mu.Lock()
	defer s.mu.Unlock()
	if taken || s.uploads[u.key] != nil {
		return nil, refused(http.StatusConflict, "already_exists", "cache entry with the same key, version, and scope already exists")
	}
	open := 0
	for _, other := range s.uploads {
		if other.who.Job == who.Job {
			open++
		}
	}
	if open >= maxUploads {
		return nil, refused(http.StatusTooManyRequests, "resource_exhausted", "the job has %d uploads that are not finished", open)
	}
	address, err := s.sign("upload", u.id)
	if err != nil {
		return nil, err
	}
	s.uploads[u.key] = u
	return map[string]any{"ok": true, "signed_upload_url": address}, nil
}

func (s *artifacts) finalizeCache(ctx context.Context, who runtimeClaims, in cacheCall) (any, error) {
	ref, err := who.writable()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	u := s.uploads[cacheKey(who.Repo, ref, in)]
	s.mu.Unlock()
	if u == nil || u.who.Job != who.Job {
		return nil, refused(http.StatusNotFound, "not_found", "the job has not created a cache entry %q of this version", in.Key)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return nil, refused(http.StatusConflict, "already_exists", "the cache entry has been finalized")
	}
	if err := u.check("cache entry "+strconv.Quote(in.Key), in.Size); err != nil {
		return nil, err
	}
	c := Cache{JobID: who.Job, Repo: who.Repo, Ref: ref, Key: in.Key, Version: in.Version}
	err = u.each(func(r io.Reader) (err error) { c, err = s.o.Caches.PutCache(ctx, c, r); return err })
	if err != nil {
		return nil, fmt.Errorf("store cache: %w", err)
	}
	s.close(u)
	return map[string]any{"ok": true, "entry_id": strconv.FormatInt(c.ID, 10)}, nil
}

// close ends an upload that is stored. The caller holds u.mu.
func (s *artifacts) close(u *upload) {
	u.closed = true
	s.mu.Lock()
	delete(s.uploads, u.key)
	s.mu.Unlock()
	s.removeDir(u)
}

func (s *artifacts) findCache(ctx context.Context, who runtimeClaims, in cacheCall) (any, error) {
	all, err := s.o.Caches.Caches(ctx, who.Repo)
	if err != nil {
		return nil, fmt.Errorf("list caches: %w", err)
	}
	c := match(all, who.Caches, in)
	if c == nil || !s.o.Caches.UseCache(ctx, who.Repo, c.ID) {
		return map[string]any{"ok": false, "signed_download_url": "", "matched_key": ""}, nil
	}
	address, err := s.sign("cache", strconv.FormatInt(c.ID, 10))
	if err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "signed_download_url": address, "matched_key": c.Key}, nil
}

// match chooses an entry: ref by ref, and of each ref the one of this very key, then the newest whose key
// begins with it, then the newest that begins with each of the other keys in turn.
// https://docs.github.com/en/actions/reference/workflows-and-actions/dependency-caching#cache-key-matching
func match(all []Cache, scopes []cacheScope, in cacheCall) *Cache {
	for _, scope := range scopes {
		if scope.Permission&1 == 0 {
			continue
		}
		var here []Cache
		for _, c := range all {
			if c.Ref == scope.Ref && c.Version == in.Version {
				here = append(here, c)
			}
		}
		slices.SortStableFunc(here, func(a, b Cache) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID)) })
		if i := slices.IndexFunc(here, func(c Cache) bool { return c.Key == in.Key }); i >= 0 {
			return &here[i]
		}
		for _, key := range append([]string{in.Key}, in.Keys...) {
			if i := slices.IndexFunc(here, func(c Cache) bool { return strings.HasPrefix(c.Key, key) }); i >= 0 {
				return &here[i]
			}
		}
	}
	return nil
}

// getCache sends an entry, or the part of it that a client asks for.
func (s *artifacts) getCache(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(r, "cache") {
		blobFail(w, http.StatusForbidden, "AuthenticationFailed", "the signature is not valid or has expired")
		return
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || s.o.Caches == nil {
		blobFail(w, http.StatusBadRequest, "InvalidInput", "the address is not valid")
		return
	}
	body, err := s.o.Caches.OpenCache(r.Context(), id)
	if err != nil {
		blobFail(w, http.StatusNotFound, "BlobNotFound", "there is no such cache entry")
		return
	}
	defer body.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("x-ms-blob-type", "BlockBlob")
	if file, ok := body.(io.ReadSeeker); ok {
		http.ServeContent(w, r, "", time.Time{}, file)
		return
	}
	if _, err := io.Copy(w, body); err != nil {
		s.o.Log.Warn("cache not sent whole", "cache", id, "error", err)
	}
}
