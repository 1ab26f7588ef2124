//go:build deps

package understudy

import (
	_ "github.com/cucumber/gherkin/go/v42"
	_ "github.com/cucumber/godog"
	_ "github.com/cucumber/messages/go/v34"
	_ "github.com/go-git/go-git/v5"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/go-github/v88/github"
	_ "github.com/nektos/act/pkg/runner"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/spf13/cobra"
	_ "go.uber.org/goleak"
	_ "go.yaml.in/yaml/v3"
	_ "golang.org/x/crypto/nacl/box"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
	_ "golang.org/x/sync/errgroup"
)
