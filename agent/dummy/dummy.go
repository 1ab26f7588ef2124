// Package dummy is an agent with inference removed: it interprets a script of operations instead of
// asking a model. Any platform can call it as a runtime; it knows no platform and no forge.
//
// # Command
//
//	understudy-job agent dummy --script FILE --workspace DIR [--repo DIR] [--results FILE] [--iteration N] [--proxy URL]
//
// All operations of the iteration run, in the script's order, also after one of them failed. Exit codes:
//
//	0  every operation succeeded
//	1  at least one operation failed; the results file says which and why
//	2  nothing to rely on: bad flags, bad script, no workspace, or the results could not be written
//
// With 2 for bad flags or a bad script nothing ran and no results file was written. Only assert_env
// and {{env:NAME}} look at the environment, and PATH says where git is: nothing else in it has influence.
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
// A platform may ask an agent again when its result was no good; --iteration tells the dummy which time
// this is. An operation with "iteration: 2" is carried out the second time only, and is missing from
// the results of the others; one without is carried out every time.
//
// Descriptions are unique and not blank: results are looked up by them. Unknown or repeated keys,
// unknown operations and an empty list are errors that name the line. Anchors, aliases and further
// documents are refused.
//
// The operations:
//
//	write_fixture  args is a path below the workspace, content the bytes to write there. Missing
//	               directories are made, an existing file is replaced. The path is relative, has
//	               no ".." and leaves the workspace through no symbolic link. {{env:NAME}} in the content
//	               becomes the variable's value, such as a commit that nobody knew before; a variable
//	               that is not set fails the operation. The value then stands in the file for all to read.
//	read_file      args is a path below --repo (without it: the workspace), under the same rules.
//	               Succeeds when it is a regular file that can be opened for reading.
//	url_get        args is an absolute http or https URL without credentials. One GET, 10 seconds,
//	               redirects are not followed. Succeeds when the answer is 2xx.
//
//	http_probe     args is "METHOD URL" or "METHOD URL NAME" or "METHOD URL NAME BODY". One request as url_get makes
//	               it, with "Authorization: Bearer" and the value of the variable NAME, and with a body. Its
//	               results have the status and the first 4 KiB of the answer, for all to read.
//	assert_env     args is NAME or "NAME, VALUE". The variable of the agent's own environment is set and
//	               not empty; with VALUE it is set to exactly that, which may be empty. The value found
//	               is never told.
//	assert_file    args is a path below the workspace. Succeeds as read_file does.
//	assert_json    args is "FILE, PATH" or "FILE, PATH, EXPECTED"; see below.
//	checkout_branch  args is one branch name; see below.
//
// assert_json reads FILE, below the workspace, as one JSON document and follows PATH: keys joined by
// dots, a number being a place in a list counted from 0. Without EXPECTED something must be there
// that is neither false nor null, as jq -e has it; 0, "", [] and {} are something. With EXPECTED the
// value must be equal to it. EXPECTED is all that follows the second comma: JSON if it can be read
// so (false, 7, "7", [1, 2]), else the text itself (sufficient). So an expected false or null
// succeeds on false or null that is there; a place that is not there equals nothing, null included.
// Numbers are compared by value.
//
// checkout_branch asks the remote "origin" of --repo with git ls-remote --exit-code. When the branch
// is there (exit code 0) it is fetched and the local branch begins at FETCH_HEAD; when the remote
// answers that it is not (exit code 2) the local branch begins at the current HEAD; whatever else
// comes of it fails the operation, as does anything later. A local branch of that name is moved. Then
// one commit is made on it, which holds the file behaviour-marker.txt alone, so that a push of the
// branch moves its tip. A name is letters, digits and . _ - with parts joined by /. git gets no
// configuration but the repository's own, no hooks, and no proxy; it has two minutes.
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
// Those of http_probe have "status" and "body", too, when the host answered: not when the policy refused.
//
//	{"operations":[{"description":"Emit triage JSON","op":"write_fixture","success":true,"error":""}]}
package dummy

// DefaultResults is where the results go below the workspace, unless told otherwise.
const DefaultResults = "output/behaviour-results.json"

// Names of the operations.
const (
	AssertEnv      = "assert_env"
	AssertFile     = "assert_file"
	AssertJSON     = "assert_json"
	CheckoutBranch = "checkout_branch"
	HTTPProbe      = "http_probe"
	ReadFile       = "read_file"
	URLGet         = "url_get"
	WriteFixture   = "write_fixture"
)

// PolicyHeader is the response header with which a proxy says that its policy refused a request; its
// value is then PolicyRefused and the status 403.
const (
	PolicyHeader  = "X-Policy-Decision"
	PolicyRefused = "refused"
)
