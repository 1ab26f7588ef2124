package place

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/understudy-dev/understudy/emulator/network"
)

// siteURL is where the forge is when it is github.com.
const siteURL = "https://github.com"

// siteHosts are the names under which it then answers.
func siteHosts() []string {
	return []string{"github.com", "api.github.com", "raw.githubusercontent.com", "uploads.github.com"}
}

// becomeGitHub makes the authority of github.com's certificates, and the file by which programs trust it.
func (p *Place) becomeGitHub() error {
	var err error
	if p.Authority, err = network.NewAuthority(); err != nil {
		return err
	}
	p.AuthorityFile = filepath.Join(p.o.Dir, "authority.pem")
	if err := os.WriteFile(p.AuthorityFile, p.Authority.PEM(), 0o644); err != nil {
		return fmt.Errorf("write the authority's certificate: %w", err)
	}
	return nil
}

// GitHub opens a door's hosts to the forge. Requests without a credential are given the token; "" is none.
func (p *Place) GitHub(token string) []network.Opening {
	var out []network.Opening
	for _, host := range siteHosts() {
		out = append(out, network.Opening{Host: host, Handler: p.Forge, Token: token})
	}
	return out
}
