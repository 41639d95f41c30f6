package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

// Nothing that a server logs holds a secret that it has read, wherever in the line it would stand.
func TestLogLinesHoldNoSecret(t *testing.T) {
	var b blindfold
	var out bytes.Buffer
	log := slog.New(blindHandler{slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}), &b})
	log.Info("before: hunter2-hunter2")
	require.Contains(t, out.String(), "hunter2-hunter2", "it is not known yet")
	b.learn("hunter2")
	b.learn("hunter2-hunter2")
	b.learn("short")
	out.Reset()
	secret := "hunter2-hunter2"
	log.Info("message "+secret, "text", secret, "error", errors.New("open "+secret+": refused"), "struct", struct{ A string }{secret}, "n", 7,
		slog.Group("group", "deep", "a "+secret+" b", slog.Group("deeper", "key", secret)), "stringer", fmt.Stringer(secretText(secret)))
	log.With("with", secret).WithGroup("g").Debug("x", "in", secret)
	require.NotContains(t, out.String(), "hunter2")
	require.NotContains(t, out.String(), "***-***", "the longer of two goes first")
	require.Contains(t, out.String(), `"error":"open ***: refused"`)
	require.Contains(t, out.String(), `"n":7`)
	require.Contains(t, out.String(), `"deep":"a *** b"`)

	out.Reset()
	n, err := fmt.Fprint(blindWriter{&out, &b}, "exit 1: hunter2 is short")
	require.NoError(t, err)
	require.Equal(t, len("exit 1: hunter2 is short"), n)
	require.Equal(t, "exit 1: *** is short", out.String(), "a word so short is no secret that can be hidden")
}

type secretText string

func (s secretText) String() string { return string(s) }

func TestSecretsThatAreHiddenAreBounded(t *testing.T) {
	var b blindfold
	for n := range mostHidden + 10 {
		b.learn(fmt.Sprintf("secret-%06d", n))
	}
	require.Len(t, b.secrets, mostHidden)
}
