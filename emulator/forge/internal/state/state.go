// Package state is what the forge knows, apart from git objects: accounts, tokens, repositories
// with their refs, issues, configuration, runs. Each change is one method that checks permission,
// changes and journals under one lock, so that no reader sees a change without its event.
//
// Nothing here talks to git, the disk or the network while the lock is held. Answers are wire
// values, made under the same lock as the change. It is no HTTP server and knows no routes.
package state

import (
	"strings"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// Options is what a State needs; all fields but Clock are required.
type Options struct {
	Base    wire.Base
	Now     func() time.Time
	Clock   *clock.Clock // behind Now; nil cannot be advanced
	Ledger  *ledger.Ledger
	Journal *journal.Journal
	// Commit reads a commit of a repository; nil, or nil from it, is one that cannot be read.
	Commit func(repo int64, sha string) *wire.SimpleCommit
}

// State is safe for concurrent use.
type State struct {
	base wire.Base
	now  func() time.Time
	// clock is behind now; nil in tests.
	clock *clock.Clock
	led   *ledger.Ledger
	jour  *journal.Journal
	head  func(repo int64, sha string) *wire.SimpleCommit

	mu       sync.Mutex
	last     map[noun]int64
	accounts map[string]*account // by lower-case login
	tokens   map[digest]*token
	mark     string           // cause of the kit's own tokens
	repos    map[string]*repo // by lower-case full name
	runs     map[int64]*run
	jobs     map[int64]*job
	arts     map[int64]*artifact
	checks   map[int64]*check // of apps; the check runs of jobs are the jobs
	suites   map[int64]*suite // likewise
	apps     map[int64]*app
	installs map[int64]*installation
	promised map[string]int64 // ids of runs to come, by cause: who dispatched them was told
	deliver  func(Delivery)   // makes webhook deliveries; nil makes none
}

// noun names what ids are counted for; each noun counts from 1.
type noun string

const (
	nounAccount noun = "account"
	nounRepo    noun = "repository"
	nounLabel   noun = "label"
	nounIssue   noun = "issue"
	nounPull    noun = "pull"
	nounComment noun = "comment"

	nounProtection noun = "protection"
	nounMilestone  noun = "milestone"
	nounReaction   noun = "reaction"
	nounIssueEvent noun = "issue event"

	nounWorkflow noun = "workflow"
	nounRun      noun = "run"
	nounJob      noun = "job"
	nounArtifact noun = "artifact"
	nounKey      noun = "key"
	nounHook     noun = "hook"
	nounDelivery noun = "delivery"
	nounStatus   noun = "status"
	nounReview   noun = "review"

	nounReviewComment noun = "review_comment"

	nounEnvironment  noun = "environment"
	nounCache        noun = "cache"
	nounInstallation noun = "installation"
	nounRole         noun = "role"
	nounTeam         noun = "team"
	nounRelease      noun = "release"
	nounAsset        noun = "release asset"
)

// ActionsLogin is the account that a job's own token acts as. It exists from the start.
const ActionsLogin = "github-actions[bot]"

// New returns a state with no account but ActionsLogin.
func New(o Options) *State {
	s := &State{
		base: o.Base, now: o.Now, clock: o.Clock, led: o.Ledger, jour: o.Journal, head: o.Commit,
		last: map[noun]int64{}, accounts: map[string]*account{}, tokens: map[digest]*token{},
		repos: map[string]*repo{}, runs: map[int64]*run{}, jobs: map[int64]*job{}, arts: map[int64]*artifact{},
		promised: map[string]int64{}, checks: map[int64]*check{}, suites: map[int64]*suite{},
		apps: map[int64]*app{}, installs: map[int64]*installation{},
	}
	s.addAccount(ActionsLogin, "", kindBot)
	return s
}

// nextID counts; the caller holds the lock.
func (s *State) nextID(n noun) int64 {
	s.last[n]++
	return s.last[n]
}

// Given returns how many ids were given so far: it rises with everything that is made.
func (s *State) Given() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := int64(0)
	for _, n := range s.last {
		total += n
	}
	return total
}

func key(name string) string { return strings.ToLower(name) }

// optional returns nil for the empty string, as the dialect writes absent text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
