package driver

import "time"

// NewApp describes a GitHub App: a program with an account of its own, "slug[bot]", that acts through the
// tokens of its installations. https://docs.github.com/en/apps
type NewApp struct {
	Slug        string // lower-case letters, digits, hyphens
	Name        string // "" is the slug
	Description string
	Owner       string // a person or an organisation
	// PrivateKey is the PEM of an RSA key with which the app will sign; "" makes one, which takes a
	// tenth of a second.
	PrivateKey  string
	Permissions map[string]string // contents, issues, pull_requests, …: read or write
	Events      []string          // that its webhook hears, beside those of its installations
	WebhookURL  string            // "" is none
	Secret      string            // that deliveries are signed with
}

// App is an app that was made.
type App struct {
	ID         int64
	ClientID   string
	Login      string // of its account
	PrivateKey string // PEM; the forge keeps the public half only
}

// NewToken says what a token may do, and on whose account.
type NewToken struct {
	Login string // an account that exists
	// Kit marks a token made for an actor of a scenario: what is done with it has the cause last
	// given to Mark.
	Kit bool
	// Quiet marks an observer's token: reads made with it open no obligation.
	Quiet bool
	// Cause is what things done with the token come from, where Kit is not set.
	Cause string
	// Repo narrows the token to one repository; "" is all.
	Repo string
	// Permissions narrows the token to permissions such as contents, issues or pull-requests, with the
	// values read, write or none; one not named is none. nil is all that the account may. A
	// bot's token with permissions is that of an installation: the permissions stand for a role.
	// For the account of a job's own token nil is GitHub's restricted default, contents: read and packages: read.
	// A person's token with permissions is fine-grained.
	Permissions map[string]string
	// StartsNoRuns marks the events made with the token as ones that start no workflow runs.
	StartsNoRuns bool
	// Name says what the token is for.
	Name string
	// Scopes are those of a person's classic token, such as repo or read:org; nil is all of them.
	// https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
	Scopes []string
	// Owner makes a person's token fine-grained: its resource owner, which is the account itself or an
	// organisation that it is a member of. "" is, when there are permissions, the owner of Repo or else the account.
	Owner string
	// Repositories are those, "owner/name", that a fine-grained token is for; nil is all of its owner.
	Repositories []string
	// Installation makes it the token of an app's installation; Login is the app's account. It has
	// the app's permissions, and does not end by itself.
	Installation int64
	// Expires is when the token ends; the zero time is never.
	Expires time.Time
}
