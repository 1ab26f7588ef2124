package driver

import (
	"context"
	"io"
)

// ForgeArchive is the media type of what a Keeper writes.
const ForgeArchive = "application/vnd.understudy.forge-archive"

// Keeper keeps what the code host was after each step, so that a person can go back to it later. Only
// a local environment has one. What it keeps holds no secrets.
type Keeper interface {
	// Keep remembers the code host as it is now, as what it was after that step, from 1; steps rise.
	Keep(ctx context.Context, step int) error
	// Archive writes all that was kept, as a ForgeArchive.
	Archive(ctx context.Context, w io.Writer) error
}

func (u unassigned) Keep(context.Context, int) error { return u.refuse("keeper") }

func (u unassigned) Archive(context.Context, io.Writer) error { return u.refuse("keeper") }
