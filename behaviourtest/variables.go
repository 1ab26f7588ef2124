package behaviourtest

import (
	"errors"
	"fmt"
	"os"

	"github.com/understudy-dev/understudy/internal/envvar"
	"github.com/understudy-dev/understudy/trial"
)

// readVariables reads and checks all variables. It reports everything it finds.
func readVariables(environ []string) (envvar.Values, error) {
	for _, row := range envvar.Table() {
		os.LookupEnv(row.Name) // go test caches by what is looked up, of which Environ says nothing
	}
	v, err := envvar.Read(environ)
	if bad := trial.CheckPreset(v.Preset); bad != nil {
		err = errors.Join(err, fmt.Errorf("BEHAVIOUR_CONFIG_PRESET=%s: %w", v.Preset, bad))
	}
	return v, err
}
