package current_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/config"
	"example.com/crew/internal/current"
	"example.com/crew/internal/forge"
	"example.com/crew/internal/forge/forgetest"
)

const was = "agents:\n  triage: {}\n  review: {}\n"

// branch is a checkout of was, and a branch that has the files now.
func branch(t *testing.T, now map[string]string) (current.Branch, *forgetest.Forge) {
	t.Helper()
	f := forgetest.New(t)
	f.Root = t.TempDir()
	checkout := t.TempDir()
	write := func(root, name, text string) {
		name = filepath.Join(root, ".crew", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write(checkout, "config.yaml", was)
	write(checkout, "harness/triage.yaml", "role: triage\n")
	for name, text := range now {
		write(f.Root, name, text)
	}
	client, err := forge.New(f.URL, "job", forgetest.Repo)
	if err != nil {
		t.Fatal(err)
	}
	return current.Branch{Forge: client, Name: "main", Checkout: checkout, Dir: ".crew"}, f
}

func TestChangedAndRestrict(t *testing.T) {
	for name, tt := range map[string]struct {
		now      map[string]string
		changed  []string
		off      bool
		disabled []string
	}{
		"the same":          {now: map[string]string{"config.yaml": was}},
		"something else":    {now: map[string]string{"config.yaml": was, "harness/triage.yaml": "role: code\n", "behaviour/x.yaml": "x"}},
		"kill switch":       {now: map[string]string{"config.yaml": was + "kill_switch: true\n"}, changed: []string{".crew/config.yaml"}, off: true},
		"kill switch below": {now: map[string]string{"config.yaml": was, "config.base.yaml": "kill_switch: true\n"}, changed: []string{".crew/config.base.yaml"}, off: true},
		"an agent less":     {now: map[string]string{"config.yaml": "agents:\n  review: {}\n"}, changed: []string{".crew/config.yaml"}, disabled: []string{"triage"}},
		"one disabled":      {now: map[string]string{"config.yaml": "agents:\n  triage: {enabled: false}\n  review: {}\n"}, changed: []string{".crew/config.yaml"}, disabled: []string{"triage"}},
		"an agent more":     {now: map[string]string{"config.yaml": was + "  code: {}\n"}, changed: []string{".crew/config.yaml"}},
		"taken out":         {now: map[string]string{}, changed: []string{".crew/config.yaml"}, off: true},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := branch(t, tt.now)
			were, err := current.Hashes(filepath.Join(b.Checkout, b.Dir))
			if err != nil {
				t.Fatal(err)
			}
			changed, err := b.Changed(t.Context(), were)
			if err != nil || !slices.Equal(changed, tt.changed) {
				t.Errorf("changed: %q, %v, want %q", changed, err, tt.changed)
			}
			c, err := config.Load(b.Checkout, b.Dir)
			if err == nil {
				err = b.Restrict(t.Context(), &c)
			}
			if err != nil || c.KillSwitch != tt.off || len(c.Agents) != 2 {
				t.Errorf("%v, kill switch %t, agents %v", err, c.KillSwitch, c.Agents)
			}
			for agent, e := range c.Agents {
				if e.Disabled() != slices.Contains(tt.disabled, agent) {
					t.Errorf("agent %s is disabled: %t", agent, e.Disabled())
				}
			}
		})
	}
}

// TestDirectoryIsNoFile: a directory of the name is none of the configuration's files.
func TestDirectoryIsNoFile(t *testing.T) {
	b, _ := branch(t, map[string]string{"config.yaml/x": ""})
	files, err := b.Forge.Files(t.Context(), "main", ".crew")
	if err != nil || len(files) != 0 {
		t.Errorf("%q, %v", files, err)
	}
}

// TestUnknown: who cannot look does not go on as if nothing had changed.
func TestUnknown(t *testing.T) {
	b, f := branch(t, map[string]string{"config.yaml": "agents: 1\n"})
	var c config.Config
	if err := b.Restrict(t.Context(), &c); err == nil || !strings.Contains(err.Error(), ".crew/config.yaml:1") {
		t.Errorf("a configuration that is none: %v", err)
	}
	f.Fail["GET /contents/.crew"] = 502
	if _, err := b.Changed(t.Context(), nil); err == nil || !strings.HasPrefix(err.Error(), "look at the configuration as it is now: ") {
		t.Errorf("a forge that is away: %v", err)
	}
}
