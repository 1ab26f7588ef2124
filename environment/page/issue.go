package page

import (
	"fmt"
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func (p *page) issues(w http.ResponseWriter, r *http.Request) error {
	s, name, err := p.repo(r, "issues")
	if err != nil {
		return err
	}
	var v struct {
		Repo   string
		Issues []forge.IssueView
		Next   int // the sheet below begins before it; 0 is none
	}
	v.Repo = name
	v.Issues, err = p.view.Issues(name, int(number(r.URL.Query().Get("before"))), window)
	if err != nil {
		return err
	}
	if n := len(v.Issues); n == window && v.Issues[n-1].Number > 1 {
		v.Next = v.Issues[n-1].Number
	}
	s.Main = v
	return p.send(w, r, http.StatusOK, "issues", s)
}

func (p *page) issue(w http.ResponseWriter, r *http.Request) error {
	s, name, err := p.repo(r, "issues")
	if err != nil {
		return err
	}
	i, err := p.view.Issue(name, int(number(r.PathValue("number"))))
	if err != nil {
		return orMissing(err, "issue", fmt.Sprintf("the repository has %s", plural(s.Repo.Issues, "issue")))
	}
	s.Title = fmt.Sprintf("%s · %s#%d", i.Title, name, i.Number)
	s.Main = struct {
		Repo    string
		Base    string
		Subject string
		Issue   forge.IssueView
	}{name, filesURL(name, "", ""), fmt.Sprintf("%s#%d", name, i.Number), i}
	return p.send(w, r, http.StatusOK, "issue", s)
}
