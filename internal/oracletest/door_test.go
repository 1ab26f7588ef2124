package oracletest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/emulator/network"
)

// githubDoor is a door behind which a forge is github.com, and the file by which programs trust it.
func githubDoor(t *testing.T) (door *network.Door, authority string) {
	t.Helper()
	f, err := forge.New(forge.Options{PublicURL: "https://github.com"})
	check(t, err)
	t.Cleanup(func() { check(t, f.Close(context.WithoutCancel(t.Context()))) })
	check(t, f.Admin().AddUser(forge.User{Login: "ada"}))
	check(t, f.Admin().AddOrg("acme", "ada"))
	token, err := f.Admin().MintToken(forge.TokenSpec{Login: "ada"})
	check(t, err)
	ca, err := network.NewAuthority()
	check(t, err)
	authority = filepath.Join(t.TempDir(), "authority.pem")
	check(t, os.WriteFile(authority, ca.PEM(), 0o600))
	var openings []network.Opening
	for _, host := range []string{"github.com", "api.github.com", "raw.githubusercontent.com"} {
		openings = append(openings, network.Opening{Host: host, Handler: f, Token: token})
	}
	door, err = network.New(network.Options{Openings: openings, Authority: ca})
	check(t, err)
	t.Cleanup(func() { check(t, door.Close(context.WithoutCancel(t.Context()))) })
	return door, authority
}

// clientBehind knows the door and nothing else.
func clientBehind(t *testing.T, door *network.Door, authority string) *http.Client {
	t.Helper()
	pem, err := os.ReadFile(authority)
	check(t, err)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(pem)
	proxy, err := url.Parse(door.URL())
	check(t, err)
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: trusted}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// TestDoorWithGoGithub uses the client as it is for github.com: no address is given to it.
func TestDoorWithGoGithub(t *testing.T) {
	door, authority := githubDoor(t)
	behind := clientBehind(t, door, authority)
	c, err := github.NewClient(github.WithHTTPClient(behind))
	check(t, err)
	createApp(t, c)
	repo, _, err := c.Repositories.Get(t.Context(), "acme", "app")
	check(t, err)
	if repo.GetURL() != "https://api.github.com/repos/acme/app" || repo.GetCloneURL() != "https://github.com/acme/app.git" {
		t.Errorf("addresses %s, %s", repo.GetURL(), repo.GetCloneURL())
	}
	for range 3 {
		_, _, err = c.Issues.Create(t.Context(), "acme", "app", &github.IssueRequest{Title: github.Ptr("Page")})
		check(t, err)
	}
	seen := 0
	for o := (&github.IssueListByRepoOptions{ListOptions: github.ListOptions{PerPage: 1}}); ; {
		issues, resp, err := c.Issues.ListByRepo(t.Context(), "acme", "app", o)
		check(t, err)
		seen += len(issues)
		if resp.NextPage == 0 {
			break
		}
		o.ListOptions.Page = resp.NextPage
	}
	if seen != 3 {
		t.Errorf("%d issues over the pages, want 3", seen)
	}
	file, _, _, err := c.Repositories.GetContents(t.Context(), "acme", "app", "README.md", nil)
	check(t, err)
	resp, err := behind.Get(file.GetDownloadURL())
	check(t, err)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(file.GetDownloadURL(), "https://raw.githubusercontent.com/acme/app/") {
		t.Errorf("%s: %d", file.GetDownloadURL(), resp.StatusCode)
	}
}

// TestDoorWithGit clones, pushes more than a buffer, and fetches under github.com's name.
func TestDoorWithGit(t *testing.T) {
	door, authority := githubDoor(t)
	dir := t.TempDir()
	run := func(script string) {
		t.Helper()
		cmd := exec.Command("bash", "-ec", script)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "HTTPS_PROXY=" + door.URL()}
		for name, value := range network.Trust(authority) {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run(`git config --global user.name Ada; git config --global user.email ada@example.com`)
	c, err := github.NewClient(github.WithHTTPClient(clientBehind(t, door, authority)))
	check(t, err)
	createApp(t, c)
	run(`git clone -q https://github.com/acme/app one
		cd one; head -c 5000000 /dev/urandom > big; git add big; git commit -qm Big; git push -q
		cd ..; git clone -q --depth 1 https://github.com/acme/app.git two; cmp one/big two/big`)
}
