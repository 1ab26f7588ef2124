package action

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxUnpacked bounds what one artifact may become on disk.
const maxUnpacked = 4 << 30

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
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link.URL, nil)
	if err != nil {
		return 0, hideAddress(err)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return 0, hideAddress(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("get the archive: %s", answer(res))
	}
	f, err := os.CreateTemp(temp, "artifact-*.zip")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), res.Body)
	if err != nil {
		return 0, err
	}
	if got := "sha256:" + hex.EncodeToString(sum.Sum(nil)); a.Digest != "" && a.Digest != got {
		return 0, fmt.Errorf("it is %s, but %s was expected", got, a.Digest)
	}
	return unpack(f, size, dir)
}

func unpack(f io.ReaderAt, size int64, dir string) (files int, err error) {
	z, err := zip.NewReader(f, size)
	if err != nil {
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
	left := int64(maxUnpacked)
	for _, e := range z.File {
		if !filepath.IsLocal(e.Name) || !e.Mode().IsRegular() && !e.Mode().IsDir() {
			return files, fmt.Errorf("entry %q: not a file below the archive", e.Name)
		}
		if e.Mode().IsDir() {
			if err := root.MkdirAll(strings.TrimSuffix(e.Name, "/"), 0o755); err != nil {
				return files, err
			}
			continue
		}
		n, err := unpackFile(root, e, left)
		if err != nil {
			return files, fmt.Errorf("entry %q: %w", e.Name, err)
		}
		left -= n
		files++
	}
	return files, nil
}

func unpackFile(root *os.Root, e *zip.File, left int64) (int64, error) {
	if err := root.MkdirAll(path.Dir(e.Name), 0o755); err != nil {
		return 0, err
	}
	src, err := e.Open()
	if err != nil {
		return 0, err
	}
	defer src.Close()
	dst, err := root.Create(e.Name)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(dst, io.LimitReader(src, left+1))
	if err == nil && n > left {
		err = fmt.Errorf("more than %d bytes", int64(maxUnpacked))
	}
	return n, errors.Join(err, dst.Close())
}
