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
	for _, c := range []struct {
		held   time.Duration
		waited bool
	}{{1500 * time.Millisecond, false}, {*lockHeld, true}} {
		released := make(chan time.Time, 1)
		unlock := lockDatabase(t, dir)
		time.AfterFunc(c.held, func() {
			unlock()
			released <- time.Now()
		})
		begun := time.Now()
		_, err := putInstance(db)
		if c.waited {
			require.ErrorIs(t, err, engine.ErrUnavailable)
			require.Less(t, time.Since(begun), c.held, "a write does not wait for ever")
			require.NoError(t, db.Failed(), "nothing is wrong with the store")
			for errors := 0; err != nil; errors++ {
				require.Less(t, errors, 2+int(c.held/(10*time.Second)))
				_, err = putInstance(db)
			}
		}
		require.NoError(t, err)
		require.Less(t, time.Since(<-released), time.Second, "it goes on soon after the lock is gone")
	}
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
