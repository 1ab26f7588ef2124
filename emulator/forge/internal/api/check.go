package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) checkRoutes() []route {
	const repo = "/repos/{owner}/{repo}"
	const runs, suites = repo + "/check-runs", repo + "/check-suites"
	filters := []string{"check_name", "status", "filter"}
	return []route{
		{method: http.MethodPost, pattern: runs, do: a.createCheck},
		{method: http.MethodGet, pattern: runs + "/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			return answered(a.State.CheckRun(c.who, c.repo(), id))
		}},
		{method: http.MethodPatch, pattern: runs + "/{id}", do: a.editCheck},
		{method: http.MethodGet, pattern: runs + "/{id}/annotations", list: true, do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			all, err := a.State.Annotations(c.who, c.repo(), id)
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodPost, pattern: runs + "/{id}/rerequest", do: a.rerequest(a.State.RerequestCheck)},
		{method: http.MethodPost, pattern: suites + "/{id}/rerequest", do: a.rerequest(a.State.RerequestSuite)},
		{method: http.MethodGet, pattern: suites + "/{id}", do: a.getSuite},
		{method: http.MethodGet, pattern: suites + "/{id}/check-runs", list: true, query: filters, do: a.suiteChecks},
		{method: http.MethodGet, pattern: repo + "/commits/{ref...}/check-runs", list: true, query: append(filters, "app_id"), do: a.commitChecks},
		{method: http.MethodGet, pattern: repo + "/commits/{ref...}/check-suites", list: true, query: []string{"app_id", "check_name"}, do: a.commitSuites},
	}
}

// checkBody is a check run as an app gives it. Pictures and actions are not understood: nobody here looks or clicks.
type checkBody struct {
	Name       *string    `json:"name"`
	HeadSHA    *string    `json:"head_sha"`
	DetailsURL *string    `json:"details_url"`
	ExternalID *string    `json:"external_id"`
	Status     *string    `json:"status"`
	Conclusion *string    `json:"conclusion"`
	Started    *time.Time `json:"started_at"`
	Completed  *time.Time `json:"completed_at"`
	Output     *struct {
		Title       *string          `json:"title"`
		Summary     string           `json:"summary"`
		Text        string           `json:"text"`
		Annotations []annotationBody `json:"annotations"`
	} `json:"output"`
}

type annotationBody struct {
	Path        string `json:"path"`
	StartLine   int    `json:"start_line"`
	EndLine     int    `json:"end_line"`
	StartColumn int    `json:"start_column"`
	EndColumn   int    `json:"end_column"`
	Level       string `json:"annotation_level"`
	Message     string `json:"message"`
	Title       string `json:"title"`
	RawDetails  string `json:"raw_details"`
}

func (b checkBody) edit() state.CheckEdit {
	in := state.CheckEdit{Name: b.Name, Status: b.Status, Conclusion: b.Conclusion, ExternalID: b.ExternalID, DetailsURL: b.DetailsURL,
		Started: b.Started, Completed: b.Completed}
	if o := b.Output; o != nil {
		in.Output = &state.CheckOutput{Title: o.Title, Summary: o.Summary, Text: o.Text}
		for _, n := range o.Annotations {
			in.Output.Annotations = append(in.Output.Annotations, state.Annotation{Path: n.Path, StartLine: n.StartLine, EndLine: n.EndLine,
				StartColumn: n.StartColumn, EndColumn: n.EndColumn, Level: n.Level, Message: n.Message, Title: n.Title, RawDetails: n.RawDetails})
		}
	}
	return in
}

// checkLimit is room for fifty annotations with all their text.
const checkLimit = 8 << 20

func (a *API) createCheck(c *call) (answer, error) {
	repo, err := a.State.MayCheck(c.who, c.repo())
	if err != nil {
		return answer{}, err
	}
	var in checkBody
	if err := c.decode(checkLimit, &in); err != nil {
		return answer{}, err
	}
	if in.Name == nil {
		return answer{}, missing("name")
	}
	if in.HeadSHA == nil {
		return answer{}, missing("head_sha")
	}
	if _, err := commitOf(a.Git.Open(repo.ID), *in.HeadSHA); err != nil {
		return answer{}, err
	}
	v, err := a.State.CreateCheck(c.who, c.repo(), *in.HeadSHA, in.edit())
	return answer{status: http.StatusCreated, body: v}, err
}

// commitOf returns the commit that a whole hash names.
func commitOf(g *gitstore.Repo, sha string) (*object.Commit, error) {
	if len(sha) == 40 && strings.Trim(sha, "0123456789abcdef") == "" {
		if x, err := g.Commit(sha); err == nil {
			return x, nil
		}
	}
	return nil, wire.Unprocessable("No commit found for SHA: " + sha)
}

func (a *API) editCheck(c *call) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	if _, err := a.State.MayCheck(c.who, c.repo()); err != nil {
		return answer{}, err
	}
	var in checkBody
	if err := c.decode(checkLimit, &in); err != nil {
		return answer{}, err
	}
	if in.HeadSHA != nil {
		return answer{}, wire.Unsupported("body field \"head_sha\" of " + c.route.method + " " + c.route.pattern)
	}
	return answered(a.State.EditCheck(c.who, c.repo(), id, in.edit()))
}

// rerequest is the handler for a check run, or a suite, that shall be made again.
func (a *API) rerequest(ask func(who state.Identity, repo string, id int64) error) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		id, err := c.number("id")
		if err != nil {
			return answer{}, err
		}
		if err := c.decode(smallBody, &struct{}{}); err != nil {
			return answer{}, err
		}
		if err := ask(c.who, c.repo(), id); err != nil {
			return answer{}, err
		}
		return created(struct{}{})
	}
}

// checkFilter reads what a list of check runs is narrowed to.
func (c *call) checkFilter() (state.CheckFilter, error) {
	filter, err := c.oneOf("filter", "latest", "all")
	if err != nil {
		return state.CheckFilter{}, err
	}
	f := state.CheckFilter{All: filter == "all", Name: c.URL.Query().Get("check_name")}
	if f.Status = c.URL.Query().Get("status"); f.Status != "" {
		if _, err := c.oneOf("status", "queued", "in_progress", "completed"); err != nil {
			return f, err
		}
	}
	f.App, err = c.appID()
	return f, err
}

func (c *call) appID() (int64, error) {
	s := c.URL.Query().Get("app_id")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, wire.Unprocessable("Invalid request.\n\nInvalid app_id: want a number.")
	}
	return n, nil
}

func (a *API) suiteChecks(c *call) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	f, err := c.checkFilter()
	if err != nil {
		return answer{}, err
	}
	all, err := a.State.SuiteChecks(c.who, c.repo(), id, f)
	return counted(c, a.Base, "check_runs", all, err)
}

// commitNamed returns the commit that a path names, for those who have a need in its repository.
func (a *API) commitNamed(c *call, need state.Need) (*object.Commit, state.Repo, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), need)
	if err != nil {
		return nil, repo, err
	}
	g := a.Git.Open(repo.ID)
	sha, err := g.Resolve(repo.Refs, c.param["ref"])
	if err != nil {
		return nil, repo, wire.Unprocessable("No commit found for SHA: " + c.param["ref"])
	}
	x, err := g.Commit(sha)
	return x, repo, err
}

func (a *API) commitChecks(c *call) (answer, error) {
	x, _, err := a.commitNamed(c, state.ReadChecks)
	if err != nil {
		return answer{}, err
	}
	f, err := c.checkFilter()
	if err != nil {
		return answer{}, err
	}
	all, err := a.State.CommitChecks(c.who, c.repo(), x.Hash.String(), f)
	return counted(c, a.Base, "check_runs", all, err)
}

func (a *API) commitSuites(c *call) (answer, error) {
	x, _, err := a.commitNamed(c, state.ReadChecks)
	if err != nil {
		return answer{}, err
	}
	app, err := c.appID()
	if err != nil {
		return answer{}, err
	}
	all, err := a.State.CheckSuites(c.who, c.repo(), x.Hash.String(), state.SuiteFilter{App: app, Name: c.URL.Query().Get("check_name")})
	for i := range all {
		all[i].HeadCommit = viewSimple(x)
	}
	return counted(c, a.Base, "check_suites", all, err)
}

func (a *API) getSuite(c *call) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	v, err := a.State.CheckSuite(c.who, c.repo(), id)
	if err != nil {
		return answer{}, err
	}
	repo, err := a.State.Authorize(c.who, c.repo(), state.ReadChecks)
	if err != nil {
		return answer{}, err
	}
	if x, err := a.Git.Open(repo.ID).Commit(v.HeadSHA); err == nil { // what a run is about may be gone
		v.HeadCommit = viewSimple(x)
	}
	return ok(v)
}

func viewSimple(x *object.Commit) *wire.SimpleCommit {
	return &wire.SimpleCommit{ID: x.Hash.String(), TreeID: x.TreeHash.String(), Message: strings.TrimRight(x.Message, "\n"),
		Timestamp: wire.Time{Time: x.Committer.When}, Author: wire.Person{Name: x.Author.Name, Email: x.Author.Email},
		Committer: wire.Person{Name: x.Committer.Name, Email: x.Committer.Email}}
}
