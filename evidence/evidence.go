// Package evidence keeps the files that support a verdict: by digest, with their origin, and with
// every known secret taken out on the way in.
package evidence

import (
	"context"
	"io"
)

// Meta says what a piece of evidence is.
type Meta struct {
	Name      string `json:"name"`           // for people: "job 3 log.txt"
	Origin    string `json:"origin"`         // where it came from: "run:1 job:3"
	MediaType string `json:"media_type"`     // "text/plain"
	Scenario  string `json:"scenario"`       // id of the scenario it belongs to
	Step      int    `json:"step,omitempty"` // number of the step it supports, from 1; 0 is none
}

// Ref points at a stored piece of evidence. Path is relative to the run's directory.
type Ref struct {
	Meta
	Digest string `json:"digest"` // "sha256:…" of the bytes as stored
	Size   int64  `json:"size"`
	Path   string `json:"path"`
	Cut    int64  `json:"cut,omitempty"`  // bytes that were dropped because the item was too large
	Link   string `json:"link,omitempty"` // a path with a name for people, when there is one; relative like Path
}

// Sink takes evidence in. Implementations are safe for concurrent use.
type Sink interface {
	Put(ctx context.Context, m Meta, r io.Reader) (Ref, error)
}
