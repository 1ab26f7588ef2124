package forge

import (
	"fmt"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// SetDraft makes a pull request a draft, or ready for review, on behalf of login, as GitHub does only by
// GraphQL, which the forge does not speak. Its author and who may write to the repository may.
func (a *Admin) SetDraft(repo string, number int, login string, draft bool) error {
	ob := a.ledger.Open(fmt.Sprintf("set draft of %s#%d", repo, number))
	defer ob.Close()
	token, err := a.state.MintToken(state.TokenSpec{Login: login, Kit: true, Name: "set draft"})
	if err != nil {
		return wrap("set draft", err)
	}
	defer a.state.RevokeToken(token)
	who, err := a.state.Identify(token)
	if err != nil {
		return wrap("set draft", err)
	}
	_, err = a.state.EditPull(who, repo, number, state.PullEdit{Draft: &draft})
	return wrap(fmt.Sprintf("set draft of %s#%d", repo, number), err)
}
