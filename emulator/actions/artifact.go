package actions

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/internal/clock"
)

// ArtifactPatterns are the patterns of http.ServeMux that ArtifactService answers.
var ArtifactPatterns = [...]string{"/twirp/", "/_artifacts/", "/_apis/artifactcache/"}

const (
	twirpPrefix = "/twirp/github.actions.results.api.v1.ArtifactService/"
	blobPrefix  = "/_artifacts/"
	maxCall     = 1 << 20   // bytes of a JSON call
	maxArtifact = 512 << 20 // bytes of an artifact without a limit in the options
	maxCache    = 1 << 30   // likewise of a cache entry
	linkLife    = time.Hour
	keepDays    = 90
)

// ArtifactOptions describe an artifact service. Without a TokenKey nobody is let in.
type ArtifactOptions struct {
	Store     ArtifactStore
	Caches    CacheStore           // nil keeps none
	Alive     func(job int64) bool // whether a token's job still runs; nil does not ask
	TokenKey  []byte               // what ACTIONS_RUNTIME_TOKEN is signed with
	PublicURL string               // where the service is reached, without a slash at the end
	Dir       string               // for uploads that are not finished; made when needed, removed by the caller
	MaxSize   int64                // bytes of one artifact; 0 is 512 MiB
	MaxCache  int64                // bytes of one cache entry; 0 is 1 GiB
	Now       func() time.Time     // nil is a new clock's
	Wall      func() time.Time     // clients' clocks; nil is Now
	Log       *slog.Logger         // nil is silent
}

// ArtifactService returns the service that stores a run's artifacts and a repository's caches, in the form
// the official clients speak: calls in twirp's JSON, contents at signed addresses as Azure's blob
// store takes them. Mount it under ArtifactPatterns.
func ArtifactService(o ArtifactOptions) http.Handler {
	if o.MaxSize <= 0 {
		o.MaxSize = maxArtifact
	}
	if o.MaxCache <= 0 {
		o.MaxCache = maxCache
	}
	if o.Now == nil {
		o.Now = clock.New(nil).Now
	}
	if o.Wall == nil {
		o.Wall = o.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.PublicURL = strings.TrimSuffix(o.PublicURL, "/")
	s := &artifacts{o: o, linkKey: []byte(rand.Text()), uploads: map[string]*upload{}}
	mux := http.NewServeMux()
	for name, call := range map[string]func(context.Context, runtimeClaims, artifactCall) (any, error){
		"CreateArtifact": s.create, "FinalizeArtifact": s.finalize, "ListArtifacts": s.list,
		"GetSignedArtifactURL": s.link, "DeleteArtifact": s.remove,
	} {
		mux.Handle("POST "+twirpPrefix+name, s.call(call))
	}
	s.cacheRoutes(mux)
	mux.HandleFunc("PUT "+blobPrefix+"upload/{id}", s.put)
	mux.HandleFunc("GET "+blobPrefix+"download/{id}", s.get)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		twirpFail(w, http.StatusNotImplemented, "unimplemented", "the service of artifacts and caches does not have "+r.Method+" "+r.URL.Path)
	})
	return mux
}

type artifacts struct {
	o       ArtifactOptions
	linkKey []byte // signs addresses

	mu      sync.Mutex
	uploads map[string]*upload // by run and name, from creation to the end of finalization
}

// artifactCall holds the fields of all five calls. Fields that newer clients send are ignored, as
// the real service does.
type artifactCall struct {
	Run     string      `json:"workflow_run_backend_id"`
	Job     string      `json:"workflow_job_run_backend_id"`
	Name    string      `json:"name"`
	Version int         `json:"version"`
	Mime    string      `json:"mime_type"` // of the newest clients
	Expires time.Time   `json:"expires_at"`
	Size    json.Number `json:"size"` // protobuf writes int64 as text
	Hash    string      `json:"hash"`
	Filter  string      `json:"name_filter"`
	ID      json.Number `json:"id_filter"`
}

// camel are the other spellings that protobuf's JSON allows.
var camel = map[string]string{
	"workflowRunBackendId": "workflow_run_backend_id", "workflowJobRunBackendId": "workflow_job_run_backend_id",
	"expiresAt": "expires_at", "nameFilter": "name_filter", "idFilter": "id_filter",
	"mimeType": "mime_type",
}

func (c *artifactCall) UnmarshalJSON(b []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	for from, to := range camel {
		if v, ok := fields[from]; ok {
			fields[to] = v
		}
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	type plain artifactCall
	return json.Unmarshal(b, (*plain)(c))
}

// twirpError is an answer other than success. https://twitchtv.github.io/twirp/docs/errors.html
type twirpError struct {
	status int
	code   string
	msg    string
}

func (e *twirpError) Error() string { return e.msg }

func refused(status int, code, format string, args ...any) error {
	return &twirpError{status: status, code: code, msg: fmt.Sprintf(format, args...)}
}

// who reads the token of a call.
func (s *artifacts) who(r *http.Request) (runtimeClaims, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	claims, err := readToken(s.o.TokenKey, token, s.o.Now())
	if !ok || err != nil {
		return claims, refused(http.StatusUnauthorized, "unauthenticated", "ACTIONS_RUNTIME_TOKEN is missing or not valid")
	}
	if s.o.Alive != nil && !s.o.Alive(claims.Job) {
		return claims, refused(http.StatusUnauthorized, "unauthenticated", "the job of ACTIONS_RUNTIME_TOKEN has ended")
	}
	return claims, nil
}

func (s *artifacts) call(f func(context.Context, runtimeClaims, artifactCall) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		claims, err := s.who(r)
		if err != nil {
			s.answer(w, r, nil, err)
			return
		}
		var in artifactCall
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCall)).Decode(&in); err != nil {
			twirpFail(w, http.StatusBadRequest, "malformed", "the body is not the JSON of a call: "+err.Error())
			return
		}
		if in.Run != strconv.FormatInt(claims.Run, 10) || in.Job != strconv.FormatInt(claims.Job, 10) {
			twirpFail(w, http.StatusForbidden, "permission_denied", "the token belongs to another run or job")
			return
		}
		if s.o.Store == nil {
			twirpFail(w, http.StatusNotImplemented, "unimplemented", "artifacts are not kept here")
			return
		}
		out, err := f(r.Context(), claims, in)
		s.answer(w, r, out, err)
	}
}

func (s *artifacts) answer(w http.ResponseWriter, r *http.Request, out any, err error) {
	var te *twirpError
	switch {
	case errors.As(err, &te):
		twirpFail(w, te.status, te.code, te.msg)
	case err != nil:
		s.o.Log.Error("call of the runtime", "call", path.Base(r.URL.Path), "error", err)
		twirpFail(w, http.StatusInternalServerError, "internal", err.Error())
	default:
		writeJSON(w, http.StatusOK, out)
	}
}

func twirpFail(w http.ResponseWriter, status int, code, msg string) {
	writeJSON(w, status, map[string]string{"code": code, "msg": msg})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone when this fails
}

func (s *artifacts) create(ctx context.Context, who runtimeClaims, in artifactCall) (any, error) {
	if err := checkName(in.Name); err != nil {
		return nil, err
	}
	if in.Version < 4 || in.Version > 7 { // clients of this protocol call themselves 4, the newest of them 7
		return nil, refused(http.StatusBadRequest, "invalid_argument", "artifact version %d is not supported", in.Version)
	}
	if in.Mime != "" && in.Mime != "application/zip" {
		return nil, refused(http.StatusBadRequest, "invalid_argument", "an artifact of type %s is not supported: files come in a zip (skipArchive is not served)", in.Mime)
	}
	there, err := s.named(ctx, who.Run, in.Name)
	if err != nil {
		return nil, err
	}
	if !in.Expires.IsZero() {
		in.Expires = in.Expires.Add(s.o.Now().Sub(s.o.Wall())) // clients count from their own clocks
	}
	if !in.Expires.IsZero() && !in.Expires.After(s.o.Now()) {
		return nil, refused(http.StatusBadRequest, "invalid_argument", "expires_at %s is not in the future", in.Expires.UTC().Format(time.RFC3339))
	}
	u := &upload{
		key: uploadKey(who.Run, in.Name), id: rand.Text(), who: who, created: s.o.Now(), expires: in.Expires, limit: s.o.MaxSize,
	}
	s.forget()
	s.mu.Lock()
	defer s.mu.Unlock()
	if there != nil || s.uploads[u.key] != nil {
		return nil, refused(http.StatusConflict, "already_exists", "an artifact with this name already exists on the workflow run")
	}
	address, err := s.sign("upload", u.id)
	if err != nil {
		return nil, err
	}
	s.uploads[u.key] = u
	return map[string]any{"ok": true, "signed_upload_url": address}, nil
}

// forget drops uploads whose addresses hold no longer: nobody can finish them.
func (s *artifacts) forget() {
	var old []*upload
	s.mu.Lock()
	for key, u := range s.uploads {
		if s.o.Now().After(u.created.Add(linkLife)) {
			old = append(old, u)
			delete(s.uploads, key)
		}
	}
	s.mu.Unlock()
	for _, u := range old {
		u.mu.Lock()
		u.closed = true
		s.removeDir(u)
		u.mu.Unlock()
	}
}

// removeDir removes what was uploaded. The caller holds u.mu.
func (s *artifacts) removeDir(u *upload) {
	if err := os.RemoveAll(u.dir); err != nil {
		s.o.Log.Warn("upload not removed", "dir", u.dir, "error", err)
	}
}

func uploadKey(run int64, name string) string { return strconv.FormatInt(run, 10) + "/" + name }

// checkName refuses what the official client refuses, and GitHub with it.
func checkName(name string) error {
	if name == "" || len(name) > 260 || strings.ContainsAny(name, "\"<>|*?\r\n\\/:") {
		return refused(http.StatusBadRequest, "invalid_argument", "the artifact name %q is not valid", name)
	}
	return nil
}

// live returns the run's artifacts that have not expired.
func (s *artifacts) live(ctx context.Context, run int64) ([]Artifact, error) {
	all, err := s.o.Store.Artifacts(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("list artifacts: %w", err)
	}
	now := s.o.Now()
	return slices.DeleteFunc(slices.Clone(all), func(a Artifact) bool { return now.After(a.Expires) }), nil
}

// named returns the run's finished artifact of a name, or nil.
func (s *artifacts) named(ctx context.Context, run int64, name string) (*Artifact, error) {
	all, err := s.live(ctx, run)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(a Artifact) bool { return a.Name == name }); i >= 0 {
		return &all[i], nil
	}
	return nil, nil
}

func (s *artifacts) list(ctx context.Context, who runtimeClaims, in artifactCall) (any, error) {
	all, err := s.live(ctx, who.Run)
	if err != nil {
		return nil, err
	}
	list := []map[string]any{}
	for _, a := range all {
		id := strconv.FormatInt(a.ID, 10)
		if in.Filter != "" && in.Filter != a.Name || in.ID != "" && in.ID.String() != id {
			continue
		}
		list = append(list, map[string]any{
			"workflow_run_backend_id": in.Run, "workflow_job_run_backend_id": strconv.FormatInt(a.JobID, 10),
			"database_id": id, "name": a.Name, "size": strconv.FormatInt(a.Size, 10),
			"created_at": a.Created.UTC().Format(time.RFC3339Nano), "digest": a.Digest,
		})
	}
	return map[string]any{"artifacts": list}, nil
}

func (s *artifacts) existing(ctx context.Context, run int64, name string) (*Artifact, error) {
	a, err := s.named(ctx, run, name)
	if err == nil && a == nil {
		err = refused(http.StatusNotFound, "not_found", "the run has no artifact %q", name)
	}
	return a, err
}

func (s *artifacts) link(ctx context.Context, who runtimeClaims, in artifactCall) (any, error) {
	a, err := s.existing(ctx, who.Run, in.Name)
	if err != nil {
		return nil, err
	}
	address, err := s.sign("download", fmt.Sprintf("%d-%d", who.Run, a.ID))
	return map[string]any{"signed_url": address}, err
}

func (s *artifacts) remove(ctx context.Context, who runtimeClaims, in artifactCall) (any, error) {
	a, err := s.existing(ctx, who.Run, in.Name)
	if err != nil {
		return nil, err
	}
	if err := s.o.Store.DeleteArtifact(ctx, a.ID); err != nil {
		return nil, fmt.Errorf("delete artifact: %w", err)
	}
	return map[string]any{"ok": true, "artifact_id": strconv.FormatInt(a.ID, 10)}, nil
}
