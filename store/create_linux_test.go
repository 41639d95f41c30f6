package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/almanac-sched/almanac/store"
)

func init() {
	childModes["create without sync"] = createWhere(unix.SYS_FSYNC, unix.SYS_FDATASYNC)
	childModes["create without writing"] = createWhere(unix.SYS_PWRITE64)
	childModes["create without rename"] = createWhere(unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2)
}

// createWhere opens a new directory on a disk that fails.
func createWhere(calls ...int) func(dir string) error {
	return func(dir string) error {
		if err := failCalls(unix.EIO, nil, calls...); err != nil {
			return err
		}
		_, err := store.Open(context.Background(), store.Config{Dir: dir})
		var u *store.UnusableError
		if !errors.As(err, &u) || u.Hint == "" {
			return fmt.Errorf("it was opened on a disk that fails: %w", err)
		}
		return nil
	}
}

// A disk that fails while a database is made leaves none of its name, and the next server makes a whole one.
func TestADiskThatFailsWhileADatabaseIsMade(t *testing.T) {
	for _, mode := range []string{"create without sync", "create without writing", "create without rename"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			text, err := child(t, mode, dir).CombinedOutput()
			require.NoError(t, err, string(text))
			require.NoFileExists(t, filepath.Join(dir, "almanac.db"))
			require.NoFileExists(t, filepath.Join(dir, "head"))
			db := open(t, dir)
			_, err = putInstance(db)
			require.NoError(t, err)
			require.NoError(t, db.Close())
			_, err = os.Stat(filepath.Join(dir, "almanac.db.new"))
			require.ErrorIs(t, err, os.ErrNotExist)
		})
	}
}
