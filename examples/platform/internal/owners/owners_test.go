package owners_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/owners"
)

func TestOf(t *testing.T) {
	const list = "approvers: [Ann, team]\nreviewers: [bob, ann]\nlabels: [area/x]\n"
	const groups = "aliases:\n  Team: [Dana]\n  other: [eve]\n"
	for _, tc := range []struct {
		name, list, groups string
		defect             defect.Name
		login, want, err   string
	}{
		{"an approver, in either case", list, groups, "", "aNN", owners.Approver, ""},
		{"a reviewer", list, groups, "", "bob", owners.Reviewer, ""},
		{"by a group", list, groups, "", "dana", owners.Approver, ""},
		{"a group that is not named", list, groups, "", "eve", owners.None, ""},
		{"the group itself is nobody", list, groups, "", "team", owners.None, ""},
		{"a name that is no group", list, "", "", "team", owners.Approver, ""},
		{"no files", "", "", "", "ann", owners.None, ""},
		{"nobody has no name", list, groups, "", "", owners.None, ""},
		{"groups are not looked at", list, groups, defect.OwnersAliasIgnored, "dana", owners.None, ""},
		{"anyone", "", "", defect.OwnersAcceptsAnyone, "eve", owners.Approver, ""},
		{"a slip of the pen", "approver: [ann]\n", "", "", "ann", owners.None, "OWNERS:1: "},
		{"filters", "filters:\n  '.*': {approvers: [ann]}\n", "", "", "ann", owners.None, "OWNERS:1: "},
		{"no list", list, "aliases: [a]\n", "", "ann", owners.None, "OWNERS_ALIASES:1: "},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{owners.File: tc.list, owners.Aliases: tc.groups} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		o, err := owners.Load(dir, tc.defect)
		if (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: error %v, want %q", tc.name, err, tc.err)
		}
		if got := o.Of(tc.login); got != tc.want {
			t.Errorf("%s: %q is %q, want %q", tc.name, tc.login, got, tc.want)
		}
	}
}

func TestLinksLeadNowhere(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(outside, []byte("approvers: [ann]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, owners.File)); err != nil {
		t.Fatal(err)
	}
	if o, err := owners.Load(dir, ""); err == nil || o.Of("ann") != owners.None {
		t.Errorf("got %v, %q", err, o.Of("ann"))
	}
}
