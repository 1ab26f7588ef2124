package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/understudy-dev/understudy/environment/place"
)

// The files of a directory that serve keeps, beside the forge's own.
const (
	serveLock = "understudy.lock" // held while it is served; holds the process's number
	serveFile = "serve.json"      // written when the first start is complete
)

// serveVersion is the form of serveFile and of what is beside it.
const serveVersion = 1

// serveDir is a directory in which a served forge stays from one start to the next.
type serveDir struct {
	path string
	lock *os.File
	kept keptServe
}

// keptServe is what serveFile holds: what was printed at the first start stays true.
type keptServe struct {
	Version int
	Port    int
	Tokens  map[string]string // by the name of the actor
	Kinds   map[string]string `json:",omitempty"` // of tokens of a seed
	Apps    []seededApp       `json:",omitempty"` // of a seed; their keys are in files
}

// again reports whether there was a complete start before.
func (d *serveDir) again() bool { return d.kept.Version != 0 }

func (d *serveDir) forge() string { return filepath.Join(d.path, "forge") }

// openServeDir takes a directory for this process alone. What is not ours is not touched.
func openServeDir(path string) (*serveDir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := claimable(path); err != nil {
		return nil, err
	}
	d := &serveDir{path: path}
	if err := d.take(); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// claimable makes the directory when it is not there, and refuses one that holds something else.
func claimable(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("--dir %s: %w", path, err)
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("--dir %s: %w", path, err)
	}
	ours := slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == serveLock })
	if len(list) > 0 && !ours {
		return &hinted{fmt.Errorf("--dir %s is not empty, and understudy serve did not make it; it was left as it is", path),
			"name a new or an empty directory"}
	}
	if len(list) == 0 {
		if err := os.Chmod(path, 0o700); err != nil { // it will hold secrets
			return fmt.Errorf("--dir %s: %w", path, err)
		}
	}
	return nil
}

func (d *serveDir) take() (err error) {
	wrap := func(err error) error { return fmt.Errorf("--dir %s: %w", d.path, err) }
	if d.lock, err = os.OpenFile(filepath.Join(d.path, serveLock), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return wrap(err)
	}
	if err := syscall.Flock(int(d.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return wrap(err)
		}
		pid, _ := os.ReadFile(d.lock.Name()) // without it the message is shorter
		return &hinted{fmt.Errorf("--dir %s is served already, by process %s", d.path, strings.TrimSpace(string(pid))),
			"stop that one, or name another directory"}
	}
	if err := d.read(); err != nil {
		return err
	}
	if !d.again() {
		// A first start that was cut off told nobody anything: nothing of it counts.
		if err := os.RemoveAll(d.forge()); err != nil {
			return wrap(err)
		}
		if err := os.Mkdir(d.forge(), 0o700); err != nil {
			return wrap(err)
		}
	}
	if err := d.lock.Truncate(0); err != nil {
		return wrap(err)
	}
	if _, err = d.lock.WriteAt(fmt.Appendln(nil, os.Getpid()), 0); err != nil {
		return wrap(err)
	}
	return nil
}

func (d *serveDir) read() error {
	path := filepath.Join(d.path, serveFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var form struct{ Version int }
	if err == nil {
		err = json.Unmarshal(data, &form)
	}
	if err != nil {
		return fmt.Errorf("--dir %s: %s: %w", d.path, serveFile, err)
	}
	if form.Version != serveVersion {
		return &hinted{fmt.Errorf("--dir %s is of version %d, and this understudy serves version %d; it was left as it is", d.path, form.Version, serveVersion),
			"serve it with the understudy that made it, or name another directory"}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d.kept); err != nil {
		return fmt.Errorf("--dir %s: %s: %w", d.path, serveFile, err)
	}
	for _, p := range people() {
		if d.kept.Tokens[p.name] == "" {
			return fmt.Errorf("--dir %s: %s has no token of %s", d.path, serveFile, p.name)
		}
	}
	return nil
}

// complete says that the start is complete: from now on the directory is opened, not made anew.
func (d *serveDir) complete(next keptServe) error {
	next.Version = serveVersion
	if d.again() && next.Port == d.kept.Port && maps.Equal(next.Tokens, d.kept.Tokens) {
		return nil
	}
	data, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(d.path, serveFile)
	err = os.WriteFile(path+".new", append(data, '\n'), 0o600)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("--dir %s: %w", d.path, err)
	}
	d.kept = next
	return nil
}

// close lets another process have the directory.
func (d *serveDir) close() error {
	if d == nil || d.lock == nil {
		return nil
	}
	return d.lock.Close()
}

// open makes the place: new, or as it stayed in the directory, at the port it had when that is free.
func (sv *serving) open(o place.Options) (err error) {
	if sv.stays == nil {
		sv.Place, err = place.New(o)
		return err
	}
	o.Keep, o.Tokens = sv.stays.forge(), sv.stays.kept.Tokens
	asked := o.Port != 0
	o.Port = cmp.Or(o.Port, sv.stays.kept.Port)
	sv.Place, err = place.New(o)
	if !asked && o.Port != 0 && errors.Is(err, syscall.EADDRINUSE) {
		o.Port, sv.moved = 0, true
		sv.Place, err = place.New(o)
	}
	if err == nil && sv.stays.again() != sv.Forge.Reopened() {
		err = fmt.Errorf("--dir %s: it had a complete start, but what was in its forge is gone", sv.stays.path)
	}
	return err
}

// complete keeps tokens and port for the next start. A port that was taken only this once is not forgotten.
func (sv *serving) complete(asked int) error {
	if sv.stays == nil {
		return nil
	}
	port := sv.stays.kept.Port
	if asked != 0 || port == 0 {
		u, err := url.Parse(sv.Forge.URL())
		if err != nil {
			return err
		}
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return err
		}
	}
	return sv.stays.complete(keptServe{Port: port, Tokens: sv.Tokens, Kinds: sv.kinds, Apps: sv.apps})
}

// ends says what becomes of the content when the process ends.
func (sv *serving) ends() string {
	switch {
	case sv.stays == nil:
		return "Ctrl-C ends it, and all that is in it."
	case sv.moved:
		return fmt.Sprintf("Ctrl-C ends it; what is in it stays in %s.\nPort %d, which it had before, is taken: "+
			"addresses and clones from then do not lead here this time.", sv.stays.path, sv.stays.kept.Port)
	}
	return fmt.Sprintf("Ctrl-C ends it; what is in it stays in %s.", sv.stays.path)
}

// welcomeOthers shows the tokens of a first start's seed.
func (sv *serving) welcomeOthers(b *strings.Builder) {
	if sv.stays == nil || !sv.Forge.Reopened() {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(sv.Tokens)) {
		if !slices.ContainsFunc(people(), func(p person) bool { return p.name == name }) {
			fmt.Fprintf(b, "  %-9s %s%s\n", name, sv.Tokens[name], sv.kind(name))
		}
	}
	sv.welcomeApps(b)
}
