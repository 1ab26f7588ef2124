package action

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// service is a client of the artifact service, version 4: twirp calls in JSON, contents at signed
// addresses. It goes to the service directly, past any proxy of the job.
type service struct {
	base   string
	token  string
	run    string // the ids that the token carries; each call repeats them
	job    string
	client *http.Client
}

const (
	servicePath = "twirp/github.actions.results.api.v1.ArtifactService/"
	maxAnswer   = 4 << 20
)

var errNoArtifact = errors.New("no such artifact")

func newService(c *call) (*service, error) {
	s := &service{base: c.env["ACTIONS_RESULTS_URL"], token: c.env["ACTIONS_RUNTIME_TOKEN"]}
	if s.base == "" || s.token == "" {
		return nil, errors.New("this job has no artifact service: ACTIONS_RESULTS_URL and ACTIONS_RUNTIME_TOKEN are not set")
	}
	if !strings.HasSuffix(s.base, "/") {
		s.base += "/"
	}
	var err error
	if s.run, s.job, err = backendIDs(s.token); err != nil {
		return nil, err
	}
	s.client = &http.Client{Transport: &http.Transport{}}
	return s, nil
}

// backendIDs reads the scope Actions.Results:RUN:JOB of the token, as the official client does.
func backendIDs(token string) (run, job string, err error) {
	bad := errors.New("ACTIONS_RUNTIME_TOKEN is not a token of an artifact service")
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", "", bad
	}
	b, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return "", "", bad
	}
	var claims struct {
		Scope string `json:"scp"`
	}
	if err := json.Unmarshal(b, &claims); err != nil {
		return "", "", bad
	}
	for scope := range strings.FieldsSeq(claims.Scope) {
		if f := strings.Split(scope, ":"); len(f) == 3 && f[0] == "Actions.Results" {
			return f[1], f[2], nil
		}
	}
	return "", "", bad
}

// call makes one call. A 404 is errNoArtifact.
func (s *service) call(ctx context.Context, method string, in map[string]any, out any) error {
	in = maps.Clone(in)
	in["workflow_run_backend_id"] = or(in["workflow_run_backend_id"], s.run)
	in["workflow_job_run_backend_id"] = or(in["workflow_job_run_backend_id"], s.job)
	return s.callOf(ctx, servicePath, method, in, out)
}

func (s *service) callOf(ctx context.Context, path, method string, in map[string]any, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+path+method, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := s.client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNotFound {
		return fmt.Errorf("%s: %w", method, errNoArtifact)
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", method, answer(res))
	}
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(out); err != nil {
		return fmt.Errorf("%s: read the answer: %w", method, err)
	}
	return nil
}

// archive opens what stands at a signed address. The caller closes it.
func (s *service) archive(ctx context.Context, address string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, hideAddress(err)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return nil, hideAddress(err)
	}
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		return nil, fmt.Errorf("get the archive: %s", answer(res))
	}
	return res.Body, nil
}

func or(v any, other string) any {
	if v == nil {
		return other
	}
	return v
}

// answer is what a refusal says, short.
func answer(res *http.Response) string {
	b, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
	var e struct{ Msg string }
	if json.Unmarshal(b, &e) == nil && e.Msg != "" {
		return res.Status + ": " + e.Msg
	}
	return res.Status + ": " + strings.TrimSpace(string(b))
}

// hideAddress keeps a signed address, which is a credential, out of the log.
func hideAddress(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
