package gitstore_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
)

// TestReadWhileOthersWrite: what is in a pack is found also while loose objects come and go beside it.
func TestReadWhileOthersWrite(t *testing.T) {
	s, _ := newStore(t)
	blob, err := s.Open(1).WriteBlob([]byte("packed"))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := s.Open(1).WriteTree("", []gitstore.Edit{{Path: "a", Mode: "100644", SHA: blob}})
	if err != nil {
		t.Fatal(err)
	}
	who := gitstore.Person{Name: "Ada", Email: "ada@example.com", When: time.Unix(1_700_000_000, 0)}
	commit, err := s.Open(1).WriteCommit(gitstore.NewCommit{Tree: tree, Message: "packed", Author: who, Committer: who})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(1, func(r *gitstore.Repo) error { return r.SetRef("refs/heads/main", commit) }); err != nil {
		t.Fatal(err)
	}
	packs := t.TempDir()
	if err := s.Freeze(1, packs); err != nil {
		t.Fatal(err)
	}
	if err := s.Pack(t.Context(), 1, packs); err != nil {
		t.Fatal(err)
	}
	if s, err = gitstore.New(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if err := s.Adopt(1, packs); err != nil {
		t.Fatal(err)
	}
	var read sync.WaitGroup
	done := make(chan struct{})
	read.Go(func() {
		defer close(done)
		for i := range 600 {
			if _, err := s.Open(1).Resolve(nil, commit); err != nil {
				t.Errorf("try %d: %v", i, err)
				return
			}
		}
	})
	defer read.Wait()
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		default:
		}
		if _, err := s.Open(1).WriteBlob(fmt.Appendf(nil, "loose %d", i)); err != nil {
			t.Fatal(err)
		}
	}
}
