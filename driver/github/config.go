package github

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"golang.org/x/crypto/nacl/box"

	"github.com/understudy-dev/understudy/driver"
)

type config struct{ c *client }

func (s config) SetVariable(ctx context.Context, r driver.Repo, name, value string) error {
	body := map[string]string{"name": name, "value": value}
	_, err := s.c.do(ctx, http.MethodPatch, repoPath(r, "/actions/variables/%s", name), body, nil)
	if isStatus(err, http.StatusNotFound) {
		err = s.c.make(ctx, repoPath(r, "/actions/variables"), body, nil, s.c.exists(repoPath(r, "/actions/variables/%s", name), nil))
	}
	if err != nil {
		return fmt.Errorf("set variable %s of %s: %w", name, r, err)
	}
	return nil
}

func (s config) Variables(ctx context.Context, r driver.Repo) (map[string]string, error) {
	out := map[string]string{}
	err := s.c.pages(ctx, repoPath(r, "/actions/variables"), func(raw []byte) error {
		var page struct {
			Variables []struct{ Name, Value string } `json:"variables"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, v := range page.Variables {
			out[v.Name] = v.Value
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list variables of %s: %w", r, err)
	}
	return out, nil
}

// SetSecret seals the value for the repository's key, as GitHub wants it.
// https://docs.github.com/en/rest/guides/encrypting-secrets-for-the-rest-api
func (s config) SetSecret(ctx context.Context, r driver.Repo, name, value string) error {
	fail := func(err error) error { return fmt.Errorf("set secret %s of %s: %w", name, r, err) }
	var key struct {
		ID  string `json:"key_id"`
		Key string `json:"key"`
	}
	if _, err := s.c.do(ctx, http.MethodGet, repoPath(r, "/actions/secrets/public-key"), nil, &key); err != nil {
		return fail(err)
	}
	raw, err := base64.StdEncoding.DecodeString(key.Key)
	if err != nil || len(raw) != 32 {
		return fail(fmt.Errorf("the public key is not 32 bytes of base64"))
	}
	sealed, err := box.SealAnonymous(nil, []byte(value), (*[32]byte)(raw), rand.Reader)
	if err != nil {
		return fail(err)
	}
	body := map[string]string{"encrypted_value": base64.StdEncoding.EncodeToString(sealed), "key_id": key.ID}
	if _, err := s.c.do(ctx, http.MethodPut, repoPath(r, "/actions/secrets/%s", name), body, nil); err != nil {
		return fail(err)
	}
	return nil
}
