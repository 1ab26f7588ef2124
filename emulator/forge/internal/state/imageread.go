package state

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// FromImage returns a state that holds what the image does. An image that contradicts itself is
// refused, as is one that was taken elsewhere in the journal than where the journal of the options
// stands: ids of events would then be given twice. It journals nothing.
func FromImage(o Options, im Image) (*State, error) {
	if im.Version != ImageVersion {
		return nil, fmt.Errorf("image: version %d is not %d", im.Version, ImageVersion)
	}
	if at := o.Journal.Last(); at != im.Journal {
		return nil, fmt.Errorf("image: it was taken at entry %d of its journal, and the journal given stands at %d", im.Journal, at)
	}
	s := New(o)
	clear(s.accounts)
	clear(s.last)
	s.mark = im.Mark
	r := newReader(s)
	for _, step := range []func(Image) error{r.counters, r.readAccounts, r.readTokens, r.readApps,
		r.readRepos, r.readTeams, r.readInstallations, r.attach,
		r.readIssues, r.readPulls, r.readComments, r.readLife,
		r.readArtifacts, r.readRuns, r.readJobs, r.readChecks, r.readHooks, r.whole} {
		if err := step(im); err != nil {
			return nil, fmt.Errorf("image: %w", err)
		}
	}
	if o.Clock != nil {
		o.Clock.Advance(im.Advanced)
	}
	return s, nil
}

// reader fills a state that nobody else sees yet.
type reader struct {
	s         *State
	accounts  map[int64]*account
	repos     map[int64]*repo
	labels    map[int64]*label
	issues    map[int64]*issue
	workflows map[int64]*workflow
	arts      map[int64]*artifact

	environments map[int64]*environment
	tokens       map[string]*token // by digest
	milestones   map[int64]*milestone
	comments     map[int64]*comment
	reactions    map[int64]*reaction
	caches       map[int64]*Cache
	releases     map[int64]*Release
	assets       map[int64]*Asset
}

func newReader(s *State) reader {
	return reader{s: s, accounts: map[int64]*account{}, repos: map[int64]*repo{}, labels: map[int64]*label{},
		issues: map[int64]*issue{}, workflows: map[int64]*workflow{}, arts: map[int64]*artifact{}, environments: map[int64]*environment{}, caches: map[int64]*Cache{}, releases: map[int64]*Release{}, assets: map[int64]*Asset{},
		tokens: map[string]*token{}, milestones: map[int64]*milestone{}, comments: map[int64]*comment{}, reactions: map[int64]*reaction{}}
}

func nouns() []noun {
	return []noun{nounAccount, nounRepo, nounLabel, nounIssue, nounComment, nounWorkflow, nounRun, nounJob, nounArtifact, nounKey,
		nounHook, nounDelivery, nounEnvironment, nounPull, nounCache,
		nounReview, nounReviewComment,
		nounStatus, nounInstallation, nounRole, nounTeam,
		nounProtection,
		nounMilestone, nounReaction, nounIssueEvent, nounRelease, nounAsset}
}

func (r reader) counters(im Image) error {
	for name, id := range im.Last {
		if !slices.Contains(nouns(), noun(name)) || id < 0 {
			return fmt.Errorf("id %d was given last for %q, which is no noun of ours", id, name)
		}
		r.s.last[noun(name)] = id
	}
	return nil
}

// put adds an object under its id, which must be one that was given, and given once.
func put[T any](r reader, n noun, in map[int64]*T, id int64, x *T) error {
	if id < 1 || id > r.s.last[n] {
		return fmt.Errorf("%s %d: the last id given is %d", n, id, r.s.last[n])
	}
	if in[id] != nil {
		return fmt.Errorf("%s %d is there twice", n, id)
	}
	in[id] = x
	return nil
}

func (r reader) readAccounts(im Image) error {
	s := r.s
	for _, a := range im.Accounts {
		if !loginForm.MatchString(a.Login) || reserved(a.Login) || s.accounts[key(a.Login)] != nil {
			return fmt.Errorf("account %d cannot be called %q", a.ID, a.Login)
		}
		if !slices.Contains([]string{kindUser, kindBot, kindOrg}, a.Kind) {
			return fmt.Errorf("account %s is of kind %q", a.Login, a.Kind)
		}
		x := &account{id: a.ID, login: a.Login, name: a.Name, kind: a.Kind, created: a.Created,
			view: wire.NewUser(s.base, a.ID, a.Login, a.Kind), members: map[string]member{}, invited: map[string]bool{}, actionsPulls: a.ActionsPulls, actionsTokens: a.ActionsTokens, approval: a.Approval}
		err := a.ActionsImage.check()
		if err != nil {
			return fmt.Errorf("account %s: %w", a.Login, err)
		}
		if x.config, err = readConfig(a.ConfigImage); err != nil {
			return fmt.Errorf("account %s: %w", a.Login, err)
		}
		if err := put(r, nounAccount, r.accounts, a.ID, x); err != nil {
			return err
		}
		s.accounts[key(a.Login)] = x
	}
	if a := s.accounts[key(ActionsLogin)]; a == nil || a.kind != kindBot {
		return fmt.Errorf("there is no account %s", ActionsLogin)
	}
	for _, a := range im.Accounts {
		for login, owner := range a.Invited {
			if s.accounts[login] == nil || a.Kind != kindOrg {
				return fmt.Errorf("account %s cannot have invited %q", a.Login, login)
			}
			r.accounts[a.ID].invited[login] = owner
		}
		for _, m := range a.Members {
			if s.accounts[key(m.Login)] == nil || a.Kind != kindOrg {
				return fmt.Errorf("account %s cannot have the member %q", a.Login, m.Login)
			}
			if err := knownRole(m.Role); err != nil {
				return fmt.Errorf("member %s of %s: %w", m.Login, a.Login, err)
			}
			r.accounts[a.ID].members[key(m.Login)] = member{login: m.Login, owner: m.Owner, role: m.Role, public: m.Public}
		}
		if err := r.readRoles(r.accounts[a.ID], a); err != nil {
			return err
		}
	}
	return nil
}

// check refuses words that are none of ours.
func (a ActionsImage) check() error {
	if !slices.Contains([]string{"", tokensRead, tokensWrite}, a.ActionsTokens) || a.Approval != "" && !slices.Contains(ApprovalPolicies(), a.Approval) {
		return fmt.Errorf("Actions: tokens %q, approval %q", a.ActionsTokens, a.Approval)
	}
	return nil
}

func knownRole(role Role) error {
	if role < None || role > Admin {
		return fmt.Errorf("role %d is none", role)
	}
	return nil
}

func (r reader) readTokens(im Image) error {
	byText := r.tokens
	for _, t := range im.Tokens {
		raw, err := hex.DecodeString(t.Digest)
		if err != nil || len(raw) != len(digest{}) || byText[t.Digest] != nil {
			return fmt.Errorf("token %q has no digest of its own: %q", t.Name, t.Digest)
		}
		if r.s.accounts[key(t.Login)] == nil {
			return fmt.Errorf("token %q is of %q, which is no account", t.Name, t.Login)
		}
		x := &token{digest: digest(raw), login: t.Login, kit: t.Kit, quiet: t.Quiet, cause: t.Cause, repo: t.Repo,
			permissions: maps.Clone(t.Permissions), scopes: slices.Clone(t.Scopes), owner: t.Owner, app: t.App, noRuns: t.NoRuns, name: t.Name, expires: t.Expires}
		byText[t.Digest], r.s.tokens[x.digest] = x, x
	}
	for _, t := range im.Tokens {
		if t.Parent == "" {
			continue
		}
		if byText[t.Parent] == nil {
			return fmt.Errorf("token %q is the alias of one that is not there", t.Name)
		}
		byText[t.Digest].parent = byText[t.Parent]
	}
	for _, t := range byText {
		for hops, p := 0, t; p != nil; hops, p = hops+1, p.parent {
			if hops > len(byText) {
				return fmt.Errorf("token %q is its own alias", t.name)
			}
		}
	}
	return nil
}

func (r reader) readRepos(im Image) error {
	for _, in := range im.Repos {
		owner := r.accounts[in.Owner]
		if owner == nil || !repoForm.MatchString(in.Name) {
			return fmt.Errorf("repository %d is called %q, of account %d", in.ID, in.Name, in.Owner)
		}
		x := &repo{id: in.ID, owner: owner, name: in.Name, description: in.Description, private: in.Private, defaultBranch: in.DefaultBranch,
			created: in.Created, updated: in.Updated, pushed: in.Pushed, refs: maps.Clone(in.Refs), members: maps.Clone(in.Members),
			allowForking: in.AllowForking, noIssues: in.NoIssues, archived: in.Archived, actions: in.Actions, actionsPulls: in.ActionsPulls, actionsTokens: in.ActionsTokens, approval: in.Approval, topics: slices.Clone(in.Topics), lastMilestone: in.LastMilestone, merging: in.Merging.read()}
		if x.refs == nil {
			x.refs = map[string]string{}
		}
		if x.members == nil {
			x.members = map[string]Role{}
		}
		if err := x.readCustom(in.Custom); err != nil {
			return err
		}
		if err := put(r, nounRepo, r.repos, in.ID, x); err != nil {
			return err
		}
		if r.s.repos[key(x.fullName())] != nil {
			return fmt.Errorf("repository %s is there twice", x.fullName())
		}
		r.s.repos[key(x.fullName())] = x
		if !slices.Contains([]string{actionsOn, actionsOfFork, actionsOff}, in.Actions) {
			return fmt.Errorf("repository %s: Actions are %q", x.fullName(), in.Actions)
		}
		if err := cmp.Or(in.ActionsImage.check(), r.readWithin(x, in), r.readReleases(x, in), x.readProtections(in.Protections)); err != nil {
			return fmt.Errorf("repository %s: %w", x.fullName(), err)
		}
	}
	return r.readForks(im)
}

// readForks joins forks to their parents, which are older: so none is its own.
func (r reader) readForks(im Image) error {
	for _, in := range im.Repos {
		if in.Parent == 0 {
			continue
		}
		parent := r.repos[in.Parent]
		if parent == nil || in.Parent >= in.ID {
			return fmt.Errorf("repository %d cannot be a fork of %d", in.ID, in.Parent)
		}
		r.repos[in.ID].parent = parent
		parent.forks = append(parent.forks, r.repos[in.ID])
	}
	return nil
}

// readWithin reads what stands in the record of a repository.
func (r reader) readWithin(x *repo, in RepoImage) error {
	for login, role := range x.members {
		if err := knownRole(role); err != nil || r.s.accounts[login] == nil {
			return fmt.Errorf("%q cannot have role %d", login, role)
		}
	}
	if err := r.readMilestones(x, in.Milestones); err != nil {
		return err
	}
	for _, l := range in.Labels {
		if x.label(l.Name) != nil {
			return fmt.Errorf("label %s is there twice", l.Name)
		}
		n := &label{id: l.ID, name: l.Name, color: l.Color, description: l.Description, standard: l.Standard}
		if err := put(r, nounLabel, r.labels, l.ID, n); err != nil {
			return err
		}
		x.labels = append(x.labels, n)
	}
	var err error
	if x.config, err = readConfig(in.ConfigImage); err != nil {
		return err
	}
	for _, c := range in.Caches {
		if c.Key == "" || c.Version == "" || c.Ref == "" || c.Size < 0 {
			return fmt.Errorf("cache %d has no key, version or ref, or its size is %d", c.ID, c.Size)
		}
		n := &Cache{ID: c.ID, JobID: c.JobID, Ref: c.Ref, Key: c.Key, Version: c.Version, Size: c.Size, Created: c.Created, Used: c.Used}
		if err := put(r, nounCache, r.caches, c.ID, n); err != nil {
			return err
		}
		x.caches = append(x.caches, n)
	}
	for _, e := range in.Environments {
		if err := checkEnvironmentName(e.Name); err != nil || x.environments[key(e.Name)] != nil {
			return fmt.Errorf("environment %d cannot be called %q", e.ID, e.Name)
		}
		n := &environment{id: e.ID, name: e.Name, created: e.Created, updated: e.Updated}
		if n.config, err = readConfig(e.ConfigImage); err != nil {
			return fmt.Errorf("environment %s: %w", e.Name, err)
		}
		if err := put(r, nounEnvironment, r.environments, e.ID, n); err != nil {
			return err
		}
		if x.environments == nil {
			x.environments = map[string]*environment{}
		}
		x.environments[key(e.Name)] = n
	}
	for _, w := range in.Workflows {
		n := &workflow{id: w.ID, path: w.Path, name: w.Name, created: w.Created, runs: w.Runs, state: cmp.Or(w.State, workflowActive)}
		if !slices.Contains([]string{workflowActive, workflowDisabled, workflowOfFork}, n.state) {
			return fmt.Errorf("workflow %s is %q", w.Path, w.State)
		}
		if err := put(r, nounWorkflow, r.workflows, w.ID, n); err != nil {
			return err
		}
		x.workflows = append(x.workflows, n)
	}
	return nil
}

func readSettings(to settings, in []SettingImage) {
	for _, v := range in {
		to[v.Name] = &setting{name: v.Name, value: v.Value, created: v.Created, updated: v.Updated,
			visibility: v.Visibility, selected: slices.Clone(v.Selected)}
	}
}

func readConfig(in ConfigImage) (config, error) {
	out := newConfig()
	readSettings(out.variables, in.Variables)
	readSettings(out.secrets, in.Secrets)
	if k := in.Sealing; k != nil {
		if len(k.Public) != 32 || len(k.Private) != 32 {
			return out, fmt.Errorf("sealing key %s is not of 32 bytes", k.ID)
		}
		public, private := [32]byte(k.Public), [32]byte(k.Private)
		out.sealing = &sealing{id: k.ID, public: &public, private: &private}
	}
	return out, nil
}

func (r reader) readIssues(im Image) error {
	for _, in := range im.Issues {
		of := r.repos[in.Repo]
		if of == nil {
			return fmt.Errorf("issue %d is of repository %d, which is not there", in.ID, in.Repo)
		}
		if in.Number != len(of.issues)+1 || in.State != stateOpen && in.State != stateClosed {
			return fmt.Errorf("issue %d is %q and has number %d, where %d would be next", in.ID, in.State, in.Number, len(of.issues)+1)
		}
		x := &issue{id: in.ID, number: in.Number, title: in.Title, body: in.Body, state: in.State, reason: in.Reason, author: in.Author,
			created: in.Created, updated: in.Updated, closed: in.Closed, closedBy: in.ClosedBy}
		for _, id := range in.Labels {
			l := r.labels[id]
			if !slices.Contains(of.labels, l) {
				return fmt.Errorf("issue %d has label %d, which is not of its repository", in.ID, id)
			}
			x.labels = append(x.labels, l)
		}
		if err := put(r, nounIssue, r.issues, in.ID, x); err != nil {
			return err
		}
		if err := r.readFurniture(of, x, in.More); err != nil {
			return err
		}
		of.issues = append(of.issues, x)
	}
	return nil
}

func (r reader) readComments(im Image) error {
	for _, in := range im.Comments {
		of := r.issues[in.Issue]
		if of == nil {
			return fmt.Errorf("comment %d is on issue %d, which is not there", in.ID, in.Issue)
		}
		x := &comment{id: in.ID, author: in.Author, body: in.Body, created: in.Created, updated: in.Updated}
		if err := put(r, nounComment, r.comments, in.ID, x); err != nil {
			return err
		}
		of.comments = append(of.comments, x)
	}
	return nil
}
