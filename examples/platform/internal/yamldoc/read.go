package yamldoc

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Read returns a file below root, out of which links do not lead. It reads no more of one that is too large than it
// takes to say so.
func Read(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, Max+1))
	if len(data) > Max {
		return nil, fmt.Errorf("%s: the file is larger than %d bytes", name, Max)
	}
	return data, err
}
