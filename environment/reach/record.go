package reach

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/environment"
)

// Record says who looked when, and what he found. It holds no secret.
type Record struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"`
	By      string    `json:"by"`
	API     string    `json:"api"`
	Passed  bool      `json:"passed"`
	Digests Digests   `json:"digests"`
	Actors  []Actor   `json:"actors"`
}

const recordVersion = 1

// Digests are of what a record is about. When one is another, it is time to look again.
type Digests struct {
	Actors        string `json:"actors"`        // names, accounts, kinds, where their tokens are from
	Grants        string `json:"grants"`        // declared roles, scopes and permissions
	Organisations string `json:"organisations"` // the forge, and its organisations of tests and production
}

// Digest is that of what is declared now.
func Digest(f File, p environment.Platform) Digests {
	type who struct{ Name, Login, Variable, Kind string }
	type grant struct {
		Name, Role string
		Scopes     []string
		App        map[string]string
	}
	var actors []who
	var grants []grant
	for _, name := range slices.Sorted(maps.Keys(p.Actors)) {
		a := p.Actors[name]
		kind := "person"
		if a.App != nil {
			kind = "app"
		}
		actors = append(actors, who{name, strings.ToLower(a.Login), f.Tokens[name], kind})
		grants = append(grants, grant{name, a.Role, a.Scopes, a.App})
	}
	orgs := func(in []string) []string {
		out := []string{}
		for _, o := range in {
			out = append(out, strings.ToLower(o))
		}
		slices.Sort(out)
		return out
	}
	return Digests{digest(actors), digest(grants), digest([]any{f.API, orgs(f.Test), orgs(f.Production)})}
}

func digest(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic("reach: what is declared cannot be written: " + err.Error()) // only strings
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// NewRecord makes the record of a look.
func NewRecord(f File, p environment.Platform, found []Actor, by string, at time.Time) Record {
	r := Record{Version: recordVersion, At: at.UTC().Truncate(time.Second), By: by, API: f.API, Passed: true, Digests: Digest(f, p), Actors: found}
	for _, a := range found {
		r.Passed = r.Passed && len(a.Findings)+len(a.Unknown) == 0
	}
	return r
}

// RecordFile is where the record of a reach file is kept: beside it.
func RecordFile(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".record.json"
}

// Write keeps a record, whole or not at all.
func (r Record) Write(path string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".reach-*")
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	_, err = tmp.Write(b.Bytes())
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write record: %w", err), os.Remove(tmp.Name()))
	}
	return nil
}

// ReadRecord reads a record; there is none, false, when nobody has looked yet.
func ReadRecord(path string) (r Record, there bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err != nil {
		return r, false, fmt.Errorf("read record: %w", err)
	}
	r, err = ParseRecord(data)
	if err != nil {
		return r, false, fmt.Errorf("read record %s: %w", path, err)
	}
	return r, true, nil
}

// ParseRecord reads what Record.Write wrote.
func ParseRecord(data []byte) (r Record, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Record{}, fmt.Errorf("it is no record: %w", err)
	}
	if r.Version != recordVersion {
		return Record{}, fmt.Errorf("it has version %d, want %d", r.Version, recordVersion)
	}
	return r, nil
}

// Due says why it is time to look again; nothing is when it is not.
func (r Record) Due(f File, p environment.Platform, now time.Time) (why []string) {
	d := Digest(f, p)
	for _, x := range []struct{ what, was, is string }{
		{"actors", r.Digests.Actors, d.Actors}, {"grants", r.Digests.Grants, d.Grants}, {"organisations", r.Digests.Organisations, d.Organisations},
	} {
		if x.was != x.is {
			why = append(why, x.what+" changed")
		}
	}
	if now.Sub(r.At) > time.Duration(f.Days)*24*time.Hour {
		why = append(why, fmt.Sprintf("older than %d days", f.Days))
	}
	if !r.Passed {
		why = append(why, "it did not pass")
	}
	return why
}

// Changes are the differences of what an earlier record found.
func (r Record) Changes(old Record) (lines []string) {
	before := map[string]Actor{}
	for _, a := range old.Actors {
		before[a.Name] = a
	}
	for _, a := range r.Actors {
		b, there := before[a.Name]
		switch {
		case !there:
			lines = append(lines, a.Name+": not looked at before")
		case !reflect.DeepEqual(a.Member, b.Member) || !reflect.DeepEqual(a.Outside, b.Outside) || !maps.Equal(a.Tests, b.Tests):
			lines = append(lines, a.Name+": reaches elsewhere than before")
		}
	}
	return lines
}
