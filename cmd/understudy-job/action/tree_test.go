package action_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cmd/understudy-job/action"
)

func tgz(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range headers {
		content := "evil"
		if h.Typeflag == tar.TypeReg && h.Size == 0 {
			h.Size = int64(len(content))
		}
		h.Mode = 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size == int64(len(content)) {
			if _, err := w.Write([]byte(content)); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = w.Close() // an entry may have less than it says
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What a hostile job put into a cache stays in the workspace and the home of the job that restores it.
func TestHostileCaches(t *testing.T) {
	file := func(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg} }
	link := func(name, to string) tar.Header {
		return tar.Header{Name: name, Linkname: to, Typeflag: tar.TypeSymlink}
	}
	for name, tc := range map[string]struct {
		headers []tar.Header
		want    string // in the error; "" succeeds
	}{
		"in the workspace":     {[]tar.Header{file("a/b")}, ""},
		"at home":              {[]tar.Header{file("../home/.cache/b")}, ""},
		"over what is there":   {[]tar.Header{file("a"), file("a")}, ""},
		"above":                {[]tar.Header{file("../outside")}, "neither in the workspace nor in the home"},
		"far above":            {[]tar.Header{file("../../../../../../../../../../etc/x")}, "neither in the workspace"},
		"absolute":             {[]tar.Header{file("/tmp/x")}, "absolute"},
		"by a link":            {[]tar.Header{link("l", ".."), file("l/outside")}, "l/outside"},
		"by an absolute link":  {[]tar.Header{link("l", "/"), file("l/outside")}, "l/outside"},
		"through a link":       {[]tar.Header{link("l", "../outside"), file("l")}, ""}, // the link itself is replaced
		"a directory by link":  {[]tar.Header{link("l", "../made"), {Name: "l/", Typeflag: tar.TypeDir}}, "l/"},
		"a device":             {[]tar.Header{{Name: "d", Typeflag: tar.TypeChar}}, "type"},
		"a hard link":          {[]tar.Header{{Name: "d", Linkname: "/etc/passwd", Typeflag: tar.TypeLink}}, "type"},
		"larger than anything": {[]tar.Header{{Name: "d", Typeflag: tar.TypeReg, Size: 5 << 30}}, "more than"},
		"cut short":            {[]tar.Header{{Name: "d", Typeflag: tar.TypeReg, Size: 1 << 20}}, "d"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, d := range []string{"work", "home"} {
				if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			_, err := action.UnpackCache(bytes.NewReader(tgz(t, tc.headers...)), dir+"/work", dir+"/home")
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
			outside(t, dir)
		})
	}
}

func TestCachesOfManyEntries(t *testing.T) {
	dir := t.TempDir()
	entries := slices.Repeat([]tar.Header{{Name: "d/", Typeflag: tar.TypeDir}}, 200_001)
	if _, err := action.UnpackCache(bytes.NewReader(tgz(t, entries...)), dir, dir); err == nil || !strings.Contains(err.Error(), "more than 200000 entries") {
		t.Errorf("%v", err)
	}
}

// outside fails when there is more than the two directories.
func outside(t testing.TB, dir string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name() != "work" && e.Name() != "home" {
			t.Errorf("%s is outside", e.Name())
		}
	}
}

// FuzzUnpackCache: whatever the bytes are, nothing is written outside.
func FuzzUnpackCache(f *testing.F) {
	f.Add(tgz(f, tar.Header{Name: "a/b", Typeflag: tar.TypeReg}, tar.Header{Name: "l", Linkname: "..", Typeflag: tar.TypeSymlink}), "../x")
	f.Fuzz(func(t *testing.T, raw []byte, name string) {
		dir := t.TempDir()
		for _, d := range []string{"work", "home"} {
			if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = action.UnpackCache(bytes.NewReader(raw), dir+"/work", dir+"/home")
		if name != "" && !strings.HasSuffix(name, "/") && !strings.ContainsRune(name, 0) && fs.ValidPath(strings.Trim(name, "/.")) && len(name) < 90 {
			packed := tgz(t, tar.Header{Name: "l", Linkname: name, Typeflag: tar.TypeSymlink}, tar.Header{Name: "l/x", Typeflag: tar.TypeReg},
				tar.Header{Name: name, Typeflag: tar.TypeReg})
			_, _ = action.UnpackCache(bytes.NewReader(packed), dir+"/work", dir+"/home")
		}
		outside(t, dir)
	})
}
