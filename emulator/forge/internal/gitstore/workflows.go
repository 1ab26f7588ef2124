package gitstore

import (
	"errors"
	"strings"
)

// workflowDir is where workflow files stand.
const workflowDir = ".github/workflows"

// NoWorkflows says, in the words of the refusal, to whom workflow files are refused and what he lacks.
type NoWorkflows struct{ To, Lacks string }

// RefusedWorkflow is in git's report of a push that NoWorkflows has stopped.
const RefusedWorkflow = " to create or update workflow "

// updateHook refuses a ref whose commit has a workflow file that no branch has at that path with that
// content. git runs it before the objects of a push are let in.
const updateHook = `#!/bin/sh
case $3 in *[!0]*) ;; *) exit 0 ;; esac
known=$(git for-each-ref --format='%(objectname)' refs/heads | while read -r commit; do git ls-tree -r "$commit" -- ` + workflowDir + `; done)
git ls-tree -r "$3" -- ` + workflowDir + ` | while IFS= read -r line; do
  case "
$known
" in *"
$line
"*) continue ;; esac
  echo "refusing to allow $UNDERSTUDY_TO` + RefusedWorkflow + "\\`$(printf %s \"$line\" | cut -f 2)\\`" + ` without $UNDERSTUDY_LACKS" >&2
  exit 1
done
`

// withoutWorkflows returns the directory of the hook, which is made when it is needed first.
func (s *Store) withoutWorkflows() (string, error) {
	return s.hook("hooks", updateHook)
}

// NewWorkflow returns a workflow file of a commit, or of what a tag names, that no branch has at that path
// with that content, or "".
func (r *Repo) NewWorkflow(refs map[string]string, sha string) (string, error) {
	commit, err := r.peel(sha)
	if errors.Is(err, ErrNotFound) {
		return "", nil // a tag of something else
	}
	if err != nil {
		return "", err
	}
	files, err := r.workflows(commit)
	if err != nil || len(files) == 0 {
		return "", err
	}
	for ref, head := range refs {
		if !strings.HasPrefix(ref, "refs/heads/") {
			continue
		}
		have, err := r.workflows(head)
		if err != nil {
			return "", err
		}
		for path, sha := range have {
			if files[path] == sha {
				delete(files, path)
			}
		}
	}
	for path := range files {
		return path, nil
	}
	return "", nil
}

// workflows are the workflow files of a commit, by path.
func (r *Repo) workflows(commit string) (map[string]string, error) {
	entries, err := r.List(commit, workflowDir)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, e := range entries {
		if e.Type == "blob" {
			files[e.Path] = e.SHA
		}
	}
	return files, nil
}
