package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
)

// filled is a data directory with a plan in it, closed in order.
func filled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	require.NoError(t, err)
	insertPlan(t, db, jobs(t, db, 10), 2000)
	require.NoError(t, db.Close())
	return dir
}

// unusable opens the directory, which must fail, and returns the error.
func unusable(t *testing.T, cfg store.Config) *store.UnusableError {
	t.Helper()
	db, err := store.Open(context.Background(), cfg)
	require.Nil(t, db)
	var u *store.UnusableError
	require.ErrorAs(t, err, &u)
	require.Equal(t, cfg.Dir, u.Dir)
	require.NotEmpty(t, u.Hint)
	require.Contains(t, u.Error(), cfg.Dir)
	require.Contains(t, u.Error(), u.Hint)
	return u
}

func raw(t testing.TB, dir string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "almanac.db"))
	require.NoError(t, err)
	for _, text := range statements {
		_, err := db.Exec(text)
		require.NoError(t, err, text)
	}
	require.NoError(t, db.Close())
}

func TestOpenedAgainItIsTheSame(t *testing.T) {
	dir := filled(t)
	for range 2 {
		db := open(t, dir)
		list, _, err := db.Instances(context.Background(), store.InstanceFilter{}, "", 1000)
		require.NoError(t, err)
		require.Len(t, list, 1000)
		require.NoError(t, db.Close())
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		info, err := e.Info()
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), e.Name())
	}
	require.Equal(t, []string{"almanac.db", "almanac.db-pages", "head", "lock"}, names, "the log is gone after a Close")
}

func TestDirectoriesAreMadeForTheUserAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	open(t, dir)
	for _, d := range []string{dir, filepath.Dir(dir)} {
		info, err := os.Stat(d)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(filepath.Join(dir, "almanac.db"+suffix))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), suffix)
	}
}

func TestTheSecondServerIsToldOfTheFirst(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	u := unusable(t, store.Config{Dir: dir})
	require.ErrorIs(t, u, store.ErrLocked)
	require.Contains(t, u.Error(), fmt.Sprintf("process %d", os.Getpid()))
}

func TestReadOnlyBesideAServer(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := open(t, dir)
	insertPlan(t, db, jobs(t, db, 1), 10)
	beside, err := store.Open(ctx, store.Config{Dir: dir, ReadOnly: true})
	require.NoError(t, err)
	list, err := beside.Jobs(ctx)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.ErrorIs(t, beside.Write(ctx, func(engine.Tx) error { return nil }), store.ErrReadOnly)
	require.NoError(t, db.Write(ctx, func(tx engine.Tx) error {
		return tx.PutJob(engine.JobRow{ID: 99, Ref: engine.JobRef{Workflow: "w", Job: "new"}})
	}))
	list, err = beside.Jobs(ctx)
	require.NoError(t, err)
	require.Len(t, list, 2, "it sees what the server commits")
	require.NoError(t, beside.Close())
}

func TestReadOnlyNeedsADatabase(t *testing.T) {
	dir := t.TempDir()
	require.ErrorIs(t, unusable(t, store.Config{Dir: dir, ReadOnly: true}), store.ErrMissing)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries, "and leaves nothing behind")
	missing := filepath.Join(dir, "missing")
	require.ErrorIs(t, unusable(t, store.Config{Dir: missing, ReadOnly: true}), os.ErrNotExist)
}

func TestReadOnlyOfAClosedServer(t *testing.T) {
	db, err := store.Open(context.Background(), store.Config{Dir: filled(t), ReadOnly: true})
	require.NoError(t, err)
	list, err := db.Jobs(context.Background())
	require.NoError(t, err)
	require.Len(t, list, 10)
	require.NoError(t, db.Close())
}

func TestADirectoryThatIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	unusable(t, store.Config{Dir: file})
	unusable(t, store.Config{Dir: filepath.Join(file, "below")})
	unusable(t, store.Config{Dir: ""})
}

func TestADirectoryThatCannotBeWritten(t *testing.T) {
	// Not even root can make a file here.
	u := unusable(t, store.Config{Dir: "/proc/self/fdinfo"})
	require.Contains(t, u.Hint, "may write")
}

// damaged are files that are never replaced by an empty database.
var damaged = []struct {
	name  string
	spoil func(t *testing.T, dir string)
	want  error
	words string
}{
	{"a text file", func(t *testing.T, dir string) {
		write(t, dir, "", []byte(strings.Repeat("hello world\n", 100)))
	}, store.ErrNotDatabase, "another directory"},
	{"a file of a few bytes", func(t *testing.T, dir string) { write(t, dir, "", []byte("SQLite format 3\x00")) }, store.ErrNotDatabase, "header"},
	{"an empty file", func(t *testing.T, dir string) { write(t, dir, "", nil) }, store.ErrCorrupt, "restore a backup"},
	{"the log without the file", func(t *testing.T, dir string) {
		require.NoError(t, os.Rename(filepath.Join(dir, "almanac.db"), filepath.Join(dir, "almanac.db-wal")))
	}, store.ErrCorrupt, "almanac.db is gone"},
	{"the database of another program", func(t *testing.T, dir string) {
		require.NoError(t, os.Remove(filepath.Join(dir, "almanac.db")))
		raw(t, dir, `CREATE TABLE songs (title TEXT)`)
	}, store.ErrForeign, "left as it is"},
	{"the database of another program that says who it is", func(t *testing.T, dir string) {
		raw(t, dir, `PRAGMA application_id = 4711`)
	}, store.ErrForeign, "0x1267"},
	{"a newer schema", func(t *testing.T, dir string) {
		raw(t, dir, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`)
	}, store.ErrNewer, "9999"},
	{"a file that was cut", func(t *testing.T, dir string) {
		path := filepath.Join(dir, "almanac.db")
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(path, info.Size()/2))
	}, store.ErrCorrupt, "restore a backup"},
	{"pages overwritten, after an unclean stop", func(t *testing.T, dir string) {
		path := filepath.Join(dir, "almanac.db")
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for n := 8192; n < len(content)-4096; n += 4096 {
			copy(content[n:], "no page of a database begins like this")
		}
		write(t, dir, "", content)
		write(t, dir, "-wal", []byte("what the last server left"))
	}, store.ErrCorrupt, "restore a backup"},
}

func write(t *testing.T, dir, suffix string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "almanac.db"+suffix), content, 0o600))
}

func TestWhatIsThereIsNeverReplaced(t *testing.T) {
	for _, c := range damaged {
		t.Run(c.name, func(t *testing.T) {
			dir := filled(t)
			c.spoil(t, dir)
			before, _ := os.ReadFile(filepath.Join(dir, "almanac.db"))
			u := unusable(t, store.Config{Dir: dir})
			require.ErrorIs(t, u, c.want)
			require.Contains(t, u.Error(), c.words)
			after, err := os.ReadFile(filepath.Join(dir, "almanac.db"))
			require.Equal(t, before == nil, errors.Is(err, os.ErrNotExist))
			require.Equal(t, before, after, "the file is as it was")
			// The lock is free again: the answer stays the same.
			require.ErrorIs(t, unusable(t, store.Config{Dir: dir}), c.want)
			if before != nil {
				_, err = store.Open(context.Background(), store.Config{Dir: dir, ReadOnly: true})
				if !errors.Is(c.want, store.ErrCorrupt) || c.name == "an empty file" || c.name == "a file that was cut" {
					require.ErrorIs(t, err, c.want)
				}
			}
		})
	}
}

func TestHalfMadeDatabaseIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "almanac.db.new"), []byte("the power went"), 0o600))
	open(t, dir)
	_, err := os.Stat(filepath.Join(dir, "almanac.db.new"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestOpenWithAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := store.Open(ctx, store.Config{Dir: t.TempDir()})
	require.ErrorIs(t, err, context.Canceled)
}
