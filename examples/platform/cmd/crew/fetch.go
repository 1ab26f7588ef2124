package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/dispatch"
	"example.com/crew/internal/fetch"
)

const (
	auditFile = "fetch-audit.jsonl" // what was fetched, or why not, in the output directory
	cacheDir  = ".crew-cache"       // below the checkout
)

// fetcher gets the files of harnesses that live elsewhere: from github.com, and from the job's own
// forge where that is another.
func (a app) fetcher(c config.Config, root string, d defect.Name) func(context.Context, string) ([]byte, error) {
	return fetch.New(fetch.Options{
		Policy: fetch.Policy{Hosts: fetch.Hosts(), Forge: a.getenv("GITHUB_SERVER_URL")},
		Covers: dispatch.Covers(c, d), Cache: filepath.Join(root, cacheDir),
		Audit: appended(filepath.Join(root, output, auditFile)), Defect: d,
	}).Fetch
}

// appended is a file that is there once something was written.
type appended string

// Write implements io.Writer.
func (name appended) Write(b []byte) (int, error) {
	if err := os.MkdirAll(filepath.Dir(string(name)), 0o755); err != nil {
		return 0, err
	}
	f, err := os.OpenFile(string(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	n, err := f.Write(b)
	return n, errors.Join(err, f.Close())
}
