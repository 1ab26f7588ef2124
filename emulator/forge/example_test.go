package forge_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// A forge, an account, a token; then what any client of GitHub's API does, and what came of it.
func ExampleNew() {
	f, err := forge.New(forge.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close(context.Background())
	if err := f.Admin().AddUser(forge.User{Login: "ada"}); err != nil {
		log.Fatal(err)
	}
	token, err := f.Admin().MintToken(forge.TokenSpec{Login: "ada"})
	if err != nil {
		log.Fatal(err)
	}

	req, err := http.NewRequest(http.MethodPost, f.APIURL()+"/user/repos", strings.NewReader(`{"name": "app", "auto_init": true}`))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()

	fmt.Println(res.Status)
	for _, e := range f.Admin().Journal().Entries(0) {
		fmt.Println(e.Type, e.Subject)
	}
	// Output:
	// 201 Created
	// repository.created ada/app
	// create ada/app
	// push ada/app
	// request POST /user/repos
}

// A repository with files in it, for programs that clone.
func ExampleAdmin_Seed() {
	f, err := forge.New(forge.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close(context.Background())
	if err := f.Admin().AddUser(forge.User{Login: "ada"}); err != nil {
		log.Fatal(err)
	}
	_, err = f.Admin().Seed("ada/app", "ada", fstest.MapFS{
		"README.md":  {Data: []byte("# app\n")},
		"cmd/app.go": {Data: []byte("package main\n")},
	})
	if err != nil {
		log.Fatal(err)
	}

	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := exec.Command("git", "clone", f.URL()+"/ada/app.git", dir).Run(); err != nil {
		log.Fatal(err)
	}
	files, err := exec.Command("git", "-C", dir, "ls-files").Output()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(files))
	// Output:
	// README.md
	// cmd/app.go
}

// A test waits for what a program does, and looks at the reasons, without sleeping. Client needs no port,
// as a client of net/http/httptest's does not need one for a handler.
func ExampleServer_Until() {
	f, err := forge.New(forge.Options{NoPort: true})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close(context.Background())
	if err := f.Admin().AddUser(forge.User{Login: "ada"}); err != nil {
		log.Fatal(err)
	}
	token, err := f.Admin().MintToken(forge.TokenSpec{Login: "ada"})
	if err != nil {
		log.Fatal(err)
	}
	post := func(path, body string) {
		req, err := http.NewRequest(http.MethodPost, f.APIURL()+path, strings.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := f.Client().Do(req)
		if err != nil {
			log.Fatal(err)
		}
		res.Body.Close()
	}

	// The program under test, at work beside the test.
	done := f.Working("the bot")
	var bot sync.WaitGroup
	bot.Go(func() {
		defer done()
		post("/user/repos", `{"name": "app"}`)
		post("/repos/ada/app/issues", `{"title": "Say hello", "labels": ["question"]}`)
	})
	defer bot.Wait()

	err = f.Until(context.Background(), func(context.Context) error {
		for _, e := range f.Admin().Journal().Entries(0) {
			if e.Type == "issues.labeled" {
				fmt.Println(e.Actor, "labeled", e.Subject)
				return nil
			}
		}
		return errors.New("nobody labeled anything")
	})
	fmt.Println(err)
	// Output:
	// ada labeled ada/app#1
	// <nil>
}
