package state

import (
	"fmt"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// RerequestCheck has the app that made a check run asked to make it again. The suite is queued until the app does something;
// the check run stays as it is.
// https://docs.github.com/en/rest/checks/runs#rerequest-a-check-run
func (s *State) RerequestCheck(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, app, err := s.checker(who, full)
	if err != nil {
		return err
	}
	x := s.checks[id]
	if x == nil || x.repo != r {
		if s.jobCheck(r, id) == nil {
			return wire.NotFound()
		}
		return notAgain("run")
	}
	own := s.suites[x.Suite]
	if x.App != app.login || own == nil {
		return notAgain("run")
	}
	own.Requested = true
	v := s.viewCheck(x)
	if in, ok := s.viewSuite(r, own.ID); ok {
		v.CheckSuite = wire.CheckRunSuite{CheckSuite: in}
	}
	s.rerequested(who, own, "check_run", wire.Event{CheckRun: &v}, fmt.Sprintf("check-run:%d", x.ID))
	return nil
}

// RerequestSuite has the app whose check suite it is asked to make its check runs again.
// https://docs.github.com/en/rest/checks/suites#rerequest-a-check-suite
func (s *State) RerequestSuite(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, app, err := s.checker(who, full)
	if err != nil {
		return err
	}
	own, run := s.findSuite(r, id)
	switch {
	case own == nil && run == nil:
		return wire.NotFound()
	case own == nil || own.App != app.login:
		return notAgain("suite")
	}
	own.Requested = true
	v, _ := s.viewSuite(r, id)
	v.HeadCommit = s.shortCommit(r, v.HeadSHA)
	s.rerequested(who, own, "check_suite", wire.Event{CheckSuite: &v}, fmt.Sprintf("check-suite:%d", id))
	return nil
}

// notAgain is the answer for what another app made. Runs of workflows are made again by routes of their own.
func notAgain(what string) error {
	return wire.Forbidden("This check " + what + " is not rerequestable")
}

// rerequested announces that a check is asked for again: of all webhooks to that of the suite's app alone, and to workflows.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run
func (s *State) rerequested(who Identity, x *suite, event string, body wire.Event, subject string) {
	const action = "rerequested"
	r := x.repo
	who = s.checking(who, r, x.App, x.HeadSHA)
	body.Action, body.Repository, body.Organization, body.Sender = action, s.eventRepo(r), s.eventOrg(r), s.eventSender(who)
	branch := "refs/heads/" + r.defaultBranch
	seq, payload := s.note(who, r, event+"."+action, subject, body, map[string]string{"event": event, "action": action, "ref": branch, "sha": r.refs[branch]})
	s.announceToInstalled(seq, r, event, action, payload, func(i *installation) bool {
		return i.on == r.owner && i.covers(r) && i.app.bot.login == x.App
	})
}

// begun notes that an app has done something about a suite that it was asked to make again.
func (s *State) begun(x *check) {
	if own := s.suites[x.Suite]; own != nil {
		own.Requested = false
	}
}
