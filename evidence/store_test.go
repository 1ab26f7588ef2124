package evidence_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-dev/understudy/evidence"
)

func open(t *testing.T, o evidence.Options) (*evidence.Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := evidence.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func put(t *testing.T, s *evidence.Store, m evidence.Meta, text string) evidence.Ref {
	t.Helper()
	ref, err := s.Put(t.Context(), m, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func read(t *testing.T, dir, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPutKeepsByDigestAndScrubs(t *testing.T) {
	s, dir := open(t, evidence.Options{})
	hide(t, s.Scrubber(), "hunter2hunter2", "token:ci")
	ref := put(t, s, evidence.Meta{Name: "log of hunter2hunter2", Scenario: "a.feature:3"}, "pass=hunter2hunter2\n")
	want := "pass=[token:ci]\n"
	if got := read(t, dir, ref.Path); got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
	sum := sha256.Sum256([]byte(want))
	digest := hex.EncodeToString(sum[:])
	if ref.Digest != "sha256:"+digest || ref.Path != "evidence/"+digest[:2]+"/"+digest || ref.Size != int64(len(want)) {
		t.Errorf("ref does not fit the stored bytes: %+v", ref)
	}
	if ref.Name != "log of [token:ci]" {
		t.Errorf("name %q shows the secret", ref.Name)
	}
	again := put(t, s, evidence.Meta{Name: "other"}, "pass=hunter2hunter2\n")
	if again.Path != ref.Path {
		t.Errorf("the same bytes are kept twice: %s, %s", ref.Path, again.Path)
	}
	noTemps(t, dir)
}

func noTemps(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if strings.HasPrefix(d.Name(), ".tmp-") {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPutCutsLoudly(t *testing.T) {
	var log bytes.Buffer
	s, dir := open(t, evidence.Options{Limit: 10, Log: slog.New(slog.NewTextHandler(&log, nil))})
	ref := put(t, s, evidence.Meta{Name: "long"}, "0123456789abc")
	if got, want := read(t, dir, ref.Path), "0123456789\n[understudy: cut after 10 bytes; 3 more were dropped]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if ref.Cut != 3 || !strings.Contains(log.String(), "evidence cut") {
		t.Errorf("cut %d, log %q: the cut is silent", ref.Cut, log.String())
	}
	if ref := put(t, s, evidence.Meta{Name: "fits"}, "0123456789"); ref.Cut != 0 || ref.Size != 10 {
		t.Errorf("an item of exactly the limit was cut: %+v", ref)
	}
}

func TestPutErrors(t *testing.T) {
	s, dir := open(t, evidence.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, evidence.Meta{Name: "late"}, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	noTemps(t, dir)
	if _, err := evidence.Open(t.TempDir(), evidence.Options{Limit: -1}); err == nil {
		t.Error("a negative limit was taken")
	}
}

func archive(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = io.WriteString(f, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPutScrubsInsideZip(t *testing.T) {
	s, dir := open(t, evidence.Options{Limit: 4096})
	hide(t, s.Scrubber(), "hunter2hunter2", "token:ci")
	many := strings.Repeat("hunter2hunter2 ", 200)
	ref := put(t, s, evidence.Meta{Name: "crew-triage.zip"}, archive(t, "out/a.txt", many, "b.txt", strings.Repeat("x", 3000)))
	r, err := zip.OpenReader(filepath.Join(dir, ref.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	a, _ := fs.ReadFile(r, "out/a.txt")
	if want := strings.Repeat("[token:ci] ", 200); string(a) != want {
		t.Errorf("entry is %.60q…, want %.60q…", a, want)
	}
	b, _ := fs.ReadFile(r, "b.txt")
	if !strings.Contains(string(b), "[understudy: cut after") || ref.Cut == 0 {
		t.Errorf("a bomb is not cut: %d bytes, cut %d", len(b), ref.Cut)
	}
	if ref := put(t, s, evidence.Meta{Name: "odd"}, zipStart+"hunter2hunter2"); read(t, dir, ref.Path) != zipStart+"[token:ci]" {
		t.Error("what only looks like a zip is not kept as text")
	}
}

const zipStart = "PK\x03\x04"

func TestLink(t *testing.T) {
	s, dir := open(t, evidence.Options{})
	one := put(t, s, evidence.Meta{Scenario: "deep/../triage.feature:6"}, "one")
	two := put(t, s, evidence.Meta{Scenario: "deep/../triage.feature:6"}, "two")
	run := put(t, s, evidence.Meta{}, "run")
	for _, tt := range []struct {
		ref        evidence.Ref
		name, want string
	}{
		{one, "job 3 / log.txt", "by-scenario/deep/unnamed/triage.feature-6/job-3-log.txt"},
		{one, "job 3 / log.txt", "by-scenario/deep/unnamed/triage.feature-6/job-3-log.txt"},
		{two, "job 3 / log.txt", "by-scenario/deep/unnamed/triage.feature-6/job-3-log-2.txt"},
		{two, "../../../etc/passwd", "by-scenario/deep/unnamed/triage.feature-6/etc-passwd"},
		{run, "understudy.log", "by-scenario/run/understudy.log"},
	} {
		got, err := s.Link(tt.ref, tt.name)
		if err != nil || got != tt.want {
			t.Errorf("link %q: got %q, %v, want %q", tt.name, got, err, tt.want)
			continue
		}
		if read(t, dir, got) != read(t, dir, tt.ref.Path) {
			t.Errorf("%s does not lead to its evidence", got)
		}
		if to, _ := os.Readlink(filepath.Join(dir, got)); filepath.IsAbs(to) {
			t.Errorf("%s is absolute: the folder cannot be moved", to)
		}
	}
}

func TestStoreConcurrent(t *testing.T) {
	s, dir := open(t, evidence.Options{})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			ref, err := s.Put(t.Context(), evidence.Meta{Scenario: "s"}, strings.NewReader(fmt.Sprint("text ", i%4)))
			if err == nil {
				_, err = s.Link(ref, "log")
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	links, err := os.ReadDir(filepath.Join(dir, "by-scenario", "s"))
	if err != nil || len(links) != 4 {
		t.Errorf("got %d links, %v, want 4", len(links), err)
	}
	noTemps(t, dir)
}
