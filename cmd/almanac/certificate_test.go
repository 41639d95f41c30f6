//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/action/actiontest"
	"github.com/almanac-sched/almanac/web"
)

// With a certificate the server speaks TLS from 1.2 on and nothing else. Commands on its machine trust what the data directory says, others who signed it;
// SIGHUP takes a new one, and keeps the old one when the files are none.
func TestTheServerSpeaksTLS(t *testing.T) {
	ca := actiontest.NewAuthority(t)
	dir := t.TempDir()
	data, certFile, keyFile := filepath.Join(dir, "data"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	put := func() {
		cert, key := ca.Server(t)
		require.NoError(t, os.WriteFile(certFile, []byte(cert), 0o600))
		require.NoError(t, os.WriteFile(keyFile, []byte(key), 0o600))
	}
	put()
	output, err := os.Create(filepath.Join(dir, "output"))
	require.NoError(t, err)
	defer output.Close()
	said := func() string {
		text, err := os.ReadFile(output.Name())
		require.NoError(t, err)
		return string(text)
	}
	c := exec.Command(builtProgram(t), "serve", "--data", data, "--listen", "127.0.0.1:0", "--tls-cert", certFile, "--tls-key", keyFile)
	c.Stdout, c.Stderr = output, output
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if t.Failed() {
			t.Logf("the server:\n%s", said())
		}
	})
	var file serverFile
	poll(t, "the server", func() bool {
		var ok bool
		file, ok = readServerFile(data)
		return ok && file.answers(t.Context())
	})
	require.True(t, strings.HasPrefix(file.Address, "https://"), file.Address)
	ask := func(f serverFile) error {
		return f.client("").get(t.Context(), "status", nil, new(web.Status))
	}
	require.NoError(t, ask(file))

	plain, err := http.Get(strings.Replace(file.Address, "https", "http", 1) + "/livez")
	require.NoError(t, err)
	plain.Body.Close()
	require.Equal(t, http.StatusBadRequest, plain.StatusCode)
	by := func(config *tls.Config) error {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, file.Address+"/livez", nil)
		require.NoError(t, err)
		transport := &http.Transport{TLSClientConfig: config}
		defer transport.CloseIdleConnections()
		response, err := transport.RoundTrip(request)
		if err == nil {
			response.Body.Close()
		}
		return err
	}
	require.NoError(t, by(&tls.Config{RootCAs: ca.Pool()}))
	require.ErrorContains(t, by(&tls.Config{RootCAs: ca.Pool(), MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}), "protocol version")
	require.ErrorContains(t, by(&tls.Config{}), "unknown authority")

	put()
	require.NoError(t, c.Process.Signal(syscall.SIGHUP))
	before := file
	poll(t, "the new certificate", func() bool {
		now, ok := readServerFile(data)
		file = now
		return ok && !bytes.Equal(now.Certificate, before.Certificate)
	})
	require.NoError(t, ask(file))
	require.ErrorContains(t, ask(before), "another certificate than the data directory says")
	require.NoError(t, by(&tls.Config{RootCAs: ca.Pool()}))

	require.NoError(t, os.WriteFile(keyFile, []byte("no key"), 0o600))
	require.NoError(t, c.Process.Signal(syscall.SIGHUP))
	poll(t, "the refusal of the files", func() bool { return strings.Contains(said(), "the certificate is not renewed") })
	require.NoError(t, ask(file))
	require.NoError(t, c.Process.Signal(os.Interrupt))
	require.NoError(t, c.Wait())
}
