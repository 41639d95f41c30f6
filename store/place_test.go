package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// Whatever is taken away under a running server, nothing is acknowledged any more, and it is said what to do; what is put back goes on.
func TestFilesTakenAwayUnderAServer(t *testing.T) {
	for _, name := range []string{"almanac.db", "almanac.db-wal", "lock", ""} {
		for _, way := range []string{"deleted", "renamed", "replaced"} {
			if name == "" && way == "deleted" {
				continue // a directory that holds files is not deleted; with its files it is
			}
			t.Run(way+" "+name, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "data")
				db := open(t, dir)
				_, err := putInstance(db)
				require.NoError(t, err)
				require.NoError(t, db.Failed())
				path, aside := filepath.Join(dir, name), filepath.Join(filepath.Dir(dir), "aside")
				if way == "deleted" {
					require.NoError(t, os.Remove(path))
				} else {
					require.NoError(t, os.Rename(path, aside))
				}
				if way == "replaced" && name == "" {
					require.NoError(t, os.Mkdir(path, 0o700))
				} else if way == "replaced" {
					content, err := os.ReadFile(aside)
					require.NoError(t, err)
					require.NoError(t, os.WriteFile(path, content, 0o600))
				}
				for range 3 {
					_, err = putInstance(db)
					require.ErrorIs(t, err, store.ErrMoved)
					require.ErrorIs(t, err, engine.ErrUnavailable)
					require.ErrorContains(t, err, "put the files back")
				}
				require.ErrorIs(t, db.Failed(), store.ErrMoved)
				if way == "deleted" {
					return
				}
				if way == "replaced" {
					require.NoError(t, os.RemoveAll(path))
				}
				require.NoError(t, os.Rename(aside, path))
				require.NoError(t, db.Failed())
				_, err = putInstance(db)
				require.NoError(t, err, "it is back")
			})
		}
	}
}

// A server whose directory is gone reads nothing from what somebody else puts there, and makes no file in it.
func TestNothingIsMadeWhereADirectoryWas(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	db := open(t, dir)
	require.NoError(t, os.Rename(dir, dir+".aside"))
	require.NoError(t, os.Mkdir(dir, 0o700))
	read := make(chan error, 8)
	for range cap(read) { // more than there are connections: some have to be made
		go func() {
			read <- db.Read(t.Context(), func(v engine.View) error {
				_, err := v.Jobs()
				return err
			})
		}()
	}
	for range cap(read) {
		if err := <-read; err != nil {
			require.ErrorIs(t, err, store.ErrMoved)
			require.ErrorIs(t, err, engine.ErrUnavailable)
		}
	}
	_, err := putInstance(db)
	require.ErrorIs(t, err, store.ErrMoved)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// A file that is taken away in the middle of a transaction: it is not acknowledged, and nothing after it.
func TestAFileTakenAwayDuringACommit(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	_, err := putInstance(db)
	require.NoError(t, err)
	err = db.Write(t.Context(), func(tx engine.Tx) error {
		require.NoError(t, os.Remove(filepath.Join(dir, "almanac.db")))
		return tx.PutJob(engine.JobRow{ID: 98, Ref: engine.JobRef{Workflow: "w", Job: "gone"}})
	})
	require.ErrorIs(t, err, store.ErrMoved)
	require.ErrorIs(t, db.Failed(), store.ErrMoved)
	_, err = putInstance(db)
	require.ErrorIs(t, err, store.ErrMoved)
}

func TestAHeadThatIsGarbageIsRefused(t *testing.T) {
	for _, text := range []string{"garbage\n", "\x01\x02\x03", "almanac-head 2 17"} {
		dir := filled(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "head"), []byte(text), 0o600))
		u := unusable(t, store.Config{Dir: dir})
		require.ErrorIs(t, u, store.ErrHead)
		require.Contains(t, u.Hint, "remove the file named head")
		require.NoError(t, os.Remove(filepath.Join(dir, "almanac.db")))
		require.ErrorIs(t, unusable(t, store.Config{Dir: dir}), store.ErrHead, "nor is an empty database made beside it")
		require.NoError(t, os.Remove(filepath.Join(dir, "head")))
		open(t, dir)
	}
}
