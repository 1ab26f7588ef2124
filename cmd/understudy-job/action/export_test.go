package action

import "io"

// Unpack is unpack.
var Unpack = unpack

// UnpackCache unpacks a cache into a workspace and a home directory.
func UnpackCache(from io.Reader, workspace, home string) (files int, err error) {
	t, err := newTree(&call{env: map[string]string{"GITHUB_WORKSPACE": workspace, "HOME": home}})
	if err != nil {
		return 0, err
	}
	defer t.close()
	return t.unpack(from)
}
