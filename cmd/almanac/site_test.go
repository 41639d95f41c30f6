package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/almanac-sched/almanac/store"
)

// A lock that the fork of a killed server still holds is waited for.
func TestALockThatIsLeftIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	dead := exec.Command("true")
	require.NoError(t, dead.Run())
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	_, err = fmt.Fprintln(f, dead.Process.Pid)
	require.NoError(t, err)
	require.NoError(t, unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB))
	time.AfterFunc(300*time.Millisecond, func() { f.Close() })
	db, err := openStore(t.Context(), store.Config{Dir: dir, Clock: now})
	require.NoError(t, err)
	require.NoError(t, db.Close())
}
