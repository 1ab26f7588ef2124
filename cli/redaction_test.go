package cli_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

// leaky is a platform whose installer and workflow give a token away in every way that a log, a URL,
// a commit or an artifact allows.
const leaky = `
name: leaky
get: {dir: ., run: [bash, -c, "printf '#!/bin/sh\n' > {gives}; chmod +x {gives}"], gives: noop}
install:
  run: [bash, -eu, install.sh]
  env: {TOKEN: "{token:write}", ADMIN: "{token:admin}", SERVER: "{server}", REPO: "{repo}", FILE: "$FILE"}
actors: {admin: {role: admin}, write: {role: write}}
places: {script: script.yaml, results: results.json}
names: {artifact: "leak-{stage}", workflow: w.yml, job: "{stage}"}
stages: {triage: {}}
`

const leakyInstall = `
printf %s "$TOKEN" > "$FILE"
echo "installing with $TOKEN"
git clone -q "http://x:$ADMIN@${SERVER#http://}/$REPO" w
cd w
mkdir -p .github/workflows
cat > .github/workflows/w.yml <<EOF
on: {issues: {types: [labeled]}}
jobs:
  triage:
    runs-on: ubuntu-latest
    env: {T: $TOKEN, H: "${SERVER#http://}"}
    steps:
      - run: |
          echo "plain \$T"
          echo "::notice::noticed \$T"
          printf %s "\$T" | base64
          printf %s "x\$T" | base64
          printf '%s' "\${T:0:10}"; printf '%s\n' "\${T:10}"
          git ls-remote "http://x:\$T@\$H/$REPO" HEAD
          mkdir leak
          printf '{"operations":[{"description":"say %s","success":true}]}' "\$T" > leak/results.json
          printf '%s and more\n' "\$T" > leak/notes.txt
      - uses: actions/upload-artifact@v4
        with: {name: leak-triage, path: leak}
      - uses: actions/upload-artifact@v4
        with: {name: "named-$TOKEN", path: leak}
EOF
git add .
git -c user.name=x -c user.email=x@example.com commit -qm "with $TOKEN"
git push -q origin HEAD
`

// TestASecretAppearsNowhere plants a token in everything that is kept.
func TestASecretAppearsNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	platform := strings.ReplaceAll(leaky, "$FILE", file)
	dir := writeSuite(t, map[string]string{
		"install.sh": leakyInstall,
		"features/f.feature": `Feature: F

  Scenario: S
    Given the enrolled test repository
    And an issue with title "A title" and body containing "a body"
    When the issue is labeled "go"
    Then the triage workflow completes successfully
    And the repository has a file ".github/workflows/w.yml" containing "gives nothing away"
`})
	platform = strings.Replace(platform, "[bash, -eu, install.sh]", "[bash, -eu, "+filepath.Join(dir, "install.sh")+"]", 1)
	if err := os.WriteFile(filepath.Join(dir, "platform.yaml"), []byte(platform), 0o644); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	// The last step fails on purpose: what it saw, the whole file with the token, is shown and kept.
	code, text := run(t, cli.Options{}, "run", dir, "--out", out)
	if code != 1 || !strings.Contains(text, "gives nothing away") {
		t.Fatalf("exit code %d, want 1\n%s", code, text)
	}
	token, err := os.ReadFile(file)
	if err != nil || len(token) < 20 {
		t.Fatalf("the platform was given no token: %q, %v", token, err)
	}
	var forms [][]byte
	for shift := range 3 {
		whole := base64.StdEncoding.EncodeToString(append(bytes.Repeat([]byte("x"), shift), token...))
		forms = append(forms, []byte(whole[4:len(whole)-4])) // its ends depend on what stands beside it
	}
	forms = append(forms, token, token[len(token)/4:])
	if found := search([]byte(text), forms); found {
		t.Errorf("the terminal shows the token:\n%s", text)
	}
	files, archives := 0, 0
	err = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if link, err := os.Readlink(path); search([]byte(path), forms) || err == nil && search([]byte(link), forms) {
			t.Errorf("the token is in the name %s", path)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		files++
		data, err := os.ReadFile(path)
		if search(data, forms) {
			t.Errorf("%s holds the token", path)
		}
		if bytes.HasPrefix(data, []byte(`{"head":`)) {
			archives++
			// The commit and the workflow that hold the token are named, not in it.
			for _, want := range []string{"commit ", "blob "} {
				if !regexp.MustCompile(`"left_out":\[.*"` + want + `[0-9a-f]{40} of test-repo-\d+ holds a secret"`).Match(data) {
					t.Errorf("the archive of the forge names no %sthat is left out", want)
				}
			}
		}
		return err
	})
	if err != nil || files < 5 || archives != 1 {
		t.Errorf("looked into %d files and %d archives: %v", files, archives, err)
	}
}

// search looks for any of the forms in data, and in what data holds when it is a zip.
func search(data []byte, forms [][]byte) bool {
	for _, f := range forms {
		if bytes.Contains(data, f) {
			return true
		}
	}
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return false
	}
	for _, f := range zr.File {
		rc, err := f.Open()
		if err != nil {
			return true // what cannot be looked into cannot be trusted
		}
		inner, err := io.ReadAll(rc)
		rc.Close()
		if err != nil || search(inner, forms) {
			return true
		}
	}
	return false
}
