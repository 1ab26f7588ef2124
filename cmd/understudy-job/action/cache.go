package action

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// https://github.com/actions/cache
func caches() []Action {
	find := map[string]string{
		"path": "", "key": "", "restore-keys": "", "enableCrossOsArchive": "false", "fail-on-cache-miss": "false", "lookup-only": "false",
	}
	whole := map[string]string{"upload-chunk-size": ""}
	for name, value := range find {
		whole[name] = value
	}
	return []Action{
		{
			Name: "actions/cache", Inputs: whole, Outputs: []string{"cache-hit"},
			run:  func(ctx context.Context, c *call) error { return restoreCache(ctx, c, c.setState) },
			post: func(ctx context.Context, c *call) error { c.saveCache(ctx); return nil },
		},
		{
			Name: "actions/cache/restore", Inputs: find, Outputs: []string{"cache-hit", "cache-primary-key", "cache-matched-key"},
			run: func(ctx context.Context, c *call) error { return restoreCache(ctx, c, c.output) },
		},
		{
			Name:   "actions/cache/save",
			Inputs: map[string]string{"path": "", "key": "", "upload-chunk-size": "", "enableCrossOsArchive": "false"},
			run:    func(ctx context.Context, c *call) error { c.saveCache(ctx); return nil },
		},
	}
}

const (
	cacheService = "twirp/github.actions.results.api.v1.CacheService/"
	primaryKey   = "cache-primary-key"
	matchedKey   = "cache-matched-key"
)

// restoreCache tells the key that was asked for and the one that was found to remember.
func restoreCache(ctx context.Context, c *call, remember func(name, value string) error) error {
	mustHit, err := c.boolean("fail-on-cache-miss")
	if err != nil {
		return err
	}
	lookOnly, err := c.boolean("lookup-only")
	if err != nil {
		return err
	}
	key, paths, err := c.cached()
	if err != nil {
		return err
	}
	if err := remember(primaryKey, key); err != nil {
		return err
	}
	more := lines(c.input("restore-keys"))
	if err := checkKeys(append([]string{key}, more...)); err != nil {
		return err
	}
	found, err := c.findCache(ctx, key, more, paths, lookOnly)
	if err != nil { // as the action does: a cache is no reason to fail
		c.logf("::warning::Failed to restore: %s", err)
		found = ""
	}
	if found == "" {
		if mustHit {
			return fmt.Errorf("Failed to restore cache entry. Exiting as fail-on-cache-miss is set. Input key: %s", key)
		}
		c.logf("Cache not found for input keys: %s", strings.Join(append([]string{key}, more...), ", "))
		return nil
	}
	c.logf("Cache restored from key: %s", found)
	return errors.Join(remember(matchedKey, found), c.output("cache-hit", strconv.FormatBool(strings.EqualFold(found, key))))
}

// cached are the inputs key and path.
func (c *call) cached() (key string, paths []string, err error) {
	key, paths = c.input("key"), lines(c.input("path"))
	switch {
	case key == "":
		return "", nil, errors.New("Input required and not supplied: key")
	case len(paths) == 0:
		return "", nil, errors.New("Input required and not supplied: path")
	}
	_, err = c.boolean("enableCrossOsArchive") // of no consequence on one system
	return key, paths, err
}

func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func checkKeys(keys []string) error {
	if len(keys) > 10 {
		return errors.New("Key Validation Error: Keys are limited to a maximum of 10.")
	}
	for _, key := range keys {
		switch {
		case len(key) > 512:
			return fmt.Errorf("Key Validation Error: %s cannot be larger than 512 characters.", key)
		case strings.Contains(key, ","):
			return fmt.Errorf("Key Validation Error: %s cannot contain commas.", key)
		}
	}
	return nil
}

// cacheVersion is what the official client makes of paths and compression.
func cacheVersion(paths []string) string {
	sum := sha256.Sum256([]byte(strings.Join(append(append([]string{}, paths...), "gzip", "1.0"), "|")))
	return hex.EncodeToString(sum[:])
}

func (c *call) findCache(ctx context.Context, key string, more, paths []string, lookOnly bool) (string, error) {
	s, err := newService(c)
	if err != nil {
		return "", err
	}
	var found struct {
		OK  bool   `json:"ok"`
		URL string `json:"signed_download_url"`
		Key string `json:"matched_key"`
	}
	in := map[string]any{"key": key, "restore_keys": more, "version": cacheVersion(paths)}
	if err := s.callOf(ctx, cacheService, "GetCacheEntryDownloadURL", in, &found); err != nil || !found.OK {
		return "", err
	}
	if lookOnly {
		return found.Key, nil
	}
	n, err := s.fetchCache(ctx, found.URL, c)
	if err != nil {
		return "", fmt.Errorf("%s: %w", found.Key, err)
	}
	c.logf("Cache hit for: %s (%d files)", found.Key, n)
	return found.Key, nil
}

func (s *service) fetchCache(ctx context.Context, address string, c *call) (files int, err error) {
	body, err := s.archive(ctx, address)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	t, err := newTree(c)
	if err != nil {
		return 0, err
	}
	defer t.close()
	return t.unpack(body)
}

// saveCache saves what the paths match. What goes wrong is a warning, as in the action.
func (c *call) saveCache(ctx context.Context) {
	key, err := c.save(ctx)
	switch {
	case errors.Is(err, errReserve):
		c.logf("Failed to save: %s", err)
	case err != nil:
		c.logf("::warning::Failed to save: %s", err)
	case key != "":
		c.logf("Cache saved with key: %s", key)
	}
}

func (c *call) save(ctx context.Context) (saved string, err error) {
	key, paths, err := c.cached()
	if err != nil {
		return "", err
	}
	if was := c.env["STATE_"+primaryKey]; was != "" {
		key = was
	}
	if strings.EqualFold(c.env["STATE_"+matchedKey], key) {
		c.logf("Cache hit occurred on the primary key %s, not saving cache.", key)
		return "", nil
	}
	if err := checkKeys([]string{key}); err != nil {
		return "", err
	}
	t, err := newTree(c)
	if err != nil {
		return "", err
	}
	defer t.close()
	f, err := os.CreateTemp(c.env["RUNNER_TEMP"], "cache-*.tgz")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if n, err := t.pack(f, paths); err != nil {
		return "", err
	} else if n == 0 {
		return "", errors.New("Path Validation Error: Path(s) specified in the action for caching do(es) not exist, hence no cache is being saved.")
	}
	return key, c.sendCache(ctx, key, cacheVersion(paths), f)
}

var errReserve = errors.New("Unable to reserve cache")

func (c *call) sendCache(ctx context.Context, key, version string, f *os.File) error {
	s, err := newService(c)
	if err != nil {
		return err
	}
	var made struct {
		URL string `json:"signed_upload_url"`
	}
	if err := s.callOf(ctx, cacheService, "CreateCacheEntry", map[string]any{"key": key, "version": version}, &made); err != nil {
		return fmt.Errorf("%w with key %s, another job may be creating this cache: %w", errReserve, key, err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if err := s.put(ctx, made.URL, io.NewSectionReader(f, 0, size), size); err != nil {
		return err
	}
	in := map[string]any{"key": key, "version": version, "size_bytes": strconv.FormatInt(size, 10)}
	return s.callOf(ctx, cacheService, "FinalizeCacheEntryUpload", in, nil)
}
