package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// maxFixture bounds a fixture: it is committed into a repository with the script that writes it.
const maxFixture = 10 << 20

// readFixture reads a file below the fixtures root. The error continues "fixture NAME": it leaves the
// root, by its path or through a link, or it is no file that can be read to its end.
func readFixture(fixtures fs.FS, name string) ([]byte, error) {
	if err := checkFixture(fixtures, name); err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(fixtures, name)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return data, nil
}

func checkFixture(fixtures fs.FS, name string) error {
	switch {
	case path.IsAbs(name):
		return errors.New("is an absolute path; fixtures lie below the fixtures root and are named from there")
	case !fs.ValidPath(name):
		return errors.New("lies outside the fixtures root, from where fixtures are named")
	}
	info, err := fs.Stat(fixtures, name) // before it is opened: a pipe may never answer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("is no file below the fixtures root")
	case err != nil && strings.Contains(err.Error(), "escapes"): // os.Root has no error of its own for it
		return errors.New("leaves the fixtures root through a symbolic link")
	case err != nil:
		return fmt.Errorf("cannot be read: %w", err)
	case info.IsDir():
		return errors.New("is a directory below the fixtures root, not a file")
	case !info.Mode().IsRegular():
		return errors.New("is no regular file")
	case info.Size() > maxFixture:
		return fmt.Errorf("has %d bytes; %d is the most for a fixture", info.Size(), maxFixture)
	}
	return nil
}
