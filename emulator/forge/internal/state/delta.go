package state

import (
	"errors"
	"maps"
	"reflect"
	"slices"
)

// Delta is what makes a later image of an earlier one: records that are new or other, and those that
// are gone. Records are whole, but of a log only what was added.
type Delta struct {
	Image
	Gone Gone
	Logs []LogTail `json:",omitempty"`
}

// Gone names records that are no longer there.
type Gone struct {
	Tokens    []string `json:",omitempty"`
	Repos     []int64  `json:",omitempty"`
	Issues    []int64  `json:",omitempty"`
	Comments  []int64  `json:",omitempty"`
	Runs      []int64  `json:",omitempty"`
	Jobs      []int64  `json:",omitempty"`
	Artifacts []int64  `json:",omitempty"`

	Apps     []int64 `json:",omitempty"`
	Installs []int64 `json:",omitempty"`

	Hooks      []int64 `json:",omitempty"`
	Deliveries []int64 `json:",omitempty"`
	Checks     []int64 `json:",omitempty"`
	Suites     []int64 `json:",omitempty"`
	Statuses   []int64 `json:",omitempty"`
	Reactions  []int64 `json:",omitempty"`
	Events     []int64 `json:",omitempty"`
}

// LogTail is what follows the first At bytes of a job's log; at 0 the log begins anew.
type LogTail struct {
	Job  int64
	At   int
	Text []byte
}

// Since compares an image with an earlier one of the same state. Nothing but the position in the
// journal may differ: then changed is false.
func (im Image) Since(old Image) (d Delta, changed bool) {
	d.Version, d.Journal, d.Mark = im.Version, im.Journal, im.Mark
	if !maps.Equal(im.Last, old.Last) {
		d.Last, changed = im.Last, true
	}
	d.Advanced = im.Advanced
	changed = changed || im.Mark != old.Mark || im.Advanced != old.Advanced
	d.Accounts, _ = differ(old.Accounts, im.Accounts, accountKey, deep)
	d.Tokens, d.Gone.Tokens = differ(old.Tokens, im.Tokens, tokenKey, deep)
	d.Repos, d.Gone.Repos = differ(old.Repos, im.Repos, repoKey, deep)
	d.Issues, d.Gone.Issues = differ(old.Issues, im.Issues, issueKey, deep)
	d.Comments, d.Gone.Comments = differ(old.Comments, im.Comments, commentKey, func(a, b CommentImage) bool { return a == b })
	d.Runs, d.Gone.Runs = differ(old.Runs, im.Runs, runKey, deep)
	d.Artifacts, d.Gone.Artifacts = differ(old.Artifacts, im.Artifacts, artifactKey, func(a, b ArtifactImage) bool { return a == b })
	d.Apps, d.Gone.Apps = differ(old.Apps, im.Apps, appKey, deep)
	d.Installs, d.Gone.Installs = differ(old.Installs, im.Installs, installKey, deep)
	d.Hooks, d.Gone.Hooks = differ(old.Hooks, im.Hooks, hookKey, deep)
	d.Deliveries, d.Gone.Deliveries = differ(old.Deliveries, im.Deliveries, deliveryKey, deep)
	d.Checks, d.Gone.Checks = differ(old.Checks, im.Checks, checkKey, deep)
	d.Suites, d.Gone.Suites = differ(old.Suites, im.Suites, suiteKey, deep)
	d.Reactions, d.Gone.Reactions = differ(old.Reactions, im.Reactions, reactionKey, func(a, b ReactionImage) bool { return a == b })
	d.Events, d.Gone.Events = differ(old.Events, im.Events, eventKey, func(a, b IssueEventImage) bool { return a == b })
	d.Statuses, d.Gone.Statuses = differ(old.Statuses, im.Statuses, statusKey, deep)
	d.jobs(old.Jobs, im.Jobs)
	return d, changed || !reflect.ValueOf(d.Gone).IsZero() || len(d.Logs)+len(d.Accounts)+len(d.Tokens)+len(d.Repos)+len(d.Issues)+
		len(d.Comments)+len(d.Runs)+len(d.Jobs)+len(d.Artifacts)+len(d.Apps)+len(d.Installs)+len(d.Hooks)+len(d.Deliveries)+
		len(d.Checks)+len(d.Suites)+len(d.Statuses)+len(d.Reactions)+len(d.Events) > 0
}

// jobs compares jobs without their logs, and logs by their length.
func (d *Delta) jobs(old, now []JobImage) {
	bare := func(j JobImage) JobImage { j.Log = nil; return j }
	had := map[int64]int{}
	for _, j := range old {
		had[j.ID] = len(j.Log)
	}
	for _, j := range now {
		at := had[j.ID]
		if len(j.Log) < at { // it was deleted
			d.Logs = append(d.Logs, LogTail{Job: j.ID, Text: j.Log})
		}
		if len(j.Log) > at {
			d.Logs = append(d.Logs, LogTail{Job: j.ID, At: at, Text: j.Log[at:]})
		}
	}
	d.Jobs, d.Gone.Jobs = differ(old, now, jobKey, func(a, b JobImage) bool { return deep(bare(a), bare(b)) })
	for i := range d.Jobs {
		d.Jobs[i] = bare(d.Jobs[i])
	}
}

func deep[T any](a, b T) bool { return reflect.DeepEqual(a, b) }

// differ compares two tables that are sorted by key.
func differ[K int64 | string, T any](old, now []T, key func(T) K, same func(a, b T) bool) (put []T, gone []K) {
	at := 0
	for _, x := range now {
		for at < len(old) && key(old[at]) < key(x) {
			gone = append(gone, key(old[at]))
			at++
		}
		if at < len(old) && key(old[at]) == key(x) {
			if !same(old[at], x) {
				put = append(put, x)
			}
			at++
			continue
		}
		put = append(put, x)
	}
	for ; at < len(old); at++ {
		gone = append(gone, key(old[at]))
	}
	return put, gone
}

func accountKey(x AccountImage) int64      { return x.ID }
func tokenKey(x TokenImage) string         { return x.Digest }
func repoKey(x RepoImage) int64            { return x.ID }
func issueKey(x IssueImage) int64          { return x.ID }
func commentKey(x CommentImage) int64      { return x.ID }
func runKey(x RunImage) int64              { return x.ID }
func jobKey(x JobImage) int64              { return x.ID }
func artifactKey(x ArtifactImage) int64    { return x.ID }
func appKey(x AppImage) int64              { return x.ID }
func installKey(x InstallationImage) int64 { return x.ID }
func hookKey(x HookImage) int64            { return x.ID }
func deliveryKey(x DeliveryImage) int64    { return x.ID }

// Builder puts an image together of what Since gave, oldest first. The zero value is an empty image.
type Builder struct {
	last      Image // what is not in a table
	accounts  map[int64]AccountImage
	tokens    map[string]TokenImage
	repos     map[int64]RepoImage
	issues    map[int64]IssueImage
	comments  map[int64]CommentImage
	runs      map[int64]RunImage
	jobs      map[int64]JobImage
	artifacts map[int64]ArtifactImage
	apps      map[int64]AppImage
	installs  map[int64]InstallationImage
	hooks     map[int64]HookImage
	delivered map[int64]DeliveryImage
	checks    map[int64]CheckImage
	suites    map[int64]SuiteImage
	statuses  map[int64]StatusImage
	reactions map[int64]ReactionImage
	events    map[int64]IssueEventImage
	logs      map[int64][]byte
}

// Add applies one more delta.
func (b *Builder) Add(d Delta) error {
	if d.Version != ImageVersion {
		return errors.New("it is of another version")
	}
	b.last.Version, b.last.Journal, b.last.Mark, b.last.Advanced = d.Version, d.Journal, d.Mark, d.Advanced
	if d.Last != nil {
		b.last.Last = d.Last
	}
	apply(&b.accounts, d.Accounts, nil, accountKey)
	apply(&b.tokens, d.Tokens, d.Gone.Tokens, tokenKey)
	apply(&b.repos, d.Repos, d.Gone.Repos, repoKey)
	apply(&b.issues, d.Issues, d.Gone.Issues, issueKey)
	apply(&b.comments, d.Comments, d.Gone.Comments, commentKey)
	apply(&b.runs, d.Runs, d.Gone.Runs, runKey)
	apply(&b.jobs, d.Jobs, d.Gone.Jobs, jobKey)
	apply(&b.artifacts, d.Artifacts, d.Gone.Artifacts, artifactKey)
	apply(&b.apps, d.Apps, d.Gone.Apps, appKey)
	apply(&b.installs, d.Installs, d.Gone.Installs, installKey)
	apply(&b.hooks, d.Hooks, d.Gone.Hooks, hookKey)
	apply(&b.delivered, d.Deliveries, d.Gone.Deliveries, deliveryKey)
	apply(&b.checks, d.Checks, d.Gone.Checks, checkKey)
	apply(&b.suites, d.Suites, d.Gone.Suites, suiteKey)
	apply(&b.reactions, d.Reactions, d.Gone.Reactions, reactionKey)
	apply(&b.events, d.Events, d.Gone.Events, eventKey)
	apply(&b.statuses, d.Statuses, d.Gone.Statuses, statusKey)
	if b.logs == nil {
		b.logs = map[int64][]byte{}
	}
	for _, l := range d.Logs {
		if l.At == 0 {
			b.logs[l.Job] = nil
		}
		if len(b.logs[l.Job]) != l.At {
			return errors.New("a piece of a job's log is missing")
		}
		b.logs[l.Job] = append(b.logs[l.Job], l.Text...)
	}
	return nil
}

func apply[K comparable, T any](to *map[K]T, put []T, gone []K, key func(T) K) {
	if *to == nil {
		*to = map[K]T{}
	}
	for _, k := range gone {
		delete(*to, k)
	}
	for _, x := range put {
		(*to)[key(x)] = x
	}
}

// Image returns what has come together.
func (b *Builder) Image() Image {
	im := b.last
	im.Accounts = slices.Collect(maps.Values(b.accounts))
	im.Tokens = slices.Collect(maps.Values(b.tokens))
	im.Repos = slices.Collect(maps.Values(b.repos))
	im.Issues = slices.Collect(maps.Values(b.issues))
	im.Comments = slices.Collect(maps.Values(b.comments))
	im.Runs = slices.Collect(maps.Values(b.runs))
	im.Artifacts = slices.Collect(maps.Values(b.artifacts))
	im.Apps = slices.Collect(maps.Values(b.apps))
	im.Installs = slices.Collect(maps.Values(b.installs))
	im.Hooks = slices.Collect(maps.Values(b.hooks))
	im.Deliveries = slices.Collect(maps.Values(b.delivered))
	im.Checks = slices.Collect(maps.Values(b.checks))
	im.Suites = slices.Collect(maps.Values(b.suites))
	im.Reactions = slices.Collect(maps.Values(b.reactions))
	im.Events = slices.Collect(maps.Values(b.events))
	im.Statuses = slices.Collect(maps.Values(b.statuses))
	for id, j := range b.jobs {
		j.Log = b.logs[id]
		im.Jobs = append(im.Jobs, j)
	}
	im.sort()
	return im
}

// Without returns the image without a repository and all that is in it.
func (im Image) Without(repo RepoImage) Image {
	full := ""
	for _, a := range im.Accounts {
		if a.ID == repo.Owner {
			full = a.Login + "/" + repo.Name
		}
	}
	issues, runs := map[int64]bool{}, map[int64]bool{}
	im.Repos = slices.DeleteFunc(slices.Clone(im.Repos), func(r RepoImage) bool { return r.ID == repo.ID })
	im.Accounts = slices.Clone(im.Accounts)
	for i := range im.Accounts {
		im.Accounts[i].Teams = withoutRepo(im.Accounts[i].Teams, repo.ID)
	}
	for i := range im.Repos {
		if im.Repos[i].Parent == repo.ID {
			im.Repos[i].Parent = 0
		}
	}
	im.Issues = slices.DeleteFunc(slices.Clone(im.Issues), func(i IssueImage) bool {
		issues[i.ID] = i.Repo == repo.ID
		return issues[i.ID]
	})
	for n, i := range im.Issues {
		if i.Pull != nil && i.Pull.Head.Repo == repo.ID {
			p := *i.Pull
			p.Head.Repo, im.Issues[n].Pull = 0, &p
		}
	}
	comments := map[int64]bool{}
	im.Comments = slices.DeleteFunc(slices.Clone(im.Comments), func(c CommentImage) bool {
		comments[c.ID] = issues[c.Issue]
		return comments[c.ID]
	})
	im.Reactions = slices.DeleteFunc(slices.Clone(im.Reactions), func(x ReactionImage) bool { return issues[x.Issue] || comments[x.Comment] })
	im.Events = slices.DeleteFunc(slices.Clone(im.Events), func(x IssueEventImage) bool { return issues[x.Issue] })
	im.Runs = slices.DeleteFunc(slices.Clone(im.Runs), func(r RunImage) bool {
		runs[r.ID] = r.Repo == full
		return runs[r.ID]
	})
	im.Jobs = slices.DeleteFunc(slices.Clone(im.Jobs), func(j JobImage) bool { return runs[j.RunID] })
	im.Artifacts = slices.DeleteFunc(slices.Clone(im.Artifacts), func(a ArtifactImage) bool { return runs[a.RunID] })
	hooks := map[int64]bool{}
	im.Hooks = slices.DeleteFunc(slices.Clone(im.Hooks), func(h HookImage) bool {
		hooks[h.ID] = h.Repo == repo.ID
		return hooks[h.ID]
	})
	im.Deliveries = slices.DeleteFunc(slices.Clone(im.Deliveries), func(d DeliveryImage) bool { return hooks[d.Hook] })
	im.Checks = slices.DeleteFunc(slices.Clone(im.Checks), func(c CheckImage) bool { return c.Repo == repo.ID })
	im.Suites = slices.DeleteFunc(slices.Clone(im.Suites), func(x SuiteImage) bool { return x.Repo == repo.ID })
	im.Statuses = slices.DeleteFunc(slices.Clone(im.Statuses), func(x StatusImage) bool { return x.Repo == repo.ID })
	return im
}
