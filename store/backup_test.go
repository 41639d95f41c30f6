package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
)

func names(t *testing.T, dir string) (list []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestBackupWhileItIsWritten(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	db := open(t, dir)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "logs", "0"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "logs", "0", "1.log"), []byte("said\n"), 0o600))
	for range 50 {
		_, err := putInstance(db)
		require.NoError(t, err)
	}
	stop, stopped, written := make(chan struct{}), make(chan error, 1), make(chan struct{}, 1)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
				if _, err := putInstance(db); err != nil {
					stopped <- err
					return
				}
			}
			select {
			case written <- struct{}{}:
			default:
			}
		}
	}()
	// Another process takes the backup: it opens the rows beside the server.
	beside, err := store.Open(ctx, store.Config{Dir: dir, ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, beside.Close()) }()
	place := t.TempDir()
	var last int64
	for _, name := range []string{"one", "two", "three"} {
		select { // something has been written since the last one
		case <-written:
		case err := <-stopped:
			require.NoError(t, err)
		}
		target := filepath.Join(place, name)
		m, err := beside.Backup(ctx, target, store.BackupOptions{Program: "test", At: day, Logs: true})
		require.NoError(t, err)
		require.Equal(t, m.Counts.Instances, m.Counts.Events, "each instance and its start were written together, and copied together")
		require.GreaterOrEqual(t, m.Counts.Instances, max(50, last))
		last = m.Counts.Instances
		require.Equal(t, []string{"almanac.db", "logs", "manifest.json"}, names(t, target))
		require.Len(t, m.Files, 2)
		again, err := store.VerifyBackup(ctx, target)
		require.NoError(t, err)
		require.Equal(t, m, again)
	}
	close(stop)
	require.NoError(t, <-stopped)
	require.Equal(t, []string{"one", "three", "two"}, names(t, place), "nothing else is left")
	require.Greater(t, last, int64(50), "nothing was written meanwhile: the test proves too little")

	_, err = beside.Backup(ctx, filepath.Join(place, "one"), store.BackupOptions{At: day})
	require.ErrorIs(t, err, store.ErrExists)

	restored := filepath.Join(t.TempDir(), "data")
	m, err := store.Restore(ctx, filepath.Join(place, "three"), restored, "")
	require.NoError(t, err)
	back := open(t, restored)
	require.NoError(t, back.VerifyChain(ctx))
	end, err := back.LastEvent(ctx)
	require.NoError(t, err)
	require.Equal(t, m.Event, end)
	text, err := os.ReadFile(filepath.Join(restored, "logs", "0", "1.log"))
	require.NoError(t, err)
	require.Equal(t, "said\n", string(text))
	_, err = putInstance(back)
	require.NoError(t, err, "it goes on from there")
}

func TestABackupThatCannotBeTrustedIsNotRestored(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	db := open(t, dir)
	for range 20 {
		_, err := putInstance(db)
		require.NoError(t, err)
	}
	place := t.TempDir()
	good := filepath.Join(place, "good")
	_, err := db.Backup(ctx, good, store.BackupOptions{At: day})
	require.NoError(t, err)

	for _, c := range []struct {
		what string
		harm func(backup string) error
		want error
	}{
		{"one bit is another", func(b string) error { return flip(filepath.Join(b, "almanac.db"), 9000) }, store.ErrDamaged},
		{"it is cut short", func(b string) error { return os.Truncate(filepath.Join(b, "almanac.db"), 8192) }, store.ErrDamaged},
		{"the database is missing", func(b string) error { return os.Remove(filepath.Join(b, "almanac.db")) }, store.ErrDamaged},
		{"it was never finished", func(b string) error { return os.Remove(filepath.Join(b, "manifest.json")) }, store.ErrNotBackup},
		{"the manifest is half of one", func(b string) error { return os.Truncate(filepath.Join(b, "manifest.json"), 40) }, store.ErrNotBackup},
	} {
		t.Run(c.what, func(t *testing.T) {
			bad := filepath.Join(t.TempDir(), "bad")
			require.NoError(t, os.CopyFS(bad, os.DirFS(good)))
			require.NoError(t, c.harm(bad))
			target := filepath.Join(t.TempDir(), "data")
			_, err := store.Restore(ctx, bad, target, "")
			require.ErrorIs(t, err, c.want)
			require.NoFileExists(t, filepath.Join(target, "almanac.db"))
		})
	}

	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "mine"), nil, 0o600))
	_, err = store.Restore(ctx, good, full, "")
	require.ErrorIs(t, err, store.ErrNotEmpty)
	require.Equal(t, []string{"mine"}, names(t, full))

	cut, cancel := context.WithCancel(ctx)
	cancel()
	_, err = db.Backup(cut, filepath.Join(place, "late"), store.BackupOptions{At: day})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []string{"good"}, names(t, place), "an attempt that failed leaves nothing behind")
}

// The key of the sealed secrets is in a backup when that is asked for alone, and a restore takes no other.
func TestABackupAndTheKeyOfItsSecrets(t *testing.T) {
	dir, place, ctx := t.TempDir(), t.TempDir(), context.Background()
	db := open(t, dir)
	_, err := putInstance(db)
	require.NoError(t, err)
	backup := func(name string, key bool) store.Manifest {
		m, err := db.Backup(ctx, filepath.Join(place, name), store.BackupOptions{At: day, Key: key})
		require.NoError(t, err)
		return m
	}
	m := backup("before", true)
	require.Empty(t, m.SecretKey, "nothing was sealed yet")
	require.False(t, m.HoldsSecretKey() || m.LacksSecretKey())

	key := filepath.Join(dir, store.SecretKeyFile)
	require.NoError(t, os.WriteFile(key, []byte("the key"), 0o600))
	without, with := backup("without", false), backup("with", true)
	require.Equal(t, with.SecretKey, without.SecretKey)
	require.True(t, without.LacksSecretKey())
	require.True(t, with.HoldsSecretKey())
	require.Equal(t, []string{"almanac.db", "manifest.json"}, names(t, filepath.Join(place, "without")))
	require.Equal(t, []string{"almanac.db", "manifest.json", "secret.key"}, names(t, filepath.Join(place, "with")))

	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.WriteFile(other, []byte("another"), 0o600))
	for _, c := range []struct {
		backup, key, left string
		want              error
	}{
		{"with", "", "the key", nil},
		{"with", key, "the key", nil},
		{"with", other, "", store.ErrWrongKey},
		{"without", "", "", nil},
		{"without", key, "the key", nil},
		{"without", other, "", store.ErrWrongKey},
		{"without", other + "s", "", os.ErrNotExist},
		{"before", "", "", nil},
	} {
		restored := filepath.Join(t.TempDir(), "data")
		_, err := store.Restore(ctx, filepath.Join(place, c.backup), restored, c.key)
		require.ErrorIs(t, err, c.want, "%+v", c)
		if c.want != nil {
			require.NoDirExists(t, restored, "%+v", c)
			continue
		}
		path := filepath.Join(restored, store.SecretKeyFile)
		if c.left == "" {
			require.NoFileExists(t, path, "%+v", c)
			continue
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err, "%+v", c)
		require.Equal(t, c.left, string(data))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}

	require.NoError(t, os.WriteFile(filepath.Join(place, "with", store.SecretKeyFile), []byte("the kex"), 0o600))
	_, err = store.VerifyBackup(ctx, filepath.Join(place, "with"))
	require.ErrorIs(t, err, store.ErrDamaged)
}

// flip changes one bit of a file.
func flip(path string, at int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		return err
	}
	b[0] ^= 4
	_, err = f.WriteAt(b, at)
	return err
}

// A reader leaves no trace: what a crash left is as it was after it.
func TestLookingChangesNothing(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	db := open(t, dir)
	_, err := putInstance(db)
	require.NoError(t, err)
	crashed := t.TempDir() // as a kill leaves it: the log is not copied back
	for _, name := range []string{"almanac.db", "almanac.db-wal"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(crashed, name), data, 0o600))
	}
	sums := func() (list []string) {
		for _, name := range []string{"almanac.db", "almanac.db-wal"} {
			data, err := os.ReadFile(filepath.Join(crashed, name))
			require.NoError(t, err)
			list = append(list, string(data))
		}
		return list
	}
	before := sums()
	look, err := store.Open(ctx, store.Config{Dir: crashed, ReadOnly: true})
	require.NoError(t, err)
	require.NoError(t, look.VerifyChain(ctx))
	require.NoError(t, look.QuickCheck(ctx))
	require.NoError(t, look.Read(ctx, func(v engine.View) error {
		list, err := v.Running()
		require.Len(t, list, 1, "what is in the log alone is seen")
		return err
	}))
	require.NoError(t, look.Close())
	require.Equal(t, before, sums())
}
