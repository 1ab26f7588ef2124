package dispatch

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/world"
)

// Files are what people would write, and the bot is who acts where nobody is named.
func TestOwnersFiles(t *testing.T) {
	f := &forge{files: map[string]string{}}
	set := driver.Unassigned()
	set.Forge = f
	set.Platform.Actors = map[string]driver.Actor{"write": {Login: "wanda"}, "outsider": {Login: "no: yaml"}}
	ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set}))
	world.Share(ctx, world.TheRepository, driver.Repo{Owner: "o", Name: "r"})
	for _, tc := range []struct {
		do         func() error
		path, want string
	}{
		{func() error { return listOwner(ctx, "bot", "approver") }, "OWNERS", "approvers: [\"wanda\"]\nreviewers: []\n"},
		{func() error { return listOwner(ctx, "outsider", "reviewer") }, "OWNERS", "approvers: []\nreviewers: [\"no: yaml\"]\n"},
		{func() error { return listAlias(ctx, "team", "approver") }, "OWNERS", "approvers: [\"team\"]\nreviewers: []\n"},
		{func() error { return mapAlias(ctx, "team", "write") }, "OWNERS_ALIASES", "aliases:\n  \"team\": [\"wanda\"]\n"},
	} {
		if err := tc.do(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, f.files["r "+tc.path]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.path, diff)
		}
	}
	if err := listOwner(ctx, "stranger", "approver"); !errors.Is(err, driver.ErrUnknownActor) {
		t.Errorf("a stranger: got %v", err)
	}
}
