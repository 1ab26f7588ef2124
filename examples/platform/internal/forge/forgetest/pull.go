package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

func (f *Forge) pulls(on register) {
	on("GET /pulls/{number}", func(r *http.Request, _ map[string]any) answer {
		text, ok := f.Pulls[r.PathValue("number")]
		if !ok {
			return missing()
		}
		return answer{200, json.RawMessage(text)}
	})
	on("POST /pulls", func(_ *http.Request, in map[string]any) answer {
		for _, p := range f.Opened {
			if p["head"] == in["head"] {
				return answer{422, map[string]string{"message": "Validation Failed"}}
			}
		}
		f.Opened = append(f.Opened, in)
		return answer{201, map[string]any{"number": 1 + len(f.Opened)}}
	})
	on("GET /pulls", func(r *http.Request, _ map[string]any) answer {
		found := []map[string]any{}
		for i, p := range f.Opened {
			if r.FormValue("head") == fmt.Sprint("acme:", p["head"]) && r.FormValue("state") == "open" {
				found = append(found, map[string]any{"number": 2 + i})
			}
		}
		return answer{200, found}
	})
	on("POST /pulls/1/reviews", func(_ *http.Request, in map[string]any) answer {
		if in["event"] == "APPROVE" && strings.Contains(f.Pulls["1"], `"its-own"`) {
			return answer{422, map[string]string{"message": "Can not approve your own pull request"}}
		}
		f.Reviews = append(f.Reviews, in)
		return answer{200, in}
	})
}
