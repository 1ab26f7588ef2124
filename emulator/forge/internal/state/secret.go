package state

import (
	"crypto/rand"
	"encoding/base64"
	"strconv"

	"golang.org/x/crypto/nacl/box"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (s *State) viewSecret(v *setting, o *account) wire.Secret {
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
		have = &setting{name: upper(name), created: now}
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
	all, o, err := s.listSettings(who, at, ReadSecrets, secretsOf)
	return s.viewSecrets(all, o), err
}

// SharedSecrets lists the secrets of its organisation that a repository sees, without values.
func (s *State) SharedSecrets(who Identity, full string) ([]wire.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.sharedSettings(who, full, ReadSecrets, secretsOf)
	return s.viewSecrets(all, nil), err
}

func (s *State) viewSecrets(all []*setting, o *account) []wire.Secret {
	out := make([]wire.Secret, len(all))
	for i, v := range all {
		out[i] = s.viewSecret(v, o)
	}
	return out
}

// SecretName returns one secret, without its value.
func (s *State) SecretName(who Identity, at Level, name string) (wire.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, v, o, err := s.findSetting(who, at, ReadSecrets, secretsOf, name)
	if err != nil {
		return wire.Secret{}, err
	}
	return s.viewSecret(v, o), nil
}

// DeleteSecret removes a secret.
func (s *State) DeleteSecret(who Identity, at Level, name string) error {
	return s.deleteSetting(who, at, WriteSecrets, secretsOf, name)
}
