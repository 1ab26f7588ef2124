package state_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/nacl/box"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// images says which part of an image holds a struct of the state.
func images() map[string]reflect.Type {
	return map[string]reflect.Type{
		"State": reflect.TypeFor[state.Image](), "account": reflect.TypeFor[state.AccountImage](),
		"member": reflect.TypeFor[state.MemberImage](), "token": reflect.TypeFor[state.TokenImage](),
		"repo": reflect.TypeFor[state.RepoImage](), "config": reflect.TypeFor[state.ConfigImage](), "label": reflect.TypeFor[state.LabelImage](),
		"setting":   reflect.TypeFor[state.SettingImage](),
		"furniture": reflect.TypeFor[state.FurnitureImage](), "milestone": reflect.TypeFor[state.MilestoneImage](),
		"reaction": reflect.TypeFor[state.ReactionImage](), "issueEvent": reflect.TypeFor[state.IssueEventImage](),
		"sealing": reflect.TypeFor[state.SealingImage](), "workflow": reflect.TypeFor[state.WorkflowImage](),
		"pull": reflect.TypeFor[state.PullImage](), "headEnd": reflect.TypeFor[state.HeadImage](), "baseEnd": reflect.TypeFor[state.BaseImage](),
		"Protection": reflect.TypeFor[state.Protection](), "RequiredChecks": reflect.TypeFor[state.RequiredChecks](),
		"RequiredCheck": reflect.TypeFor[state.RequiredCheck](), "RequiredReviews": reflect.TypeFor[state.RequiredReviews](),
		"Review": reflect.TypeFor[state.Review](), "ReviewComment": reflect.TypeFor[state.ReviewComment](),
		"PullFacts": reflect.TypeFor[state.PullFacts](), "merging": reflect.TypeFor[state.MergingImage](),
		"issue": reflect.TypeFor[state.IssueImage](), "comment": reflect.TypeFor[state.CommentImage](),
		"run": reflect.TypeFor[state.RunImage](), "job": reflect.TypeFor[state.JobImage](),
		"artifact": reflect.TypeFor[state.ArtifactImage](), "environment": reflect.TypeFor[state.EnvironmentImage](),
		"Cache": reflect.TypeFor[state.CacheImage](),
		"app":   reflect.TypeFor[state.AppImage](), "installation": reflect.TypeFor[state.InstallationImage](),
		"hook": reflect.TypeFor[state.HookImage](), "delivery": reflect.TypeFor[state.DeliveryImage](),
		"HookConfig": reflect.TypeFor[state.HookConfig](), "Outcome": reflect.TypeFor[state.Outcome](),
		"check": reflect.TypeFor[state.CheckImage](), "Check": reflect.TypeFor[state.Check](), "suite": reflect.TypeFor[state.SuiteImage](),
		"Suite": reflect.TypeFor[state.Suite](), "status": reflect.TypeFor[state.StatusImage](), "Status": reflect.TypeFor[state.Status](),
		"Annotation": reflect.TypeFor[state.Annotation](), "Release": reflect.TypeFor[state.Release](), "Asset": reflect.TypeFor[state.Asset](),
		"Span": reflect.TypeFor[state.Span](), "Run": reflect.TypeFor[state.Run](), "Job": reflect.TypeFor[state.Job](),
		"team": reflect.TypeFor[state.TeamImage](), "customRole": reflect.TypeFor[state.CustomRoleImage](), "Step": reflect.TypeFor[state.Step](), "Artifact": reflect.TypeFor[state.Artifact](),
	}
}

// elsewhere says why a field of the state has no field of that name in its part of an image.
func elsewhere() map[string]string {
	return map[string]string{
		"State.base":         "an option: where the forge listens",
		"State.now":          "an option",
		"State.clock":        "an option; Image.Advanced is what was added to it",
		"State.led":          "an option",
		"State.jour":         "an option",
		"State.mu":           "holds nothing",
		"account.view":       "made from the other fields and the base",
		"token.revoked":      "revoked tokens and their aliases are not in an image",
		"State.arts":         "Image.Artifacts",
		"repo.issues":        "Image.Issues, by IssueImage.Repo",
		"repo.pulls":         "the issues that are pull requests",
		"repo.outgoing":      "the pull requests whose PullImage.Head is in it",
		"pull.in":            "IssueImage.Repo",
		"repo.runs":          "Image.Runs, by Run.Repo",
		"Cache.Repo":         "the repository that has it",
		"repo.config":        "its fields stand in RepoImage",
		"account.config":     "its fields stand in AccountImage",
		"environment.config": "its fields stand in EnvironmentImage",
		"issue.comments":     "Image.Comments, by CommentImage.Issue",
		"run.jobs":           "Image.Jobs, by Job.RunID",
		"job.run":            "Job.RunID",
		"artifact.run":       "Artifact.RunID",
		"State.deliver":      "who it is given to",
		"account.hooks":      "Image.Hooks, by HookImage.Org",
		"repo.forks":         "RepoImage.Parent of the forks",
		"repo.hooks":         "Image.Hooks, by HookImage.Repo",
		"State.promised":     "what was dispatched and has not begun is in no image",
		"repo.checks":        "Image.Checks, by CheckImage.Repo",
		"repo.suites":        "Image.Suites, by SuiteImage.Repo",
		"repo.statuses":      "Image.Statuses, by StatusImage.Repo",
		"app.bot":            "AppImage.ID: an app has the number of its account",
		"app.hooks":          "Image.Hooks, by HookImage.App",
		"installation.gone":  "those that were removed are not in an image",
		"hook.gone":          "deleted hooks are not in an image",
		"hook.past":          "Image.Deliveries, by DeliveryImage.Hook",

		"furniture.reactions": "Image.Reactions, by ReactionImage.Issue",
		"furniture.events":    "Image.Events, by IssueEventImage.Issue",
		"State.head":          "who reads commits",
		"run.head":            "read from git when it is asked for",
		"comment.reactions":   "Image.Reactions, by ReactionImage.Comment",
	}
}

// TestImageHoldsEveryField looks at every struct that a State reaches: each field has one of the same
// name in the image, or a reason.
func TestImageHoldsEveryField(t *testing.T) {
	seen, reasons := map[string]bool{}, elsewhere()
	var visit func(reflect.Type)
	visit = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(typ.Elem())
			return
		case reflect.Map:
			visit(typ.Key())
			visit(typ.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[typ.Name()] || typ.PkgPath() != reflect.TypeFor[state.State]().PkgPath() {
			return
		}
		seen[typ.Name()] = true
		image, ok := images()[typ.Name()]
		if !ok {
			t.Errorf("the state holds a %s, and the image has no part for it", typ.Name())
			return
		}
		for f := range typ.Fields() {
			visit(f.Type)
			name := typ.Name() + "." + f.Name
			_, there := image.FieldByNameFunc(func(n string) bool { return strings.EqualFold(n, f.Name) })
			if reason := reasons[name]; (reason != "") == there {
				t.Errorf("%s: in the image: %v; reason why not: %q", name, there, reason)
			}
			delete(reasons, name)
		}
	}
	visit(reflect.TypeFor[state.State]())
	for name := range reasons {
		t.Errorf("%s is no field any more", name)
	}
	for name := range images() {
		if !seen[name] {
			t.Errorf("%s is in no state any more", name)
		}
	}
}

// world is a state with a journal of its own.
type world struct {
	*state.State
	journal *journal.Journal
}

func options(entries []journal.Entry) (state.Options, error) {
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	l := ledger.New()
	j := journal.New(l, now)
	base, err := wire.ParseBase("http://127.0.0.1:1")
	if err != nil {
		return state.Options{}, err
	}
	return state.Options{Base: base, Now: now, Clock: clock.New(now), Ledger: l, Journal: j}, j.Restore(entries)
}

// full is a state in which every field of an image is set somewhere.
func full(t *testing.T) world {
	t.Helper()
	o, err := options(nil)
	try(t, err)
	o.Clock.Advance(time.Hour)
	w := world{state.New(o), o.Journal}
	try(t, w.AddUser("ada", "Ada L.", false))
	try(t, w.AddUser("bob", "", false))
	try(t, w.AddUser("robot[bot]", "", true))
	try(t, w.AddOrg("acme", []string{"ada"}))
	try(t, w.SetOrgRole("acme", "bob", state.Write))
	ada := w.identity(t, state.TokenSpec{Login: "ada", Kit: true, Quiet: true, Name: "ada"})
	w.identity(t, state.TokenSpec{Login: "ada", Scopes: []string{"read:org"}, Name: "classic"})
	w.identity(t, state.TokenSpec{Login: "ada", Owner: "ada", Name: "fine"})
	w.identity(t, state.TokenSpec{Login: "robot[bot]", Cause: "job:1", Repo: "acme/app", Permissions: map[string]string{"issues": "write"},
		StartsNoRuns: true, Name: "robot"})
	w.Mark("step:3")
	_, err = w.CreateRepo(ada, "acme", state.NewRepo{Name: "app", Description: "An app", Private: true}, func(int64) error { return nil })
	try(t, err)
	_, err = w.SetCollaborator(ada, "acme/app", "robot[bot]", "read")
	try(t, err)
	try(t, w.MoveRefs(ada, "acme/app", []state.RefChange{{Ref: "refs/heads/main", Before: state.Zero, After: strings.Repeat("a", 40)}}))
	w.fillIssues(t, ada)
	w.fillPulls(t, ada)
	w.fillConfig(t, ada, state.Level{Repo: "acme/app"}, state.Audience{})
	_, err = w.PutEnvironment(ada, "acme/app", "Production")
	try(t, err)
	w.fillConfig(t, ada, state.Level{Repo: "acme/app", Environment: "production"}, state.Audience{})
	w.fillConfig(t, ada, state.Level{Org: "acme"}, state.Audience{Visibility: "selected", Selected: []int64{1}})
	try(t, w.SetPublic(ada, "acme", "ada", true))
	try(t, w.AddUser("cyd", "", false))
	_, err = w.SetMembership(ada, "acme", "cyd", true)
	try(t, err)
	w.fillRuns(t, ada)
	w.fillChecks(t, ada)
	w.fillHooks(t, ada)
	yes := true
	write := "write"
	permissive := state.WorkflowPermissionsEdit{Default: &write, Pulls: &yes}
	try(t, w.SetOrgWorkflowPermissions(ada, "acme", permissive))
	try(t, w.SetWorkflowPermissions(ada, "acme/app", permissive))
	try(t, w.SetOrgForkApproval(ada, "acme", "all_external_contributors"))
	try(t, w.SetForkApproval(ada, "acme/app", "first_time_contributors"))
	_, err = w.EditRepo(ada, "acme/app", state.RepoEdit{AllowForking: &yes}, nil)
	try(t, err)
	w.furnish(t, ada)
	_, err = w.SetTopics(ada, "acme/app", []string{"agents"})
	try(t, err)
	_, err = w.Fork(ada, "acme/app", state.NewFork{}, func(from state.Repo, _ int64) (map[string]string, error) { return from.Refs, nil })
	try(t, err)
	w.fillApps(t, ada)
	w.fillRoles(t, ada)
	w.fillTeams(t, ada)
	_, err = w.EditRepo(ada, "acme/lib", state.RepoEdit{Archived: &yes}, nil)
	try(t, err)
	w.fillReleases(t, ada)
	return w
}

func (w world) identity(t *testing.T, spec state.TokenSpec) state.Identity {
	t.Helper()
	value, err := w.MintToken(spec)
	try(t, err)
	_, ok := w.Alias(value, "job:2")
	if !ok {
		t.Fatal("no alias")
	}
	dead, err := w.MintToken(spec)
	try(t, err)
	w.Alias(dead, "")
	w.RevokeToken(dead)
	who, err := w.Identify(value)
	try(t, err)
	return who
}

func (w world) fillApps(t *testing.T, who state.Identity) {
	t.Helper()
	pair, err := rsa.GenerateKey(rand.Reader, 2048)
	try(t, err)
	address, secret := "https://127.0.0.1/app", "hunter2"
	app, err := w.AddApp(state.NewApp{Slug: "coder", Name: "Coder", Description: "Writes", Owner: "acme", Key: &pair.PublicKey,
		Permissions: map[string]string{"issues": "write"}, Events: []string{"issues"}, Webhook: state.HookConfigEdit{URL: &address, Secret: &secret}})
	try(t, err)
	for _, repos := range [][]string{nil, {"acme/app"}} {
		_, err = w.Install(who, "coder", "acme", repos)
		try(t, err)
	}
	_, err = w.Install(who, "coder", "ada", nil)
	try(t, err)
	header, claims := `{"alg":"RS256"}`, fmt.Sprintf(`{"iss":%d,"iat":1767323045,"exp":1767323105}`, app.ID) // the time of options
	signed := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, pair, crypto.SHA256, sum[:])
	try(t, err)
	coder, err := w.IdentifyApp(signed + "." + base64.RawURLEncoding.EncodeToString(signature))
	try(t, err)
	for _, ask := range []state.TokenAsk{{}, {Repositories: []string{"app"}}} {
		_, err = w.InstallationToken(coder, 1, ask)
		try(t, err)
	}
	try(t, w.Suspend(coder, 2, true))
}

func (w world) fillHooks(t *testing.T, who state.Identity) {
	t.Helper()
	var due []state.Delivery
	w.DeliverTo(func(d state.Delivery) { due = append(due, d) })
	settle := func() {
		for _, d := range due {
			to, _ := w.Target(d)
			w.Settle(d, to, state.Outcome{Duration: time.Second, Status: "OK", Code: 200, Result: state.Delivered,
				RequestHeader: map[string]string{"X-GitHub-Event": d.Event}, ResponseHeader: map[string]string{"X": "y"}, ResponseBody: "thanks"})
		}
		due = nil
	}
	address, secret, insecure := "https://127.0.0.1/hook", "hunter2", true
	edit := state.HookEdit{Config: &state.HookConfigEdit{URL: &address, Secret: &secret, Insecure: &insecure}, Events: &[]string{"label", "push"}}
	ofRepo := state.HookOwner{Repo: "acme/app"}
	for _, owner := range []state.HookOwner{ofRepo, {Org: "acme"}} {
		_, err := w.CreateHook(who, owner, edit)
		try(t, err)
	}
	name := "heard"
	_, err := w.CreateLabel(who, "acme/app", state.LabelEdit{Name: &name})
	try(t, err)
	settle()
	try(t, w.Redeliver(who, ofRepo, 1, 1))
	settle()
}

func fullAnnotation() state.Annotation {
	return state.Annotation{Level: "failure", Path: "a.go", StartLine: 3, EndLine: 3, StartColumn: 1, EndColumn: 2, Title: "t", Message: "m", RawDetails: "r", Step: 1}
}

func (w world) fillChecks(t *testing.T, ada state.Identity) {
	t.Helper()
	bot := w.identity(t, state.TokenSpec{Login: "robot[bot]", Permissions: map[string]string{"checks": "write"}, Name: "checks"})
	say := func(s string) *string { return &s }
	c, err := w.CreateCheck(bot, "acme/app", strings.Repeat("a", 40), state.CheckEdit{Name: say("lint"), Conclusion: say("neutral"), ExternalID: say("7"),
		DetailsURL: say("http://127.0.0.1/x"), Output: &state.CheckOutput{Title: say("t"), Summary: "s", Text: "x", Annotations: []state.Annotation{fullAnnotation()}}})
	try(t, err)
	try(t, w.RerequestCheck(bot, "acme/app", c.ID))
	_, err = w.CreateStatus(ada, "acme/app", state.Status{SHA: strings.Repeat("a", 40), State: "success", Context: "ci", Description: "d",
		TargetURL: "http://127.0.0.1/x"}, wire.Commit{})
	try(t, err)
}

func (w world) fillIssues(t *testing.T, who state.Identity) {
	t.Helper()
	for n := range 3 {
		_, err := w.OpenIssue(who, "acme/app", state.NewIssue{Title: "It breaks", Body: "badly", Labels: []string{"urgent", "bug"}})
		try(t, err)
		_, err = w.AddComment(who, "acme/app", n+1, "I see.")
		try(t, err)
	}
	closed := "closed"
	_, err := w.EditIssue(who, "acme/app", 2, state.IssueEdit{State: &closed})
	try(t, err)
}

// fillPulls leaves one pull request open and one merged.
func (w world) fillPulls(t *testing.T, who state.Identity) {
	t.Helper()
	main, yes, no := strings.Repeat("a", 40), true, false
	_, err := w.EditRepo(who, "acme/app", state.RepoEdit{Merging: state.MergingEdit{Commit: &no, Squash: &no, UpdateBranch: &yes, DeleteBranch: &yes}}, nil)
	try(t, err)
	_, err = w.CreateRepo(who, "acme", state.NewRepo{Name: "lib"}, func(int64) error { return nil })
	try(t, err)
	_, err = w.EditRepo(who, "acme/lib", state.RepoEdit{Merging: state.MergingEdit{Rebase: &no}}, nil)
	try(t, err)
	for n, branch := range []string{"one", "two"} {
		head := strings.Repeat(string(rune('b'+n)), 40)
		try(t, w.MoveRefs(who, "acme/app", []state.RefChange{{Ref: "refs/heads/" + branch, Before: state.Zero, After: head}}))
		in := state.NewPull{Title: branch, Head: "acme:" + branch, Base: "main", Draft: n == 0}
		_, err = w.OpenPull(who, "acme/app", in, 4+n, state.PullFacts{Base: main, Head: head, Common: main, Merge: strings.Repeat("d", 40), Linear: true,
			Commits: 1, Additions: 2, Deletions: 3, Files: 1, Paths: []string{"a.txt"}, Shas: []string{head}, Message: "m"})
		try(t, err)
	}
	w.fillReviews(t, who)
	_, err = w.Protect(who, "acme/app", "main", func(*state.Protection) (*state.Protection, error) {
		return &state.Protection{Checks: &state.RequiredChecks{Strict: true, Checks: []state.RequiredCheck{{Context: "build", App: 1}}}, Admins: true, Restricted: true,
			Users: []string{"bob"}, Linear: true, ForcePushes: true, Deletions: true, Reviews: &state.RequiredReviews{Count: 1, DismissStale: true}}, nil
	})
	try(t, err)
	p, err := w.PullEnds(who, "acme/app", 5, state.ReadPulls)
	try(t, err)
	try(t, w.SettlePull(who, state.Settling{Pull: p, Inside: true}))
}

// furnish gives the second issue and a comment on it all that issues can have.
func (w world) furnish(t *testing.T, who state.Identity) {
	t.Helper()
	due, title, more, no := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC), "1.0", "The first", "closed"
	_, err := w.CreateMilestone(who, "acme/app", state.MilestoneEdit{Title: &title, Description: &more, Due: &due})
	try(t, err)
	_, err = w.EditMilestone(who, "acme/app", 1, state.MilestoneEdit{State: &no})
	try(t, err)
	one, renamed := 1, "It broke"
	_, err = w.EditIssue(who, "acme/app", 2, state.IssueEdit{Title: &renamed, Milestone: &one})
	try(t, err)
	_, err = w.Assign(who, "acme/app", 2, []string{"ada"}, true)
	try(t, err)
	try(t, w.LockIssue(who, "acme/app", 2, "resolved", true))
	for _, to := range []state.Reacted{{Issue: 2}, {Comment: 2}} {
		_, _, err = w.React(who, "acme/app", to, "heart")
		try(t, err)
	}
}

// fillReviews comments on the lines of a pull request, and answers that.
func (w world) fillReviews(t *testing.T, who state.Identity) {
	t.Helper()
	head := strings.Repeat("b", 40)
	at := state.Anchor{Path: "a.txt", Side: "RIGHT", StartSide: "RIGHT", Line: 3, StartLine: 2, Position: 3, Commit: head, Hunk: "@@ -1 +1 @@"}
	_, err := w.CreateReview(who, "acme/app", 4, head, state.NewReview{Commit: head, Body: "Fine", Event: "COMMENT",
		Comments: []state.NewReviewComment{{Body: "Why?", Anchor: at}}})
	try(t, err)
	_, err = w.AddReviewComment(who, "acme/app", 4, head, state.NewReviewComment{Body: "Because"}, 1)
	try(t, err)
	_, err = w.AddReviewComment(who, "acme/app", 4, head, state.NewReviewComment{Body: "All of it", Anchor: state.Anchor{Path: "a.txt", Side: "RIGHT", OfFile: true, Commit: head}}, 0)
	try(t, err)
	_, err = w.RequestReviews(who, "acme/app", 4, state.ReviewAsk{Users: []string{"bob"}})
	try(t, err)
}

func (w world) fillConfig(t *testing.T, who state.Identity, at state.Level, to state.Audience) {
	t.Helper()
	try(t, w.CreateVariable(who, at, "REGION", "eu", to))
	key, err := w.SealingKey(who, at)
	try(t, err)
	raw, err := base64.StdEncoding.DecodeString(key.Key)
	try(t, err)
	sealed, err := box.SealAnonymous(nil, []byte("hunter2"), (*[32]byte)(raw), rand.Reader)
	try(t, err)
	_, err = w.PutSecret(who, at, "PASSWORD", state.Sealed{Value: base64.StdEncoding.EncodeToString(sealed), KeyID: key.KeyID, To: to})
	try(t, err)
}

func (w world) fillRuns(t *testing.T, who state.Identity) {
	t.Helper()
	for _, status := range []string{"completed", "in_progress", "completed"} {
		run, err := w.SaveRun(state.Run{Repo: "acme/app", Workflow: ".github/workflows/ci.yml", Name: "CI", Title: "It breaks", Event: "issues",
			Actor: "ada", Cause: "event:4", HeadSHA: strings.Repeat("a", 40), HeadBranch: "main", Status: status, Conclusion: "failure", Reason: "why"})
		try(t, err)
		job, err := w.SaveJob(state.Job{RunID: run.ID, Key: "build", Name: "Build", Status: status, Conclusion: "failure", TimedOut: true,
			Error: "exit 1", Permissions: map[string]string{"issues": "read"}, Annotations: []state.Annotation{fullAnnotation()},
			Steps: []state.Step{{Number: 1, Name: "make", Status: "completed", Conclusion: "failure", Started: run.Created, Completed: run.Created, Summary: "# s"}}})
		try(t, err)
		try(t, w.AppendLog(job.ID, []byte("make: nothing to be done\n")))
		job.Steps = append(job.Steps, state.Step{Number: 2, Name: "test", Status: "completed", Conclusion: "success"})
		_, err = w.SaveJob(job)
		try(t, err)
		var ids []int64
		for _, name := range []string{"second", "first"} { // stored in another order than claimed
			id, err := w.ClaimArtifact(state.Artifact{RunID: run.ID, Name: name})
			try(t, err)
			ids = append(ids, id)
		}
		for _, id := range slices.Backward(ids) {
			_, err = w.AddArtifact(state.Artifact{ID: id, RunID: run.ID, JobID: job.ID, Name: fmt.Sprint("a", id), Size: 3, Digest: "sha256:1"})
			try(t, err)
		}
	}
	for _, name := range []string{"second", "first"} {
		c := state.Cache{JobID: 1, Repo: "acme/app", Ref: "refs/heads/main", Key: name, Version: "v", Size: 3}
		id, err := w.ClaimCache(c)
		try(t, err)
		c.ID = id
		_, _, err = w.AddCache(c, 1<<20)
		try(t, err)
	}
	try(t, w.Rerun(who, "acme/app", 1, state.RerunAll))
	_, err := w.SaveJob(state.Job{RunID: 1, Key: "test", Name: "Test", Status: "completed", Conclusion: "success", Kept: 1})
	try(t, err)
	try(t, w.EnableWorkflow(who, "acme/app", "ci.yml", false))
}

func try(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestImageRoundTrip goes from state to image to bytes and back; and holds full to its name, so that a
// field that one of the ways forgets is seen.
func TestImageRoundTrip(t *testing.T) {
	w := full(t)
	im := w.Image()
	unset := map[string]bool{}
	note(reflect.ValueOf(im), "Image", unset)
	for name, zero := range unset {
		if zero {
			t.Errorf("%s is zero everywhere: set it in full, so that its loss is seen", name)
		}
	}
	data, err := im.Encode()
	try(t, err)
	again, err := w.Image().Encode()
	try(t, err)
	if !bytes.Equal(data, again) {
		t.Error("the same state makes two images")
	}
	read, err := state.DecodeImage(data)
	try(t, err)
	if diff := cmp.Diff(im, read); diff != "" {
		t.Errorf("decoded: %s", diff)
	}
	o, err := options(w.journal.Entries(0))
	try(t, err)
	s, err := state.FromImage(o, read)
	try(t, err)
	if diff := cmp.Diff(im, s.Image()); diff != "" {
		t.Errorf("after the round: %s", diff)
	}
}

// note finds the fields that are zero in every element of every table.
func note(v reflect.Value, name string, unset map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			note(v.Elem(), name, unset)
		}
	case reflect.Slice:
		for i := range v.Len() {
			note(v.Index(i), name, unset)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			field := name + "." + v.Type().Field(i).Name
			before, known := unset[field]
			unset[field] = v.Field(i).IsZero() && (before || !known)
			if f := v.Type().Field(i); f.Anonymous {
				field = f.Name // one part in several places
			}
			note(v.Field(i), field, unset)
		}
	}
}

// TestImageIsACopy changes the state after an image was taken of it.
func TestImageIsACopy(t *testing.T) {
	w := full(t)
	before := w.Image()
	data, err := before.Encode()
	try(t, err)
	try(t, w.AppendLog(2, []byte("more\n")))
	ada := w.identity(t, state.TokenSpec{Login: "ada"})
	try(t, w.MoveRefs(ada, "acme/app", []state.RefChange{{Ref: "refs/heads/next", Before: state.Zero, After: strings.Repeat("b", 40)}}))
	w.fillIssues(t, ada)
	after, err := before.Encode()
	try(t, err)
	if !bytes.Equal(data, after) {
		t.Error("the image changed with the state")
	}
}

// TestBadImage holds what contradicts itself.
func TestBadImage(t *testing.T) {
	w := full(t)
	for name, c := range map[string]struct {
		spoil func(*state.Image)
		want  string
	}{
		"version":      {func(i *state.Image) { i.Version++ }, "version 3"},
		"journal":      {func(i *state.Image) { i.Journal++ }, "journal"},
		"noun":         {func(i *state.Image) { i.Last["cat"] = 1 }, `"cat"`},
		"counter":      {func(i *state.Image) { i.Last["issue"] = 1 }, "issue 2: the last id given is 1"},
		"twice":        {func(i *state.Image) { i.Comments[1].ID = 1 }, "comment 1 is there twice"},
		"login":        {func(i *state.Image) { i.Accounts[1].Login = "../x" }, `"../x"`},
		"owner":        {func(i *state.Image) { i.Repos[0].Owner = 99 }, "account 99"},
		"kind":         {func(i *state.Image) { i.Accounts[1].Kind = "" }, `kind ""`},
		"bot":          {func(i *state.Image) { i.Accounts[0].Login = "x" }, "there is no account github-actions[bot]"},
		"role":         {func(i *state.Image) { i.Accounts[4].Members[0].Role = 9 }, "role 9"},
		"digest":       {func(i *state.Image) { i.Tokens[0].Digest = "00" }, `"00"`},
		"alias":        {func(i *state.Image) { i.Tokens[0].Parent = "00" }, "alias"},
		"own alias":    {func(i *state.Image) { i.Tokens[0].Parent = i.Tokens[0].Digest }, "its own alias"},
		"key":          {func(i *state.Image) { i.Repos[0].Sealing.Private = nil }, "32 bytes"},
		"environment":  {func(i *state.Image) { i.Repos[0].Environments[0].Name = "" }, `called ""`},
		"cache":        {func(i *state.Image) { i.Repos[0].Caches[0].Key = "" }, "cache 1 has no key"},
		"cache twice":  {func(i *state.Image) { i.Repos[0].Caches[0].ID = 2 }, "cache 2 is there twice"},
		"number":       {func(i *state.Image) { i.Issues[1].Number = 7 }, "number 7"},
		"label":        {func(i *state.Image) { i.Issues[1].Labels[0] = 99 }, "label 99"},
		"issue":        {func(i *state.Image) { i.Comments[0].Issue = 99 }, "issue 99"},
		"workflow":     {func(i *state.Image) { i.Runs[0].WorkflowID = 99 }, "workflow 99"},
		"run status":   {func(i *state.Image) { i.Runs[0].Status = "lost" }, `"lost"`},
		"job":          {func(i *state.Image) { i.Jobs[0].RunID = 99 }, "run 99"},
		"hook":         {func(i *state.Image) { i.Hooks[0].Org = i.Hooks[1].Org }, "want one"},
		"hook of ada":  {func(i *state.Image) { i.Hooks[1].Org = 2 }, "want one"},
		"hook's URL":   {func(i *state.Image) { i.Hooks[0].Config.URL = "ftp://x" }, "ftp://x"},
		"hook's event": {func(i *state.Image) { i.Hooks[0].Events[0] = "lunch" }, "lunch"},
		"delivery":     {func(i *state.Image) { i.Deliveries[0].Hook = 99 }, "hook 99"},
		"deliveries":   {func(i *state.Image) { slices.Reverse(i.Deliveries) }, "out of order"},
		"parent":       {func(i *state.Image) { i.Repos[1].Parent = 2 }, "cannot be a fork of 2"},
		"actions":      {func(i *state.Image) { i.Repos[1].Actions = "maybe" }, `Actions are "maybe"`},
		"release":      {func(i *state.Image) { i.Repos[0].Releases[0].Tag = "" }, `tag ""`},
		"releases":     {func(i *state.Image) { i.Repos[0].Releases[0].ID = 2 }, "release 2 is there twice"},
		"latest":       {func(i *state.Image) { i.Repos[0].LatestRelease = 9 }, "latest release is 9"},
		"asset":        {func(i *state.Image) { i.Repos[0].Releases[0].Assets[0].Name = "a b" }, `called "a b"`},
		"milestone":    {func(i *state.Image) { i.Issues[1].More.Milestone = 9 }, "milestone 9"},
		"lock":         {func(i *state.Image) { i.Issues[1].More.Reason = "bored" }, `"bored"`},
		"reaction":     {func(i *state.Image) { i.Reactions[0].Content = "yawn" }, `"yawn"`},
		"reaction to":  {func(i *state.Image) { i.Reactions[0].Issue = 99 }, "issue 99"},
		"event":        {func(i *state.Image) { i.Events[0].Issue = 99 }, "issue 99"},
		"protection":   {func(i *state.Image) { i.Repos[0].Protections[0].Branch = "" }, `branch ""`},
		"review":       {func(i *state.Image) { i.Issues[3].Pull.Reviews[0].State = "LIKED" }, `"LIKED"`},
		"review's":     {func(i *state.Image) { i.Issues[3].Pull.Comments[0].Review = 99 }, "review 99"},
		"asked":        {func(i *state.Image) { i.Issues[3].Pull.Requested[0] = "zoe" }, `"zoe"`},
		"team":         {func(i *state.Image) { i.Accounts[4].Teams[0].Slug = "x" }, `called "Core"`},
		"team's rows":  {func(i *state.Image) { i.Accounts[4].Teams[1].Repos[99] = state.Read }, "repository 99"},
		"team's ring":  {func(i *state.Image) { i.Accounts[4].Teams[0].Parent = 2 }, "below 1"},
		"team of ada":  {func(i *state.Image) { i.Accounts[1].Teams = i.Accounts[4].Teams }, "no organisation"},
		"team asked":   {func(i *state.Image) { asking(i).Teams[0] = 99 }, "asks team 99"},
		"artifact":     {func(i *state.Image) { i.Runs[0].Arts = i.Runs[0].Arts[:1] }, "belongs to no run"},
	} {
		t.Run(name, func(t *testing.T) {
			im := w.Image()
			c.spoil(&im)
			o, err := options(w.journal.Entries(0))
			try(t, err)
			if _, err = state.FromImage(o, im); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestDecodeImageIsStrict(t *testing.T) {
	data, err := full(t).Image().Encode()
	try(t, err)
	for _, bad := range []string{"", "{}", "[]", `{"Version":3}`, `{"Version":2,"Cats":[]}`, string(data) + "{}", string(data[:len(data)-1])} {
		if _, err := state.DecodeImage([]byte(bad)); err == nil {
			t.Errorf("%.40q was read", bad)
		}
	}
}

func FuzzDecodeImage(f *testing.F) {
	f.Add([]byte(`{"Version":1,"Journal":0,"Last":{"account":1},"Accounts":[{"ID":1,"Login":"github-actions[bot]","Kind":"Bot"}]}`))
	f.Add([]byte(`{"Version":1,"Last":{"account":1,"repository":1,"label":1,"issue":1},"Repos":[{"ID":1,"Owner":1,"Name":"a"}],"Issues":[{"Repo":1,"ID":1,"Number":1,"Labels":[1],"State":"open"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		im, err := state.DecodeImage(data)
		if err != nil {
			return
		}
		o, err := options(nil)
		try(t, err)
		s, err := state.FromImage(o, im)
		if err != nil {
			return
		}
		first, err := s.Image().Encode()
		if err != nil {
			return // a year that JSON cannot hold
		}
		next, err := state.DecodeImage(first)
		try(t, err)
		o, _ = options(nil)
		s, err = state.FromImage(o, next)
		try(t, err)
		if second, _ := s.Image().Encode(); !bytes.Equal(first, second) {
			t.Errorf("%s\n%s", first, second)
		}
	})
}

// fillRoles makes a role of each kind, and gives both to somebody.
func (w world) fillRoles(t *testing.T, ada state.Identity) {
	t.Helper()
	name, about, base := "release", "Releases", "write"
	own, err := w.PutOrgRole(ada, "acme", 0, state.RoleEdit{Name: &name, Description: &about, Base: &base, Permissions: []string{"manage_organization_webhooks"}})
	try(t, err)
	_, err = w.PutRepoRole(ada, "acme", 0, state.RoleEdit{Name: &name, Description: &about, Base: &base, Permissions: []string{"add_label"}})
	try(t, err)
	try(t, w.GrantOrgRole(ada, "acme", "bob", own.ID, true))
	_, err = w.SetCollaborator(ada, "acme/app", "bob", name)
	try(t, err)
	_, err = w.EditOrg(ada, "acme", state.OrgEdit{Base: &base})
	try(t, err)
	for _, wrong := range []string{"triage", "maintain", "king"} {
		if _, err := w.EditOrg(ada, "acme", state.OrgEdit{Base: &wrong}); err == nil {
			t.Errorf("the base of an organisation is %s", wrong)
		}
	}
}

// fillTeams makes a team below another.
func (w world) fillTeams(t *testing.T, ada state.Identity) {
	t.Helper()
	core, design, about, closed, quiet := "Core", "Design", "Draws", "closed", "notifications_disabled"
	one, err := w.PutTeam(ada, "acme", "", state.TeamEdit{Name: &core, Privacy: &closed})
	try(t, err)
	_, err = w.PutTeam(ada, "acme", "", state.TeamEdit{Name: &design, Description: &about, Notification: &quiet, Parent: &one.ID, Repos: []string{"acme/app"}})
	try(t, err)
	hidden := "Hidden"
	_, err = w.PutTeam(ada, "acme", "", state.TeamEdit{Name: &hidden})
	try(t, err)
	_, err = w.RequestReviews(ada, "acme/app", 4, state.ReviewAsk{Teams: []string{"design"}})
	try(t, err)
}

// asking is a pull request that asks a team for its review.
func asking(i *state.Image) *state.PullImage {
	for _, x := range i.Issues {
		if x.Pull != nil && len(x.Pull.Teams) > 0 {
			return x.Pull
		}
	}
	return nil
}

// fillReleases publishes a release with a file, and drafts another.
func (w world) fillReleases(t *testing.T, ada state.Identity) {
	t.Helper()
	one, two, name, body, yes := "v1", "v2", "One", "First.", true
	at := state.ReleaseCommit{SHA: strings.Repeat("a", 40), Date: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	v, err := w.PutRelease(ada, "acme/app", 0, state.ReleaseEdit{Tag: &one, Name: &name, Body: &body}, at)
	try(t, err)
	_, err = w.PutRelease(ada, "acme/app", 0, state.ReleaseEdit{Tag: &two, Draft: &yes, Prerelease: &yes}, at)
	try(t, err)
	id, err := w.ClaimAsset(ada, "acme/app", v.ID, "app")
	try(t, err)
	_, err = w.AddAsset(ada, "acme/app", v.ID, state.Asset{ID: id, Name: "app", Label: "App", Type: "text/plain", Size: 1, Digest: "sha256:0"})
	try(t, err)
	w.DownloadAsset(id)
}
