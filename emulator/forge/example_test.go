package forge_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func Example() {
	f, err := forge.New(forge.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close(context.Background())
	if err := f.Admin().AddUser(forge.User{Login: "ada"}); err != nil {
		fmt.Println(err)
		return
	}
	token, err := f.Admin().MintToken(forge.TokenSpec{Login: "ada"})
	if err != nil {
		fmt.Println(err)
		return
	}
	req, err := http.NewRequest(http.MethodPost, f.URL()+"/api/v3/user/repos", strings.NewReader(`{"name": "app", "auto_init": true}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		fmt.Println(err)
		return
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
