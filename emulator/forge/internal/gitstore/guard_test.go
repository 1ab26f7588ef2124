package gitstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
)

// TestCommandsOfAPush reads them all, or says that there are too many: a branch hides behind no number of others.
func TestCommandsOfAPush(t *testing.T) {
	store, err := gitstore.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]error{3: nil, 10000: nil, 10001: gitstore.ErrTooManyRefs} {
		var body strings.Builder
		for i := range n {
			line := fmt.Sprintf("%s %s refs/heads/b%d", strings.Repeat("0", 40), strings.Repeat("1", 40), i)
			fmt.Fprintf(&body, "%04x%s", len(line)+4, line)
		}
		body.WriteString("0000PACK")
		sp, err := store.Spool(strings.NewReader(body.String()), 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		moves, err := sp.Commands()
		if !errors.Is(err, want) || want == nil && (len(moves) != n || moves[n-1].Ref != fmt.Sprint("refs/heads/b", n-1)) {
			t.Errorf("%d refs: %d moves, %v", n, len(moves), err)
		}
		sp.Close()
	}
}

// FuzzCommands holds that no body of a push breaks the reader.
func FuzzCommands(f *testing.F) {
	store, err := gitstore.New(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"", "0000", "0003", "zzzz", "ffff", "0008abcd0000", "006a" + strings.Repeat("0", 40) + " " + strings.Repeat("1", 40) + " refs/heads/main\x00report-status0000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		sp, err := store.Spool(strings.NewReader(body), 1<<20)
		if err != nil {
			return
		}
		defer sp.Close()
		if _, err := sp.Commands(); err != nil && !errors.Is(err, gitstore.ErrTooManyRefs) {
			t.Error(err)
		}
	})
}
