package store_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
)

// lived is a directory whose server was killed in the middle of its work: the last writes are in the log alone. early is a copy of the database from
// before them.
func lived(t *testing.T) (dir, early string) {
	t.Helper()
	source := filled(t)
	db, err := store.Open(context.Background(), store.Config{Dir: source})
	require.NoError(t, err)
	copyFiles := func(to string, names ...string) {
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(source, name))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(to, name), data, 0o600))
		}
	}
	early, dir = t.TempDir(), t.TempDir()
	copyFiles(early, "almanac.db")
	for range 5 {
		_, err := putInstance(db)
		require.NoError(t, err)
	}
	copyFiles(dir, "almanac.db", "almanac.db-wal", "head")
	require.NoError(t, db.Close())
	return dir, early
}

func TestADatabaseThatIsNotTheLatestIsRefused(t *testing.T) {
	for _, c := range []struct {
		what  string
		swap  func(t *testing.T, dir, early string)
		words string
	}{
		{"its log was deleted", func(t *testing.T, dir, _ string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "almanac.db-wal")))
		}, "ends with event 0, and event 5 has been here"},
		{"an older copy in its place", func(t *testing.T, dir, early string) {
			data, err := os.ReadFile(filepath.Join(early, "almanac.db"))
			require.NoError(t, err)
			write(t, dir, "", data)
			require.NoError(t, os.Remove(filepath.Join(dir, "almanac.db-wal")))
		}, "event 5 has been here"},
		{"all of it was deleted", func(t *testing.T, dir, _ string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "almanac.db")))
			require.NoError(t, os.Remove(filepath.Join(dir, "almanac.db-wal")))
		}, "almanac.db is gone, and event 5 has been in it"},
		{"another's database in its place", func(t *testing.T, dir, _ string) {
			other := filled(t)
			db := open(t, other)
			for range 9 {
				require.NoError(t, db.Write(context.Background(), func(tx engine.Tx) error { return tx.Record(engine.EventRow{Kind: "load", Actor: "other"}) }))
			}
			require.NoError(t, db.Close())
			data, err := os.ReadFile(filepath.Join(other, "almanac.db"))
			require.NoError(t, err)
			write(t, dir, "", data)
			require.NoError(t, os.Remove(filepath.Join(dir, "almanac.db-wal")))
		}, "its event 5 is another"},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir, early := lived(t)
			c.swap(t, dir, early)
			for range 2 { // the first refusal leaves all as it is
				u := unusable(t, store.Config{Dir: dir})
				require.ErrorIs(t, u, store.ErrStale)
				require.Contains(t, u.Error(), c.words)
				require.Contains(t, u.Hint, "restore a backup")
			}
			if _, err := os.Stat(filepath.Join(dir, "almanac.db")); err != nil {
				return
			}
			// Whoever wants this copy all the same says so.
			require.NoError(t, os.Remove(filepath.Join(dir, "head")))
			open(t, dir)
		})
	}
}

func TestAHeadThatThePowerCutShortSaysNothing(t *testing.T) {
	for _, text := range []string{"", "almanac-head 1 0000000000", "almanac-head 1 00000000000000000099 " + string(bytes.Repeat([]byte("0"), 64)) + " 00000000\n"} {
		dir, _ := lived(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "head"), []byte(text), 0o600))
		db := open(t, dir)
		last, err := db.LastEvent(context.Background())
		require.NoError(t, err)
		require.Equal(t, int64(5), last)
	}
}

func TestAHeadBehindTheDatabaseIsNoMatter(t *testing.T) {
	dir, _ := lived(t)
	before, err := os.ReadFile(filepath.Join(dir, "head"))
	require.NoError(t, err)
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	require.NoError(t, err)
	for range 3 {
		_, err := putInstance(db)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "head"), before, 0o600))
	open(t, dir)
}

func TestOverwrittenPagesAreSeenAfterACleanStopToo(t *testing.T) {
	dir := filled(t)
	path := filepath.Join(dir, "almanac.db")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for n := 8192; n < len(content)-4096; n += 4096 {
		copy(content[n:], "no page of a database begins like this")
	}
	write(t, dir, "", content)
	u := unusable(t, store.Config{Dir: dir})
	require.ErrorIs(t, u, store.ErrCorrupt)
	require.Contains(t, u.Hint, "almanac restore")
}

// A value that was changed in its page is no fault that SQLite can see; the history's hashes do.
func TestAFlippedBitOfTheHistoryIsFound(t *testing.T) {
	dir := filled(t)
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, db.Write(context.Background(), func(tx engine.Tx) error {
			return tx.Record(engine.EventRow{Kind: "load", Actor: "somebody", Reason: engine.Reason{Code: engine.ReasonPerson}})
		}))
	}
	require.NoError(t, db.Close())
	content, err := os.ReadFile(filepath.Join(dir, "almanac.db"))
	require.NoError(t, err)
	at := bytes.Index(content, []byte("somebody"))
	require.Positive(t, at)
	require.NoError(t, flip(filepath.Join(dir, "almanac.db"), int64(at)))
	db = open(t, dir)
	var chain *store.ChainError
	require.ErrorAs(t, db.VerifyChain(context.Background()), &chain)
}

func running(db *store.DB) (list []engine.Instance, err error) {
	err = db.Read(context.Background(), func(v engine.View) error {
		list, err = v.Running()
		return err
	})
	return list, err
}
