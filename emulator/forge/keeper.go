package forge

import (
	"sync"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// Keeper keeps what a forge was after each step of a scenario, so that a forge that is as it was then
// can be opened from the archive: see OpenArchive. Keeping a step costs a copy of the state in memory,
// no git; what it leads to is written by Archive.
type Keeper struct {
	a *Admin

	mu    sync.Mutex
	kept  []keptStep
	repos map[int64]bool // all that any step had
	arts  map[int64]bool
}

// keptStep is the forge after one step.
type keptStep struct {
	step  int
	image state.Image
}

// Keeper returns a new keeper. From now on the forge keeps the objects of repositories that are deleted.
func (a *Admin) Keeper() *Keeper {
	a.git.KeepRemoved()
	return &Keeper{a: a, repos: map[int64]bool{}, arts: map[int64]bool{}}
}

// Keep remembers the forge as it is now as what it was after that step. When nothing has happened since
// the step before, there is nothing to remember.
func (k *Keeper) Keep(step int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := len(k.kept); n > 0 && k.kept[n-1].image.Journal == k.a.journal.Last() {
		return
	}
	im := k.a.state.Image()
	for i, r := range im.Repos {
		k.repos[r.ID] = true
		im.Repos[i].Caches = nil // what a job can make again is not evidence
	}
	for _, x := range im.Artifacts {
		k.arts[x.ID] = true
	}
	k.kept = append(k.kept, keptStep{step, im})
}
