package forge

import (
	"fmt"
	"sync"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/api"
)

// maxWorkflowTrees is how many commits' workflow files are kept.
const maxWorkflowTrees = 64

// workflowFiles keeps the workflow files of the commits that were asked for last: each event of a
// repository, also what its runs announce, asks for those of one commit, which never change.
type workflowFiles struct {
	mu sync.Mutex
	at map[string]map[string][]byte // by repository id and commit
}

// WorkflowFiles returns the workflow files at a commit, by path. They are shared, and not to be changed.
func (a *Admin) WorkflowFiles(repo, sha string) (map[string][]byte, error) {
	r, err := a.state.Find(repo)
	if err != nil {
		return nil, wrap("read workflows", err)
	}
	key := fmt.Sprint(r.ID, " ", sha)
	a.workflows.mu.Lock()
	defer a.workflows.mu.Unlock()
	if files, ok := a.workflows.at[key]; ok {
		return files, nil
	}
	list, err := api.WorkflowFiles(a.git.Open(r.ID), sha)
	if err != nil {
		if _, there := a.still(repo, r.ID); !there {
			err = driver.ErrNotFound // it was deleted meanwhile
		}
		return nil, wrap("read workflows of "+repo, err)
	}
	files := map[string][]byte{}
	for _, f := range list {
		files[f.Path] = f.Data
	}
	if a.workflows.at == nil || len(a.workflows.at) >= maxWorkflowTrees {
		a.workflows.at = map[string]map[string][]byte{}
	}
	a.workflows.at[key] = files
	return files, nil
}
