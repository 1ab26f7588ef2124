package action

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// What one artifact may become on disk.
const (
	maxUnpacked = 4 << 30
	maxEntries  = 200_000
)

// listed is an artifact as the service lists it.
type listed struct {
	Run    string `json:"workflow_run_backend_id"`
	Job    string `json:"workflow_job_run_backend_id"`
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// download follows https://github.com/actions/download-artifact (v4): one artifact by name into the
// path itself; without a name all, or those of a pattern, each into a folder of its name unless
// they are to be merged.
func download(ctx context.Context, c *call) error {
	dir, err := c.inside(c.input("path"))
	if err != nil {
		return err
	}
	merge, err := c.boolean("merge-multiple")
	if err != nil {
		return err
	}
	name, pattern := c.input("name"), c.input("pattern")
	if name != "" && pattern != "" {
		return errors.New("inputs name and pattern exclude each other")
	}
	s, err := newService(c)
	if err != nil {
		return err
	}
	wanted, err := s.list(ctx, name, pattern)
	if err != nil {
		return err
	}
	if name != "" && len(wanted) == 0 {
		return fmt.Errorf("artifact not found for name: %s", name)
	}
	for _, a := range wanted {
		to := dir
		if name == "" && !merge {
			to = filepath.Join(dir, a.Name)
		}
		n, err := s.fetch(ctx, a, to, c.env["RUNNER_TEMP"])
		if err != nil {
			return fmt.Errorf("download artifact %s: %w", a.Name, err)
		}
		c.logf("Artifact %s has been downloaded: %d files", a.Name, n)
	}
	c.logf("Total of %d artifact(s) downloaded", len(wanted))
	return c.output("download-path", dir)
}

func (s *service) list(ctx context.Context, name, pattern string) ([]listed, error) {
	in := map[string]any{}
	if name != "" {
		in["name_filter"] = name
	}
	var out struct {
		Artifacts []listed `json:"artifacts"`
	}
	if err := s.call(ctx, "ListArtifacts", in, &out); err != nil {
		return nil, fmt.Errorf("list artifacts: %w", err)
	}
	var wanted []listed
	for _, a := range out.Artifacts {
		if a.Name != path.Base(a.Name) || a.Name == ".." || a.Name == "." {
			return nil, fmt.Errorf("artifact %q: not a name for a folder", a.Name)
		}
		ok := true
		if pattern != "" {
			var err error
			if ok, err = path.Match(pattern, a.Name); err != nil {
				return nil, fmt.Errorf("input pattern: %q: %w", pattern, err)
			}
		}
		if ok {
			wanted = append(wanted, a)
		}
	}
	slices.SortFunc(wanted, func(a, b listed) int { return strings.Compare(a.Name, b.Name) })
	return wanted, nil
}

// fetch gets one artifact, checks its digest and unpacks it.
func (s *service) fetch(ctx context.Context, a listed, dir, temp string) (files int, err error) {
	var link struct {
		URL string `json:"signed_url"`
	}
	in := map[string]any{"name": a.Name}
	if err := s.call(ctx, "GetSignedArtifactURL", in, &link); err != nil {
		return 0, err
	}
	body, err := s.archive(ctx, link.URL)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	f, err := os.CreateTemp(temp, "artifact-*.zip")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), body)
	if err != nil {
		return 0, err
	}
	if got := "sha256:" + hex.EncodeToString(sum.Sum(nil)); a.Digest != "" && a.Digest != got {
		return 0, fmt.Errorf("it is %s, but %s was expected", got, a.Digest)
	}
	return unpack(f, size, dir, maxUnpacked)
}

// unpack writes the files of an archive below dir. It looks at all names and sizes first, so that what is
// refused for them leaves nothing behind; what an entry says of its size is held to while it is read.
func unpack(f io.ReaderAt, size int64, dir string, limit uint64) (files int, err error) {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return 0, err
	}
	if err := checkEntries(z.File, limit); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	root, err := os.OpenRoot(dir) // no name, and no link there, can lead out of it
	if err != nil {
		return 0, err
	}
	defer root.Close()
	for _, e := range z.File {
		if e.Mode().IsDir() {
			err = root.MkdirAll(strings.TrimSuffix(e.Name, "/"), 0o755)
		} else if err = unpackFile(root, e); err == nil {
			files++
		}
		if err != nil {
			return files, fmt.Errorf("entry %q: %w", e.Name, err)
		}
	}
	return files, nil
}

func checkEntries(entries []*zip.File, limit uint64) error {
	if len(entries) > maxEntries {
		return fmt.Errorf("the archive has %d entries, more than %d", len(entries), maxEntries)
	}
	left := limit
	for _, e := range entries {
		if !filepath.IsLocal(e.Name) || !e.Mode().IsRegular() && !e.Mode().IsDir() {
			return fmt.Errorf("entry %q: not a file below the archive", e.Name)
		}
		if e.UncompressedSize64 > left {
			return fmt.Errorf("entry %q: unpacked, the archive has more than %d bytes", e.Name, limit)
		}
		left -= e.UncompressedSize64
	}
	return nil
}

func unpackFile(root *os.Root, e *zip.File) error {
	if err := root.MkdirAll(path.Dir(e.Name), 0o755); err != nil {
		return err
	}
	src, err := e.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := root.Create(e.Name)
	if err != nil {
		return err
	}
	n, err := io.Copy(dst, io.LimitReader(src, int64(e.UncompressedSize64)+1))
	if err == nil && uint64(n) > e.UncompressedSize64 {
		err = fmt.Errorf("it has more than the %d bytes it speaks of", e.UncompressedSize64)
	}
	return errors.Join(err, dst.Close())
}
