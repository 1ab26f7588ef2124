package fault

// The faults of answers of the REST API.
const (
	ServerError = "api.5xx"
	RateLimit   = "api.rate-limit"
	Cut         = "api.cut"
	Slow        = "api.slow"
)

// by narrows a fault to one account's requests.
func by() Arg {
	return Arg{Name: "by", Means: "the account whose requests it strikes, such as github-actions[bot]; without it everybody's, each credential counted apart", Narrows: true}
}

func answers() []Kind {
	return []Kind{
		{
			Name: ServerError, At: Requests, Sweep: []string{"api.5xx=by:github-actions[bot]", "api.5xx=when:after,by:github-actions[bot]@POST /**"}, Example: "api.5xx=503,by:github-actions[bot]@POST /repos/*/*/issues/*/labels",
			Does: "A request is answered with an error of the server, and was handled or not.",
			Args: []Arg{
				{Name: "status", Means: "of the answer", Default: "502", OneOf: []string{"500", "502", "503", "504"}},
				{Name: "when", Means: "before the request was handled, so that nothing was done, or after, so that it was", Default: "before", OneOf: []string{"before", "after"}},
				by(),
			},
		},
		{
			Name: RateLimit, At: Requests, Sweep: []string{"api.rate-limit=by:github-actions[bot]", "api.rate-limit=secondary,status:429,by:github-actions[bot]"}, Example: "api.rate-limit=secondary,times:2@POST /repos/*/*/issues/*/comments",
			Does: "A request is refused because there were too many, and nothing was done. The primary limit is told by x-ratelimit-remaining and x-ratelimit-reset, the secondary one by retry-after.",
			Args: []Arg{
				{Name: "limit", Means: "which one", Default: "primary", OneOf: []string{"primary", "secondary"}},
				{Name: "status", Means: "of the answer", Default: "403", OneOf: []string{"403", "429"}},
				{Name: "wait", Means: "the seconds after which the client is to come again", Default: "0", OneOf: []string{"0", "1", "60"}},
				by(),
			},
		},
		{
			Name: Cut, At: Requests, Sweep: []string{"api.cut=by:github-actions[bot]", "api.cut=after,by:github-actions[bot]@POST /**"}, Example: "api.cut=after@POST /repos/*/*/git/refs",
			Does: "The connection ends without a whole answer.",
			Args: []Arg{
				{Name: "when", Means: "before the request was handled, so that nothing was done; after, so that it was; or in the body of the answer", Default: "before", OneOf: []string{"before", "after", "body"}},
				by(),
			},
		},
		{
			Name: Slow, At: Requests, Sweep: []string{"api.slow=by:github-actions[bot]"}, Example: "api.slow=by:github-actions[bot],from:2@/repos/*/*/issues/*/labels",
			Does: "A request is held, before it is handled, until so many others were answered, or until nothing else goes on but what waits for its answer. It strikes requests of jobs and of the platform file's actors; those of an app itself, and of nobody in particular, it does not.",
			Args: []Arg{
				{Name: "after", Means: "how many others", Default: "10", Most: maxNumber},
				by(),
			},
		},
	}
}
