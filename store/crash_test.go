//go:build unix

package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"testing"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The test binary runs itself as a server that is killed, or whose files may not grow, when this names what to do.
const childMode = "ALMANAC_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if run := childModes[os.Getenv(childMode)]; run != nil {
		if err := run(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// childModes are what a child does with the data directory that it is given.
var childModes = map[string]func(dir string) error{"write": writeForEver, "full": writeUntilTheDiskFails}

func child(t *testing.T, mode, dir string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], dir)
	c.Env = append(os.Environ(), childMode+"="+mode)
	return c
}

// putInstance writes a job's next instance, starts it and notes it, in one transaction.
func putInstance(db *store.DB) (id int64, err error) {
	err = db.Write(context.Background(), func(tx engine.Tx) error {
		if id, err = tx.Reserve(1); err != nil {
			return err
		}
		if err := tx.PutJob(engine.JobRow{ID: 1, Ref: engine.JobRef{Workflow: "w", Job: "j"}}); err != nil {
			return err
		}
		i := engine.Instance{
			ID: id, Job: 1, Kind: engine.Manual, Key: strconv.FormatInt(id, 10), PlanTime: day, NotBefore: day, State: engine.Waiting, Gate: engine.GateTime,
		}
		_, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) { yield(&i, nil) })
		if err != nil {
			return err
		}
		_, err = tx.Apply(engine.Transition{Instance: id, Event: engine.Start, From: engine.Waiting, At: day, Owner: "server"})
		return err
	})
	return id, err
}

// writeForEver prints the id of every instance whose write was acknowledged.
func writeForEver(dir string) error {
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	if err != nil {
		return err
	}
	var out sync.Mutex
	failed := make(chan error)
	for range 8 {
		go func() {
			for {
				id, err := putInstance(db)
				if err != nil {
					failed <- err
					return
				}
				out.Lock()
				fmt.Println(id)
				out.Unlock()
			}
		}()
	}
	return <-failed
}

func TestKilledInTheMiddleOfWrites(t *testing.T) {
	dir := t.TempDir()
	acknowledged := map[int64]bool{}
	for round := range 6 {
		c := child(t, "write", dir)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		c.Stderr = os.Stderr
		require.NoError(t, c.Start())
		lines := bufio.NewScanner(out)
		read := func() {
			id, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err == nil { // the last line may be half of one
				acknowledged[id] = true
			}
		}
		for n := 0; n < 200+round*137 && lines.Scan(); n++ {
			read()
		}
		require.NoError(t, c.Process.Kill())
		for lines.Scan() {
			if len(lines.Text()) > 0 {
				read()
			}
		}
		require.Error(t, c.Wait(), "it was killed")

		db, err := store.Open(context.Background(), store.Config{Dir: dir})
		require.NoError(t, err, "the check after an unclean stop is part of Open")
		found := map[int64]bool{}
		require.NoError(t, db.Read(context.Background(), func(v engine.View) error {
			list, err := v.Running()
			for _, i := range list {
				found[i.ID] = true
			}
			waiting, err2 := v.Waiting(1)
			require.Empty(t, waiting, "no transaction is there in part")
			return errors.Join(err, err2)
		}))
		require.NotEmpty(t, acknowledged)
		missing := 0
		for id := range acknowledged {
			if !found[id] && !cutOff(id, found) {
				missing++
			}
		}
		require.Zero(t, missing, "of %d acknowledged writes", len(acknowledged))
		require.NoError(t, db.VerifyChain(context.Background()))
		last, err := db.LastEvent(context.Background())
		require.NoError(t, err)
		require.Equal(t, int64(len(found)), last, "an event for each start")
		require.NoError(t, db.Close())
	}
}

// cutOff reports whether an id is the beginning of a longer one: the kill may have cut the last line of the output.
func cutOff(id int64, found map[int64]bool) bool {
	for _, digits := range []int64{10, 100, 1000, 10_000} {
		for n := range digits {
			if found[id*digits+n] {
				return true
			}
		}
	}
	return false
}

// writeUntilTheDiskFails lets no file grow beyond a bound, which is how a disk that fails looks to SQLite.
func writeUntilTheDiskFails(dir string) error {
	signal.Ignore(unix.SIGXFSZ)
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	if err != nil {
		return err
	}
	if _, err := putInstance(db); err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 300_000, Max: 300_000}); err != nil {
		return err
	}
	for err == nil {
		_, err = putInstance(db)
	}
	if db.Failed() == nil {
		return fmt.Errorf("the error of the disk was not taken as one: %w", err)
	}
	_, again := putInstance(db)
	if !errors.Is(again, db.Failed()) {
		return fmt.Errorf("after %w it went on writing: %w", err, again)
	}
	// Reading goes on.
	list, err := db.Jobs(context.Background())
	if err != nil || len(list) != 1 {
		return fmt.Errorf("%d jobs: %w", len(list), err)
	}
	return nil
}

func TestAfterAnErrorOfTheDiskTheDataIsWhole(t *testing.T) {
	dir := t.TempDir()
	c := child(t, "full", dir)
	text, err := c.CombinedOutput()
	require.NoError(t, err, string(text))
	db := open(t, dir)
	require.NoError(t, db.VerifyChain(context.Background()))
	_, err = putInstance(db)
	require.NoError(t, err)
}
