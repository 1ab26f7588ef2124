package local

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// faults makes the lease's forge misbehave.
type faults struct{ a *forge.Admin }

func (f faults) Inject(_ context.Context, text string) error {
	fault, err := forge.ParseFault(text)
	if err != nil {
		return err
	}
	_, err = f.a.Inject(fault)
	return err
}

func (f faults) Clear(context.Context) error {
	f.a.ClearFaults()
	return nil
}

func readFaults(texts []string) ([]forge.Fault, error) {
	var out []forge.Fault
	for _, text := range texts {
		f, err := forge.ParseFault(text)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// faultSeed gives each scenario luck of its own, whatever runs beside it.
func faultSeed(run int64, scenario string) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d\x00%s", run, scenario)
	return int64(h.Sum64() >> 1)
}
