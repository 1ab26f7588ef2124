// Command refresh renews what package conformance checks against: it fetches GitHub's descriptions
// from npm at pinned versions, keeps the groups that the forge serves or may serve, without texts and
// examples, and writes them. It needs npm.
//
//	go run ./internal/conformance/refresh
package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// The pinned packages. After changing a version: run this, then the tests.
const (
	restPackage  = "@octokit/openapi@23.0.2"
	hooksPackage = "@octokit/openapi-webhooks@12.1.0"
)

// within is where both packages have the description of github.com.
const within = "package/generated/api.github.com.json"

// groups are the tags of the operations that are kept, whole.
func groups() []string {
	return []string{"actions", "activity", "apps", "checks", "git", "issues", "meta", "orgs", "pulls", "rate-limit", "reactions",
		"repos", "search", "teams", "users"}
}

func main() {
	if err := refresh("internal/conformance/testdata", "emulator/forge/internal/api/operations.txt"); err != nil {
		fmt.Fprintln(os.Stderr, "refresh:", err)
		os.Exit(1)
	}
}

func refresh(dir, list string) error {
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("run it in the module's root: %w", err)
	}
	rest, err := fetch(restPackage)
	if err != nil {
		return err
	}
	hooks, err := fetch(hooksPackage)
	if err != nil {
		return err
	}
	if err := os.WriteFile(list, []byte(operations(rest)), 0o644); err != nil {
		return err
	}
	kept, err := prune(rest, restPackage, "paths", func(op object) bool { return slices.Contains(groups(), tag(op)) })
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "rest.json"), kept, 0o644); err != nil {
		return err
	}
	kept, err = prune(hooks, hooksPackage, "webhooks", func(op object) bool { return slices.Contains(events(), event(op)) })
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "webhooks.json"), kept, 0o644)
}

// events are the webhooks that are kept, all actions of each.
func events() []string {
	return []string{"branch_protection_rule", "check_run", "check_suite", "commit_comment", "create", "delete", "deployment",
		"deployment_status", "fork", "installation", "installation_repositories", "issue_comment", "issues", "label", "member",
		"membership", "merge_group", "meta", "milestone", "organization", "ping", "public", "pull_request", "pull_request_review",
		"pull_request_review_comment", "pull_request_review_thread", "push", "release", "repository", "repository_dispatch", "star",
		"status", "team", "team_add", "watch", "workflow_dispatch", "workflow_job", "workflow_run"}
}

// event is the name of the webhook of a description, the first part of its id.
func event(op object) string {
	id, _ := op["operationId"].(string)
	name, _, _ := strings.Cut(id, "/")
	return strings.ReplaceAll(name, "-", "_")
}

func tag(op object) string {
	tags, _ := op["tags"].([]any)
	if len(tags) == 0 {
		return ""
	}
	name, _ := tags[0].(string)
	return name
}

// operations lists all operations of the description, kept or not: tag, method, path and id.
func operations(doc object) string {
	var lines []string
	for where, item := range at(doc, "paths") {
		for method, op := range item.(object) {
			if op, found := op.(object); found && isMethod(method) {
				lines = append(lines, fmt.Sprintf("%s %s %s %s\n", tag(op), strings.ToUpper(method), where, op["operationId"]))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func isMethod(s string) bool {
	return slices.Contains([]string{"get", "put", "post", "delete", "patch"}, s)
}

// fetch returns the description in a package of npm.
func fetch(pkg string) (doc object, err error) {
	dir, err := os.MkdirTemp("", "refresh-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	npm := exec.Command("npm", "pack", "--silent", "--pack-destination", dir, pkg)
	npm.Stderr = os.Stderr
	name, err := npm.Output()
	if err != nil {
		return nil, fmt.Errorf("npm pack %s: %w", pkg, err)
	}
	f, err := os.Open(filepath.Join(dir, path.Base(strings.TrimSpace(string(name)))))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s has no %s", pkg, within)
		} else if err != nil {
			return nil, err
		}
		if h.Name == within {
			return doc, json.NewDecoder(t).Decode(&doc)
		}
	}
}
