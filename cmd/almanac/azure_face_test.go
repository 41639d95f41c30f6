package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web/azure"
)

func TestTheKeyOfTheSecretsIsMadeOnceAndForItsOwnerAlone(t *testing.T) {
	dir := t.TempDir()
	_, err := secretKey(dir)(false)
	require.ErrorIs(t, err, fs.ErrNotExist, "a key that is not there is made for what is to be sealed, never for what is")
	key, err := secretKey(dir)(true)
	require.NoError(t, err)
	require.Len(t, key, azure.KeyBytes)
	for _, create := range []bool{true, false} {
		again, err := secretKey(dir)(create)
		require.NoError(t, err)
		require.Equal(t, key, again)
	}
	info, err := os.Stat(filepath.Join(dir, secretKeyFile))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
	other, err := secretKey(t.TempDir())(true)
	require.NoError(t, err)
	require.False(t, bytes.Equal(key, other))
}

// A secret that a client of Azure Scheduler has put is there for the job's attempts, after a restart too.
func TestASecretThatWasPutIsFoundByTheEngine(t *testing.T) {
	dir := t.TempDir()
	a := &app{env: map[string]string{"PASSWORD": "of the environment"}}
	open := func() *server {
		s := &server{app: a, log: slog.New(slog.DiscardHandler)}
		s.cfg.azure = azureGroup{"00000000-0000-0000-0000-000000000000", "almanac"}
		s.cfg.dev, s.cfg.slots = true, 1
		var err error
		s.site, err = a.openSite(t.Context(), siteConfig{dir: dir, slots: 1, log: s.log, observe: func(engine.Notice) {}})
		require.NoError(t, err)
		return s
	}
	s := open()
	handler, err := s.handler(true, [32]byte{})
	require.NoError(t, err)
	const at = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/almanac/providers/Microsoft.Scheduler/jobCollections/jc1"
	for _, put := range []struct{ path, body string }{
		{at, "{}"},
		{at + "/jobs/j1", `{"properties": {"startTime": "` + now().AddDate(0, 1, 0).Format("2006-01-02") + `", "action": {"type": "storageQueue",
			"queueMessage": {"storageAccount": "acc", "queueName": "q", "sasToken": "sv=1&sig=TOPSECRET", "message": "m"}}}}`},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPut, put.path+"?api-version=2016-03-01", strings.NewReader(put.body))
		r.Host = "127.0.0.1"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Equal(t, http.StatusCreated, w.Code, w.Body)
		require.True(t, json.Valid(w.Body.Bytes()))
		require.NotContains(t, w.Body.String(), "TOPSECRET")
	}
	source := engine.SecretSource{Resource: "azure.job/00000000-0000-0000-0000-000000000000/almanac/jc1/j1#sasToken"}
	value, err := s.secrets(a.secret)(source)
	require.NoError(t, err)
	require.Equal(t, "sv=1&sig=TOPSECRET", value)
	value, err = s.secrets(a.secret)(engine.SecretSource{Env: "PASSWORD"})
	require.NoError(t, err)
	require.Equal(t, "of the environment", value)
	for _, wrong := range []string{"azure.job/x", "azure.job/x#sasToken", strings.Replace(source.Resource, "sasToken", "sasKey", 1), "azure.collection/a#b"} {
		_, err = s.secrets(a.secret)(engine.SecretSource{Resource: wrong})
		require.Error(t, err, wrong)
	}
	s.expire(t.Context())
	require.NoError(t, s.close())

	s = open()
	value, err = s.secrets(a.secret)(source)
	require.NoError(t, err)
	require.Equal(t, "sv=1&sig=TOPSECRET", value)
	require.NoError(t, s.close())

	require.NoError(t, os.WriteFile(filepath.Join(dir, secretKeyFile), make([]byte, azure.KeyBytes), 0o600))
	s = open()
	_, err = s.secrets(a.secret)(source)
	require.ErrorContains(t, err, "sealed with another key")
	require.NoError(t, s.close())
	rows, err := os.ReadFile(filepath.Join(dir, "almanac.db"))
	require.NoError(t, err)
	require.NotContains(t, string(rows), "TOPSECRET")
}
