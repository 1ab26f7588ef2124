// Package setup installs crew into a repository.
package setup

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/forge"
	"example.com/crew/internal/stage"
)

// WorkflowPath is where the workflow goes.
const WorkflowPath = ".github/workflows/crew.yml"

//go:embed files
var files embed.FS

// Options say where to install. Forge acts with a token that may do everything in the repository;
// BotToken is the one that the installed crew uses later.
type Options struct {
	Forge    *forge.Client
	Dir      string
	BotToken string
	Defect   defect.Name

	// Preset becomes config.base.yaml, on which the repository's own configuration stands; nil is none. PresetName is
	// where it comes from.
	Preset     []byte
	PresetName string
}

// Install brings the repository to the wanted state and returns the commit it made, or "" when all
// files were there already. Configuration, harnesses and agent files that exist are kept. It can be repeated at any time.
func Install(ctx context.Context, o Options) (string, error) {
	if err := config.CheckDir(o.Dir); err != nil {
		return "", err
	}
	if o.BotToken == "" {
		return "", errors.New("the bot's token is missing")
	}
	if err := o.check(); err != nil {
		return "", err
	}
	branch, err := o.Forge.DefaultBranch(ctx)
	if err != nil {
		return "", fmt.Errorf("read the repository: %w", err)
	}
	for _, l := range stage.Labels() {
		if err := o.Forge.CreateLabel(ctx, l.Name, l.Color, l.Description); err != nil {
			return "", fmt.Errorf("create label %s: %w", l.Name, err)
		}
	}
	if err := o.Forge.SetVariable(ctx, "CREW_DIR", o.Dir); err != nil {
		return "", fmt.Errorf("set variable CREW_DIR: %w", err)
	}
	if err := o.Forge.SetSecret(ctx, "CREW_BOT_TOKEN", o.BotToken); err != nil {
		return "", fmt.Errorf("set secret CREW_BOT_TOKEN: %w", err)
	}
	// The workflow comes last: from then on crew can be started.
	list, err := o.list(ctx, branch)
	if err != nil {
		return "", err
	}
	sha, err := o.Forge.Commit(ctx, branch, "Install crew", list)
	if err != nil {
		return "", fmt.Errorf("commit crew's files: %w", err)
	}
	return sha, nil
}

// list returns what to commit. What people edit is kept where it exists.
func (o Options) list(ctx context.Context, branch string) ([]forge.File, error) {
	workflow, err := read("crew.yml")
	if err != nil {
		return nil, err
	}
	if o.Defect == defect.None {
		workflow = strings.Replace(workflow, "  CREW_DEFECT: \"@DEFECT@\"\n", "", 1)
	}
	workflow = strings.Replace(workflow, "@DEFECT@", string(o.Defect), 1)
	if o.Defect == defect.TitleInScript {
		workflow = strings.Replace(workflow, "run: crew run ", "run: echo \"agent $AGENT looks at ${{ github.event.issue.title }}\"; crew run ", 1)
	}
	list := []forge.File{{Path: WorkflowPath, Text: workflow}}
	there, err := o.Forge.Paths(ctx, branch)
	if err != nil {
		return nil, fmt.Errorf("list the repository's files: %w", err)
	}
	err = fs.WalkDir(files, "files", func(name string, d fs.DirEntry, err error) error {
		name = strings.TrimPrefix(name, "files/")
		to := path.Join(o.Dir, name)
		if err != nil || d.IsDir() || name == "crew.yml" || !strings.HasPrefix(name, "schemas/") && slices.Contains(there, to) {
			return err
		}
		text, err := read(name)
		if name == config.File {
			text, err = o.own()
		}
		list = append(list, forge.File{Path: to, Text: text})
		return err
	})
	if o.Preset != nil {
		list = append(list, forge.File{Path: path.Join(o.Dir, config.Base), Text: string(o.Preset)})
	}
	return list, err
}

func read(name string) (string, error) {
	data, err := files.ReadFile("files/" + name)
	return string(data), err
}
