package setup

import (
	"io/fs"
	"os"
)

// Unpack writes crew's own configuration, harnesses and agent files into a directory that is not there yet, as an installation
// leaves them.
func Unpack(dir string) error {
	below, err := fs.Sub(files, "files")
	if err != nil {
		return err
	}
	return os.CopyFS(dir, below)
}
