// Package harness reads harnesses: the files that say what an agent is and which events start it.
package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/stage"
	"example.com/crew/internal/trigger"
	"example.com/crew/internal/yamldoc"
)

// Harness is one agent's harness, its base files merged in.
type Harness struct {
	Source        string // as the configuration names it
	Agent         Resource
	Role          string
	Slug          string
	Model         string
	ModelFrom     string // the harness file, its own or a base, that names the model
	Image         string
	Policy        Resource       // Path "" is none
	Schema        Resource       // Path "" is none: the result is not validated
	Trigger       trigger.Source // an empty Expression is none: the agent is never dispatched
	MaxIterations int            // 1 or 2
	Env           map[string]string
	Labels        []string
}

// Resource is a file that a harness names. URL is empty for a file below crew's directory.
type Resource struct {
	Path string
	URL  string
}

// Loader reads harnesses.
type Loader struct {
	Dir    string // crew's directory in the checkout
	Fetch  func(ctx context.Context, url string) ([]byte, error)
	Defect defect.Name
}

const maxDepth = 8 // of bases

// file is a harness file as it is written.
type file struct {
	Agent          string            `yaml:"agent"`
	Role           string            `yaml:"role"`
	Slug           string            `yaml:"slug"`
	Model          string            `yaml:"model"`
	Image          string            `yaml:"image"`
	Policy         string            `yaml:"policy"`
	Trigger        string            `yaml:"trigger"`
	Base           string            `yaml:"base"`
	Schema         string            `yaml:"schema"`
	ValidationLoop *loop             `yaml:"validation_loop"`
	Env            map[string]string `yaml:"env"`
	Labels         []string          `yaml:"labels"`

	doc    *yamldoc.Doc
	source string
}

type loop struct {
	MaxIterations int `yaml:"max_iterations"`
}

// Load reads the harness of an agent from a path below crew's directory or from a URL.
func (l Loader) Load(ctx context.Context, agent, source string) (Harness, error) {
	if remote(source) {
		if err := hashed(source); err != nil {
			return Harness{}, err
		}
	}
	h, err := l.compose(ctx, source, nil)
	if err != nil {
		return Harness{}, err
	}
	h.Source = source
	if h.Agent.Path == "" {
		h.Agent.Path = "agents/" + agent + ".md"
	}
	if h.Role == "" {
		h.Role = agent
	}
	if h.Schema.Path == "" && slices.Contains(stage.Roles(), h.Role) {
		h.Schema.Path = stage.Schema(h.Role)
	}
	h.MaxIterations = max(h.MaxIterations, 1)
	if l.Defect == defect.ResourceUnfetched {
		h.Agent.URL, h.Policy.URL, h.Schema.URL = "", "", ""
	}
	return h, nil
}

// compose reads a file and puts it over its base. chain is what led to it.
func (l Loader) compose(ctx context.Context, source string, chain []string) (Harness, error) {
	if slices.Contains(chain, source) {
		return Harness{}, fmt.Errorf("%s: base goes round in a circle: %s", chain[0], strings.Join(append(chain, source), " → "))
	}
	chain = append(chain, source)
	if len(chain) > maxDepth {
		return Harness{}, fmt.Errorf("%s: more than %d bases one below the other: %s", chain[0], maxDepth, strings.Join(chain, " → "))
	}
	f, err := l.read(ctx, source)
	if err != nil {
		return Harness{}, err
	}
	if f.Base == "" || l.Defect == defect.BaseNotMerged {
		return f.over(Harness{}), nil
	}
	next, err := f.base()
	if err != nil {
		return Harness{}, f.doc.Errorf([]string{"base"}, "%v", err)
	}
	base, err := l.compose(ctx, next, chain)
	if err != nil {
		return Harness{}, err
	}
	h := f.over(base)
	if l.Defect == defect.BaseListOverwritten && len(f.Labels) > 0 {
		h.Labels = f.Labels
	}
	if l.Defect == defect.BaseEnvOverwritten && len(f.Env) > 0 {
		h.Env = f.Env
	}
	return h, nil
}

// base returns where the base is: beside this file, or at a URL of its own.
func (f file) base() (string, error) {
	if remote(f.Base) {
		return f.Base, hashed(f.Base)
	}
	if path.Base(f.Base) != f.Base || path.Ext(f.Base) != ".yaml" {
		return "", fmt.Errorf("base %q: must be a .yaml file in the same folder or an https URL with #sha256=", f.Base)
	}
	if remote(f.source) {
		return beside(f.source, f.Base)
	}
	return path.Join(path.Dir(f.source), f.Base), nil
}

func remote(source string) bool { return strings.Contains(source, "://") }

var sha256Fragment = regexp.MustCompile(`^[^#]*#sha256=[0-9a-f]{64}$`)

func hashed(u string) error {
	if !sha256Fragment.MatchString(u) {
		return fmt.Errorf("URL %s: #sha256= and the content's hash in 64 hexadecimal digits must follow", u)
	}
	return nil
}

// beside returns the URL of a path as seen from another file's URL.
func beside(from, name string) (string, error) {
	u, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	u.Fragment = ""
	u.Path = path.Join(path.Dir(u.Path), name)
	return u.String(), nil
}

func (l Loader) read(ctx context.Context, source string) (file, error) {
	data, err := l.text(ctx, source)
	if err != nil {
		return file{}, err
	}
	f := file{source: source}
	plain, _, _ := strings.Cut(source, "#")
	if f.doc, err = yamldoc.Decode(plain, data, &f); err != nil {
		return file{}, err
	}
	return f, f.check()
}

// text reads one file. What is fetched without a hash lies beside a harness that has one.
func (l Loader) text(ctx context.Context, source string) ([]byte, error) {
	if !remote(source) {
		return l.local(source)
	}
	if l.Fetch == nil {
		return nil, fmt.Errorf("%s: crew takes no harness from a URL here", source)
	}
	data, err := l.Fetch(ctx, source)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", source, err)
	}
	return data, nil
}

// local reads a file below crew's directory; links do not lead out of it.
func (l Loader) local(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%s: must be a path below crew's directory", name)
	}
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, err := yamldoc.Read(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file in crew's directory", name)
	}
	return data, err
}

// Read returns the text of a file that a harness names.
func (l Loader) Read(ctx context.Context, r Resource) ([]byte, error) {
	if r.URL != "" {
		return l.text(ctx, r.URL)
	}
	return l.local(r.Path)
}

var (
	word     = regexp.MustCompile(`^[a-z][a-z0-9-]{0,49}$`)
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func (f file) check() error {
	for _, p := range []struct{ key, path, ext string }{{"agent", f.Agent, ".md"}, {"policy", f.Policy, ".yaml"}, {"schema", f.Schema, ".json"}} {
		if p.path != "" && (!fs.ValidPath(p.path) || path.Ext(p.path) != p.ext) {
			return f.doc.Errorf([]string{p.key}, "%s %q: must be the relative path of a %s file", p.key, p.path, p.ext)
		}
	}
	if f.Role != "" && !word.MatchString(f.Role) {
		return f.doc.Errorf([]string{"role"}, "role %q: must be lower-case letters, digits and dashes", f.Role)
	}
	if l := f.ValidationLoop; l != nil && l.MaxIterations != 1 && l.MaxIterations != 2 {
		return f.doc.Errorf([]string{"validation_loop", "max_iterations"}, "max_iterations is %d; it can be 1 or 2", l.MaxIterations)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Env)) {
		if !variable.MatchString(name) || strings.ContainsRune(f.Env[name], 0) {
			return f.doc.Errorf([]string{"env", name}, "env %q is no variable", name)
		}
	}
	return nil
}

// over puts the file over its base: what it says wins, lists are joined and maps merged.
func (f file) over(h Harness) Harness {
	for _, s := range []struct {
		to   *string
		from string
	}{{&h.Role, f.Role}, {&h.Slug, f.Slug}, {&h.Model, f.Model}, {&h.Image, f.Image}} {
		if s.from != "" {
			*s.to = s.from
		}
	}
	if f.Model != "" {
		h.ModelFrom, _, _ = strings.Cut(f.source, "#")
	}
	for _, r := range []struct {
		to   *Resource
		from string
	}{{&h.Agent, f.Agent}, {&h.Policy, f.Policy}, {&h.Schema, f.Schema}} {
		if r.from != "" {
			*r.to = f.resource(r.from)
		}
	}
	if f.Trigger != "" {
		node := f.doc.Find("trigger")
		h.Trigger = trigger.Source{
			Expression: f.Trigger, File: f.doc.File,
			At: func(line, column int) (int, int, string) { return f.doc.Place(node, line, column) },
		}
	}
	if f.ValidationLoop != nil {
		h.MaxIterations = f.ValidationLoop.MaxIterations
	}
	if len(f.Env) > 0 {
		h.Env = maps.Clone(h.Env)
		if h.Env == nil {
			h.Env = map[string]string{}
		}
		maps.Copy(h.Env, f.Env)
	}
	h.Labels = slices.Concat(h.Labels, f.Labels)
	return h
}

// resource: paths of a harness are seen from the folder above its own, as those of .crew/harness are
// from .crew; when a URL's last folder is not called harness, from that folder.
func (f file) resource(p string) Resource {
	r := Resource{Path: p}
	if remote(f.source) {
		plain, _, _ := strings.Cut(f.source, "#")
		up := p
		if path.Base(path.Dir(plain)) == "harness" {
			up = path.Join("..", p)
		}
		r.URL, _ = beside(plain, up) // it was fetched from there: it parses
	}
	return r
}
