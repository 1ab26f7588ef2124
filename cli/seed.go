package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/environment/place"
	"github.com/understudy-dev/understudy/world/fixture"
)

// seedUsage is what --seed says of itself, wherever it is.
const seedUsage = "begin with what `PATH` holds: a folder with seed.yaml and repos/OWNER/NAME/…, or the same as one txtar file"

// readSeed reads what --seed names; "" is an empty seed.
func readSeed(path string) (fixture.Seed, error) {
	if path == "" {
		return fixture.Seed{}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return fixture.Seed{}, fmt.Errorf("read seed: %w", err)
	}
	if !info.IsDir() {
		archive, err := os.ReadFile(path)
		if err != nil {
			return fixture.Seed{}, fmt.Errorf("read seed: %w", err)
		}
		return fixture.Parse(path, archive)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return fixture.Seed{}, fmt.Errorf("read seed: %w", err)
	}
	defer root.Close()
	seed, err := fixture.Read(root.FS())
	if err != nil {
		return fixture.Seed{}, fmt.Errorf("%s: %w", path, err) // its files are named from there
	}
	return seed, nil
}

// seedPeople are the users of a seed whom people does not have yet, each to get a token.
func seedPeople(seed fixture.Seed, people []place.Person) (out []place.Person) {
	for _, u := range seed.Users {
		if !slices.ContainsFunc(people, func(p place.Person) bool { return p.Login == u.Login }) {
			out = append(out, place.Person{Name: u.Login, Login: u.Login, Title: u.Name, Role: "none", Bot: u.Bot, Cause: "token:" + u.Login})
		}
	}
	return out
}

// plantSeed applies a seed to a place. Values of secrets come from env, and are hidden from then on.
func plantSeed(ctx context.Context, p *place.Place, seed fixture.Seed, env []string, hide func(value, label string) error) (fixture.Made, error) {
	var hiding error
	made, err := fixture.Apply(ctx, seed, p.Forge.Admin(), fixture.Options{Secret: func(name string) (string, bool) {
		for i := len(env) - 1; i >= 0; i-- { // the last one counts, as for programs
			if value, ok := strings.CutPrefix(env[i], name+"="); ok {
				if err := hide(value, "secret:"+name); err != nil {
					hiding = err
				}
				return value, hiding == nil
			}
		}
		return "", false
	}})
	if hiding != nil {
		return fixture.Made{}, fmt.Errorf("hide a secret of the seed: %w", hiding)
	}
	return made, err
}
