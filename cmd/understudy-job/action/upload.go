package action

import (
	"archive/zip"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/internal/clock"
)

// upload follows https://github.com/actions/upload-artifact (v4). The archive is the same for the
// same files: names in order, no times, no modes.
func upload(ctx context.Context, c *call) error {
	overwrite, err := c.boolean("overwrite")
	if err != nil {
		return err
	}
	hidden, err := c.boolean("include-hidden-files")
	if err != nil {
		return err
	}
	days, err := strconv.Atoi(c.input("retention-days"))
	if err != nil || days < 0 {
		return fmt.Errorf("input retention-days: %q is not a count of days", c.input("retention-days"))
	}
	level, err := strconv.Atoi(c.input("compression-level"))
	if err != nil || level < 0 || level > flate.BestCompression {
		return fmt.Errorf("input compression-level: %q is not 0 to 9", c.input("compression-level"))
	}
	f := &finder{
		workspace: c.env["GITHUB_WORKSPACE"], home: c.env["HOME"], hidden: hidden,
		warn: func(format string, args ...any) { c.logf("::warning::"+format, args...) },
	}
	files, root, err := f.find(c.input("path"))
	if err != nil {
		return err
	}
	name := c.input("name")
	if len(files) == 0 {
		return c.nothingFound()
	}
	archive, sum, err := c.pack(files, root, level)
	if err != nil {
		return fmt.Errorf("pack artifact %s: %w", name, err)
	}
	defer os.Remove(archive.Name())
	defer archive.Close()
	s, err := newService(c)
	if err != nil {
		return err
	}
	id, err := s.store(ctx, name, days, overwrite, archive, sum)
	if err != nil {
		return fmt.Errorf("upload artifact %s: %w", name, err)
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	c.logf("Artifact %s has been uploaded: %d files, id %s, sha256:%s", name, len(files), id, digest)
	link := fmt.Sprintf("%s/%s/actions/runs/%s/artifacts/%s", c.env["GITHUB_SERVER_URL"], c.env["GITHUB_REPOSITORY"], c.env["GITHUB_RUN_ID"], id)
	return errors.Join(c.output("artifact-id", id), c.output("artifact-url", link), c.output("artifact-digest", digest))
}

func (c *call) nothingFound() error {
	what := fmt.Sprintf("No files were found with the provided path: %s. No artifacts will be uploaded.",
		strings.Join(strings.Fields(c.input("path")), ", "))
	switch c.input("if-no-files-found") {
	case "warn":
		c.logf("::warning::%s", what)
		return nil
	case "ignore":
		c.logf("%s", what)
		return nil
	case "error":
		return errors.New(what)
	}
	return fmt.Errorf("input if-no-files-found: %q is not warn, error or ignore", c.input("if-no-files-found"))
}

// pack writes the archive to a file, which the caller closes and removes.
func (c *call) pack(files []string, root string, level int) (f *os.File, sum hash.Hash, err error) {
	f, err = os.CreateTemp(c.env["RUNNER_TEMP"], "artifact-*.zip")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	sum = sha256.New()
	w := zip.NewWriter(io.MultiWriter(f, sum))
	method := zip.Deflate
	if level == 0 {
		method = zip.Store
	}
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, level) })
	for _, file := range files {
		name, err := filepath.Rel(root, file)
		if err != nil {
			return nil, nil, err
		}
		if err := addFile(w, filepath.ToSlash(name), file, method); err != nil {
			return nil, nil, err
		}
	}
	return f, sum, w.Close()
}

func addFile(w *zip.Writer, name, file string, method uint16) error {
	src, err := os.Open(file)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return err
}

// store makes the three calls of an upload.
func (s *service) store(ctx context.Context, name string, days int, overwrite bool, archive *os.File, sum hash.Hash) (string, error) {
	if overwrite {
		err := s.call(ctx, "DeleteArtifact", map[string]any{"name": name}, nil)
		if err != nil && !errors.Is(err, errNoArtifact) {
			return "", err
		}
	}
	create := map[string]any{"name": name, "version": 4, "mime_type": "application/zip"}
	if days > 0 {
		create["expires_at"] = clock.New(nil).Now().AddDate(0, 0, days).Format(time.RFC3339)
	}
	var created struct {
		OK  bool   `json:"ok"`
		URL string `json:"signed_upload_url"`
	}
	if err := s.call(ctx, "CreateArtifact", create, &created); err != nil {
		return "", err
	}
	size, err := archive.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	if err := s.put(ctx, created.URL, io.NewSectionReader(archive, 0, size), size); err != nil {
		return "", err
	}
	var done struct {
		OK bool   `json:"ok"`
		ID string `json:"artifact_id"`
	}
	err = s.call(ctx, "FinalizeArtifact", map[string]any{
		"name": name, "size": strconv.FormatInt(size, 10), "hash": "sha256:" + hex.EncodeToString(sum.Sum(nil)),
	}, &done)
	return done.ID, err
}

func (s *service) put(ctx context.Context, url string, body io.Reader, size int64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, body)
	if err != nil {
		return err
	}
	req.ContentLength = size
	req.Header.Set("x-ms-blob-type", "BlockBlob")
	req.Header.Set("Content-Type", "application/zip")
	res, err := s.client.Do(req)
	if err != nil {
		return hideAddress(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		return fmt.Errorf("put the archive: %s", answer(res))
	}
	return nil
}
