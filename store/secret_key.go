package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// SecretKeyFile is the file of a data directory that holds the key of the secrets which are sealed in its rows. The rows are of no use to who has not the
// key, and the key is of none without the rows: a backup holds both only when that is asked for.
const SecretKeyFile = "secret.key"

// ErrWrongKey says that a key is not the one with which the secrets of a backup were sealed.
var ErrWrongKey = errors.New("it is not the key with which the secrets of the backup were sealed")

// HoldsSecretKey reports whether the key of the secrets is in the backup.
func (m *Manifest) HoldsSecretKey() bool {
	return slices.ContainsFunc(m.Files, func(f File) bool { return f.Name == SecretKeyFile })
}

// LacksSecretKey reports whether secrets of the backup can be opened only with a key that is not in it.
func (m *Manifest) LacksSecretKey() bool { return m.SecretKey != "" && !m.HoldsSecretKey() }

// backupKey notes which key the secrets were sealed with, and copies it if that is asked for. It comes after the rows: a secret that is in them was sealed
// with a key that was there before.
func (m *Manifest) backupKey(ctx context.Context, dir, target string, include bool) error {
	key, err := hashFile(ctx, dir, SecretKeyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was sealed yet
	}
	if err != nil {
		return err
	}
	m.SecretKey = key.SHA256
	if !include {
		return nil
	}
	if err := copyFile(ctx, filepath.Join(dir, SecretKeyFile), filepath.Join(target, SecretKeyFile)); err != nil {
		return err
	}
	m.Files = append(m.Files, key)
	return nil
}

// checkKey refuses a key that opens nothing of the backup. One that was made before backups named their key takes any.
func (m *Manifest) checkKey(ctx context.Context, path string) error {
	key, err := hashFile(ctx, filepath.Dir(path), filepath.Base(path))
	if err == nil && m.SecretKey != "" && key.SHA256 != m.SecretKey {
		err = fmt.Errorf("%s: %w", path, ErrWrongKey)
	}
	return err
}
