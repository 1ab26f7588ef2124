package dummy

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// maxProbed is how much of an answer is kept.
const maxProbed = 4 << 10

var method = regexp.MustCompile(`^[A-Z]{1,20}$`)

// request is what http_probe is told: "METHOD URL [NAME [BODY]]".
type request struct {
	method, url string
	variable    string // whose value is the credential; "" is none
	body        string
}

func parseProbe(args string) (request, error) {
	parts := strings.SplitN(strings.TrimSpace(args), " ", 4)
	if len(parts) < 2 {
		return request{}, fmt.Errorf("args %q: it takes `METHOD URL`, `METHOD URL NAME` or `METHOD URL NAME BODY`", args)
	}
	r := request{method: parts[0], url: parts[1]}
	if !method.MatchString(r.method) || r.method == http.MethodConnect {
		return r, fmt.Errorf("args %q: %q is no method", args, r.method)
	}
	if err := checkURL(r.url); err != nil {
		return r, err
	}
	if len(parts) > 2 {
		if r.variable = parts[2]; !variableName.MatchString(r.variable) {
			return r, fmt.Errorf("args %q: %q is no name of a variable", args, r.variable)
		}
	}
	if len(parts) > 3 {
		r.body = parts[3]
	}
	return r, nil
}

// probe asks a host and tells what it answered.
func (o Options) probe(ctx context.Context, args string) (status int, body string, err error) {
	if err := ctx.Err(); err != nil {
		return 0, "", fmt.Errorf("not started: %w", err)
	}
	r, err := parseProbe(args)
	if err != nil {
		return 0, "", err
	}
	req, err := http.NewRequest(r.method, r.url, strings.NewReader(r.body))
	if err != nil {
		return 0, "", err
	}
	if r.variable != "" {
		value, set := lookUp(o.Env, r.variable)
		if !set || value == "" {
			return 0, "", fmt.Errorf("%s is not set, or empty", r.variable)
		}
		req.Header.Set("Authorization", "Bearer "+value)
	}
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	status, body, err = o.send(ctx, req)
	return status, strings.ToValidUTF8(body, "\uFFFD"), err
}
