package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web/azure"
)

// secretLimit bounds the file of one secret.
const secretLimit = 64 << 10

// secret reads the value that a secret's source names, each time that it is asked: a changed secret needs no restart, and none is kept. Errors
// name the source and never the value.
func (a *app) secret(s engine.SecretSource) (string, error) {
	switch {
	case s.Env != "":
		value, ok := a.env[s.Env]
		if !ok {
			return "", fmt.Errorf("the environment variable %s is not set for this process", s.Env)
		}
		return value, nil
	case s.File != "":
		f, err := os.Open(s.File)
		if err != nil {
			return "", fmt.Errorf("read a secret: %w", err)
		}
		defer f.Close()
		value, err := io.ReadAll(io.LimitReader(f, secretLimit+1))
		if err != nil {
			return "", fmt.Errorf("read a secret: %w", err)
		}
		if len(value) > secretLimit {
			return "", fmt.Errorf("the secret file %s is longer than %d bytes", s.File, secretLimit)
		}
		text := strings.TrimSuffix(string(value), "\n")
		return strings.TrimSuffix(text, "\r"), nil
	}
	return "", errors.New("the secret names no source")
}

// secrets reads what get reads, and the secrets of jobs that were put by clients of Azure Scheduler.
func (s *site) secrets(get func(engine.SecretSource) (string, error)) func(engine.SecretSource) (string, error) {
	return func(source engine.SecretSource) (string, error) {
		if source.Resource == "" {
			return get(source)
		}
		return s.vault.Secret(context.Background(), s.db, source.Resource) // the engine asks outside of any request
	}
}

// told is get, with learn told each secret that it reads.
func told(learn func(secret string), get func(engine.SecretSource) (string, error)) func(engine.SecretSource) (string, error) {
	if learn == nil {
		return get
	}
	return func(source engine.SecretSource) (string, error) {
		secret, err := get(source)
		if err == nil {
			learn(secret)
		}
		return secret, err
	}
}

// secretKeyFile is the key of the sealed secrets, in the data directory.
const secretKeyFile = store.SecretKeyFile

// secretKey reads the key that seals secrets at rest, and makes it where there is none and there may be none.
func secretKey(dir string) func(create bool) ([]byte, error) {
	path := filepath.Join(dir, secretKeyFile)
	return func(create bool) ([]byte, error) {
		key, err := os.ReadFile(path)
		if !create || !errors.Is(err, fs.ErrNotExist) {
			return key, err
		}
		key = make([]byte, azure.KeyBytes)
		_, _ = rand.Read(key) // never fails (crypto/rand)
		return key, writeKey(path, key)
	}
}

// writeKey writes a key so that it is there whole or not at all, whenever the machine stops, and never over another.
func writeKey(path string, key []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+secretKeyFile+"-") // mode 0600
	if err != nil {
		return fmt.Errorf("write the key of the secrets: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // its other name stays
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Link(f.Name(), path)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("write the key of the secrets: %w", err)
	}
	return nil
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
