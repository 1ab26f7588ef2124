package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"

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

// GetTarArchive returns the action's one file.
func (b *builtins) GetTarArchive(_ context.Context, name, _, prefix string) (io.ReadCloser, error) {
	a, ok := action.Find(name)
	if !ok || prefix != "" && prefix != "action.yml" {
		return nil, fmt.Errorf("action %s: no file %s", name, prefix)
	}
	shell := shellquote.Join(b.self, "action", b.control) + " '{0}' " + shellquote.Join(a.Name)
	content := a.Definition(shell)
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := w.WriteHeader(&tar.Header{Name: "action.yml", Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return io.NopCloser(&buf), nil
}
