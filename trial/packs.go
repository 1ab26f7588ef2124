package trial

import (
	"github.com/understudy-dev/understudy/steps/agent"
	"github.com/understudy-dev/understudy/steps/branch"
	"github.com/understudy-dev/understudy/steps/clock"
	"github.com/understudy-dev/understudy/steps/dispatch"
	"github.com/understudy-dev/understudy/steps/fault"
	"github.com/understudy-dev/understudy/steps/issue"
	"github.com/understudy-dev/understudy/steps/playback"
	"github.com/understudy-dev/understudy/steps/pull"
	"github.com/understudy-dev/understudy/steps/repo"
	"github.com/understudy-dev/understudy/steps/run"
	"github.com/understudy-dev/understudy/steps/ticket"
	"github.com/understudy-dev/understudy/suite"
)

// Packs is the kit's own vocabulary.
func Packs() []suite.Pack {
	return []suite.Pack{repo.Pack, branch.Pack, issue.Pack, pull.Pack, dispatch.Pack, run.Pack, agent.Pack, fault.Pack, clock.Pack, ticket.Pack, playback.Pack}
}
