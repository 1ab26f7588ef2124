package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/crew/internal/config"
	"example.com/crew/internal/run"
	"example.com/crew/internal/selection"
)

// output is the directory that the workflow uploads, below the checkout.
const output = "crew-output"

var errInvalid = errors.New("the result is invalid")

// checkout returns where the repository was checked out, and crew's configuration there.
func (a app) checkout() (string, config.Config, error) {
	dir, err := a.variable("CREW_DIR")
	if err != nil {
		return "", config.Config{}, err
	}
	root, err := a.variable("GITHUB_WORKSPACE")
	if err != nil {
		return "", config.Config{}, err
	}
	root, err = filepath.Abs(root)
	if err != nil {
		return "", config.Config{}, err
	}
	c, err := config.Load(root, dir)
	return root, c, err
}

func (a app) run(ctx context.Context, args []string) error {
	f := newFlags("run")
	agent, number := f.String("agent", "", ""), f.Int("number", 0, "")
	var flags selection.Values
	f.StringVar(&flags.Runtime, "runtime", "", "")
	f.StringVar(&flags.Model, "model", "", "")
	f.StringVar(&flags.Effort, "effort", "", "")
	d, err := a.parse(f, args)
	if err != nil {
		return err
	}
	if *agent == "" || *number < 1 {
		return misuse("--agent and --number are needed")
	}
	round := 0
	if text := a.getenv("CREW_ROUND"); text != "" {
		if round, err = strconv.Atoi(text); err != nil || round < 1 {
			return misuse("CREW_ROUND %q is no number of a round", text)
		}
	}
	root, c, err := a.checkout()
	if err != nil {
		return err
	}
	o := run.Options{
		Agent: *agent, Issue: *number, Repo: a.getenv("GITHUB_REPOSITORY"), Round: round, Payload: a.getenv("CREW_EVENT_PAYLOAD"),
		Flags:       flags,
		Environment: selection.Values{Runtime: a.getenv("CREW_RUNTIME"), Model: a.getenv("CREW_MODEL"), Effort: a.getenv("CREW_EFFORT")},
		Checkout:    root, Output: filepath.Join(root, output),
		Temp: a.getenv("RUNNER_TEMP"), Path: a.getenv("PATH"), Fetch: a.fetcher(c, root, d), Defect: d, Log: a.stdout,
	}
	if o.HTTP, err = a.proxy("http_proxy", "HTTP_PROXY"); err != nil {
		return err
	}
	if o.HTTPS, err = a.proxy("https_proxy", "HTTPS_PROXY"); err != nil {
		return err
	}
	rec, err := run.Run(ctx, c, o)
	if err != nil {
		return err
	}
	if rec.Status == run.Invalid {
		fmt.Fprintf(a.stdout, "::error::%s\n", escape(rec.Message))
		return errInvalid
	}
	fmt.Fprintf(a.stdout, "crew: agent %s is done\n", rec.Agent)
	return nil
}

// escape is what workflow commands need, see
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
func escape(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// proxy returns the proxy that the job itself has to use, or nil.
func (a app) proxy(names ...string) (*url.URL, error) {
	for _, name := range names {
		v := a.getenv(name)
		if v == "" {
			continue
		}
		u, err := url.Parse(v)
		if err != nil || u.Scheme != "http" || u.Host == "" {
			return nil, misuse("%s is not an http:// address", name)
		}
		return u, nil
	}
	return nil, nil
}
