package state

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Annotation is what a check run says about lines of a file.
type Annotation struct {
	Level       string // notice, warning, failure
	Path        string
	StartLine   int
	EndLine     int
	StartColumn int // 0 is none
	EndColumn   int
	Title       string
	Message     string
	RawDetails  string
	Step        int // of a job, that said it; 0 is the job itself, or a check run of an app
}

// Check is a check run that an app made. Jobs of workflows are check runs, too, under their own ids.
type Check struct {
	ID          int64
	Suite       int64 // a run, or a suite of an app
	App         string
	HeadSHA     string
	Name        string
	Status      string
	Conclusion  string
	ExternalID  string
	DetailsURL  string
	Title       string
	Summary     string
	Text        string
	Started     time.Time
	Completed   time.Time
	Annotations []Annotation
}

type check struct {
	Check
	repo *repo
}

// CheckEdit changes what is not nil. Annotations are added to those that are there.
type CheckEdit struct {
	Name       *string
	Status     *string
	Conclusion *string
	ExternalID *string
	DetailsURL *string
	Started    *time.Time
	Completed  *time.Time
	Output     *CheckOutput
}

// CheckOutput is what a check run says; the title of an edit can stay away.
type CheckOutput struct {
	Title       *string
	Summary     string
	Text        string
	Annotations []Annotation
}

// MayCheck answers nil when who may write check runs: an app with the permission.
func (s *State) MayCheck(who Identity, full string) (Repo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _, err := s.checker(who, full)
	if err != nil {
		return Repo{}, err
	}
	return r.plain(), nil
}

// checker finds a repository in which an app writes check runs.
func (s *State) checker(who Identity, full string) (*repo, *account, error) {
	r, err := s.open(who, full, ReadMetadata)
	if err != nil {
		return nil, nil, err
	}
	if who.tok == nil {
		return nil, nil, wire.RequiresAuthentication()
	}
	a := s.accounts[key(who.Login)]
	if a == nil || a.kind != kindBot {
		return nil, nil, wire.Forbidden("You must authenticate via a GitHub App.")
	}
	return r, a, s.allow(who, r, WriteChecks)
}

// CreateCheck makes a check run of a commit that is there.
func (s *State) CreateCheck(who Identity, full, sha string, in CheckEdit) (wire.CheckRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, app, err := s.checker(who, full)
	if err != nil {
		return wire.CheckRun{}, err
	}
	x := &check{repo: r, Check: Check{App: app.login, HeadSHA: sha, Status: queued}}
	if err := x.apply(in, s.now()); err != nil {
		return wire.CheckRun{}, err
	}
	x.ID, x.Suite = s.nextID(nounJob), s.suiteFor(r, app, sha)
	if x.Started.IsZero() {
		x.Started = s.now()
	}
	s.checks[x.ID] = x
	r.checks = append(r.checks, x)
	s.begun(x)
	s.checkEvent(who, x, "created")
	if x.Status == completed {
		s.checkEvent(who, x, "completed")
		s.suiteEnded(who, x)
	}
	return s.viewCheck(x), nil
}

// EditCheck changes a check run of the same app.
func (s *State) EditCheck(who Identity, full string, id int64, in CheckEdit) (wire.CheckRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, app, err := s.checker(who, full)
	if err != nil {
		return wire.CheckRun{}, err
	}
	x := s.checks[id]
	switch {
	case x != nil && x.repo == r && x.App == app.login:
	case x != nil && x.repo == r, s.jobCheck(r, id) != nil && app.login != ActionsLogin:
		return wire.CheckRun{}, wire.Forbidden(fmt.Sprintf("Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", appID(app)))
	case s.jobCheck(r, id) != nil:
		return wire.CheckRun{}, wire.Unsupported("a check run that is the job of a workflow: it changes with its job")
	default:
		return wire.CheckRun{}, wire.NotFound()
	}
	before := x.Status
	if err := x.apply(in, s.now()); err != nil {
		return wire.CheckRun{}, err
	}
	s.led.Changed()
	s.begun(x)
	if x.Status == completed && before != completed {
		s.checkEvent(who, x, "completed")
		s.suiteEnded(who, x)
	}
	return s.viewCheck(x), nil
}

// jobCheck returns the job that a check run is, or nil.
func (s *State) jobCheck(r *repo, id int64) *job {
	if j := s.jobs[id]; j != nil && j.run.repo == r {
		return j
	}
	return nil
}

// The most of what a check run can say.
// https://docs.github.com/en/rest/checks/runs#create-a-check-run
const (
	maxSummary     = 65535 // characters, of summary and text
	maxAnnotations = 50    // in one request
	maxTitle       = 255
	maxMessage     = 64 << 10
)

// conclusions are those that an app can give.
func conclusions() []string {
	return []string{"action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"}
}

// apply changes all of it, or nothing.
func (c *check) apply(in CheckEdit, now time.Time) error {
	next := c.Check
	text := func(to *string, from *string) {
		if from != nil {
			*to = *from
		}
	}
	text(&next.Name, in.Name)
	text(&next.ExternalID, in.ExternalID)
	text(&next.DetailsURL, in.DetailsURL)
	if strings.TrimSpace(next.Name) == "" {
		return wire.Unprocessable("Invalid request.\n\n\"name\" wasn't supplied.")
	}
	if u := next.DetailsURL; u != "" && !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://") {
		return wire.Unprocessable("Invalid request.\n\ndetails_url must use http or https scheme.")
	}
	if in.Started != nil {
		next.Started = in.Started.UTC()
	}
	if err := next.conclude(in, now); err != nil {
		return err
	}
	if in.Output != nil {
		if err := next.say(*in.Output); err != nil {
			return err
		}
	}
	c.Check = next
	return nil
}

// conclude sets status and conclusion: to give a conclusion is to complete.
func (c *Check) conclude(in CheckEdit, now time.Time) error {
	if in.Status != nil {
		if progress(*in.Status) < 0 {
			return wire.Unprocessable(fmt.Sprintf("Invalid request.\n\n%s is not a member of [\"queued\", \"in_progress\", \"completed\"].", *in.Status))
		}
		c.Status = *in.Status
	}
	if in.Conclusion != nil {
		if !slices.Contains(conclusions(), *in.Conclusion) {
			return wire.Unprocessable(fmt.Sprintf("Invalid request.\n\n%s is not a member of [%q].", *in.Conclusion, conclusions()))
		}
		c.Status, c.Conclusion = completed, *in.Conclusion
	}
	if c.Status == completed && c.Conclusion == "" {
		return wire.Unprocessable("Invalid request.\n\n\"conclusion\" wasn't supplied.")
	}
	if c.Status != completed {
		c.Conclusion, c.Completed = "", time.Time{}
		return nil
	}
	if in.Completed != nil {
		c.Completed = in.Completed.UTC()
	} else if c.Completed.IsZero() {
		c.Completed = now
	}
	return nil
}

func (c *Check) say(out CheckOutput) error {
	if out.Title != nil {
		c.Title = *out.Title
	}
	if c.Title == "" {
		return wire.Unprocessable("Invalid request.\n\nFor 'properties/output', \"title\" wasn't supplied.")
	}
	if out.Summary == "" {
		return wire.Unprocessable("Invalid request.\n\nFor 'properties/output', \"summary\" wasn't supplied.")
	}
	for name, text := range map[string]string{"summary": out.Summary, "text": out.Text} {
		if len([]rune(text)) > maxSummary {
			return wire.Unprocessable(fmt.Sprintf("Invalid request.\n\nOnly %d characters are allowed; %d were supplied for 'properties/output/%s'.",
				maxSummary, len([]rune(text)), name))
		}
	}
	if n := len(out.Annotations); n > maxAnnotations {
		return wire.Unprocessable(fmt.Sprintf("Invalid request.\n\nNo more than %d items are allowed; %d were supplied for 'properties/output/annotations'.", maxAnnotations, n))
	}
	for i, a := range out.Annotations {
		if why := a.wrong(); why != "" {
			return wire.Unprocessable(fmt.Sprintf("Invalid request.\n\nFor 'properties/output/annotations/items/%d', %s", i, why))
		}
	}
	c.Summary, c.Text = out.Summary, out.Text
	c.Annotations = append(slices.Clip(c.Annotations), out.Annotations...)
	return nil
}

// wrong says what an annotation lacks, or "".
func (a Annotation) wrong() string {
	switch {
	case a.Path == "":
		return `"path" wasn't supplied.`
	case a.Message == "":
		return `"message" wasn't supplied.`
	case a.StartLine < 1 || a.EndLine < a.StartLine:
		return `"start_line" and "end_line" are no lines from 1 on.`
	case !slices.Contains([]string{"notice", "warning", "failure"}, a.Level):
		return fmt.Sprintf(`%q is not a member of ["notice", "warning", "failure"].`, a.Level)
	case (a.StartColumn != 0 || a.EndColumn != 0) && a.StartLine != a.EndLine:
		return "columns are for annotations of one line."
	case len([]rune(a.Title)) > maxTitle:
		return fmt.Sprintf("title is too long (maximum is %d characters).", maxTitle)
	case len(a.Message) > maxMessage || len(a.RawDetails) > maxMessage:
		return fmt.Sprintf("message and raw_details have %d bytes at most.", maxMessage)
	}
	return ""
}
