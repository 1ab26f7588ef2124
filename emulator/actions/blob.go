package actions

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxBlocks    = 50_000 // as at Azure
	maxBlockList = 8 << 20
)

// upload is an artifact between CreateArtifact and FinalizeArtifact.
type upload struct {
	key     string
	id      string
	who     runtimeClaims
	name    string
	expires time.Time

	mu     sync.Mutex
	dir    string
	next   int              // number of the next block's file
	blocks map[string]block // by their id, not committed
	parts  []block          // what the artifact consists of, in order
	whole  bool             // parts are complete
	closed bool
	used   int64 // bytes on disk
}

type block struct {
	file string
	size int64
}

// sign makes an address that is good for one thing and one hour.
func (s *artifacts) sign(what, id string) (string, error) {
	if s.o.PublicURL == "" {
		return "", errors.New("the artifact service does not know its own address")
	}
	until := strconv.FormatInt(s.o.Now().Add(linkLife).Unix(), 10)
	q := url.Values{"se": {until}, "sig": {signature(s.linkKey, what+"\n"+id+"\n"+until)}}
	return s.o.PublicURL + blobPrefix + what + "/" + id + "?" + q.Encode(), nil
}

// allowed checks an address that sign has made. Clients add parameters of their own.
func (s *artifacts) allowed(r *http.Request, what string) bool {
	q := r.URL.Query()
	until, err := strconv.ParseInt(q.Get("se"), 10, 64)
	want := signature(s.linkKey, what+"\n"+r.PathValue("id")+"\n"+q.Get("se"))
	return hmac.Equal([]byte(want), []byte(strings.TrimRight(q.Get("sig"), "="))) && err == nil && s.o.Now().Unix() <= until
}

// blobFail answers as Azure does: its clients read the code from header and body.
func blobFail(w http.ResponseWriter, status int, code, msg string) {
	var text bytes.Buffer
	_ = xml.EscapeText(&text, []byte(msg)) // a bytes.Buffer always takes it
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("x-ms-error-code", code)
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="utf-8"?><Error><Code>%s</Code><Message>%s</Message></Error>`, code, text.String())
}

func (s *artifacts) put(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(r, "upload") {
		blobFail(w, http.StatusForbidden, "AuthenticationFailed", "the signature is not valid or has expired")
		return
	}
	u := s.upload(r.PathValue("id"))
	if u == nil {
		blobFail(w, http.StatusNotFound, "BlobNotFound", "there is no such upload, or it has been finalized")
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	var err error
	switch comp := r.URL.Query().Get("comp"); comp {
	case "block":
		err = s.putBlock(w, r, u)
	case "blocklist":
		err = u.commit(http.MaxBytesReader(w, r.Body, maxBlockList))
	case "":
		err = s.putWhole(w, r, u)
	default:
		err = fmt.Errorf("comp=%s is not supported", comp)
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		blobFail(w, http.StatusRequestEntityTooLarge, "RequestBodyTooLarge", "the artifact is too large")
	case err != nil:
		blobFail(w, http.StatusBadRequest, "InvalidInput", err.Error())
	default:
		w.Header().Set("ETag", `"`+strconv.Itoa(u.next)+`"`)
		w.Header().Set("Last-Modified", s.o.Now().UTC().Format(http.TimeFormat))
		w.Header().Set("x-ms-request-server-encrypted", "false")
		w.WriteHeader(http.StatusCreated)
	}
}

func (s *artifacts) upload(id string) *upload {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.uploads {
		if u.id == id {
			return u
		}
	}
	return nil
}

func (s *artifacts) putBlock(w http.ResponseWriter, r *http.Request, u *upload) error {
	id := r.URL.Query().Get("blockid")
	if raw, err := base64.StdEncoding.DecodeString(id); err != nil || len(raw) == 0 || len(raw) > 64 {
		return fmt.Errorf("blockid %q is not valid", id)
	}
	if len(u.blocks) >= maxBlocks {
		return fmt.Errorf("more than %d blocks", maxBlocks)
	}
	b, err := s.spool(w, r, u)
	if err != nil {
		return err
	}
	if u.blocks == nil {
		u.blocks = map[string]block{}
	}
	u.blocks[id] = b
	return nil
}

func (s *artifacts) putWhole(w http.ResponseWriter, r *http.Request, u *upload) error {
	b, err := s.spool(w, r, u)
	if err != nil {
		return err
	}
	u.parts, u.whole = []block{b}, true
	return nil
}

// spool writes a request's body to a file of the upload.
func (s *artifacts) spool(w http.ResponseWriter, r *http.Request, u *upload) (b block, err error) {
	if u.closed {
		return b, errors.New("the upload has been finalized")
	}
	if u.dir == "" {
		if err := os.MkdirAll(s.o.Dir, 0o700); s.o.Dir != "" && err != nil {
			return b, err
		}
		if u.dir, err = os.MkdirTemp(s.o.Dir, "artifact-"); err != nil {
			return b, err
		}
	}
	u.next++
	f, err := os.Create(filepath.Join(u.dir, strconv.Itoa(u.next)))
	if err != nil {
		return b, err
	}
	n, err := io.Copy(f, http.MaxBytesReader(w, r.Body, s.o.MaxSize-u.used))
	u.used += n
	return block{file: f.Name(), size: n}, errors.Join(err, f.Close())
}

// commit puts the blocks together in the order of the list, whatever order they came in.
func (u *upload) commit(body io.Reader) error {
	if u.closed {
		return errors.New("the upload has been finalized")
	}
	var list struct {
		XMLName xml.Name `xml:"BlockList"`
		IDs     []struct {
			XMLName xml.Name
			ID      string `xml:",chardata"`
		} `xml:",any"`
	}
	if err := xml.NewDecoder(body).Decode(&list); err != nil {
		return fmt.Errorf("block list: %w", err)
	}
	var parts []block
	for _, e := range list.IDs {
		b, ok := u.blocks[strings.TrimSpace(e.ID)]
		if !ok || !slices.Contains([]string{"Latest", "Uncommitted", "Committed"}, e.XMLName.Local) {
			return fmt.Errorf("block list: no %s block %q", e.XMLName.Local, e.ID)
		}
		parts = append(parts, b)
	}
	u.parts, u.whole = parts, true
	return nil
}

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
	if err := u.check(in); err != nil {
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
	err := u.each(func(r io.Reader) (err error) { a, err = s.o.Store.PutArtifact(ctx, a, r); return err })
	if err != nil {
		return nil, fmt.Errorf("store artifact: %w", err)
	}
	u.closed = true
	s.mu.Lock()
	delete(s.uploads, u.key)
	s.mu.Unlock()
	if err := os.RemoveAll(u.dir); err != nil {
		s.o.Log.Warn("upload not removed", "dir", u.dir, "error", err)
	}
	return map[string]any{"ok": true, "artifact_id": strconv.FormatInt(a.ID, 10)}, nil
}

func (u *upload) check(in artifactCall) error {
	if !u.whole {
		return refused(http.StatusBadRequest, "failed_precondition", "nothing was uploaded for artifact %q", in.Name)
	}
	var size int64
	for _, b := range u.parts {
		size += b.size
	}
	if want, err := in.Size.Int64(); err != nil || want != size {
		return refused(http.StatusBadRequest, "invalid_argument", "size is %q, but %d bytes were uploaded", in.Size, size)
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
	all, err := s.o.Store.Artifacts(r.Context(), run)
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
