package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Exchange is one request and its answer. Path is escaped and below the API's root.
type Exchange struct {
	Method, Path string
	Accept       string
	Query        url.Values
	Sent         []byte // body of the request
	Status       int
	Kind         string // Content-Type of the answer
	Body         []byte // of the answer; nil is not looked at
}

// Finding is a difference from the description.
type Finding struct {
	Operation string // id, or method and path of what is described nowhere
	Part      string // a status, "body" or "query"
	At        string // JSON pointer, with * for any index
	Says      string
}

// String is one line.
func (f Finding) String() string {
	return fmt.Sprintf("%s: %s %s: %s", f.Operation, f.Part, f.At, f.Says)
}

// Checker knows the descriptions, and remembers what it has seen. It is safe for concurrent use.
type Checker struct {
	operations []*Operation
	rest       *schemas
	events     map[string]bool // name and action
	hooks      *schemas

	mu   sync.Mutex
	seen map[string]map[int]bool // statuses by id of the operation
	used map[int]bool            // exceptions that were needed
}

// New returns a checker with nothing seen.
func New() (*Checker, error) {
	rest, err := read(restText)
	if err != nil {
		return nil, err
	}
	hooks, err := read(webhookText)
	if err != nil {
		return nil, err
	}
	c := &Checker{rest: newSchemas(rest.Schemas), hooks: newSchemas(hooks.Schemas), seen: map[string]map[int]bool{}, used: map[int]bool{}}
	c.operations = rest.operations(c.rest)
	c.events = hooks.events(c.hooks)
	return c, nil
}

// Check returns what of an exchange GitHub does not describe, less the exceptions.
func (c *Checker) Check(x Exchange) ([]Finding, error) {
	o := c.Find(x.Method, x.Path)
	if o == nil {
		return c.undescribedOperation(x), nil
	}
	c.note(o, x.Status)
	all, err := c.differences(o, x)
	return c.except(all), err
}

// differences are the findings of an exchange, exceptions included.
func (c *Checker) differences(o *Operation, x Exchange) ([]Finding, error) {
	var all []Finding
	if x.Status < 300 {
		sent, err := c.checkRequest(o, x)
		if err != nil {
			return nil, err
		}
		all = append(all, sent...)
	}
	answered, err := c.checkAnswer(o, x)
	if err != nil {
		return nil, err
	}
	return append(all, answered...), nil
}

func (c *Checker) note(o *Operation, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[o.ID] == nil {
		c.seen[o.ID] = map[int]bool{}
	}
	c.seen[o.ID][status] = true
}

// Seen reports whether the operation was answered with this status; 200 stands for every success.
func (c *Checker) Seen(o *Operation, status int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.seen[o.ID] {
		if s == status || status == http.StatusOK && s < 400 && s != http.StatusNotModified {
			return true
		}
	}
	return false
}

func (c *Checker) undescribedOperation(x Exchange) []Finding {
	if x.Status >= 400 {
		return nil
	}
	return c.except([]Finding{{Operation: x.Method + " " + x.Path, Part: fmt.Sprint(x.Status), Says: nowhere}})
}

// checkRequest looks at a request that was granted.
func (c *Checker) checkRequest(o *Operation, x Exchange) ([]Finding, error) {
	var all []Finding
	for name := range x.Query {
		if _, known := o.Query[name]; !known {
			all = append(all, Finding{o.ID, "query", "/" + name, undescribed})
		}
	}
	for name, required := range o.Query {
		if required && !x.Query.Has(name) {
			all = append(all, Finding{o.ID, "query", "/" + name, "is required, and the request was granted without"})
		}
	}
	if len(x.Sent) == 0 {
		return all, nil
	}
	if !o.Body {
		return append(all, Finding{o.ID, "body", "", "a body, where none is described"}), nil
	}
	if o.bytes {
		return all, nil
	}
	places, err := c.rest.check(o.at+" body "+jsonKind, x.Sent)
	for _, p := range places {
		all = append(all, Finding{o.ID, "body", p.at, p.says})
	}
	return all, err
}

const (
	nowhere    = "the operation is described nowhere"
	undeclared = "the status is not declared"
)

const jsonKind = "application/json"

func (c *Checker) checkAnswer(o *Operation, x Exchange) ([]Finding, error) {
	part := fmt.Sprint(x.Status)
	kind, _, _ := strings.Cut(x.Kind, ";")
	kinds, declared := o.answers[part]
	if !declared {
		general, found := generalAnswers()[x.Status]
		if !found || !general.admits(x.Body) {
			return []Finding{{o.ID, part, "", undeclared}}, nil
		}
		if x.Body == nil || kind != jsonKind {
			return nil, nil
		}
		return c.found(o, part, general.schema, x.Body)
	}
	if x.Body == nil || x.Method == http.MethodHead {
		return nil, nil
	}
	switch {
	case kind != jsonKind:
		if len(kinds) > 0 && !slices.Contains(kinds, kind) && !slices.Contains(kinds, jsonKind) {
			return []Finding{{o.ID, part, "", kind + " is not declared; declared are " + strings.Join(kinds, ", ")}}, nil
		}
		return nil, nil
	case len(kinds) == 0:
		if len(x.Body) == 0 {
			return nil, nil
		}
		if x.Status >= 400 {
			return c.found(o, part, cmp.Or(generalAnswers()[x.Status].schema, "basic-error"), x.Body)
		}
		return []Finding{{o.ID, part, "", "a JSON body, where none is declared"}}, nil
	}
	form, found := formOf(kinds, x.Accept)
	if !found {
		return []Finding{{o.ID, part, "", "a JSON body; declared are " + strings.Join(kinds, ", ")}}, nil
	}
	return c.found(o, part, o.at+" "+part+" "+form, x.Body)
}

// formOf chooses the declared JSON form of an answer: GitHub calls all of them application/json, and
// which it is follows from what was asked for.
func formOf(kinds []string, accept string) (form string, found bool) {
	for _, kind := range kinds {
		switch {
		case kind == jsonKind:
			form = cmp.Or(form, kind)
		case isJSON(kind) && strings.Contains(accept, strings.TrimSuffix(kind, "+json")):
			form = kind
		}
	}
	return form, form != ""
}

func (c *Checker) found(o *Operation, part, schema string, body []byte) ([]Finding, error) {
	var all []Finding
	places, err := c.rest.check(schema, body)
	if len(places) > 1 && strings.HasPrefix(part, "4") {
		// Where an error is one of several, an undescribed status makes it none of them.
		if less, found := without(body, "status"); found {
			if rest, err := c.rest.check(schema, less); err == nil && len(rest) == 0 {
				places = []place{{"/status", undescribed}}
			}
		}
	}
	for _, p := range places {
		all = append(all, Finding{o.ID, part, p.at, p.says})
	}
	return all, err
}

// without is an object less a member.
func without(body []byte, member string) (less []byte, found bool) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil || object[member] == nil {
		return nil, false
	}
	delete(object, member)
	less, err := json.Marshal(object)
	return less, err == nil
}
