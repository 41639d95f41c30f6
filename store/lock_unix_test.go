package store_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/almanac-sched/almanac/store"
)

// A server that was killed just after it had forked leaves the lock to its child for a moment: that is told from a server that lives.
func TestALockThatOutlivesItsServerIsToldApart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	hold := func(pid int) *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		require.NoError(t, err)
		_, err = fmt.Fprintln(f, pid)
		require.NoError(t, err)
		require.NoError(t, unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB))
		return f
	}
	f := hold(os.Getpid())
	_, err := store.Open(t.Context(), store.Config{Dir: dir})
	require.ErrorIs(t, err, store.ErrLocked)
	require.NotErrorIs(t, err, store.ErrLockLeft)
	require.NoError(t, f.Close())

	dead := exec.Command("true")
	require.NoError(t, dead.Run())
	f = hold(dead.Process.Pid)
	_, err = store.Open(t.Context(), store.Config{Dir: dir})
	require.ErrorIs(t, err, store.ErrLocked)
	require.ErrorIs(t, err, store.ErrLockLeft)
	require.NoError(t, f.Close())
	db, err := store.Open(t.Context(), store.Config{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, db.Close())
}
