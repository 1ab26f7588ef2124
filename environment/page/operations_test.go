package page_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func TestOperations(t *testing.T) {
	served := 0
	all := forge.Operations()
	for _, o := range all {
		if o.Served {
			served++
		}
	}
	s := furnished(t, fstest.MapFS{"README.md": {Data: []byte("x")}})
	s.sees("api", fmt.Sprintf("%d of the %d operations", served, len(all)),
		`<code>GET /repos/{owner}/{repo}/issues/{issue_number}</code> <span class="soft clip">issues/get</span></span><span class="status good">served`,
		`<code>GET /gists/{gist_id}</code> <span class="soft clip">gists/get</span></span><span class="status quiet">unserved`)
	if served < 100 || served == len(all) {
		t.Errorf("%d of %d operations are served", served, len(all))
	}
}
