package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/understudy-dev/understudy/cmd/understudy-job/action"
)

// builtins is act's source of actions: the ones of understudy-job, and no others.
type builtins struct{ self, control string }

// Fetch says whether there is such an action. The version is not looked at; the engine does.
func (b *builtins) Fetch(_ context.Context, name, _, ref, _ string) (string, error) {
	if _, ok := action.Find(name); !ok {
		return "", fmt.Errorf("action %s@%s is not built in; there is no network to fetch it from", name, ref)
	}
	return "built-in", nil
}

// GetTarArchive returns the one file of an action, or with prefix "" those of all actions of a repository.
func (b *builtins) GetTarArchive(_ context.Context, name, _, prefix string) (io.ReadCloser, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	found := false
	for _, a := range action.All() {
		dir, ok := strings.CutPrefix(strings.ToLower(a.Name)+"/", strings.ToLower(name)+"/")
		file := dir + "action.yml"
		if !ok || prefix != "" && prefix != file {
			continue
		}
		found = true
		if err := b.add(w, a, file); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, fmt.Errorf("action %s: no file %s", name, prefix)
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return io.NopCloser(&buf), nil
}

func (b *builtins) add(w *tar.Writer, a action.Action, file string) error {
	shell := shellquote.Join(b.self, "action", b.control) + " '{0}' " + shellquote.Join(a.Name)
	content := a.Definition(shell)
	if err := w.WriteHeader(&tar.Header{Name: file, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}
