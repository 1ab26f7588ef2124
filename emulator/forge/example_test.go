package forge_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"strings"
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

	req, err := http.NewRequest(http.MethodPost, f.URL()+"/api/v3/user/repos", strings.NewReader(`{"name": "app", "auto_init": true}`))
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
