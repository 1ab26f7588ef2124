package fetch

import (
	"io"
	"os"
	"path"

	"example.com/crew/internal/defect"
)

// cached returns the content with the target's hash. Whoever may commit can put a file into the cache's
// place, so what is there counts only if it has the hash.
func (f *Fetcher) cached(t target) ([]byte, bool) {
	if f.o.Cache == "" || t.sum == "" {
		return nil, false
	}
	root, err := os.OpenRoot(f.o.Cache)
	if err != nil {
		return nil, false
	}
	defer root.Close()
	name := path.Join("sha256", t.sum)
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, f.o.Max+1))
	right := digest(data) == t.sum || f.o.Defect == defect.CachePoisoned
	return data, err == nil && int64(len(data)) <= f.o.Max && right
}

// keep puts what was fetched into the cache. That it cannot is no reason to fail: the next one fetches
// again.
func (f *Fetcher) keep(t target, data []byte) {
	if f.o.Cache == "" || digest(data) != t.sum {
		return
	}
	if os.MkdirAll(f.o.Cache, 0o755) != nil {
		return
	}
	root, err := os.OpenRoot(f.o.Cache)
	if err != nil {
		return
	}
	defer root.Close()
	name := path.Join("sha256", t.sum)
	part := name + ".part"
	if root.MkdirAll("sha256", 0o755) != nil || root.WriteFile(part, data, 0o644) != nil || root.Rename(part, name) != nil {
		_ = root.Remove(part) // it may not be there
	}
}
