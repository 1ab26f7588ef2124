package actions

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
)

// parsed keeps the files that were read last: every event looks at all of a repository's. What it gives
// out is shared and not to be changed.
type parsed map[[sha256.Size]byte]*reading

type reading struct {
	wf       *workflow.Workflow
	problems error
	told     bool // the journal has its outline
}

const maxParsed = 256

func (p parsed) parse(f File) *reading {
	h := sha256.New()
	h.Write([]byte(f.Path))
	h.Write([]byte{0})
	h.Write(f.Data)
	key := [sha256.Size]byte(h.Sum(nil))
	r, ok := p[key]
	if !ok {
		if len(p) >= maxParsed {
			clear(p)
		}
		r = &reading{}
		r.wf, r.problems = workflow.Parse(f.Path, f.Data)
		r.wf.Digest = "sha256:" + hex.EncodeToString(key[:])
		p[key] = r
	}
	return r
}
