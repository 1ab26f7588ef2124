package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/schema"
)

const maxOutput = 64 << 20 // of an agent's files together

// collect copies the workspace's output directory into dir: what is uploaded comes from the agent's
// own hand. What is no regular file, or is called what could mean another place, stays behind and is
// the failure; the rest is copied all the same, for people to look at.
func collect(workspace, dir string, d defect.Name) (failure, err error) {
	from, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	to, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	if info, err := from.Lstat("output"); err == nil && !info.IsDir() {
		return schema.Failure("FAIL: output is no directory"), nil
	}
	total := int64(0)
	err = fs.WalkDir(from.FS(), "output", func(name string, e fs.DirEntry, err error) error {
		if name == "output" && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("collect the agent's output: %w", err)
		}
		if name == "output" && e.IsDir() {
			return nil
		}
		why := refusal(name, e.Type())
		if e.Type()&fs.ModeSymlink != 0 && d == defect.SymlinkFollowed {
			return follow(workspace, to, name)
		}
		if why != "" {
			if failure == nil {
				failure = schema.Failure("FAIL: " + why)
			}
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			return nil
		}
		n, err := copyFile(from, to, name, maxOutput-total)
		total += n
		return err
	})
	return failure, err
}

// refusal says why crew takes nothing that is called or made so, or "".
func refusal(name string, mode fs.FileMode) string {
	kind := "not a regular file"
	if mode&fs.ModeSymlink != 0 {
		kind = "a symbolic link"
	}
	switch {
	// As an artifact's file it would be read as another path.
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(`\":<>|*?`, r) }):
		return fmt.Sprintf("%q in the agent's output has a name that is not allowed", name)
	case mode.IsDir(), mode.IsRegular():
		return ""
	}
	return fmt.Sprintf("%s in the agent's output is %s; only regular files are taken", name, kind)
}

// follow is what a defect does: it reads through a link.
func follow(workspace string, to *os.Root, name string) error {
	data, err := os.ReadFile(path.Join(workspace, name))
	if err != nil {
		return nil
	}
	return to.WriteFile(name, data, 0o644)
}

func copyFile(from, to *os.Root, name string, left int64) (int64, error) {
	src, err := from.Open(name)
	if err != nil {
		return 0, fmt.Errorf("collect the agent's output: %w", err)
	}
	defer src.Close()
	if err := to.MkdirAll(path.Dir(name), 0o755); err != nil {
		return 0, err
	}
	dst, err := to.Create(name)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(dst, io.LimitReader(src, left+1))
	if n > left {
		err = fmt.Errorf("the agent's output exceeds %d bytes", int64(maxOutput))
	}
	return n, errors.Join(err, dst.Close())
}
