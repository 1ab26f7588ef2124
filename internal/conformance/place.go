package conformance

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// place is a place in a document, as a JSON pointer, and what is wrong there.
type place struct{ at, says string }

// ours begins the names of members that are the forge's own and say so.
const ours = "understudy_"

const undescribed = "is not in the description"

// pointer escapes one segment of a JSON pointer in a fragment.
func pointer(name string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}

// places are the innermost complaints, each once. Indexes of lists are shown as *: what is wrong with
// one is wrong with all.
func places(ve *jsonschema.ValidationError) []place {
	found := leaves(*ve.DetailedOutput())
	all := slices.DeleteFunc(slices.Clone(found), func(p place) bool {
		return p.says == undescribed && (follows(p, found) || strings.Contains(p.at, "/"+ours))
	})
	index := regexp.MustCompile(`/\d+(/|$)`)
	for i := range all {
		for index.MatchString(all[i].at) {
			all[i].at = index.ReplaceAllString(all[i].at, "/*$1")
		}
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.says, b.says)) })
	return slices.Compact(all)
}

// follows reports whether a member is called undescribed only because something else is wrong in its
// object: the validator counts no member of an object that failed as described.
func follows(p place, all []place) bool {
	parent := p.at[:strings.LastIndexByte(p.at, '/')]
	return slices.ContainsFunc(all, func(q place) bool {
		if q.at == parent {
			return q.says != undescribed
		}
		return strings.HasPrefix(q.at, parent+"/") && (q.says != undescribed || strings.Count(q.at, "/") > strings.Count(p.at, "/"))
	})
}

// leaves are the complaints that stand for no others. Of a choice of which nothing fits, the one with
// the fewest speaks.
func leaves(u jsonschema.OutputUnit) []place {
	if len(u.Errors) == 0 {
		if _, closed := u.Error.Kind.(*kind.FalseSchema); closed {
			return []place{{u.InstanceLocation, undescribed}}
		}
		return []place{{u.InstanceLocation, u.Error.String()}}
	}
	choice := strings.HasSuffix(u.KeywordLocation, "/oneOf") || strings.HasSuffix(u.KeywordLocation, "/anyOf")
	var all []place
	for i, below := range u.Errors {
		one := leaves(below)
		switch {
		case !choice:
			all = append(all, one...)
		case i == 0 || distance(one, u.InstanceLocation) < distance(all, u.InstanceLocation):
			all = one
		}
	}
	return all
}

// distance is how far a choice is from a document: the farthest is one of another type altogether.
func distance(all []place, here string) int {
	n := 0
	for _, p := range all {
		if p.says != undescribed || !follows(p, all) {
			n++
		}
		if p.at == here && strings.HasPrefix(p.says, "got ") {
			n += 1000
		}
	}
	return n
}
