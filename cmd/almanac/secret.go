package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/almanac-sched/almanac/engine"
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
