package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/internal/journal"
)

// The files of a kept forge, beside repos and artifacts.
//
// state.log is a line of JSON for each time something was stored: a state.Delta. The first is against
// nothing. A last line without its end was cut off by a kill: nobody was told that it is stored.
// journal.ndjson is an entry per line, written before the line of state.log that counts it.
const (
	stateFile = "state.log"
	spare     = ".new" // suffix of a file that is being written, before it takes its name
)

// keeper stores what a forge holds, in one goroutine, so that all who wait while it writes are served
// by its next write.
type keeper struct {
	dir     string
	state   *state.State
	journal *journal.Journal

	log     *os.File
	entries *os.File
	last    state.Image // what is stored; of the goroutine only
	size    int64       // of state.log
	base    int64       // of its first line

	stored  atomic.Uint64 // entries of the journal
	given   atomic.Int64  // ids that are stored as given
	wake    chan struct{}
	unwatch context.CancelFunc
	watcher sync.WaitGroup
	stop    context.CancelFunc
	writer  sync.WaitGroup

	mu     sync.Mutex
	next   *round
	broken error // why nothing can be stored any more
}

// round is one write that somebody waits for.
type round struct {
	done chan struct{}
	err  error
}

// start writes what there is, and begins to write what comes.
func (k *keeper) start() error {
	if err := k.store(); err != nil {
		return err
	}
	writing, stop := context.WithCancel(context.Background())
	watching, unwatch := context.WithCancel(context.Background())
	k.wake, k.stop, k.unwatch = make(chan struct{}, 1), stop, unwatch
	k.writer.Go(func() { k.serve(writing) })
	changes := k.journal.Subscribe("the directory")
	k.watcher.Go(func() {
		defer changes.Close()
		for {
			e, err := changes.Next(watching)
			if err != nil {
				return
			}
			if e.Kind == journal.Change && e.Seq > k.stored.Load() {
				_ = k.sync() // whoever waits for an answer is told
			}
		}
	})
	return nil
}

// serve writes for those who wait.
func (k *keeper) serve(ctx context.Context) {
	for {
		select {
		case <-k.wake:
			k.write()
		case <-ctx.Done():
			k.write()
			return
		}
	}
}

func (k *keeper) write() {
	k.mu.Lock()
	r, broken := k.next, k.broken
	k.next = nil
	k.mu.Unlock()
	if r == nil {
		return
	}
	if r.err = broken; broken == nil {
		r.err = k.store()
	}
	if r.err != nil {
		k.mu.Lock()
		k.broken = r.err
		k.mu.Unlock()
	}
	close(r.done)
}

// sync returns when all that had happened before the call is stored, or never will be.
func (k *keeper) sync() error {
	k.mu.Lock()
	if k.broken != nil {
		defer k.mu.Unlock()
		return k.broken
	}
	r := k.next
	if r == nil {
		r = &round{done: make(chan struct{})}
		k.next = r
		k.wake <- struct{}{} // empty: whoever took the round before took its token too
	}
	k.mu.Unlock()
	<-r.done
	return r.err
}

// trouble returns why nothing is stored any more, or nil.
func (k *keeper) trouble() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.broken
}

// close stores the rest. Nobody calls sync any more.
func (k *keeper) close() error {
	k.unwatch()
	k.watcher.Wait()
	k.stop()
	k.writer.Wait()
	err := k.broken
	if err == nil {
		err = k.store()
	}
	return errors.Join(err, k.log.Close(), k.entries.Close())
}

// store appends what is new since the last time: journal first, since the state counts its entries.
func (k *keeper) store() error {
	given := k.state.Given()
	im := k.state.Image()
	if err := k.storeEntries(im.Journal); err != nil {
		return fmt.Errorf("store journal: %w", err)
	}
	d, changed := im.Since(k.last)
	if !changed && im.Journal == k.last.Journal && k.size > 0 {
		return nil
	}
	line, err := json.Marshal(d)
	if err == nil {
		line = append(line, '\n')
		_, err = k.log.Write(line)
	}
	if err != nil {
		return fmt.Errorf("store state: %w", err)
	}
	k.last = im
	k.stored.Store(im.Journal)
	k.given.Store(given)
	k.size += int64(len(line))
	if k.base == 0 {
		k.base = k.size
	}
	if k.size > 4*k.base+16<<20 {
		return k.compact()
	}
	return nil
}

func (k *keeper) storeEntries(to uint64) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	for _, e := range k.journal.Entries(k.last.Journal) {
		if e.Seq > to {
			break
		}
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	if text.Len() == 0 {
		return nil
	}
	_, err := k.entries.Write(text.Bytes())
	return err
}

// compact replaces state.log by one line that says the same.
func (k *keeper) compact() error {
	d, _ := k.last.Since(state.Image{})
	line, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("compact state: %w", err)
	}
	line = append(line, '\n')
	path := filepath.Join(k.dir, stateFile)
	log, err := replace(path, line)
	if err != nil {
		return fmt.Errorf("compact state: %w", err)
	}
	old := k.log
	k.log, k.size, k.base = log, int64(len(line)), int64(len(line))
	return old.Close()
}

// replace makes a file hold data, at one blow, and returns it open to append to.
func replace(path string, data []byte) (*os.File, error) {
	f, err := os.OpenFile(path+spare, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(path+spare, path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
