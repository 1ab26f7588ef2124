package step

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// act evaluates the values of env: twice, and whatever a step wrote to GITHUB_ENV again; the title of
// an issue would then be able to read secrets, which at GitHub it cannot. So text that came from
// outside enters act with the start of an expression replaced by two private-use characters, and
// gets it back wherever it leaves act: in a step's environment, its script, the log, the outputs.
const (
	opening = "${{"
	stand   = "\uE0D7\uE0D8"
)

// Inert returns s with no expression in it. Revive undoes it.
func Inert(s string) string { return strings.ReplaceAll(s, opening, stand) }

// Revive returns the text that Inert was given.
func Revive(s string) string { return strings.ReplaceAll(s, stand, opening) }

func reviveFile(path string) error { return rewrite(path, []byte(stand), []byte(opening)) }

// disarmCommandFiles makes inert what the step wrote for the steps after it.
func (c Control) disarmCommandFiles() error {
	var errs []error
	for _, name := range []string{"GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE"} {
		errs = append(errs, rewrite(os.Getenv(name), []byte(opening), []byte(stand)), there(os.Getenv(name)))
	}
	errs = append(errs, there(os.Getenv("GITHUB_STEP_SUMMARY")))
	return errors.Join(errs...)
}

// there puts an empty file in the place of one that the step removed: act would fail, and GitHub's runner does not.
func there(path string) error {
	if _, err := os.Lstat(path); path == "" || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return os.WriteFile(path, nil, 0o600)
}

func rewrite(path string, from, to []byte) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the step removed it
	}
	if err != nil || !bytes.Contains(b, from) {
		return err
	}
	return os.WriteFile(path, bytes.ReplaceAll(b, from, to), 0o600)
}
