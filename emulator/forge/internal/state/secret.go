package state

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/nacl/box"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

type secret struct {
	name    string
	value   string
	created time.Time
	updated time.Time
}

func (v *secret) view() wire.Secret {
	return wire.Secret{Name: v.name, CreatedAt: wire.Time{Time: v.created}, UpdatedAt: wire.Time{Time: v.updated}}
}

// sealing is the key pair that clients seal the secrets of one repository with.
type sealing struct {
	id              string
	public, private *[32]byte
}

// SealingKey returns the public key that secrets are sealed with.
func (s *State) SealingKey(who Identity, full string) (wire.PublicKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadSecrets)
	if err != nil {
		return wire.PublicKey{}, err
	}
	if r.sealing == nil {
		public, private, err := box.GenerateKey(rand.Reader)
		if err != nil {
			return wire.PublicKey{}, wire.NewError(500, "no key can be made")
		}
		r.sealing = &sealing{id: strconv.FormatInt(33801000000+s.nextID(nounKey), 10), public: public, private: private}
	}
	return wire.PublicKey{KeyID: r.sealing.id, Key: base64.StdEncoding.EncodeToString(r.sealing.public[:])}, nil
}

// PutSecret stores a sealed secret; created tells whether there was none of that name.
func (s *State) PutSecret(who Identity, full, name, sealed, keyID string) (created bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteSecrets)
	if err != nil {
		return false, err
	}
	if err := checkConfigName(name, "Secret"); err != nil {
		return false, err
	}
	if r.sealing == nil || keyID != r.sealing.id {
		return false, wire.Unprocessable("The public key identifier is invalid: key_id must name the key of this repository.")
	}
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return false, wire.Unprocessable("encrypted_value is not valid Base64")
	}
	value, ok := box.OpenAnonymous(nil, raw, r.sealing.public, r.sealing.private)
	if !ok {
		return false, wire.Unprocessable("encrypted_value could not be decrypted with the repository's key")
	}
	k, now := strings.ToUpper(name), s.now()
	have := r.secrets[k]
	if have == nil {
		r.secrets[k] = &secret{name: k, value: string(value), created: now, updated: now}
	} else {
		have.value, have.updated = string(value), now
	}
	s.led.Changed()
	return have == nil, nil
}

// SecretNames lists the secrets of a repository by name, without values.
func (s *State) SecretNames(who Identity, full string) ([]wire.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadSecrets)
	if err != nil {
		return nil, err
	}
	out := []wire.Secret{}
	for _, v := range r.secrets {
		out = append(out, v.view())
	}
	slices.SortFunc(out, func(a, b wire.Secret) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// SecretName returns one secret, without its value.
func (s *State) SecretName(who Identity, full, name string) (wire.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadSecrets)
	if err != nil {
		return wire.Secret{}, err
	}
	v := r.secrets[strings.ToUpper(name)]
	if v == nil {
		return wire.Secret{}, wire.NotFound()
	}
	return v.view(), nil
}

// DeleteSecret removes a secret.
func (s *State) DeleteSecret(who Identity, full, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteSecrets)
	if err != nil {
		return err
	}
	if r.secrets[strings.ToUpper(name)] == nil {
		return wire.NotFound()
	}
	delete(r.secrets, strings.ToUpper(name))
	s.led.Changed()
	return nil
}

// AllSecrets returns the secrets of a repository in the clear, for the jobs that may use them.
func (s *State) AllSecrets(full string) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return nil, fmt.Errorf("repository %s: %w", full, driver.ErrNotFound)
	}
	out := map[string]string{}
	for _, v := range r.secrets {
		out[v.name] = v.value
	}
	return out, nil
}
