package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// A secret that was put can be opened after a restore, with the key that is in the backup or with the one that was kept, and with no other.
func TestASecretIsOpenedAfterARestore(t *testing.T) {
	a := &app{}
	open := func(dir string) *server {
		s := &server{app: a, log: slog.New(slog.DiscardHandler)}
		s.cfg.azure = azureGroup{"00000000-0000-0000-0000-000000000000", "almanac"}
		s.cfg.dev, s.cfg.slots = true, 1
		var err error
		s.site, err = a.openSite(t.Context(), siteConfig{dir: dir, slots: 1, log: s.log, observe: func(engine.Notice) {}})
		require.NoError(t, err)
		return s
	}
	dir, place := t.TempDir(), t.TempDir()
	s := open(dir)
	handler, err := s.handler(true, [32]byte{})
	require.NoError(t, err)
	const at = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/almanac/providers/Microsoft.Scheduler/jobCollections/jc1"
	for _, put := range [][2]string{{at, "{}"}, {at + "/jobs/j1", `{"properties": {"startTime": "` + now().AddDate(0, 1, 0).Format("2006-01-02") + `", "action": {"type": "storageQueue",
		"queueMessage": {"storageAccount": "acc", "queueName": "q", "sasToken": "sv=1&sig=x", "message": "m"}}}}`}} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPut, put[0]+"?api-version=2016-03-01", strings.NewReader(put[1]))
		r.Host = "127.0.0.1"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Equal(t, http.StatusCreated, w.Code, w.Body)
	}
	for name, whole := range map[string]bool{"whole": true, "sealed": false} {
		m, err := s.db.Backup(t.Context(), filepath.Join(place, name), store.BackupOptions{At: now(), Key: whole})
		require.NoError(t, err)
		require.Equal(t, !whole, m.LacksSecretKey())
	}
	require.NoError(t, s.close())

	for _, c := range []struct {
		backup, key, refused string
	}{
		{"whole", "", ""},
		{"sealed", filepath.Join(dir, secretKeyFile), ""},
		{"sealed", "", "no such file"},
	} {
		restored := filepath.Join(t.TempDir(), "data")
		_, err := store.Restore(t.Context(), filepath.Join(place, c.backup), restored, c.key)
		require.NoError(t, err)
		s := open(restored)
		value, err := s.secrets(a.secret)(engine.SecretSource{Resource: "azure.job/00000000-0000-0000-0000-000000000000/almanac/jc1/j1#sasToken"})
		if c.refused == "" {
			require.NoError(t, err)
			require.Equal(t, "sv=1&sig=x", value)
		} else {
			require.ErrorContains(t, err, c.refused)
		}
		require.NoError(t, s.close())
	}
}
