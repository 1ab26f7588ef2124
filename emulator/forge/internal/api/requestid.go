package api

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
)

// requestIDs makes ids that no other request of any forge has.
type requestIDs struct {
	start string
	last  *atomic.Uint64
}

func newRequestIDs() requestIDs {
	id := make([]byte, 8)
	rand.Read(id) // never fails: it ends the program instead
	return requestIDs{start: fmt.Sprintf("%04X:%04X:%08X:", id[:2], id[2:4], id[4:]), last: new(atomic.Uint64)}
}

func (r requestIDs) next() string {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], r.last.Add(1))
	return r.start + strings.ToUpper(hex.EncodeToString(n[4:]))
}
