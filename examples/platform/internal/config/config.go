// Package config reads crew's configuration from a checkout: which agents there are, with which
// runtime, and what they may reach.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The configuration's names inside crew's directory. What people write is File; Base comes from a
// preset, and File overrides it key by key, its agents entry by entry.
const (
	File = "config.yaml"
	Base = "config.base.yaml"
)

// Default is the origin of what no file says.
const Default = "default"

// Config is what both files say together.
type Config struct {
	Runtime       string
	Model         string
	Effort        string
	KillSwitch    bool
	Reactions     bool // an agent's work shows in reactions, too
	Playback      int  // the issue that says which recorded results were replayed; 0 is none
	Owners        bool // OWNERS files say who may start agents, beside roles
	Agents        map[string]Entry
	AllowedHosts  []string            // that agents may reach
	AllowedRemote []string            // URL prefixes that harnesses may come from
	Commands      map[string][]string // command line of each runtime

	// Origin says which file a value comes from, as people call it: "runtime", "model", "effort",
	// "agents.NAME" → ".crew/config.yaml". What no file says comes from Default.
	Origin map[string]string
	Dir    string // crew's directory, absolute
	Source string // config.yaml as people call it: ".crew/config.yaml"
}

// Entry registers an agent.
type Entry struct {
	Source  string `yaml:"source"`  // its harness: a path below crew's directory or an https URL; harness/NAME.yaml unless said
	Enabled *bool  `yaml:"enabled"` // true unless said
	Runtime string `yaml:"runtime"`
	Model   string `yaml:"model"`
	Effort  string `yaml:"effort"`
}

// Disabled reports whether nothing starts the agent.
func (e Entry) Disabled() bool { return e.Enabled != nil && !*e.Enabled }

// Remote reports whether the harness comes from a URL.
func (e Entry) Remote() bool { return strings.Contains(e.Source, "://") }

// From returns where a value comes from: see Origin.
func (c Config) From(key string) string {
	if file := c.Origin[key]; file != "" {
		return file
	}
	return Default
}

// dummy is the command line of the runtime "dummy" unless a file has another. It interprets a
// script of operations that is committed beside the configuration.
func dummy() []string {
	return []string{
		"understudy-job", "agent", "dummy", "--script", "{script}",
		"--workspace", "{workspace}", "--repo", "{repo}", "--proxy", "{proxy}", "--iteration", "{iteration}",
	}
}

// playback is the command line of the runtime "dummy-playback", which replays recorded results.
func playback() []string {
	return []string{"crew", "replay", "--dir", "{dir}", "--agent", "{agent}", "--round", "{round}", "--workspace", "{workspace}", "--repo", "{repo}"}
}

// CheckDir says whether dir can be crew's directory in a repository.
func CheckDir(dir string) error {
	if !fs.ValidPath(dir) || dir == "." || dir == ".git" || strings.HasPrefix(dir, ".git/") {
		return fmt.Errorf("directory %q: must be a plain relative path such as .crew", dir)
	}
	return nil
}

// Load reads <checkout>/<dir>/config.yaml, over config.base.yaml where there is one, and checks
// them. Unknown keys are errors; every error names file and line.
func Load(checkout, dir string) (Config, error) {
	if err := CheckDir(dir); err != nil {
		return Config{}, err
	}
	var texts []Text
	for _, name := range []string{Base, File} {
		source := path.Join(dir, name)
		data, err := os.ReadFile(filepath.Join(checkout, filepath.FromSlash(source)))
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == Base:
			continue
		case errors.Is(err, fs.ErrNotExist):
			return Config{}, fmt.Errorf("%s is not in the checkout; is crew installed here?", source)
		case err != nil:
			return Config{}, err
		}
		texts = append(texts, Text{Name: source, Data: data})
	}
	c, err := Parse(texts...)
	if err != nil {
		return Config{}, err
	}
	c.Source = path.Join(dir, File)
	c.Dir, err = filepath.Abs(filepath.Join(checkout, filepath.FromSlash(dir)))
	return c, err
}

var (
	agentName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	word      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$`)
)

// Efforts are what effort can be.
func Efforts() []string { return []string{"low", "medium", "high"} }

// CheckModel says whether s can be a model's name; "" is none and can.
func CheckModel(s string) error {
	if s != "" && !word.MatchString(s) {
		return fmt.Errorf("model %q is no name", s)
	}
	return nil
}

// CheckEffort says whether s is an effort; "" is none and can stand for it.
func CheckEffort(s string) error {
	if s != "" && !slices.Contains(Efforts(), s) {
		return unknownEffort(s)
	}
	return nil
}

func unknownEffort(s string) error {
	return fmt.Errorf("effort %q is unknown; there are %s", s, strings.Join(Efforts(), ", "))
}

// check looks at the values of one file.
func (l layer) check() error {
	w, d := l.values, l.doc
	if w.Playback != nil {
		if n, err := strconv.Atoi(*w.Playback); err != nil || n < 1 {
			return d.Errorf([]string{"playback"}, "playback %q is no number of an issue", *w.Playback)
		}
	}
	for key, value := range map[string]*string{"runtime": w.Runtime, "model": w.Model} {
		if value != nil && !word.MatchString(*value) {
			return d.Errorf([]string{key}, "%s %q is no name", key, *value)
		}
	}
	if w.Effort != nil && !slices.Contains(Efforts(), *w.Effort) {
		return d.Errorf([]string{"effort"}, "%v", unknownEffort(*w.Effort))
	}
	for _, name := range slices.Sorted(maps.Keys(w.Agents)) {
		if !agentName.MatchString(name) {
			return d.Errorf([]string{"agents", name}, "agent %q: names are lower-case letters, digits and dashes", name)
		}
		if key, err := w.Agents[name].check(); err != nil {
			return d.Errorf([]string{"agents", name, key}, "agent %s: %v", name, err)
		}
	}
	for _, h := range w.AllowedHosts {
		if h == "" || h != strings.ToLower(h) || strings.ContainsAny(h, "/@* \t") {
			return d.Errorf([]string{"allowed_hosts"}, "allowed host %q: must be a lower-case host or host:port", h)
		}
	}
	for _, p := range w.AllowedRemote {
		if err := remote(p); err != nil || !strings.HasSuffix(p, "/") {
			return d.Errorf([]string{"allowed_remote_resources"}, "allowed remote resource %q: must be an https URL that ends in /", p)
		}
	}
	for name, argv := range w.Commands {
		if len(argv) == 0 || argv[0] == "" {
			return d.Errorf([]string{"commands", name}, "runtime %q has an empty command", name)
		}
	}
	return nil
}

// check returns what is wrong and with which key.
func (e Entry) check() (string, error) {
	for key, value := range map[string]string{"runtime": e.Runtime, "model": e.Model} {
		if value != "" && !word.MatchString(value) {
			return key, fmt.Errorf("%s %q is no name", key, value)
		}
	}
	if err := CheckEffort(e.Effort); err != nil {
		return "effort", err
	}
	if e.Source == "" {
		return "", nil
	}
	if e.Remote() {
		plain, _, _ := strings.Cut(e.Source, "#")
		return "source", remote(plain)
	}
	if !fs.ValidPath(e.Source) || e.Source == "." || path.Ext(e.Source) != ".yaml" {
		return "source", fmt.Errorf("source %q: must be a .yaml file below crew's directory or an https URL", e.Source)
	}
	return "", nil
}

// remote says whether crew may take something from u at all: what could be read as another place is
// refused.
func remote(u string) error {
	p, err := url.Parse(u)
	if err != nil || p.Scheme != "https" && !loopback(p) || p.Host == "" || p.User != nil || strings.ContainsAny(u, "?#%\\ \t\r\n") ||
		slices.Contains(strings.Split(p.Path, "/"), "..") {
		return fmt.Errorf("URL %q: must be a plain https URL", u)
	}
	return nil
}

// loopback reports whether u is a plain http one of this machine, where a forge may be.
func loopback(u *url.URL) bool {
	a, err := netip.ParseAddr(u.Hostname())
	return err == nil && u.Scheme == "http" && a.IsLoopback()
}

// Covers reports whether the URL begins with one of the allowed prefixes.
func (c Config) Covers(u string) bool {
	plain, _, _ := strings.Cut(u, "#")
	return remote(plain) == nil && slices.ContainsFunc(c.AllowedRemote, func(p string) bool { return strings.HasPrefix(plain, p) })
}

// Uncovered says which agent's harness comes from a URL of which covers does not hold; nil is none.
func (c Config) Uncovered(covers func(string) bool) error {
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		if e := c.Agents[name]; e.Remote() && !covers(e.Source) {
			return fmt.Errorf("%s: agent %s: URL %s is not covered by allowed_remote_resources", c.From("agents."+name), name, e.Source)
		}
	}
	return nil
}
