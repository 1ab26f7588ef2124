package envvar

import (
	"fmt"
	"io"
	"strings"
)

// WritePage writes docs/reference/environment.md.
func WritePage(w io.Writer) {
	fmt.Fprint(w, "# Environment variables\n\n<!-- Written by `understudy reference --environment`; `make update` renews it. -->\n\n"+
		"`understudy run` and suites under `go test` go by these; a flag beats its variable. All are checked before anything starts, and a\n"+
		"value that is refused is named, with what it can be. A name that begins with `BEHAVIOUR_` and is not here is refused, too. Empty is unset\n"+
		"unless a row says otherwise.\n\n| variable | default | values | refused, as not built | what it decides |\n|---|---|---|---|---|\n")
	for _, v := range Table() {
		if v.Unread {
			continue
		}
		def, values := v.Default, v.Form
		switch {
		case v.Allowed != nil && v.Allowed[0] != "":
			def, values = quoted(v.Allowed[:1]), quoted(v.Allowed)
		case v.Allowed != nil:
			values = "unset"
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s |\n", v.Name, def, values, quoted(v.Planned), v.Does)
	}
	fmt.Fprint(w, "\n## Of real services\n\nThese decide nothing here, whatever they hold: the platform and its agents get none of the caller's variables; only the command that\n"+
		"builds the platform does. So the job that tests against real services can start a run as it is.\n\n| variable | what it is about |\n|---|---|\n")
	for _, v := range Table() {
		if !v.Unread {
			continue
		}
		does := v.Does
		if v.Secret {
			does += " (a secret)"
		}
		fmt.Fprintf(w, "| `%s` | %s |\n", v.Name, does)
	}
}

func quoted(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return "`" + strings.Join(values, "`, `") + "`"
}
