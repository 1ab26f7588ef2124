// Package defect names the faults that can be planted in crew on purpose, so that a test suite can
// show that it notices them.
package defect

import (
	"fmt"
	"slices"
	"strings"
)

// Name is one seeded fault; None is crew as it should be.
type Name string

// The seeded faults.
const (
	None                    Name = ""
	SchemaCheckKilled       Name = "schema-check-killed"            // validation never fails
	LabelDespiteFailure     Name = "label-despite-failure"          // labels are set though validation failed
	HandOffDespiteFailure   Name = "handoff-despite-failure"        // the next stage starts though validation failed
	AnyLabelTriggers        Name = "any-label-triggers"             // dispatch does not look which label it was
	PushesAnywhere          Name = "pushes-anywhere"                // the agent's branch is pushed whatever its name
	EnvironmentLeaks        Name = "environment-leaks"              // the agent gets the job's environment too
	CommandFilesLeak        Name = "command-files-leak"             // the agent gets the files by which a step steers later ones
	ForkFlagLost            Name = "fork-flag-lost"                 // a pull request from a fork is taken for one of the repository
	ForkCommentTrusted      Name = "fork-comment-trusted"           // a command on a pull request is taken for one of the repository, since the event does not say
	UnauthorisedAccepted    Name = "unauthorised-accepted"          // dispatch does not look who sent the event
	TriageRoleMay           Name = "triage-role-accepted"           // who may triage counts as one who may write
	ProxyHidesFailures      Name = "proxy-hides-failures"           // the proxy turns every answer of a host into a good one
	PolicyFileIgnored       Name = "policy-file-ignored"            // the policy that a harness names is not looked at
	PolicyFileWidens        Name = "policy-file-widens"             // such a policy adds to what agents may reach
	OwnersAliasIgnored      Name = "owners-alias-ignored"           // groups of OWNERS_ALIASES are not looked at
	OwnersAcceptsAnyone     Name = "owners-accepts-anyone"          // everybody counts as an approver of OWNERS
	OwnersUnasked           Name = "owners-unasked"                 // OWNERS count though nobody enabled that
	OwnersReviewerWrites    Name = "owners-reviewer-writes"         // a reviewer of OWNERS starts agents that change code, too
	KillSwitchIgnored       Name = "kill-switch-ignored"            // dispatch does not look at the kill switch
	DisabledAgentDispatched Name = "disabled-agent-dispatched"      // dispatch does not look whether an agent is enabled
	TriggerOnUnlabelled     Name = "trigger-on-unlabelled"          // taking a label off counts as putting it on
	DenialSilent            Name = "denial-silent"                  // a denial leaves no reason
	RoleLookupErrorAccepted Name = "role-lookup-error-accepted"     // who cannot be looked up may write
	LoadFailureStopsAll     Name = "harness-load-failure-stops-all" // one bad harness keeps every agent from starting
	BaseNotMerged           Name = "base-not-merged"                // a harness's base is not read
	BaseListOverwritten     Name = "base-list-overwritten"          // a harness's lists replace those of its base
	BaseEnvOverwritten      Name = "base-env-overwritten"           // a harness's variables replace those of its base
	HashUnchecked           Name = "hash-unchecked"                 // what was fetched may have another hash
	AllowListBypassed       Name = "allow-list-bypassed"            // harnesses come from any URL
	BaseAllowedAnywhere     Name = "base-allowed-anywhere"          // the allow-list is held to the harnesses of agents alone, not to their bases
	PrefixMatchLoose        Name = "prefix-match-loose"             // acme/host in the allow-list covers acme/host-evil, too
	CachePoisoned           Name = "cache-poisoned"                 // what lies in the cache is taken for what its name says
	ResourceUnfetched       Name = "relative-resource-unfetched"    // files that a harness from a URL names are looked for at home
	URLFailureStopsOthers   Name = "url-failure-stops-others"       // a harness that cannot be fetched keeps every agent from starting
	HandOffLost             Name = "handoff-lost"                   // ready-to-code is set with the job's token, whose events start nothing
	LabelBeforeComment      Name = "label-before-comment"           // triage labels first, and swallows what fails afterwards
	StaleReviewPosted       Name = "stale-review-posted"            // a review of a commit that is no longer the head becomes a formal one
	FixPushesOtherBranch    Name = "fix-pushes-other-branch"        // what the fix agent leaves is pushed, whatever branch it is
	HeadCommitLost          Name = "head-commit-lost"               // the agent is not told which commit is the head
	ReviewSoftened          Name = "review-softened"                // a review that asks for changes only comments
	FixNotPushed            Name = "fix-not-pushed"                 // what the fix agent leaves stays where it is
	ReactionUnasked         Name = "reaction-unasked"               // it reacts though nobody enabled that
	ReactionStuck           Name = "reaction-stuck"                 // the reaction says for ever that the agent is at work
	ReactionWrong           Name = "reaction-wrong"                 // a failure looks like a success
	StatusCommentStuck      Name = "status-comment-stuck"           // the status comment says running for ever
	StatusCommentTwice      Name = "status-comment-twice"           // the end becomes a second status comment
	StatusCommentShared     Name = "status-comment-shared"          // all agents write the same status comment
	FailureCommentMissing   Name = "failure-comment-missing"        // nobody is told of a failure
	PriorityWrong           Name = "priority-wrong"                 // every priority is medium
	PriorityKept            Name = "priority-kept"                  // the old priority's label stays on
	PriorityClearsLabels    Name = "priority-clears-labels"         // the labels that are no priorities are taken off, too
	CommandByAnyone         Name = "command-by-anyone"              // dispatch does not look who wrote a command
	CodeWithoutPullRequest  Name = "code-without-pull-request"      // the branch is pushed, and that is all
	CodePushesOtherIssue    Name = "code-pushes-other-issue"        // the branch of another issue is pushed, too
	ClosesMissing           Name = "closes-missing"                 // the pull request does not say which issue it closes
	RetroOnOpen             Name = "retro-on-open"                  // an opened pull request counts as a closed one, too
	TrackerDispatchedTwice  Name = "duplicate-tracker-dispatch"     // what a poll of the tracker told of is told again by the next
	TrackerCommentAgain     Name = "tracker-comment-again"          // the mark of a poll forgets the comments
	TrackerRoleIgnored      Name = "tracker-role-ignored"           // who did something in the tracker counts as one who may write
	TrackerCommentLost      Name = "tracker-comment-lost"           // comments in the tracker are not looked at
	PrecedenceWrong         Name = "precedence-wrong"               // the configuration as a whole wins over an agent's entry
	MetricsMissingSource    Name = "metrics-missing-source"         // the metrics do not say what decided on the runtime
	SecondIterationSkipped  Name = "second-iteration-skipped"       // an agent whose result is invalid is not asked again
	FeedbackLost            Name = "feedback-lost"                  // it is asked again without being told why
	StaleIterationTaken     Name = "stale-iteration-taken"          // what an earlier iteration left counts for a later one
	IterationResultsMixed   Name = "iteration-results-mixed"        // the post step takes the first iteration's result
	PayloadNotDelivered     Name = "payload-not-delivered"          // the event does not reach the agent
	TitleInScript           Name = "title-in-script"                // the issue's title is put into the text of a step's script
	EgressUnrestricted      Name = "egress-unrestricted"            // the policy lets agents reach every host
	EgressSuffixMatch       Name = "egress-suffix-match"            // host.test in the list of allowed hosts covers evilhost.test, too
	SymlinkFollowed         Name = "symlink-followed"               // a link in the agent's output is read through
	ConfigReadOnce          Name = "config-read-once"               // dispatch goes by the configuration as it was when the event happened
	ChangedConfigApplied    Name = "changed-config-applied"         // a result is applied although the configuration changed meanwhile
	PlaybackRoundRepeated   Name = "playback-round-repeated"        // every round replays the first recorded result
	PlaybackEndIgnored      Name = "playback-end-ignored"           // when the playlist has ended, its last result is replayed again
	HalfApplied             Name = "half-applied-after-refusal"     // the agent's branch is pushed before the configuration is looked at again
	OthersOverwritten       Name = "others-overwritten"             // a branch that moved meanwhile is overwritten
	PresetPinned            Name = "preset-pinned"                  // setup pins the runtime although a preset says which
)

// Names returns all of them.
func Names() []Name {
	return []Name{
		SchemaCheckKilled, LabelDespiteFailure, AnyLabelTriggers, EnvironmentLeaks, PushesAnywhere, CommandFilesLeak, HandOffDespiteFailure, ForkFlagLost, ForkCommentTrusted, UnauthorisedAccepted, TriageRoleMay,
		KillSwitchIgnored, DisabledAgentDispatched, TriggerOnUnlabelled, DenialSilent, RoleLookupErrorAccepted, LoadFailureStopsAll, BaseNotMerged,
		BaseListOverwritten, BaseEnvOverwritten, HashUnchecked, AllowListBypassed, BaseAllowedAnywhere, PrefixMatchLoose, CachePoisoned, ResourceUnfetched, URLFailureStopsOthers,
		HandOffLost, LabelBeforeComment, StaleReviewPosted, FixPushesOtherBranch, StatusCommentStuck, StatusCommentTwice, StatusCommentShared, FailureCommentMissing,
		PriorityWrong, PriorityKept, PriorityClearsLabels, CommandByAnyone, CodeWithoutPullRequest, CodePushesOtherIssue, ClosesMissing, RetroOnOpen,
		ProxyHidesFailures, PolicyFileIgnored, PolicyFileWidens, OwnersAliasIgnored, OwnersAcceptsAnyone, OwnersUnasked, OwnersReviewerWrites,
		ReactionUnasked, ReactionStuck, ReactionWrong, HeadCommitLost, ReviewSoftened, FixNotPushed,
		TrackerDispatchedTwice, TrackerCommentAgain, TrackerRoleIgnored, TrackerCommentLost,
		PrecedenceWrong, MetricsMissingSource, SecondIterationSkipped, FeedbackLost, StaleIterationTaken, IterationResultsMixed,
		PayloadNotDelivered, TitleInScript, EgressUnrestricted, EgressSuffixMatch, SymlinkFollowed, PlaybackRoundRepeated, PlaybackEndIgnored, PresetPinned, ConfigReadOnce, ChangedConfigApplied, HalfApplied, OthersOverwritten,
	}
}

// Parse returns the fault called s, or an error that names them all.
func Parse(s string) (Name, error) {
	if s == "" || slices.Contains(Names(), Name(s)) {
		return Name(s), nil
	}
	var known []string
	for _, n := range Names() {
		known = append(known, string(n))
	}
	return None, fmt.Errorf("unknown defect %q; known: %s", s, strings.Join(known, ", "))
}
