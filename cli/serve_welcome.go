package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/github"
	"github.com/understudy-dev/understudy/environment/page"
	"github.com/understudy-dev/understudy/environment/place"
)

const (
	serveOrg  = "acme"
	serveRepo = "hello"
)

// person is who may what in the organisation of a served forge.
type person struct{ name, role, may string }

func people() []person {
	return []person{
		{"admin", "owner", "everything in " + serveOrg},
		{"write", "write", "push, label, comment"},
		{"triage", "triage", "label, comment"},
		{"outsider", "none", "no role in " + serveOrg},
	}
}

func servePeople() []place.Person {
	var out []place.Person
	for _, p := range people() {
		out = append(out, place.Person{Name: p.name, Login: p.name, Role: p.role, Cause: "token:" + p.name})
	}
	return out
}

// helloWorkflow answers the label "hello" with a comment.
const helloWorkflow = `name: Hello
on:
  issues:
    types: [labeled]
permissions:
  issues: write
jobs:
  answer:
    if: github.event.label.name == 'hello'
    runs-on: ubuntu-latest
    steps:
      - name: Answer with a comment
        env:
          TOKEN: ${{ github.token }}
          ISSUE: ${{ github.event.issue.url }}
        run: |
          echo "answering $ISSUE"
          curl -fsS -o /dev/null -H "Authorization: Bearer $TOKEN" "$ISSUE/comments" -d '{"body":"Hello from a workflow that really ran."}'
`

// furnish makes the repository that the commands to try are about.
func (sv *serving) furnish(ctx context.Context, repo string) error {
	client := github.New(github.Options{APIURL: sv.APIURL(), Tokens: sv.Tokens})
	defer client.Close()
	admin, err := client.As("admin")
	if err != nil {
		return err
	}
	r := driver.Repo{Owner: serveOrg, Name: repo}
	if err := admin.Repos.Create(ctx, driver.NewRepo{Repo: r, AutoInit: true}); err != nil {
		return err
	}
	_, err = admin.Files.Commit(ctx, r, driver.NewCommit{
		Message: "Add a workflow", Files: []driver.NewFile{{Path: ".github/workflows/hello.yml", Content: []byte(helloWorkflow)}},
	})
	if err != nil {
		return err
	}
	_, err = admin.Issues.Open(ctx, r, driver.NewIssue{Title: "Say hello", Body: "Label this issue `hello`, and a workflow answers."})
	return err
}

// welcome is what a person reads first. All lines from the first export on can be pasted as they are.
func (sv *serving) welcome(env []string) string {
	server := sv.Forge.URL()
	host := strings.TrimPrefix(server, "http://")
	var b strings.Builder
	fmt.Fprintf(&b, "The forge is ready, on this machine only. %s\n\n", sv.ends())
	fmt.Fprintf(&b, "  API   %s\n  git   %s/OWNER/NAME.git, with any user name and a token as password\n", sv.APIURL(), server)
	fmt.Fprintf(&b, "  look  %s%s in a browser\n\n", server, page.Root)
	fmt.Fprintf(&b, "Tokens, classic and of all scopes unless it says otherwise:\n\n")
	for _, p := range people() {
		fmt.Fprintf(&b, "  %-9s %s   %s\n", p.name, sv.Tokens[p.name], p.may)
	}
	sv.welcomeOthers(&b)
	sv.welcomeSeed(&b)
	fmt.Fprintf(&b, "\nIn another terminal, as the actor write:\n\n")
	if proxied(env) {
		fmt.Fprintf(&b, "  export no_proxy=\"127.0.0.1,$no_proxy\"\n")
	}
	fmt.Fprintf(&b, "  export GITHUB_API_URL=%s\n  export GITHUB_TOKEN=%s\n", sv.APIURL(), sv.Tokens["write"])
	fmt.Fprintf(&b, "  export CLONE_URL=http://x:$GITHUB_TOKEN@%s/%s/%s.git\n\n", host, serveOrg, serveRepo)
	curl := `curl -fsS -H "Authorization: Bearer $GITHUB_TOKEN" "$GITHUB_API_URL/repos/` + serveOrg + "/" + serveRepo
	fmt.Fprintf(&b, "  # open an issue\n  %s/issues\" -d '{\"title\":\"My first issue\"}'\n\n", curl)
	fmt.Fprintf(&b, "  # clone, commit, push\n  git clone \"$CLONE_URL\" %[1]s && git -C %[1]s -c user.name=Me -c user.email=me@example.com"+
		" commit --no-gpg-sign --allow-empty -m Hello && git -C %[1]s push\n\n", serveRepo)
	sv.pasteApp(&b)
	fmt.Fprintf(&b, "  # label issue 1: a workflow runs and answers with a comment\n  %s/issues/1/labels\" -d '{\"labels\":[\"hello\"]}'\n\n", curl)
	return b.String()
}

// kind is what a token of a seed may, as it stands behind one.
func (sv *serving) kind(name string) string {
	if sv.kinds[name] == "" {
		return ""
	}
	return "   " + sv.kinds[name]
}

// welcomeSeed says what of the forge comes from the seed.
func (sv *serving) welcomeSeed(b *strings.Builder) {
	if len(sv.seed.Users)+len(sv.seed.Repos) == 0 {
		return
	}
	fmt.Fprintf(b, "\nFrom the seed:\n\n")
	people, width := seedPeople(sv.seed, servePeople()), 9
	for _, p := range people {
		width = max(width, len(p.Name))
	}
	for _, p := range people {
		fmt.Fprintf(b, "  %-*s %s\n", width, p.Name, sv.Tokens[p.Name])
	}
	for _, t := range sv.seed.Tokens {
		fmt.Fprintf(b, "  %-*s %s%s\n", width, t.Name, sv.Tokens[t.Name], sv.kind(t.Name))
	}
	sv.welcomeApps(b)
	for _, r := range sv.seed.Repos {
		fmt.Fprintf(b, "  %s/%s.git\n", sv.Forge.URL(), r.Name)
	}
}
