// Package playlist replays recorded results of agents: each run of an agent takes the next one.
package playlist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/crew/internal/yamldoc"
)

// Runtime is the name of the runtime that replays.
const Runtime = "dummy-playback"

// Dir is the directory below crew's that holds the playlist and what it names; File is the playlist.
const (
	Dir  = "results"
	File = "playlist.yaml"
)

// Recorded is one recorded result.
type Recorded struct {
	Result yaml.Node         `yaml:"result"` // becomes the agent's result, as JSON
	Branch string            `yaml:"branch"` // that the agent leaves checked out; "" is none
	Files  map[string]string `yaml:"files"`  // that it commits there: path → text

	source string // the file, for people
	result string // JSON
}

// Ended is the error that a playlist has no such round.
type Ended struct {
	Agent      string
	Has, Asked int
}

func (e Ended) Error() string {
	return fmt.Sprintf("the playlist has ended: agent %s has come to round %d, recorded rounds: %d", e.Agent, e.Asked, e.Has)
}

// Load reads the recorded result of an agent's round, which counts from 1, from crew's directory.
// Everything that the playlist names for the agent is checked, so that a mistake shows in round 1.
func Load(dir, agent string, round int) (Recorded, error) {
	if round < 1 {
		return Recorded{}, errors.New("no round of the playlist was taken for this run; is playback set in crew's configuration?")
	}
	root, err := os.OpenRoot(filepath.Join(dir, Dir))
	if err != nil {
		return Recorded{}, fmt.Errorf("open the playlist's directory: %w", plain(err))
	}
	defer root.Close()
	list := map[string][]string{}
	doc, err := decode(root, File, &list)
	if err != nil {
		return Recorded{}, err
	}
	var rounds []Recorded
	for i, name := range list[agent] {
		if !fs.ValidPath(name) || name == File {
			return Recorded{}, doc.Errorf([]string{agent}, "agent %s, round %d: %q is no file of recorded results", agent, i+1, name)
		}
		r, err := read(root, name)
		if err != nil {
			return Recorded{}, doc.Errorf([]string{agent}, "agent %s, round %d: %v", agent, i+1, err)
		}
		rounds = append(rounds, r)
	}
	if round > len(rounds) {
		return Recorded{}, Ended{agent, len(rounds), round}
	}
	return rounds[round-1], nil
}

func decode(root *os.Root, name string, into any) (*yamldoc.Doc, error) {
	data, err := yamldoc.Read(root, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path.Join(Dir, name), plain(err))
	}
	return yamldoc.Decode(path.Join(Dir, name), data, into)
}

func read(root *os.Root, name string) (Recorded, error) {
	r := Recorded{source: path.Join(Dir, name)}
	doc, err := decode(root, name, &r)
	if err != nil {
		return r, err
	}
	if r.Result.IsZero() {
		return r, fmt.Errorf("%s: result is missing", r.source)
	}
	var value any
	if err := r.Result.Decode(&value); err != nil {
		return r, doc.Errorf([]string{"result"}, "result cannot be read")
	}
	data, err := json.Marshal(value)
	if err != nil {
		return r, doc.Errorf([]string{"result"}, "result has what JSON has not")
	}
	r.result = string(data)
	if len(r.Files) > 0 && r.Branch == "" {
		return r, doc.Errorf([]string{"files"}, "files need a branch on which they are committed")
	}
	for name := range r.Files {
		if !fs.ValidPath(name) || name == "." || name == ".git" || strings.HasPrefix(name, ".git/") {
			return r, doc.Errorf([]string{"files", name}, "%q is no path of a repository's file", name)
		}
	}
	for _, text := range append([]string{r.result, r.Branch}, values(r.Files)...) {
		if _, err := fill(text, nil); err != nil {
			return r, fmt.Errorf("%s: %w", r.source, err)
		}
	}
	return r, nil
}

func values(files map[string]string) (all []string) {
	for _, text := range files {
		all = append(all, text)
	}
	return all
}

// plain leaves the machine's paths out of an error.
func plain(err error) error {
	if lost, ok := errors.AsType[*fs.PathError](err); ok {
		return lost.Err
	}
	return err
}

// Replay puts the result into the agent's workspace and leaves its branch checked out in the checkout.
// The environment is the agent's.
func (r Recorded) Replay(ctx context.Context, workspace, checkout string, getenv func(string) string) error {
	now, err := known(getenv)
	if err != nil {
		return err
	}
	result, err := fill(r.result, now)
	if err != nil {
		return fmt.Errorf("%s: %w", r.source, err)
	}
	if r.Branch != "" {
		if err := r.publish(ctx, checkout, now); err != nil {
			return fmt.Errorf("%s: %w", r.source, err)
		}
	}
	return os.WriteFile(filepath.Join(workspace, "output", "agent-result.json"), []byte(result+"\n"), 0o644)
}
