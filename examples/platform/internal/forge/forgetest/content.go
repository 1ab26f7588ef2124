package forgetest

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

// content serves the files below Root, those that the branches have now.
func (f *Forge) content(on register) {
	on("GET /contents/{path...}", func(r *http.Request, _ map[string]any) answer {
		name := filepath.Join(f.Root, filepath.FromSlash(r.PathValue("path")))
		if data, err := os.ReadFile(name); err == nil {
			return answer{200, map[string]string{"type": "file", "encoding": "base64", "content": base64.StdEncoding.EncodeToString(data)}}
		}
		entries, err := os.ReadDir(name)
		if err != nil || f.Root == "" {
			return missing()
		}
		list := []map[string]string{}
		for _, e := range entries {
			kind, sha := "dir", ""
			if data, err := os.ReadFile(filepath.Join(name, e.Name())); err == nil {
				sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data))
				kind, sha = "file", hex.EncodeToString(sum[:])
			}
			list = append(list, map[string]string{"name": e.Name(), "type": kind, "sha": sha})
		}
		return answer{200, list}
	})
}
