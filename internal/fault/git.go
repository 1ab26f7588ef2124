package fault

// The faults of git's own requests.
const (
	GitError = "git.5xx"
	GitCut   = "git.cut"
)

func gits() []Kind {
	of := func() Arg {
		return Arg{Name: "of", Means: "what it strikes; without it both", OneOf: []string{"fetch", "push"}, Narrows: true}
	}
	return []Kind{
		{
			Name: GitError, At: Requests, Sweep: []string{"git.5xx=by:github-actions[bot]", "git.5xx=when:after,of:push,by:github-actions[bot]"}, Example: "git.5xx=503,of:push@/acme/app.git/**",
			Does: "A fetch or a push is answered with an error of the server, and was handled or not. The request that asks for the refs first is not struck.",
			Args: []Arg{
				{Name: "status", Means: "of the answer", Default: "502", OneOf: []string{"500", "502", "503", "504"}},
				{Name: "when", Means: "before it was handled, so that nothing was done, or after, so that a push is done", Default: "before", OneOf: []string{"before", "after"}},
				of(), by(),
			},
		},
		{
			Name: GitCut, At: Requests, Sweep: []string{"git.cut=by:github-actions[bot]", "git.cut=after,of:push,by:github-actions[bot]"}, Example: "git.cut=after,of:push@/acme/app.git/**",
			Does: "The connection ends in the answer to a fetch or a push, which says nothing yet. The request that asks for the refs first is not struck.",
			Args: []Arg{
				{Name: "when", Means: "before it was handled, so that nothing was done, or after, so that a push is done", Default: "before", OneOf: []string{"before", "after"}},
				of(), by(),
			},
		},
	}
}
