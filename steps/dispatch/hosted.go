package dispatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/setting"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
	"github.com/understudy-dev/understudy/world/settings"
)

// The texts of the steps about agents that are described in another repository.
const (
	hostStep     = `a harness-hosting repository ` + name
	urlStep      = `a URL-sourced custom harness ` + name + ` (with|with bad integrity hash|not in allowlist with):`
	urlBaseStep  = `a URL-sourced base harness ` + name + ` with:`
	urlBasedStep = `a (URL-sourced )?custom harness ` + name + ` with URL base ` + name + ` and:`
)

var hostedSteps = []suite.Step{
	{
		Pattern: hostStep, Do: host,
		Doc: "Makes a public repository in the lease's organisation, as the admin actor. Its name comes behind the leased one's, so that no other scenario has it. " +
			"A second use changes nothing; with another name, what follows is described in that one.",
		Example: `a harness-hosting repository "harness-host"`,
	},
	{
		Pattern: urlStep, Do: fromURL,
		Doc: "Commits the description of an agent, and placeholders for the files that it names, to the hosting repository, and registers its address there with its " +
			"SHA-256 (places.raw, harness.pinned), and its repository is then allowed to be fetched from (edits.allow). The " +
			"description is read back first, from the forge and without a credential from its address. With a bad integrity hash the SHA-256 is another text's; not in the " +
			"allowlist is without edits.allow.",
		Example: `a URL-sourced custom harness "far" with bad integrity hash:`,
	},
	{
		Pattern: urlBaseStep, Do: baseAtURL,
		Doc:     "Commits a description to the hosting repository, for others to name it as their base. It is no agent by itself.",
		Example: `a URL-sourced base harness "far-parent" with:`,
	},
	{
		Pattern: urlBasedStep, Do: basedOnURL,
		Doc: "Brings an agent whose base is one of the hosting repository, by its address and SHA-256 (edits.base). The agent's own description is in the repository " +
			"under test or, URL-sourced, in the hosting one.",
		Example: `a custom harness "child" with URL base "far-parent" and:`,
	},
}

// hosts is what the scenario has in its hosting repository.
type hosts struct {
	repo   driver.Repo
	raw    string            // places.raw with all but {path} filled
	prefix string            // what begins all addresses of the repository
	pinned map[string]string // by name: the address with its SHA-256
}

var slot = world.NewSlot[hosts]("dispatch")

// hosting says why a platform could take nothing from another repository.
func hosting(p driver.Platform) error {
	for _, needed := range [][2]string{{"places.raw", p.RawURL}, {"harness.pinned", p.Harness.Pinned}, {"harness.hosted.file", p.Harness.HostedFile}} {
		if needed[1] == "" {
			return fmt.Errorf("the platform file of %s names no %s, without which nothing is fetched from another repository", p.Name, needed[0])
		}
	}
	return nil
}

func host(ctx context.Context, name string) error {
	w := world.From(ctx)
	set := w.Drivers()
	if err := hosting(set.Platform); err != nil {
		return err
	}
	h := slot.Of(ctx)
	r := driver.Repo{Owner: set.Place.Org, Name: set.Place.Repo + "-" + name}
	if h.repo == r {
		return nil
	}
	repos := w.As(admin).Repos
	if err := repos.Create(ctx, driver.NewRepo{Repo: r, AutoInit: true, Description: "Harnesses for " + set.Place.Repo}); err != nil {
		return err
	}
	if set.Place.Shared {
		w.Cleanup("remove "+r.String(), func(ctx context.Context) error { return repos.Delete(ctx, r) })
	}
	info, err := repos.Get(ctx, r)
	if err != nil {
		return err
	}
	if info.Private {
		return fmt.Errorf("%s was made private, so nothing can be fetched from it without a token", r)
	}
	server := strings.TrimSuffix(strings.TrimSuffix(info.CloneURL, ".git"), "/"+r.String())
	with := map[string]string{"server": server, "repo": r.String(), "ref": info.DefaultBranch}
	pinned := h.pinned
	if pinned == nil {
		pinned = map[string]string{}
	}
	*h = hosts{
		repo: r, raw: setting.Fill(set.Platform.RawURL, with), prefix: setting.Fill(allOf(set.Platform.RawURL), with), pinned: pinned,
	}
	return nil
}

// publish commits a description, with a base if there is one, to the hosting repository. It returns the
// address of that, its SHA-256, and what begins every address there.
func publish(ctx context.Context, name, text, base string) (url, digest, prefix string, err error) {
	w := world.From(ctx)
	p := w.Drivers().Platform
	h := slot.Of(ctx)
	if h.repo == (driver.Repo{}) {
		return "", "", "", fmt.Errorf("there is no repository for the harness %q yet: put a step such as `a harness-hosting repository \"harness-host\"` before this one", name)
	}
	if err := usable(p, name, text); err != nil {
		return "", "", "", err
	}
	content := []byte(ended(text))
	if base != "" {
		if err := settings.Missing(p, driver.EditBase); err != nil {
			return "", "", "", err
		}
		if content, err = settings.Apply(p.Edits[driver.EditBase], map[string]string{"name": name, "base": base}, content); err != nil {
			return "", "", "", err
		}
	}
	path := setting.Fill(p.Harness.HostedFile, map[string]string{"name": name})
	files := []driver.NewFile{{Path: path, Content: content}}
	named, err := placeholders(p.Harness, p.Harness.HostedRoot, name, text)
	if err != nil {
		return "", "", "", err
	}
	_, err = w.As(admin).Files.Commit(ctx, h.repo, driver.NewCommit{Message: "Describe the agent " + name, Files: append(files, named...)})
	if err != nil {
		return "", "", "", err
	}
	url = setting.Fill(h.raw, map[string]string{"path": path})
	if err := published(ctx, h.repo, files[0], url); err != nil {
		return "", "", "", err
	}
	sum := sha256.Sum256(content)
	digest = hex.EncodeToString(sum[:])
	h.pinned[name] = pin(p, url, digest)
	return url, digest, h.prefix, nil
}

// allOf is what begins the addresses of all files of a repository, whatever the ref where that comes
// behind the repository.
func allOf(raw string) string {
	if head, _, ok := strings.Cut(raw, "{ref}"); ok && strings.Contains(head, "{repo}") {
		raw = head
	}
	head, _, _ := strings.Cut(raw, "{path}")
	return head
}

func pin(p driver.Platform, url, digest string) string {
	return setting.Fill(p.Harness.Pinned, map[string]string{"url": url, "digest": digest})
}

func fromURL(ctx context.Context, name, how string, doc *suite.DocString) error {
	p := world.From(ctx).Drivers().Platform
	url, digest, prefix, err := publish(ctx, name, doc.Content, "")
	if err != nil {
		return err
	}
	switch how {
	case "with bad integrity hash":
		sum := sha256.Sum256([]byte("another text than that of " + name))
		digest = hex.EncodeToString(sum[:])
	case "not in allowlist with":
		prefix = ""
	}
	return register(ctx, name, pin(p, url, digest), prefix)
}

func register(ctx context.Context, name, source, allow string) error {
	if err := settings.Commit(ctx, "Add the agent "+name, nil, registration(name, source, allow)...); err != nil {
		return err
	}
	world.BringHarness(ctx, name)
	return nil
}

func baseAtURL(ctx context.Context, name string, doc *suite.DocString) error {
	_, _, _, err := publish(ctx, name, doc.Content, "")
	return err
}

func basedOnURL(ctx context.Context, sourced, name, base string, doc *suite.DocString) error {
	h := slot.Of(ctx)
	pinned, ok := h.pinned[base]
	if !ok {
		return fmt.Errorf("URL base harness %q not found: put a step such as `a URL-sourced base harness %q with:` before this one", base, base)
	}
	if sourced == "" {
		return bring(ctx, agent{name: name, text: doc.Content, base: pinned, allow: h.prefix})
	}
	_, _, prefix, err := publish(ctx, name, doc.Content, pinned)
	if err != nil {
		return err
	}
	return register(ctx, name, h.pinned[name], prefix)
}
