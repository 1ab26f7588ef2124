package trial

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/suite"
)

// Shard is one of several parts of a plan. The zero value is the whole plan.
type Shard struct {
	Number int // from 1
	Of     int
}

// ParseShard reads "2/3".
func ParseShard(s string) (Shard, error) {
	number, of, ok := strings.Cut(s, "/")
	n, err := strconv.Atoi(number)
	m, err2 := strconv.Atoi(of)
	if !ok || err != nil || err2 != nil || n < 1 || m < n {
		return Shard{}, fmt.Errorf("shard %q: the form is NUMBER/OF, such as 2/3", s)
	}
	return Shard{n, m}, nil
}

// deal returns the ids of the shard's scenarios. Which file a scenario stands in says nothing, so that no shard
// gets all that are slow.
func (s Shard) deal(all []suite.PlannedScenario, seed int64) map[string]bool {
	ids := make([]string, len(all))
	for i, sc := range all {
		ids[i] = sc.ID
	}
	slices.Sort(ids) // the order in which somebody names the files says nothing either
	r := rand.New(rand.NewPCG(uint64(seed), uint64(s.Of)))
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	mine := map[string]bool{}
	for i := s.Number - 1; i < len(ids); i += s.Of {
		mine[ids[i]] = true
	}
	return mine
}
