//go:build unix

package store_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

var lockHeld = flag.Duration("lock.held", 14*time.Second, "how long another program keeps the database for itself; a write waits for 10s")

func init() { childModes["lock"] = holdTheDatabase }

// Another program takes the database for itself, for longer than a write waits, and for less.
func TestALockOfAnotherProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, dir)
	_, err := putInstance(db)
	require.NoError(t, err)
	const waits = 10 * time.Second // of a write
	soon := func(released <-chan time.Time) {
		require.Less(t, time.Since(<-released), waits/2, "it goes on soon after the lock is gone, and not when it looks again")
	}
	unlockAfter := func(unlock func(), d time.Duration) <-chan time.Time {
		released := make(chan time.Time, 1)
		time.AfterFunc(d, func() {
			unlock()
			released <- time.Now()
		})
		return released
	}
	released := unlockAfter(lockDatabase(t, dir), 1500*time.Millisecond)
	_, err = putInstance(db)
	require.NoError(t, err)
	soon(released)

	unlock := lockDatabase(t, dir)
	begun := time.Now()
	_, err = putInstance(db) // however long that takes: the lock is not gone before it has been given up
	require.ErrorIs(t, err, engine.ErrUnavailable)
	require.NoError(t, db.Failed(), "nothing is wrong with the store")
	released = unlockAfter(unlock, *lockHeld-time.Since(begun))
	for errors := 0; err != nil; errors++ {
		require.ErrorIs(t, err, engine.ErrUnavailable)
		require.LessOrEqual(t, errors, int(time.Since(begun)/waits), "each has waited")
		_, err = putInstance(db)
	}
	soon(released)
	list, err := running(db)
	require.NoError(t, err)
	require.Len(t, list, 3, "no write was lost, none was made twice")
	require.NoError(t, db.VerifyChain(context.Background()))
}

// holdTheDatabase is another program: it takes the database for itself until its input ends.
func holdTheDatabase(dir string) error {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "almanac.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		return err
	}
	fmt.Println("held")
	_, _ = os.Stdin.Read(make([]byte, 1))
	_, err = db.Exec("ROLLBACK")
	return err
}

// lockDatabase has another process take the database for itself; the function returned ends that.
func lockDatabase(t *testing.T, dir string) (unlock func()) {
	c := child(t, "lock", dir)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	c.Stderr = os.Stderr
	require.NoError(t, c.Start())
	_, err = out.Read(make([]byte, 5))
	require.NoError(t, err)
	ended := make(chan struct{})
	t.Cleanup(func() {
		_ = in.Close()
		<-ended
	})
	return func() {
		_ = in.Close()
		_ = c.Wait()
		close(ended)
	}
}
