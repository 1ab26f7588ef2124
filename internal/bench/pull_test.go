package bench_test

import (
	"fmt"
	"net/http"
	"testing"
)

// pullFlow opens and merges pull requests of one file in one repository. From the second on the base has
// moved since the branch began, so that a merge is a real one.
func pullFlow(b *testing.B, t *table) {
	f, url, token := newForge(b)
	ask(b, f, "POST", url+"/orgs/acme/repos", token, `{"name":"pulls","auto_init":true}`, http.StatusCreated)
	main, err := f.Admin().ResolveRef("acme/pulls", "main")
	must(b, err)
	const rounds = 40
	var open, merge cost
	for n := 1; n <= rounds; n++ {
		branch := fmt.Sprint("b", n)
		ask(b, f, "POST", url+"/repos/acme/pulls/git/refs", token, `{"ref":"refs/heads/`+branch+`","sha":"`+main+`"}`, http.StatusCreated)
		ask(b, f, "PUT", url+"/repos/acme/pulls/contents/"+branch+".txt", token, `{"message":"m","branch":"`+branch+`","content":"eA=="}`, http.StatusCreated)
		open.add(b, func() {
			ask(b, f, "POST", url+"/repos/acme/pulls/pulls", token, `{"title":"t","head":"`+branch+`","base":"main"}`, http.StatusCreated)
		})
		merge.add(b, func() {
			ask(b, f, "PUT", fmt.Sprintf("%s/repos/acme/pulls/pulls/%d/merge", url, n), token, `{}`, http.StatusOK)
		})
	}
	t.add(figure{name: "open a pull request", value: milli(open.cpu(), rounds), target: 15, unit: "ms CPU", format: "%.1f",
		peer: fmt.Sprintf("%.1f ms by the clock", milli(open.wall, rounds))})
	t.add(figure{name: "merge a pull request", value: milli(merge.cpu(), rounds), target: 25, unit: "ms CPU", format: "%.1f",
		peer: fmt.Sprintf("%.1f ms by the clock", milli(merge.wall, rounds))})
}
