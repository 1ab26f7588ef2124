package journal_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// TestManyBodies holds that all bodies of a long journal are there, each by its number, in a row and for one
// who lags, and that they take little memory.
func TestManyBodies(t *testing.T) {
	const n = 4_000
	body := func(i int) json.RawMessage {
		if i%3 == 0 {
			return nil
		}
		return json.RawMessage(fmt.Sprintf(`{"n":%d,"url":"%s"}`, i, strings.Repeat("https://forge/repos/acme/app/actions/runs/", 400)))
	}
	before := heap()
	j := journal.New(ledger.New(), fixed)
	lagging := j.Subscribe("one who lags")
	defer lagging.Close()
	for i := 1; i <= n; i++ {
		j.Append(journal.Entry{Kind: journal.Change, Type: "x", Payload: body(i)})
	}
	if kept := int64(heap()) - int64(before); kept > 12<<20 {
		t.Errorf("%d entries with 43 MB of bodies take %d bytes of memory", n, kept)
	}
	for _, after := range []uint64{0, 1, 63, 64, 65, n / 2, n - 1} {
		got := j.Entries(after)
		for i, e := range got {
			if want := after + uint64(i) + 1; e.Seq != want || string(e.Payload) != string(body(int(want))) {
				t.Fatalf("entries after %d: entry %d has number %d and %.40q", after, want, e.Seq, e.Payload)
			}
		}
		if len(got) != n-int(after) {
			t.Errorf("entries after %d: %d", after, len(got))
		}
	}
	for i := 1; i <= n; i++ {
		e, ok := j.Entry(uint64(i))
		next, err := lagging.Next(soon(t))
		if err != nil || !ok || string(e.Payload) != string(body(i)) || e.Seq != next.Seq || string(next.Payload) != string(e.Payload) {
			t.Fatalf("entry %d: %v %v %.40q, %.40q", i, err, ok, e.Payload, next.Payload)
		}
	}
	for _, e := range j.Facts(0) {
		if e.Payload != nil || e.Type != "x" {
			t.Fatalf("facts of entry %d: %+v", e.Seq, e)
		}
	}
	again := journal.New(ledger.New(), fixed)
	if err := again.Restore(j.Entries(100)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(j.Entries(n-1), again.Entries(n-1)); diff != "" {
		t.Error(diff)
	}
	if e, ok := again.Entry(101); !ok || string(e.Payload) != string(body(101)) {
		t.Errorf("restored: %v %.40q", ok, e.Payload)
	}
	for _, seq := range []uint64{0, 100, n + 1} {
		if _, ok := again.Entry(seq); ok {
			t.Errorf("there is an entry %d", seq)
		}
	}
	runtime.KeepAlive(j)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkAppendWithBody(b *testing.B) {
	j := journal.New(ledger.New(), fixed)
	for i := range b.N {
		body := fmt.Sprintf(`{"n":%d,"url":"%s"}`, i, strings.Repeat("https://forge/repos/acme/app/actions/runs/", 400))
		j.Append(journal.Entry{Kind: journal.Change, Type: "x", Payload: json.RawMessage(body)})
	}
}
