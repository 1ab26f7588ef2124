package state

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// Whose pull requests from forks of a public repository run workflows only when somebody approves. "New to
// GitHub" is here who has had no pull request merged anywhere.
// https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository#controlling-changes-from-forks-to-workflows-in-public-repositories
const (
	approveNewcomers = "first_time_contributors_new_to_github"
	approveFirst     = "first_time_contributors"
	approveOutsiders = "all_external_contributors"
)

// ApprovalPolicies are the values that say whose runs wait for approval.
func ApprovalPolicies() []string { return []string{approveNewcomers, approveFirst, approveOutsiders} }

// actionRequired is the conclusion of a run that waits for approval: it has no jobs.
const actionRequired = "action_required"

// approvalPolicy is the policy of a repository: its own, else its organisation's, else GitHub's.
func (r *repo) approvalPolicy() string { return cmp.Or(r.approval, r.owner.approval, approveFirst) }

// held reports whether the runs of an event of a pull request wait for approval: a job's token opened it or pushed
// to it, or it leads from a fork, and who opened it or does this now is one whom the policy names. Runs for
// pull_request_target never wait.
// https://docs.github.com/en/actions/concepts/security/github_token#when-github_token-triggers-workflow-runs
// https://docs.github.com/en/actions/how-tos/manage-workflow-runs/approve-runs-from-forks
func (s *State) held(who Identity, i *issue, event, action string) bool {
	if who.tok != nil && who.tok.noRuns {
		return event == "pull_request" && slices.Contains([]string{"opened", "synchronize", "reopened"}, action)
	}
	r := i.pull.in
	if r.private || i.pull.head.repo == r {
		return false
	}
	return s.needsApproval(r, i.author) || !who.App() && s.needsApproval(r, who.Login)
}

// hold notes in an event's detail that its runs wait for approval.
func (s *State) hold(who Identity, i *issue, detail map[string]string) {
	if s.held(who, i, detail["event"], detail["action"]) {
		detail["approval"] = "required"
	}
}

// needsApproval reports whether the policy of a repository names an account.
func (s *State) needsApproval(r *repo, login string) bool {
	if s.association(r, login) != "NONE" || s.roleOf(s.accounts[key(login)], r) >= Write {
		return false
	}
	switch r.approvalPolicy() {
	case approveOutsiders:
		return true
	case approveFirst:
		return !r.hasMerged(login)
	}
	for _, other := range s.repos {
		if other.hasMerged(login) {
			return false
		}
	}
	return true
}

// hasMerged reports whether a pull request of an account is in the repository.
func (r *repo) hasMerged(login string) bool {
	return slices.ContainsFunc(r.pulls, func(i *issue) bool { return key(i.author) == key(login) && !i.pull.merged.IsZero() })
}

// ForkApproval says whose runs wait for approval in a repository.
func (s *State) ForkApproval(who Identity, full string) (wire.ForkApproval, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadSettings)
	if err != nil {
		return wire.ForkApproval{}, err
	}
	return wire.ForkApproval{Policy: r.approvalPolicy()}, nil
}

// SetForkApproval says whose runs wait for approval from now on; policy is one of ApprovalPolicies.
func (s *State) SetForkApproval(who Identity, full, policy string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Administer)
	if err != nil {
		return err
	}
	r.approval = policy
	s.led.Changed()
	return nil
}

// OrgForkApproval is ForkApproval for the repositories of an organisation that have no policy of their own.
func (s *State) OrgForkApproval(who Identity, org string) (wire.ForkApproval, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_administration", "read")
	if err != nil {
		return wire.ForkApproval{}, err
	}
	return wire.ForkApproval{Policy: cmp.Or(o.approval, approveFirst)}, nil
}

// SetOrgForkApproval is SetForkApproval for an organisation.
func (s *State) SetOrgForkApproval(who Identity, org, policy string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_administration", "write")
	if err != nil {
		return err
	}
	o.approval = policy
	s.led.Changed()
	return nil
}

// ApproveRun lets a run go on that waits for approval, in the same attempt, and asks whoever runs runs for it: the
// entry run.approved says which. As at GitHub the runs of reviews cannot be approved, only run again.
// https://docs.github.com/en/rest/actions/workflow-runs#approve-a-workflow-run-for-a-fork-pull-request
func (s *State) ApproveRun(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, x, err := s.run(who, full, WriteActions, id)
	if err != nil {
		return err
	}
	if x.Event != "pull_request" || x.Conclusion != actionRequired {
		return wire.Forbidden("This run is not from a fork pull request or queued by the Actions bot")
	}
	origin := x.Cause
	x.Status, x.Conclusion, x.Reason, x.Started, x.Completed = queued, "", "", time.Time{}, time.Time{}
	x.updated = s.now()
	seq := s.jour.Append(journal.Entry{Time: s.now(), Kind: journal.Change, Type: "run.approved", Cause: who.Cause, Actor: who.Login,
		Subject: fmt.Sprintf("run:%d", x.ID), Detail: map[string]string{
			"repo": x.Repo, "run": strconv.FormatInt(x.ID, 10), "attempt": strconv.Itoa(x.Attempt), "jobs": RerunAll,
			"workflow": x.Workflow, "event": x.Event, "head_sha": x.HeadSHA, "origin": origin, "triggering_actor": x.TriggeringActor,
		}})
	x.Cause = fmt.Sprintf("event:%d", seq)
	return nil
}
