package fault

// The faults of what is not seen yet.
const (
	StaleRead     = "read.stale"
	NameTaken     = "name.taken"
	PermissionLag = "permission.lag"
	ForkLag       = "fork.lag"
	AutoInitLag   = "autoinit.lag"
	OrgPrivate    = "org.private"
)

// consistency are the faults of a forge that has more than one machine.
func consistency() []Kind {
	after := func() Arg {
		return Arg{Name: "after", Means: "the kind of change that is not seen; without it any", OneOf: []string{"create", "edit", "delete", "push"}, Narrows: true}
	}
	return []Kind{
		{
			Name: StaleRead, At: Requests, Sweep: []string{"read.stale=by:github-actions[bot]"}, Example: "read.stale=delete,from:2@GET /repos/*/*",
			Does: "A read shows an object or a list as it was before its last change through the API: an old text, an absence, or what is deleted; or refs and lists of commits as they were before a git push, to everybody but who pushed. Each credential and object is counted apart; with from:2 an object is gone, there again, and gone.",
			Args: []Arg{after(), by()},
		},
		{
			Name: NameTaken, At: Requests, Sweep: []string{"name.taken"}, Example: "name.taken=times:2@POST /orgs/*/repos",
			Does: "A repository that was deleted cannot be created again yet, because its name already exists.",
			Args: []Arg{by()},
		},
		{
			Name: PermissionLag, At: Requests, Sweep: []string{"permission.lag"}, Example: "permission.lag=times:3@/repos/**",
			Does: "A role in a repository that was just given, changed or taken, be it as collaborator, by membership of an organisation or of a team, is not seen yet: neither in what its holder may do, nor by who asks for it. Each credential is counted apart.",
			Args: []Arg{by()},
		},
		{
			Name: ForkLag, At: Requests, Sweep: []string{"fork.lag"}, Example: "fork.lag=times:2@/repos/*/*/git/**",
			Does: "A new fork has no branches and no commits yet: its git data is answered with 409, its contents with 404, and the list of its branches is empty.",
			Args: []Arg{by()},
		},
		{
			Name: AutoInitLag, At: Requests, Sweep: []string{"autoinit.lag"}, Example: "autoinit.lag@/repos/*/*/git/**",
			Does: "A new repository does not have its first commit yet, although auto_init asked for it; it answers as a new fork does under fork.lag.",
			Args: []Arg{by()},
		},
		{
			Name: OrgPrivate, At: Requests, Sweep: []string{"org.private"}, Example: "org.private=times:always@POST /orgs/acme/repos",
			Does: "An organisation has only private repositories: one that is created public is private.",
			Args: []Arg{by()},
		},
	}
}
