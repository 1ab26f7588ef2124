package tracker

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

func (q query) holds(i *issue) bool {
	return !slices.ContainsFunc(q.clauses, func(c clause) bool { return !c.holds(i) })
}

func (c clause) holds(i *issue) bool {
	has := i.values(c.field)
	match := slices.ContainsFunc(has, func(h string) bool {
		return slices.ContainsFunc(c.values, func(v string) bool { return strings.EqualFold(v, h) })
	})
	at := i.created
	if c.field == "updated" {
		at = i.updated
	}
	switch c.operator {
	case "=", "in":
		return match
	case "!=", "not in": // as at Jira, an empty field is not unequal either
		return !match && len(has) > 0
	case "empty":
		return len(has) == 0
	case "not empty":
		return len(has) > 0
	case "<":
		return at.Before(c.at)
	case "<=":
		return !at.After(c.at)
	case ">":
		return at.After(c.at)
	}
	return !at.Before(c.at)
}

// values are what an issue has in a field that is compared as text.
func (i *issue) values(field string) []string {
	switch field {
	case "project":
		return []string{i.project.key, i.project.name, strconv.FormatInt(i.project.id, 10)}
	case "key":
		return []string{i.key(), strconv.FormatInt(i.id, 10)}
	case "labels":
		return i.labels
	case "status":
		return []string{status}
	case "issuetype":
		return []string{i.kind}
	case "creator", "reporter":
		return []string{i.creator}
	}
	return []string{stamp(i.created)}
}

func (q query) compare(a, b *issue) int {
	for _, k := range q.order {
		var c int
		switch k.field {
		case "created":
			c = cmp.Or(a.created.Compare(b.created), cmp.Compare(a.id, b.id))
		case "updated":
			c = a.updated.Compare(b.updated)
		default:
			c = cmp.Or(strings.Compare(a.project.key, b.project.key), cmp.Compare(a.number, b.number))
		}
		if k.down {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}
