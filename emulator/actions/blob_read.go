package actions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
)

func (s *artifacts) finalize(ctx context.Context, who runtimeClaims, in artifactCall) (any, error) {
	s.mu.Lock()
	u := s.uploads[uploadKey(who.Run, in.Name)]
	s.mu.Unlock()
	if u == nil || u.who.Job != who.Job {
		return nil, refused(http.StatusNotFound, "not_found", "the job has not created an artifact %q", in.Name)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return nil, refused(http.StatusConflict, "already_exists", "the artifact has been finalized")
	}
	if err := u.check("artifact "+strconv.Quote(in.Name), in.Size); err != nil {
		return nil, err
	}
	sum := sha256.New()
	var size int64
	for _, b := range u.parts {
		size += b.size
	}
	expires := u.expires
	if expires.IsZero() {
		expires = s.o.Now().AddDate(0, 0, keepDays)
	}
	if err := u.each(func(r io.Reader) error { _, err := io.Copy(sum, r); return err }); err != nil {
		return nil, fmt.Errorf("read upload: %w", err)
	}
	digest := "sha256:" + hex.EncodeToString(sum.Sum(nil))
	if in.Hash != "" && !strings.EqualFold(in.Hash, digest) {
		return nil, refused(http.StatusBadRequest, "invalid_argument", "hash is %s, but %s was uploaded", in.Hash, digest)
	}
	a := Artifact{
		RunID: who.Run, JobID: who.Job, Repo: who.Repo, Name: in.Name, Size: size, Digest: digest,
		Expires: expires, Created: s.o.Now(),
	}
	if err := s.removeExpired(ctx, who.Run, in.Name); err != nil {
		return nil, err
	}
	err := u.each(func(r io.Reader) (err error) { a, err = s.o.Store.PutArtifact(ctx, a, r); return err })
	if err != nil {
		return nil, fmt.Errorf("store artifact: %w", err)
	}
	s.close(u)
	return map[string]any{"ok": true, "artifact_id": strconv.FormatInt(a.ID, 10)}, nil
}

// removeExpired makes room for an artifact whose name an expired one still has.
func (s *artifacts) removeExpired(ctx context.Context, run int64, name string) error {
	all, err := s.o.Store.Artifacts(ctx, run)
	if err != nil {
		return fmt.Errorf("list artifacts: %w", err)
	}
	for _, a := range all {
		if a.Name != name || !s.o.Now().After(a.Expires) {
			continue
		}
		if err := s.o.Store.DeleteArtifact(ctx, a.ID); err != nil {
			return fmt.Errorf("delete artifact: %w", err)
		}
	}
	return nil
}

// check compares what came with the size that the client tells.
func (u *upload) check(what string, told json.Number) error {
	if !u.whole {
		return refused(http.StatusBadRequest, "failed_precondition", "nothing was uploaded for %s", what)
	}
	var size int64
	for _, b := range u.parts {
		size += b.size
	}
	if want, err := told.Int64(); err != nil || want != size {
		return refused(http.StatusBadRequest, "invalid_argument", "size is %q, but %d bytes were uploaded", told, size)
	}
	return nil
}

// each gives the parts as one stream; only one file is open at a time.
func (u *upload) each(f func(io.Reader) error) error {
	r := &partReader{parts: u.parts}
	return errors.Join(f(r), r.close())
}

type partReader struct {
	parts []block
	open  *os.File
}

func (p *partReader) Read(b []byte) (int, error) {
	for {
		if p.open == nil {
			if len(p.parts) == 0 {
				return 0, io.EOF
			}
			f, err := os.Open(p.parts[0].file)
			if err != nil {
				return 0, err
			}
			p.open, p.parts = f, p.parts[1:]
		}
		n, err := p.open.Read(b)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if err := p.close(); err != nil || n > 0 {
			return n, err
		}
	}
}

func (p *partReader) close() error {
	if p.open == nil {
		return nil
	}
	err := p.open.Close()
	p.open = nil
	return err
}

// get sends a stored artifact. The address names the run, so that the artifact's size can be told.
func (s *artifacts) get(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(r, "download") {
		blobFail(w, http.StatusForbidden, "AuthenticationFailed", "the signature is not valid or has expired")
		return
	}
	var run, id int64
	if _, err := fmt.Sscanf(r.PathValue("id"), "%d-%d", &run, &id); err != nil {
		blobFail(w, http.StatusBadRequest, "InvalidInput", "the address is not valid")
		return
	}
	all, err := s.live(r.Context(), run)
	i := slices.IndexFunc(all, func(a Artifact) bool { return a.ID == id })
	if err != nil || i < 0 {
		blobFail(w, http.StatusNotFound, "BlobNotFound", "there is no such artifact")
		return
	}
	body, err := s.o.Store.OpenArtifact(r.Context(), id)
	if err != nil {
		blobFail(w, http.StatusNotFound, "BlobNotFound", err.Error())
		return
	}
	defer body.Close()
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", all[i].Name+".zip"))
	w.Header().Set("Content-Length", strconv.FormatInt(all[i].Size, 10))
	if _, err := io.Copy(w, body); err != nil {
		s.o.Log.Warn("artifact not sent whole", "artifact", id, "error", err)
	}
}
