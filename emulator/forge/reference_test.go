package forge_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge/internal/api"
)

var update = flag.Bool("update", false, "write golden files")

// TestReferenceListsTheRoutes holds the page to what the router serves.
func TestReferenceListsTheRoutes(t *testing.T) {
	const file, mark = "../../docs/reference/forge.md", "renews it. -->\n\n"
	page, err := os.ReadFile(file)
	must(t, err)
	head, got, found := strings.Cut(string(page), mark)
	if !found {
		t.Fatalf("%s: no line ends in %q", file, mark)
	}
	want := routeTable(api.Routes())
	if *update {
		must(t, os.WriteFile(file, []byte(head+mark+want), 0o644))
		return
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s is not what is served; make update renews it (-served +page):\n%s", file, d)
	}
}

// routeTable has a line for each pattern, with what can be done there.
func routeTable(routes []api.Route) string {
	var b strings.Builder
	b.WriteString("| path | methods | query |\n|---|---|---|\n")
	for len(routes) > 0 {
		n := slices.IndexFunc(routes, func(r api.Route) bool { return r.Pattern != routes[0].Pattern })
		if n < 0 {
			n = len(routes)
		}
		var methods, query []string
		for _, r := range routes[:n] {
			methods = append(methods, r.Method)
			if r.List {
				query = append(query, "pages")
			}
			for _, q := range r.Query {
				query = append(query, "`"+q+"`")
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", routes[0].Pattern, strings.Join(methods, " "), strings.Join(query, " "))
		routes = routes[n:]
	}
	return b.String()
}
