package tracker

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// query is a JQL query of the part of the language that is spoken here: clauses joined by AND, and an order.
//
//	project = APP AND labels in (bug, "needs-info") AND updated >= -15m ORDER BY created ASC
//
// The fields are project, key (issuekey, id), labels, status, issuetype (type), creator, reporter, created and updated; the operators
// =, !=, in, not in, is EMPTY, is not EMPTY, and for times <, <=, > and >=. All else is an error that says what it is.
// https://support.atlassian.com/jira-service-management-cloud/docs/what-is-advanced-search-in-jira-cloud/
type query struct {
	clauses []clause
	order   []sortKey
}

type clause struct {
	field, operator string
	values          []string
	at              time.Time // of times
}

type sortKey struct {
	field string
	down  bool
}

const maxJQL = 10_000

func badJQL(format string, args ...any) error {
	return refuse(http.StatusBadRequest, "Error in the JQL Query: "+format, args...)
}

func parseJQL(text string, now func() time.Time) (query, error) {
	if len(text) > maxJQL {
		return query{}, badJQL("it has more than %d characters.", maxJQL)
	}
	words, err := wordsOf(text)
	if err != nil {
		return query{}, err
	}
	p := &jqlParser{words: words, now: now}
	return p.query()
}

// word is a token: a name, a quoted text or a sign.
type word struct {
	text   string
	quoted bool
	column int
}

func (w word) is(keyword string) bool { return !w.quoted && strings.EqualFold(w.text, keyword) }

func wordsOf(text string) (out []word, err error) {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
		case c == '"' || c == '\'':
			w, n := quotedWord(text[i:])
			if n == 0 {
				return nil, badJQL("The quoted string '%s' has not been completed. (line 1, character %d)", text[i+1:], i+1)
			}
			out = append(out, word{w, true, i + 1})
			i += n
		case strings.IndexByte("(),", c) >= 0:
			out = append(out, word{string(c), false, i + 1})
			i++
		case strings.IndexByte("=!<>~", c) >= 0:
			n := 1
			if i+1 < len(text) && (text[i+1] == '=' || text[i+1] == '~') {
				n = 2
			}
			out = append(out, word{text[i : i+n], false, i + 1})
			i += n
		default:
			n := strings.IndexAny(text[i:], " \t\r\n\"'(),=!<>~")
			if n < 0 {
				n = len(text) - i
			}
			out = append(out, word{text[i : i+n], false, i + 1})
			i += n
		}
	}
	return out, nil
}

// quotedWord reads the quoted text at the beginning of s; n is how much of s it takes, 0 when it does not end.
func quotedWord(s string) (text string, n int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), i + 1
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0
}

type jqlParser struct {
	words []word
	now   func() time.Time
}

// peek is the next word; the zero word is the end.
func (p *jqlParser) peek() word {
	if len(p.words) == 0 {
		return word{}
	}
	return p.words[0]
}

func (p *jqlParser) take() word {
	w := p.peek()
	if len(p.words) > 0 {
		p.words = p.words[1:]
	}
	return w
}

func (p *jqlParser) accept(keyword string) bool {
	if p.peek().is(keyword) && p.peek().text != "" {
		p.take()
		return true
	}
	return false
}

// unexpected is the error that something else was expected here.
func (p *jqlParser) unexpected(want string) error {
	w := p.peek()
	if w.text == "" && !w.quoted {
		return badJQL("Expecting %s before the end of the query.", want)
	}
	return badJQL("Expecting %s but got '%s'. (line 1, character %d)", want, w.text, w.column)
}

func (p *jqlParser) query() (q query, err error) {
	for len(p.words) > 0 && !p.peek().is("order") {
		if len(q.clauses) > 0 && !p.accept("and") {
			if p.peek().is("or") {
				return q, unsupported("JQL's OR")
			}
			return q, p.unexpected("AND")
		}
		c, err := p.clause()
		if err != nil {
			return q, err
		}
		q.clauses = append(q.clauses, c)
	}
	if !p.accept("order") {
		return q, nil
	}
	if !p.accept("by") {
		return q, p.unexpected("'by'")
	}
	for {
		k := sortKey{field: strings.ToLower(p.take().text)}
		if !slices.Contains([]string{"created", "updated", "key", "issuekey", "id"}, k.field) {
			return q, unsupported(fmt.Sprintf("JQL's ORDER BY %q", k.field))
		}
		k.down = p.accept("desc") || !p.accept("asc") && (k.field == "created" || k.field == "updated")
		q.order = append(q.order, k)
		if !p.accept(",") {
			break
		}
	}
	if len(p.words) > 0 {
		return q, p.unexpected("','")
	}
	return q, nil
}

// fieldOf is a field under its first name; "" is one that is not spoken of here.
func fieldOf(name string) string {
	switch name = strings.ToLower(name); name {
	case "project", "labels", "status", "creator", "reporter", "created", "updated":
		return name
	case "key", "issuekey", "issue", "id":
		return "key"
	case "issuetype", "type":
		return "issuetype"
	}
	return ""
}

func (p *jqlParser) clause() (c clause, err error) {
	w := p.take()
	if w.is("not") || w.is("(") {
		return c, unsupported("JQL's " + strings.ToUpper(w.text))
	}
	if c.field = fieldOf(w.text); c.field == "" {
		return c, unsupported(fmt.Sprintf("the JQL field %q", w.text))
	}
	timed := c.field == "created" || c.field == "updated"
	switch op := p.take(); {
	case op.is("is"):
		c.operator = "empty"
		if p.accept("not") {
			c.operator = "not empty"
		}
		if !p.accept("empty") && !p.accept("null") {
			return c, p.unexpected("EMPTY")
		}
		return c, nil
	case op.is("not"):
		if !p.accept("in") {
			return c, p.unexpected("'IN'")
		}
		c.operator = "not in"
	case op.is("="), op.is("!="), op.is("in"):
		c.operator = strings.ToLower(op.text)
	case slices.Contains([]string{"<", "<=", ">", ">="}, op.text) && !op.quoted && timed:
		c.operator = op.text
	case op.text == "":
		p.words = nil
		return c, p.unexpected("operator")
	default:
		return c, unsupported(fmt.Sprintf("the JQL operator %q with the field %s", op.text, c.field))
	}
	if c.values, err = p.values(strings.HasSuffix(c.operator, "in")); err != nil || !timed {
		return c, err
	}
	if len(c.values) != 1 || !strings.ContainsAny(c.operator, "<>") {
		return c, unsupported("the JQL operator " + c.operator + " with a time")
	}
	if c.at, err = timeOf(c.values[0], p.now()); err != nil {
		return c, badJQL("Date value '%s' for field '%s' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.", c.values[0], c.field)
	}
	return c, nil
}

func (p *jqlParser) values(list bool) (out []string, err error) {
	if list && !p.accept("(") {
		return nil, p.unexpected("'('")
	}
	for {
		w := p.peek()
		if w.text == "" && !w.quoted || !w.quoted && strings.ContainsAny(w.text, "(),=<>!~") {
			return nil, p.unexpected("a value")
		}
		out = append(out, p.take().text)
		if p.peek().is("(") {
			return nil, unsupported("the JQL function " + w.text)
		}
		if !list {
			return out, nil
		}
		if p.accept(")") {
			return out, nil
		}
		if !p.accept(",") {
			return nil, p.unexpected("')' or ','")
		}
	}
}

// timeOf reads a time, to the minute, or a span such as -15m from now.
func timeOf(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{"2006/01/02 15:04", "2006-01-02 15:04", "2006/01/02", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	at := now
	sign := 1
	rest, negative := strings.CutPrefix(text, "-")
	if negative {
		sign = -1
	}
	parts := strings.Fields(rest)
	for _, part := range parts {
		n, err := strconv.Atoi(part[:len(part)-1])
		unit := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[part[len(part)-1]]
		if err != nil || unit == 0 || n < 0 || n > 1_000_000 {
			return at, fmt.Errorf("%q is no time", text)
		}
		if n > int(100*365*24*time.Hour/unit) {
			return at, fmt.Errorf("%q is too long", text)
		}
		at = at.Add(time.Duration(sign*n) * unit)
	}
	if len(parts) == 0 {
		return at, fmt.Errorf("%q is no time", text)
	}
	return at, nil
}
