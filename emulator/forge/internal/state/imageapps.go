package state

import (
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"maps"
	"slices"
	"time"
)

// AppImage is an app; its account and its hook have records of their own.
type AppImage struct {
	ID          int64 // of its account
	Slug        string
	Name        string
	Description string
	Owner       int64  // account
	Key         []byte // public, as PKIX
	Permissions map[string]string
	Events      []string
	Created     time.Time
}

// InstallationImage is the app App on the account On.
type InstallationImage struct {
	ID          int64
	App         int64
	On          int64
	All         bool
	Selected    []int64 // repositories, unless All
	Created     time.Time
	Updated     time.Time
	Suspended   time.Time
	SuspendedBy string
}

func (im *Image) addApps(s *State) {
	for _, a := range s.apps {
		pkix, err := x509.MarshalPKIXPublicKey(a.key)
		if err != nil {
			panic("state: an RSA key cannot be written: " + err.Error()) // every one can
		}
		im.Apps = append(im.Apps, AppImage{ID: a.id, Slug: a.slug, Name: a.name, Description: a.description, Owner: a.owner.id,
			Key: pkix, Permissions: maps.Clone(a.permissions), Events: slices.Clone(a.events), Created: a.created})
		im.addHooks(a.hooks)
	}
	for _, i := range s.installs {
		im.Installs = append(im.Installs, InstallationImage{ID: i.id, App: i.app.id, On: i.on.id, All: i.selected == nil, Selected: sortedKeys(i.selected),
			Created: i.created, Updated: i.updated, Suspended: i.suspended, SuspendedBy: i.suspendedBy})
	}
}

func sortedKeys(set map[int64]bool) []int64 { return slices.Sorted(maps.Keys(set)) }

func setOf(ids []int64) map[int64]bool {
	out := make(map[int64]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out
}

func (r reader) readApps(im Image) error {
	for _, in := range im.Apps {
		owner, bot := r.accounts[in.Owner], r.accounts[in.ID]
		if owner == nil || bot == nil || bot.kind != kindBot || !slugForm.MatchString(in.Slug) || r.s.app(in.Slug) != nil {
			return fmt.Errorf("app %d is called %q, and is of account %d", in.ID, in.Slug, in.Owner)
		}
		pkix, err := x509.ParsePKIXPublicKey(in.Key)
		public, isRSA := pkix.(*rsa.PublicKey)
		if err != nil || !isRSA {
			return fmt.Errorf("app %s has no RSA key", in.Slug)
		}
		permissions, err := parsePermissions(in.Permissions)
		if err != nil {
			return fmt.Errorf("app %s: %w", in.Slug, err)
		}
		x := &app{id: in.ID, slug: in.Slug, name: in.Name, description: in.Description, owner: owner, bot: bot, key: public,
			permissions: permissions, events: slices.Clone(in.Events), created: in.Created}
		if err := x.listen(HookConfigEdit{}); err != nil {
			return fmt.Errorf("app %s: %w", in.Slug, err)
		}
		if err := put(r, nounAccount, r.s.apps, in.ID, x); err != nil {
			return err
		}
	}
	return nil
}

// readInstallations follows the repositories.
func (r reader) readInstallations(im Image) error {
	for _, in := range im.Installs {
		a, on := r.s.apps[in.App], r.accounts[in.On]
		if a == nil || on == nil || on.kind == kindBot || r.s.installed(a, on) != nil {
			return fmt.Errorf("installation %d is of app %d on account %d", in.ID, in.App, in.On)
		}
		x := &installation{id: in.ID, app: a, on: on, created: in.Created, updated: in.Updated, suspended: in.Suspended, suspendedBy: in.SuspendedBy}
		if !in.All {
			x.selected = setOf(in.Selected)
		}
		for _, id := range in.Selected {
			if repo := r.repos[id]; in.All || repo == nil || repo.owner != on {
				return fmt.Errorf("installation %d has repository %d, which is not of account %s", in.ID, id, on.login)
			}
		}
		if err := put(r, nounInstallation, r.s.installs, in.ID, x); err != nil {
			return err
		}
	}
	return nil
}

// attach gives tokens the installations and the repositories that they act for.
func (r reader) attach(im Image) error {
	for _, in := range im.Tokens {
		t := r.tokens[in.Digest]
		if in.Narrowed {
			t.only = setOf(in.Only)
		}
		if in.Install == 0 {
			continue
		}
		i := r.s.installs[in.Install]
		if i == nil {
			return fmt.Errorf("token %q is of installation %d, which is not there", in.Name, in.Install)
		}
		t.install = i
	}
	return nil
}

func (s *State) hookOwnerOf(r reader, in HookImage) (hookOwner, error) {
	owner := hookOwner{repo: r.repos[in.Repo], org: r.accounts[in.Org], app: s.apps[in.App]}
	found := 0
	for _, is := range []bool{owner.repo != nil, owner.org != nil, owner.app != nil} {
		if is {
			found++
		}
	}
	if found != 1 || owner.org != nil && owner.org.kind != kindOrg {
		return hookOwner{}, fmt.Errorf("hook %d is of repository %d, organisation %d and app %d: want one that is there", in.ID, in.Repo, in.Org, in.App)
	}
	return owner, nil
}
