package state

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"slices"
	"strconv"
	"time"

	"golang.org/x/crypto/nacl/box"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

type secret struct {
	name       string
	value      string
	created    time.Time
	updated    time.Time
	visibility string // of an organisation's
	selected   []int64
}

func (s *State) viewSecret(v *secret, o *account) wire.Secret {
	out := wire.Secret{Name: v.name, CreatedAt: wire.Time{Time: v.created}, UpdatedAt: wire.Time{Time: v.updated}}
	out.Visibility, out.SelectedURL = s.viewAudience(o, "secrets", v.name, v.visibility)
	return out
}

// sealing is the key pair that clients seal the secrets of one level with.
type sealing struct {
	id              string
	public, private *[32]byte
}

// SealingKey returns the public key that secrets are sealed with.
func (s *State) SealingKey(who Identity, at Level) (wire.PublicKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, _, err := s.config(who, at, ReadSecrets)
	if err != nil {
		return wire.PublicKey{}, err
	}
	if c.sealing == nil {
		public, private, err := box.GenerateKey(rand.Reader)
		if err != nil {
			return wire.PublicKey{}, wire.NewError(500, "no key can be made")
		}
		c.sealing = &sealing{id: strconv.FormatInt(33801000000+s.nextID(nounKey), 10), public: public, private: private}
	}
	return wire.PublicKey{KeyID: c.sealing.id, Key: base64.StdEncoding.EncodeToString(c.sealing.public[:])}, nil
}

// Sealed is a secret as a client hands it over.
type Sealed struct {
	Value string // base64 of a libsodium sealed box
	KeyID string
	To    Audience // of an organisation's
}

// PutSecret stores a sealed secret; created tells whether there was none of that name.
func (s *State) PutSecret(who Identity, at Level, name string, in Sealed) (created bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, o, err := s.config(who, at, WriteSecrets)
	if err != nil {
		return false, err
	}
	if err := checkConfigName(name, "Secret"); err != nil {
		return false, err
	}
	value, err := c.sealing.open(in)
	if err != nil {
		return false, err
	}
	have := c.secrets[upper(name)]
	was := Audience{}
	if have != nil {
		was = Audience{have.visibility, have.selected}
	}
	to, err := s.checkAudience(o, in.To, was)
	if err != nil {
		return false, err
	}
	now := s.now()
	if have == nil {
		have = &secret{name: upper(name), created: now}
		c.secrets[have.name] = have
		created = true
	}
	have.value, have.updated, have.visibility, have.selected = value, now, to.Visibility, to.Selected
	s.led.Changed()
	return created, nil
}

func (k *sealing) open(in Sealed) (string, error) {
	if k == nil || in.KeyID != k.id {
		return "", wire.Unprocessable("The public key identifier is invalid: key_id must name the key given by public-key.")
	}
	raw, err := base64.StdEncoding.DecodeString(in.Value)
	if err != nil {
		return "", wire.Unprocessable("encrypted_value is not valid Base64")
	}
	value, ok := box.OpenAnonymous(nil, raw, k.public, k.private)
	if !ok {
		return "", wire.Unprocessable("encrypted_value could not be decrypted with the key that key_id names")
	}
	return string(value), nil
}

// SecretNames lists the secrets of a level by name, without values.
func (s *State) SecretNames(who Identity, at Level) ([]wire.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, o, err := s.config(who, at, ReadSecrets)
	if err != nil {
		return nil, err
	}
	out := []wire.Secret{}
	for _, v := range c.secrets {
		out = append(out, s.viewSecret(v, o))
	}
	return bySecret(out), nil
}

// SharedSecrets lists the secrets of its organisation that a repository sees, without values.
func (s *State) SharedSecrets(who Identity, full string) ([]wire.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadSecrets)
	if err != nil {
		return nil, err
	}
	out := []wire.Secret{}
	for _, v := range r.owner.config.secrets {
		if r.sees(v.visibility, v.selected) {
			out = append(out, s.viewSecret(v, nil))
		}
	}
	return bySecret(out), nil
}

func bySecret(all []wire.Secret) []wire.Secret {
	slices.SortFunc(all, func(a, b wire.Secret) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// SecretName returns one secret, without its value.
func (s *State) SecretName(who Identity, at Level, name string) (wire.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, o, err := s.config(who, at, ReadSecrets)
	if err != nil {
		return wire.Secret{}, err
	}
	v := c.secrets[upper(name)]
	if v == nil {
		return wire.Secret{}, wire.NotFound()
	}
	return s.viewSecret(v, o), nil
}

// DeleteSecret removes a secret.
func (s *State) DeleteSecret(who Identity, at Level, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, _, err := s.config(who, at, WriteSecrets)
	if err != nil {
		return err
	}
	if c.secrets[upper(name)] == nil {
		return wire.NotFound()
	}
	delete(c.secrets, upper(name))
	s.led.Changed()
	return nil
}
