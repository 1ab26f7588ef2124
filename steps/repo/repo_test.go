package repo

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// forge has one file and takes commits.
type forge struct {
	driver.Files
	text    string
	commits []driver.NewCommit
}

func (f *forge) As(string) (driver.Session, error) { return driver.Session{Files: f}, nil }

func (f *forge) Read(context.Context, driver.Repo, string, string) ([]byte, error) {
	return []byte(f.text), nil
}

func (f *forge) Commit(_ context.Context, _ driver.Repo, in driver.NewCommit) (string, error) {
	f.commits = append(f.commits, in)
	return "sha", nil
}

func TestPack(t *testing.T) {
	if err := suite.Check([]suite.Pack{Pack}); err != nil {
		t.Error(err)
	}
}

func TestChange(t *testing.T) {
	f := &forge{text: "a = yes\nb = no\nc = no\n"}
	set := driver.Unassigned()
	set.Forge = f
	ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set}))
	world.Share(ctx, world.TheRepository, driver.Repo{Owner: "o", Name: "r"})
	for from, want := range map[string]string{"d = no": `has "d = no" 0 times`, "= no": `has "= no" 2 times`} {
		if err := change(ctx, "x.ini", "e", from); err == nil || !strings.Contains(err.Error(), want) || len(f.commits) > 0 {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := change(ctx, "x.ini", "a = no", "a = yes"); err != nil {
		t.Fatal(err)
	}
	want := []driver.NewCommit{{Message: "Change x.ini", Files: []driver.NewFile{{Path: "x.ini", Content: []byte("a = no\nb = no\nc = no\n")}}}}
	if diff := cmp.Diff(want, f.commits); diff != "" {
		t.Error(diff)
	}
}

// enrolling takes enrollments.
type enrolling struct {
	driver.Installer
	got []driver.Enrollment
}

func (e *enrolling) Enroll(_ context.Context, in driver.Enrollment) error {
	e.got = append(e.got, in)
	return nil
}

// TestFreshTag enrolls twice in each scenario; only the first does anything.
func TestFreshTag(t *testing.T) {
	e := &enrolling{}
	set := driver.Unassigned()
	set.Installer, set.Place = e, driver.Place{Org: "o", Repo: "r"}
	for _, tags := range [][]string{nil, {"@fresh", "@slow"}, {"@freshly"}} {
		ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set, Tags: tags}))
		for range 2 {
			if err := enrolled(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	in := driver.NewRepo{Repo: driver.Repo{Owner: "o", Name: "r"}, AutoInit: true}
	if diff := cmp.Diff([]driver.Enrollment{{NewRepo: in}, {NewRepo: in, Fresh: true}, {NewRepo: in}}, e.got); diff != "" {
		t.Error(diff)
	}
}
