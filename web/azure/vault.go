package azure

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/almanac-sched/almanac/engine"
)

// KeyBytes is the length of a vault's key.
const KeyBytes = 32

// A Vault seals the secrets of jobs, and opens them again: AES-256-GCM, each bound to its place, so that none can be moved to another job.
type Vault struct {
	// Renew lets a new key take the place of a lost one: what was sealed with that is lost with it.
	Renew bool

	key func(create bool) ([]byte, error)

	mu   sync.Mutex
	aead cipher.AEAD
}

// NewVault is a vault whose key, KeyBytes long, is asked for at first use: with create when there may be none yet, because nothing was sealed.
func NewVault(key func(create bool) ([]byte, error)) *Vault { return &Vault{key: key} }

// own makes sure that the key is the one that all secrets of these rows were sealed with: a new one in the place of a lost one would have to be
// replaced again when that is found.
func (v *Vault) own(tx engine.Tx) error {
	row, err := tx.Resource(kindKey, kindKey)
	known := err == nil
	if err != nil && !errors.Is(err, engine.ErrNotFound) {
		return fmt.Errorf("read which key seals secrets: %w", err)
	}
	const hint = "restore it from where it is kept, or give it up for lost with serve --new-secret-key"
	if _, err := v.cipher(!known || v.Renew); err != nil {
		return fmt.Errorf("seal a secret: its key cannot be used; %s: %w", hint, err)
	}
	key, err := v.key(false)
	if err != nil {
		return fmt.Errorf("seal a secret: %w", err)
	}
	sum := sha256.Sum256(key)
	mark := []byte(hex.EncodeToString(sum[:]))
	switch {
	case !known || v.Renew && !bytes.Equal(row.Body, mark):
		return tx.PutResource(engine.ResourceRow{Kind: kindKey, Key: kindKey, Body: mark})
	case !bytes.Equal(row.Body, mark):
		return errors.New("seal a secret: the key is not the one that the others were sealed with; " + hint)
	}
	return nil
}

func (v *Vault) cipher(create bool) (cipher.AEAD, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.aead != nil {
		return v.aead, nil
	}
	key, err := v.key(create)
	if err != nil {
		return nil, err
	}
	if len(key) != KeyBytes {
		return nil, fmt.Errorf("the key of the secrets has %d bytes; it must have %d", len(key), KeyBytes)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("use the key of the secrets: %w", err)
	}
	v.aead, err = cipher.NewGCM(block)
	return v.aead, err
}

// Seal returns a secret as only Open at the same place reads it.
func (v *Vault) Seal(tx engine.Tx, at, secret string) (string, error) {
	if err := v.own(tx); err != nil {
		return "", err
	}
	return v.seal(at, secret)
}

// Open is the way back.
func (v *Vault) Open(at, sealed string) (string, error) { return v.open(at, sealed) }

// seal returns the secret as only open at the same place reads it.
func (v *Vault) seal(at, secret string) (string, error) {
	aead, err := v.cipher(false) // own has been called
	if err != nil {
		return "", fmt.Errorf("seal a secret: %w", err)
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails (crypto/rand)
	return base64.StdEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte(secret), []byte(at))), nil
}

// open is the way back. Its errors hold nothing of the secret.
func (v *Vault) open(at, sealed string) (string, error) {
	aead, err := v.cipher(false)
	if err != nil {
		return "", fmt.Errorf("open a secret: %w", err)
	}
	data, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil || len(data) < aead.NonceSize() {
		return "", errors.New("open a secret: it is damaged")
	}
	text, err := aead.Open(nil, data[:aead.NonceSize()], data[aead.NonceSize():], []byte(at))
	if err != nil {
		return "", errors.New("open a secret: it was sealed with another key, or for another job")
	}
	return string(text), nil
}

// secretAt is the place of a secret: engine.SecretSource.Resource.
func secretAt(key, name string) string { return kindJob + "/" + key + "#" + name }

// Secret reads the secret that a definition refers to, as it is now.
func (v *Vault) Secret(ctx context.Context, rows engine.Store, at string) (value string, err error) {
	key, name, ok := strings.Cut(strings.TrimPrefix(at, kindJob+"/"), "#")
	if !ok || !strings.HasPrefix(at, kindJob+"/") {
		return "", fmt.Errorf("%w: the secret's source is no job's: %s", engine.ErrInvalid, at)
	}
	var row engine.ResourceRow
	if err := rows.Read(ctx, func(view engine.View) error {
		row, err = view.Resource(kindJob, key)
		return err
	}); err != nil {
		return "", fmt.Errorf("read the job that has the secret: %w", err)
	}
	var stored storedJob
	if err := json.Unmarshal(row.Body, &stored); err != nil {
		return "", fmt.Errorf("read the job that has the secret %s: %w", name, err)
	}
	sealed, ok := stored.Secrets[name]
	if !ok {
		return "", fmt.Errorf("the job %s has no secret %s any more", stored.Ref, name)
	}
	return v.open(at, sealed)
}
