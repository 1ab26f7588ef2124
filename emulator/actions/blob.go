package actions

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
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

// upload is an artifact or a cache entry between its creation and its finalization.
type upload struct {
	key     string
	id      string
	who     runtimeClaims
	created time.Time
	expires time.Time // zero is the service's own term
	limit   int64     // bytes

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
	var err error
	switch comp := r.URL.Query().Get("comp"); comp {
	case "block":
		err = s.putBlock(w, r, u)
	case "blocklist":
		err = u.commit(http.MaxBytesReader(w, r.Body, maxBlockList), u.limit)
	case "":
		err = s.putWhole(w, r, u)
	default:
		err = fmt.Errorf("comp=%s is not supported", comp)
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge), errors.Is(err, errTooLarge):
		blobFail(w, http.StatusRequestEntityTooLarge, "RequestBodyTooLarge", errTooLarge.Error())
	case err != nil:
		blobFail(w, http.StatusBadRequest, "InvalidInput", err.Error())
	default:
		w.Header().Set("ETag", `"`+rand.Text()+`"`)
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

var errTooLarge = errors.New("the upload is too large")

func (s *artifacts) putBlock(w http.ResponseWriter, r *http.Request, u *upload) error {
	id := r.URL.Query().Get("blockid")
	if raw, err := base64.StdEncoding.DecodeString(id); err != nil || len(raw) == 0 || len(raw) > 64 {
		return fmt.Errorf("blockid %q is not valid", id)
	}
	return s.spool(w, r, u, func() (replaced []block, err error) {
		old, again := u.blocks[id]
		if !again && len(u.blocks) >= maxBlocks {
			return nil, fmt.Errorf("more than %d blocks", maxBlocks)
		}
		if again && !slices.Contains(u.parts, old) { // a list that was committed keeps what it names
			replaced = []block{old}
		}
		return replaced, nil
	}, func(b block) {
		if u.blocks == nil {
			u.blocks = map[string]block{}
		}
		u.blocks[id] = b
	})
}

func (s *artifacts) putWhole(w http.ResponseWriter, r *http.Request, u *upload) error {
	return s.spool(w, r, u, func() ([]block, error) {
		replaced := slices.Collect(maps.Values(u.blocks))
		for _, old := range u.parts {
			if !slices.Contains(replaced, old) {
				replaced = append(replaced, old)
			}
		}
		return replaced, nil
	}, func(b block) { u.blocks, u.parts, u.whole = nil, []block{b}, true })
}

// spool writes a request's body to a file of the upload. Blocks arrive side by side, so the lock is held
// only afterwards, while replaces says what the file stands for from now on, and take takes it.
func (s *artifacts) spool(w http.ResponseWriter, r *http.Request, u *upload, replaces func() ([]block, error), take func(block)) error {
	name, err := s.nextFile(u)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	b := block{file: name}
	b.size, err = io.Copy(f, http.MaxBytesReader(w, r.Body, u.limit))
	err = errors.Join(err, f.Close())
	u.mu.Lock()
	defer u.mu.Unlock()
	if err == nil {
		err = s.keep(u, b, replaces)
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	take(b)
	return nil
}

// keep counts a file in and what it replaces out, when there is room. The caller holds u.mu.
func (s *artifacts) keep(u *upload, b block, replaces func() ([]block, error)) error {
	if u.closed {
		return errFinalized
	}
	replaced, err := replaces()
	if err != nil {
		return err
	}
	used := u.used + b.size
	for _, old := range replaced {
		used -= old.size
	}
	if used > u.limit {
		return errTooLarge
	}
	u.used = used
	for _, old := range replaced {
		if err := os.Remove(old.file); err != nil {
			s.o.Log.Warn("block not removed", "file", old.file, "error", err)
		}
	}
	return nil
}

var errFinalized = errors.New("the upload has been finalized")

// nextFile names a file in the upload's directory, which is made for the first.
func (s *artifacts) nextFile(u *upload) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return "", errFinalized
	}
	if u.dir == "" {
		if err := os.MkdirAll(s.o.Dir, 0o700); s.o.Dir != "" && err != nil {
			return "", err
		}
		var err error
		if u.dir, err = os.MkdirTemp(s.o.Dir, "artifact-"); err != nil {
			return "", err
		}
	}
	u.next++
	return filepath.Join(u.dir, strconv.Itoa(u.next)), nil
}

// commit puts the blocks together in the order of the list, whatever order they came in. A list may
// name a block twice, so that the artifact has more bytes than were sent.
func (u *upload) commit(body io.Reader, limit int64) error {
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
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return errFinalized
	}
	if len(list.IDs) > maxBlocks {
		return fmt.Errorf("block list: more than %d blocks", maxBlocks)
	}
	var parts []block
	for _, e := range list.IDs {
		b, ok := u.blocks[strings.TrimSpace(e.ID)]
		if !ok || !slices.Contains([]string{"Latest", "Uncommitted", "Committed"}, e.XMLName.Local) {
			return fmt.Errorf("block list: no %s block %q", e.XMLName.Local, e.ID)
		}
		if limit -= b.size; limit < 0 {
			return errTooLarge
		}
		parts = append(parts, b)
	}
	u.parts, u.whole = parts, true
	return nil
}
