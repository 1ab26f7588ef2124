// Package dummy is an agent with inference removed: it interprets a script of operations instead of
// asking a model. Any platform can call it as a runtime; it knows no platform and no forge.
//
// # Command
//
//	understudy-job agent dummy --script FILE --workspace DIR [--repo DIR] [--results FILE] [--proxy URL]
//
// All operations run, in the script's order, also after one of them failed. Exit codes:
//
//	0  every operation succeeded
//	1  at least one operation failed; the results file says which and why
//	2  nothing to rely on: bad flags, bad script, no workspace, or the results could not be written
//
// With 2 for bad flags or a bad script nothing ran and no results file was written. The environment
// is not read: what is not a flag has no influence.
//
// # Script
//
// A script is one YAML document (so JSON will do):
//
//	ops:
//	  - description: Emit triage JSON
//	    op: write_fixture
//	    args: output/agent-result.json
//	    content: |
//	      {"action": "sufficient"}
//
// Descriptions are unique and not blank: results are looked up by them. Unknown or repeated keys,
// unknown operations and an empty list are errors that name the line. Anchors, aliases and further
// documents are refused.
//
// The operations:
//
//	write_fixture  args is a path below the workspace, content the bytes to write there. Missing
//	               directories are made, an existing file is replaced. The path is relative, has
//	               no ".." and leaves the workspace through no symbolic link.
//	read_file      args is a path below --repo (without it: the workspace), under the same rules.
//	               Succeeds when it is a regular file that can be opened for reading.
//	url_get        args is an absolute http or https URL without credentials. One GET, 10 seconds,
//	               redirects are not followed. Succeeds when the answer is 2xx.
//
// url_get goes through --proxy when it is given, also to loopback addresses, and never through a
// proxy of the environment. Its failures begin differently, so that a test can tell them apart:
//
//	refused by policy: …    the proxy answered 403 with the header "X-Policy-Decision: refused"
//	answered 404 …          any other answer that is not 2xx, the proxy's own included
//	no answer: …            no answer came: no such host, connection refused, time-out
//
// The header counts only in what a proxy sent; without --proxy it means nothing.
//
// # Results
//
// The results file, by default output/behaviour-results.json below the workspace, appears by rename
// and so is either absent or complete. Error is "" for a success:
//
//	{"operations":[{"description":"Emit triage JSON","op":"write_fixture","success":true,"error":""}]}
package dummy

// DefaultResults is where the results go below the workspace, unless told otherwise.
const DefaultResults = "output/behaviour-results.json"

// Names of the operations.
const (
	WriteFixture = "write_fixture"
	ReadFile     = "read_file"
	URLGet       = "url_get"
)

// PolicyHeader is the response header with which a proxy says that its policy refused a request; its
// value is then PolicyRefused and the status 403.
const (
	PolicyHeader  = "X-Policy-Decision"
	PolicyRefused = "refused"
)
