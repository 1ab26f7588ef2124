package dummy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
)

// Options say where a script runs. Workspace must exist; the rest may be left out.
type Options struct {
	Workspace string
	Repo      string   // what read_file is relative to; "" is the workspace
	Proxy     *url.URL // what url_get goes through, loopback included; nil is a direct connection
	Env       []string // "NAME=value"; what assert_env and fixtures see, and where git is found (PATH)

	Iteration int // which this is, when an agent is asked again; 0 is 1

	Timeout    time.Duration // of one url_get; 0 is 10 seconds
	GitTimeout time.Duration // of one checkout_branch; 0 is 2 minutes
}

// Results are how the operations went, in the script's order.
type Results struct {
	Operations []Operation `json:"operations"`
}

// Operation is how one operation went. Error is "" if and only if Success.
type Operation struct {
	Description string `json:"description"`
	Op          string `json:"op"`
	Success     bool   `json:"success"`
	Error       string `json:"error"`
	Status      int    `json:"status,omitempty"` // that http_probe was answered; 0 is that there was no answer
	Body        string `json:"body,omitempty"`   // the beginning of that answer
}

// Failed returns how many operations failed.
func (r Results) Failed() int {
	n := 0
	for _, op := range r.Operations {
		if !op.Success {
			n++
		}
	}
	return n
}

// Run does all operations of s that are for this iteration, one after the other, and reports each.
// When ctx ends the rest fail.
func Run(ctx context.Context, s Script, o Options) Results {
	if o.Repo == "" {
		o.Repo = o.Workspace
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.GitTimeout == 0 {
		o.GitTimeout = 2 * time.Minute
	}
	r := Results{Operations: []Operation{}}
	for _, op := range s.Ops {
		if op.Iteration != 0 && op.Iteration != max(o.Iteration, 1) {
			continue
		}
		done := Operation{Description: op.Description, Op: op.Op, Success: true}
		var err error
		if op.Op == HTTPProbe {
			done.Status, done.Body, err = o.probe(ctx, op.Args)
		} else {
			err = o.do(ctx, op)
		}
		if err != nil {
			done.Success, done.Error = false, err.Error()
		}
		r.Operations = append(r.Operations, done)
	}
	return r
}

func (o Options) do(ctx context.Context, op Op) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("not started: %w", err)
	}
	switch op.Op {
	case WriteFixture:
		return o.writeFixture(op.Args, op.Content)
	case ReadFile:
		return readable(o.Repo, op.Args)
	case URLGet:
		return o.get(ctx, op.Args)
	case AssertEnv:
		return assertEnv(o.Env, op.Args)
	case AssertFile:
		return readable(o.Workspace, op.Args)
	case AssertJSON:
		return assertJSON(o.Workspace, op.Args)
	case CheckoutBranch:
		return o.checkoutBranch(ctx, op.Args)
	}
	return fmt.Errorf("unknown operation %q", op.Op)
}

// fromEnv is where a fixture has the value of a variable.
var fromEnv = regexp.MustCompile(`\{\{env:([^{}]*)\}\}`)

// FromEnv reports whether a fixture's text has the values of variables in it, which nobody knows before
// it is written.
func FromEnv(text string) bool { return fromEnv.MatchString(text) }

// fill puts the values of variables into a fixture's text. One that is not set is an error.
func fill(env []string, text string) (string, error) {
	var problems []error
	text = fromEnv.ReplaceAllStringFunc(text, func(m string) string {
		name := fromEnv.FindStringSubmatch(m)[1]
		value, set := lookUp(env, name)
		switch {
		case !variableName.MatchString(name):
			problems = append(problems, fmt.Errorf("%s: %q is no name of a variable", m, name))
		case !set:
			problems = append(problems, fmt.Errorf("%s: %s is not set", m, name))
		}
		return value
	})
	return text, errors.Join(problems...)
}

func (o Options) writeFixture(dest, content string) error {
	if err := checkPath(dest); err != nil {
		return err
	}
	content, err := fill(o.Env, content)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(o.Workspace)
	if err != nil {
		return plain(err)
	}
	defer root.Close()
	if err := root.MkdirAll(path.Dir(dest), 0o755); err != nil {
		return plain(err)
	}
	return plain(root.WriteFile(dest, []byte(content), 0o644))
}

// readable says why the file cannot be read, or nil.
func readable(dir, name string) error {
	if err := checkPath(name); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return plain(err)
	}
	defer root.Close()
	if err := regular(root, name); err != nil {
		return err
	}
	f, err := root.Open(name)
	if err != nil {
		return plain(err)
	}
	return f.Close()
}

// regular is asked before a file is opened: opening a pipe would wait for a writer.
func regular(root *os.Root, name string) error {
	info, err := root.Stat(name)
	if err != nil {
		return plain(err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", name)
	}
	return nil
}

// plain drops the system call's name from a path error: "output/a: permission denied".
func plain(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// errRefused and answered are the two kinds of answers that are failures.
var errRefused = errors.New("refused by policy")

type answered struct{ status string }

func (a answered) Error() string { return "answered " + a.status }

func (o Options) get(ctx context.Context, target string) error {
	if err := checkURL(target); err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	_, _, err = o.send(ctx, req)
	return err
}

// send makes one request and returns what the host answered, the beginning of the body. Status 0 is that it did
// not answer; what is no 2xx is an error, too.
func (o Options) send(ctx context.Context, req *http.Request) (status int, body string, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	transport := &http.Transport{DisableKeepAlives: true}
	if o.Proxy != nil {
		// Not ProxyFromEnvironment: that one never proxies loopback addresses.
		transport.Proxy = http.ProxyURL(o.Proxy)
		transport.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, res *http.Response) error {
			return judge(res, true)
		}
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	asked := req.Method + " " + req.URL.String()
	res, err := client.Do(req.WithContext(ctx))
	if err != nil {
		return 0, "", o.noAnswer(ctx, asked, err)
	}
	defer res.Body.Close()
	// An https answer came from the origin, through the tunnel.
	judged := judge(res, o.Proxy != nil && req.URL.Scheme == "http")
	if errors.Is(judged, errRefused) {
		return 0, "", fmt.Errorf("%w: %s", judged, asked)
	}
	var beginning strings.Builder
	_, err = io.Copy(&beginning, io.LimitReader(res.Body, maxProbed))
	if err == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
	}
	if judged != nil {
		return res.StatusCode, beginning.String(), fmt.Errorf("%w: %s", judged, asked)
	}
	if err != nil {
		return 0, "", o.noAnswer(ctx, asked, err)
	}
	return res.StatusCode, beginning.String(), nil
}

func judge(res *http.Response, fromProxy bool) error {
	switch {
	case fromProxy && res.StatusCode == http.StatusForbidden && res.Header.Get(PolicyHeader) == PolicyRefused:
		return errRefused
	case res.StatusCode < 200 || res.StatusCode > 299:
		return answered{res.Status}
	}
	return nil
}

func (o Options) noAnswer(ctx context.Context, asked string, err error) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	if a, ok := errors.AsType[answered](err); ok { // the proxy's, to CONNECT
		return fmt.Errorf("%w: %s", a, asked)
	}
	if errors.Is(err, errRefused) {
		return fmt.Errorf("%w: %s", errRefused, asked)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer: %s: nothing within %s", asked, o.Timeout)
	}
	return fmt.Errorf("no answer: %s: %w", asked, err)
}
