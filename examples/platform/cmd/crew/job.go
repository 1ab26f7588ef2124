package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"example.com/crew/internal/config"
	"example.com/crew/internal/dispatch"
	"example.com/crew/internal/post"
	"example.com/crew/internal/push"
	"example.com/crew/internal/run"
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

func (a app) dispatch(ctx context.Context, args []string) error {
	d, err := a.parse(newFlags("dispatch"), args)
	if err != nil {
		return err
	}
	name, err := a.variable("GITHUB_EVENT_NAME")
	if err != nil {
		return err
	}
	file, err := a.variable("GITHUB_EVENT_PATH")
	if err != nil {
		return err
	}
	_, c, err := a.checkout()
	if err != nil {
		return err
	}
	event, err := dispatch.ReadEvent(name, file)
	if err != nil {
		return err
	}
	if event.NeedsRole() {
		event.Role = a.role(ctx, event.Sender)
	}
	decision := dispatch.Decide(c, event, d)
	matrix, err := json.Marshal(decision.Matrix)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "crew: %s %d: %s\n", strings.ReplaceAll(event.For, "_", " "), event.Number, decision.Reason)
	outputs := fmt.Sprintf("matrix=%s\nany=%t\nreason=%s\n", matrix, len(decision.Matrix.Include) > 0, decision.Reason)
	return errors.Join(
		a.appendTo("GITHUB_OUTPUT", outputs),
		a.appendTo("GITHUB_STEP_SUMMARY", "crew: "+decision.Reason+"\n"),
	)
}

// role returns a person's role in the repository. Who cannot be looked up has none.
func (a app) role(ctx context.Context, login string) string {
	const none = "none"
	client, err := a.client("GITHUB_API_URL", "GITHUB_TOKEN", a.getenv("GITHUB_REPOSITORY"))
	if err == nil {
		var role string
		if role, err = client.Role(ctx, login); err == nil {
			return role
		}
	}
	fmt.Fprintf(a.stdout, "::warning::the role of %s is unknown: %s\n", login, escape(err.Error()))
	return none
}

// appendTo writes to the file that a variable of the job names; outside of a job there is none.
func (a app) appendTo(variable, text string) error {
	name := a.getenv(variable)
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func (a app) run(ctx context.Context, args []string) error {
	f := newFlags("run")
	agent, issue := f.String("agent", "", ""), f.Int("issue", 0, "")
	d, err := a.parse(f, args)
	if err != nil {
		return err
	}
	if *agent == "" || *issue < 1 {
		return misuse("--agent and --issue are needed")
	}
	root, c, err := a.checkout()
	if err != nil {
		return err
	}
	o := run.Options{
		Agent: *agent, Issue: *issue, Checkout: root, Output: filepath.Join(root, output),
		Temp: a.getenv("RUNNER_TEMP"), Path: a.getenv("PATH"), Defect: d, Log: a.stdout,
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

func (a app) post(ctx context.Context, args []string) error {
	f := newFlags("post")
	agent, issue := f.String("agent", "", ""), f.Int("issue", 0, "")
	d, err := a.parse(f, args)
	if err != nil {
		return err
	}
	if *agent == "" || *issue < 1 {
		return misuse("--agent and --issue are needed")
	}
	root, err := a.variable("GITHUB_WORKSPACE")
	if err != nil {
		return err
	}
	repo, err := a.variable("GITHUB_REPOSITORY")
	if err != nil {
		return err
	}
	job, err := a.client("GITHUB_API_URL", "GITHUB_TOKEN", repo)
	if err != nil {
		return err
	}
	bot, err := a.client("GITHUB_API_URL", "CREW_BOT_TOKEN", repo)
	if err != nil {
		return err
	}
	said, err := post.Post(ctx, post.Options{
		Job: job, Bot: bot, Agent: *agent, Issue: *issue,
		Output: filepath.Join(root, output), Defect: d,
		Push: func(ctx context.Context) (string, error) {
			return push.Push(ctx, push.Options{
				Checkout: root, Server: a.getenv("GITHUB_SERVER_URL"), Token: a.getenv("CREW_BOT_TOKEN"),
				Default: a.getenv("GITHUB_REF_NAME"), Path: a.getenv("PATH"), Defect: d,
			})
		},
	})
	if err != nil {
		return fmt.Errorf("post for %s: %w", *agent, err)
	}
	fmt.Fprintf(a.stdout, "crew: %s\n", said)
	return nil
}
