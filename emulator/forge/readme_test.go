package forge_test

import "testing"

func TestReadme(t *testing.T) {
	w := newForge(t)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	const readme = "/repos/acme/app/readme"
	w.ada.want(200, "GET", readme, nil).is("path", "README.md")
	w.ada.want(201, "PUT", contents+"docs/readme.txt", map[string]any{"message": "m", "content": ""})
	w.ada.want(200, "GET", readme, nil).is("path", "README.md")
	w.ada.want(201, "PUT", contents+".github/Readme", map[string]any{"message": "m", "content": encode("hello")})
	got := w.ada.want(200, "GET", readme+"?ref=main", nil)
	got.is("path", ".github/Readme")
	got.is("size", 5.0)
	w.ada.want(404, "GET", readme+"?ref=nowhere", nil)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "empty"})
	w.ada.want(404, "GET", "/repos/acme/empty/readme", nil)
}
