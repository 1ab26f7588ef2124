// Package toolchain finds the tools of languages on a PATH, and says whether one is what a workflow asks
// for: what stands behind actions/setup-go, setup-node, setup-python and setup-java here. Nothing is
// installed.
package toolchain

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used: each step of a job is a process
// that has these and mostly needs none.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Version is a version as its tool tells it. Pre is "" for a release; "rc.1" and "rc1" are the same.
type Version struct {
	Major, Minor, Patch int
	Pre                 string
}

var versionForm = pattern(`^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:\.\d{1,9})*(?:-?([A-Za-z][0-9A-Za-z.-]*))?(?:\+.*)?$`)

// ParseVersion reads "1.26.8", "v20.1.0", "1.27rc1", "17.0.15+6" and their like; parts that are missing are 0.
func ParseVersion(text string) (Version, error) {
	m := versionForm().FindStringSubmatch(text)
	if m == nil {
		return Version{}, fmt.Errorf("%q is not a version", text)
	}
	v := Version{Pre: strings.ReplaceAll(m[4], ".", "")}
	for i, part := range []*int{&v.Major, &v.Minor, &v.Patch} {
		*part, _ = strconv.Atoi(m[1+i]) // nine digits at most, or none
	}
	return v, nil
}

// Compare orders versions; a release comes after what came before it.
func (v Version) Compare(w Version) int {
	if c := cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor), cmp.Compare(v.Patch, w.Patch)); c != 0 {
		return c
	}
	switch {
	case v.Pre == w.Pre:
		return 0
	case v.Pre == "":
		return 1
	case w.Pre == "":
		return -1
	}
	return strings.Compare(v.Pre, w.Pre)
}
