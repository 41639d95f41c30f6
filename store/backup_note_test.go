package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/store"
)

// When a directory was last backed up is told by the directory; one who may only read the rows notes it, and what is restored has no backup yet.
func TestWhenTheLastBackupWasMade(t *testing.T) {
	dir := t.TempDir()
	server, err := store.Open(t.Context(), store.Config{Dir: dir})
	require.NoError(t, err)
	defer server.Close()
	require.Zero(t, server.LastBackup())

	reader, err := store.Open(t.Context(), store.Config{Dir: dir, ReadOnly: true})
	require.NoError(t, err)
	defer reader.Close()
	target := filepath.Join(t.TempDir(), "bk")
	for day := range 2 {
		at := time.Date(2026, 11, 21+day, 3, 0, 0, 0, time.UTC)
		m, err := reader.Backup(t.Context(), target+at.Format(time.DateOnly), store.BackupOptions{At: at})
		require.NoError(t, err)
		require.NoError(t, reader.NoteBackup(&m))
		require.Equal(t, at, server.LastBackup())
		restored, err := store.Open(t.Context(), store.Config{Dir: target + at.Format(time.DateOnly), ReadOnly: true})
		require.NoError(t, err)
		require.Zero(t, restored.LastBackup())
		require.NoError(t, restored.Close())
	}

	note := filepath.Join(dir, "backup")
	for _, text := range []string{"", "almanac-backup 1 soon\n", "almanac-backup 2 1\n"} {
		require.NoError(t, os.WriteFile(note, []byte(text), 0o600))
		require.Zero(t, server.LastBackup(), "%q", text)
	}
	require.NoError(t, os.Remove(note))
	require.NoError(t, os.Mkdir(note, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(note, "x"), nil, 0o600))
	require.ErrorContains(t, reader.NoteBackup(&store.Manifest{}), "note the backup in")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		require.NotContains(t, e.Name(), ".new-", "nothing of an attempt is left")
	}
}
