package journal

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
)

// Bodies of events are large and much alike, and a forge that is served for days has many of them. The
// latest stand as they are; those before are kept compressed, blockSize entries together, and are
// there again when somebody reads them.
const (
	blockSize = 64
	plainSize = 4 << 20 // bytes of bodies that are not compressed
)

// pack compresses the oldest bodies when there are more than plainSize bytes of them. The caller holds the
// lock.
func (j *Journal) pack() {
	for j.plain > plainSize && (len(j.packed)+2)*blockSize <= len(j.entries) {
		block := j.entries[len(j.packed)*blockSize:][:blockSize]
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.BestSpeed)
		if err != nil {
			panic("journal: " + err.Error()) // the level is right
		}
		for i := range block {
			_, _ = w.Write(block[i].Payload) // a buffer takes everything
			j.plain -= len(block[i].Payload)
		}
		_ = w.Close()
		p := packed{data: bytes.Clone(b.Bytes())}
		for i := range block {
			p.sizes[i] = len(block[i].Payload)
			block[i].Payload = nil
		}
		j.packed = append(j.packed, p)
	}
}

// packed are the bodies of blockSize entries, one after the other.
type packed struct {
	data  []byte
	sizes [blockSize]int
}

// unpack gives the entries their bodies back; from is the index of the first one. The caller holds the lock.
func (j *Journal) unpack(entries []Entry, from int) {
	for i := 0; i < len(entries); {
		at := from + i
		if at/blockSize >= len(j.packed) {
			return
		}
		p := &j.packed[at/blockSize]
		body := j.open(at / blockSize)
		for k, size := range p.sizes {
			if n := at/blockSize*blockSize + k - from; n >= 0 && n < len(entries) && size > 0 {
				entries[n].Payload = json.RawMessage(bytes.Clone(body[:size])) // one must not keep all
			}
			body = body[size:]
		}
		i += blockSize - at%blockSize
	}
}

// opened is the block that was read last: a subscriber who lags reads it entry by entry.
type opened struct {
	block int
	body  []byte // nil: none
}

func (j *Journal) open(block int) []byte {
	if j.opened.body != nil && j.opened.block == block {
		return j.opened.body
	}
	p := &j.packed[block]
	total := 0
	for _, size := range p.sizes {
		total += size
	}
	body := make([]byte, total)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(p.data)), body); err != nil {
		panic("journal: a body that was kept cannot be read: " + err.Error())
	}
	j.opened = opened{block, body}
	return body
}
