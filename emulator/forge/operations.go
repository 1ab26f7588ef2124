package forge

import "github.com/understudy-dev/understudy/emulator/forge/internal/api"

// Operation is one operation of GitHub's REST API, served here or not.
type Operation api.Operation

// Operations returns all operations that GitHub describes (https://docs.github.com/en/rest), by tag.
func Operations() []Operation {
	var all []Operation
	for _, o := range api.Operations() {
		all = append(all, Operation(o))
	}
	return all
}
