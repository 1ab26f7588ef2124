package action_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cmd/understudy-job/action"
)

type entry struct {
	name, content string
	mode          fs.FileMode
}

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		dst, err := w.CreateHeader(h)
		if err == nil {
			_, err = dst.Write([]byte(e.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lying changes the size that the directory gives for the only entry.
func lying(b []byte, size uint32) []byte {
	b = bytes.Clone(b)
	at := bytes.Index(b, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(b[at+24:], size)
	return b
}

// sharing is an archive whose directory names the same compressed bytes many times.
func sharing(b []byte, times int) []byte {
	from, to := bytes.Index(b, []byte("PK\x01\x02")), bytes.Index(b, []byte("PK\x05\x06"))
	out := append(bytes.Clone(b[:from]), bytes.Repeat(b[from:to], times)...)
	end := bytes.Clone(b[to:])
	binary.LittleEndian.PutUint16(end[8:], uint16(times))
	binary.LittleEndian.PutUint16(end[10:], uint16(times))
	binary.LittleEndian.PutUint32(end[12:], uint32(times*(to-from)))
	return append(out, end...)
}

func tree(t testing.TB, dir string) (files []string, size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		info, err := d.Info()
		files, size = append(files, rel), size+info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, size
}

func TestUnpackRefuses(t *testing.T) {
	const limit = 1 << 20
	zeros := archive(t, entry{name: "zeros", content: strings.Repeat("\x00", limit/2)})
	for name, tc := range map[string]struct {
		zip  []byte
		want string
	}{
		"above":                  {archive(t, entry{name: "good"}, entry{name: "../x"}), `entry "../x": not a file below`},
		"above, in the middle":   {archive(t, entry{name: "a/../../x"}), "not a file below"},
		"absolute":               {archive(t, entry{name: "/tmp/x"}), "not a file below"},
		"no name":                {archive(t, entry{name: ""}), "not a file below"},
		"a link":                 {archive(t, entry{name: "good"}, entry{name: "l", content: "/etc/passwd", mode: fs.ModeSymlink | 0o777}), `entry "l": not a file`},
		"a device":               {archive(t, entry{name: "d", mode: fs.ModeDevice | 0o666}), "not a file below"},
		"a bomb":                 {archive(t, entry{name: "good"}, entry{name: "bomb", content: strings.Repeat("\x00", limit)}, entry{name: "last", content: "x"}), `entry "last": unpacked, the archive has more than 1048576 bytes`},
		"a bomb of shared bytes": {sharing(zeros, 1000), "more than 1048576 bytes"},
		"no archive":             {[]byte("PK"), "zip: not a valid zip file"},
		"cut":                    {zeros[:len(zeros)-1], "zip: not a valid zip file"},
	} {
		dir := filepath.Join(t.TempDir(), "to")
		if _, err := action.Unpack(bytes.NewReader(tc.zip), int64(len(tc.zip)), dir, limit); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		if _, err := os.Stat(dir); err == nil {
			files, _ := tree(t, dir)
			t.Errorf("%s: something was written: %q", name, files)
		}
	}
}

// What only reading tells is refused as soon as it is read.
func TestUnpackIsNotDeceived(t *testing.T) {
	zeros := archive(t, entry{name: "zeros", content: strings.Repeat("\x00", 1<<20)})
	broken := bytes.Clone(zeros)
	broken[40] ^= 0xff
	for name, b := range map[string][]byte{
		"more than it says": lying(zeros, 100), "less than it says": lying(zeros, 2<<20), "other bytes": broken,
		"a file and a folder": archive(t, entry{name: "a", content: "x"}, entry{name: "a/b"}),
	} {
		dir := t.TempDir()
		if _, err := action.Unpack(bytes.NewReader(b), int64(len(b)), dir, 4<<20); err == nil {
			t.Errorf("%s: it was unpacked", name)
		}
		if _, size := tree(t, dir); size > 2<<20 {
			t.Errorf("%s: %d bytes were written", name, size)
		}
	}
}

// Links that are there already do not lead an archive's files out of the folder.
func TestUnpackFollowsNoLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	for name, to := range map[string]string{"folder": outside, "file": filepath.Join(outside, "f")} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"folder/x", "file"} {
		b := archive(t, entry{name: name, content: "x"})
		if _, err := action.Unpack(bytes.NewReader(b), int64(len(b)), dir, 100); err == nil {
			t.Errorf("%s was unpacked through a link", name)
		}
	}
	if files, _ := tree(t, outside); len(files) > 0 {
		t.Errorf("written outside: %q", files)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(archive(f, entry{name: "a/b", content: "x"}, entry{name: "c/"}))
	f.Add(lying(archive(f, entry{name: "a", content: "some content"}), 3))
	f.Add(sharing(archive(f, entry{name: "a", content: "x"}), 3))
	f.Fuzz(func(t *testing.T, b []byte) {
		top := t.TempDir()
		dir := filepath.Join(top, "to")
		n, err := action.Unpack(bytes.NewReader(b), int64(len(b)), dir, 1<<16)
		files, size := tree(t, top)
		if size > 1<<16+1<<10 {
			t.Errorf("%d bytes were written", size)
		}
		if err == nil && len(files) > n {
			t.Errorf("%d files, %q are there", n, files)
		}
		for _, file := range files {
			if !strings.HasPrefix(file, "to/") {
				t.Errorf("%s is outside", file)
			}
		}
	})
}
