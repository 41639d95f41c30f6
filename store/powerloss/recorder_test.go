//go:build linux

package powerloss_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/almanac-sched/almanac/store/powerloss"
)

// What makes commits durable with a write-ahead log and with a rollback journal.
const (
	wal      = "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	rollback = "_pragma=journal_mode(DELETE)&_pragma=synchronous(EXTRA)"
)

// numbers is a database of consecutive numbers, one transaction each, that notes every commit.
func numbers(t *testing.T, pragmas string, faults powerloss.Faults) *powerloss.Recording {
	t.Helper()
	root := t.TempDir()
	r, err := powerloss.Record(root, faults)
	require.NoError(t, err)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(root, "n.db")+"?"+pragmas)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE n (n INTEGER PRIMARY KEY, filling BLOB)`)
	require.NoError(t, err)
	for n := range 8 {
		_, err := db.Exec(`INSERT INTO n VALUES (?, randomblob(?))`, n, 300*n)
		require.NoError(t, err)
		r.Note(strconv.Itoa(n))
		if n == 4 {
			_, err := db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
			require.NoError(t, err)
		}
	}
	require.NoError(t, db.Close())
	recording, err := r.Stop()
	require.NoError(t, err)
	require.Empty(t, powerloss.Open())
	return recording
}

// lost counts the images of a recording, one for each operation and mode, that miss an acknowledged number or are no database, up to
// so many.
func lost(t *testing.T, recording *powerloss.Recording, enough int) (images, wrong int) {
	t.Helper()
	disk := powerloss.NewDisk(recording)
	acknowledged := -1
	for at, op := range recording.Ops {
		disk.Play(op)
		if op.Kind == powerloss.Note {
			acknowledged++
		}
		for n, mode := range powerloss.Modes {
			if wrong == enough {
				return images, wrong
			}
			images++
			image := disk.Lose(powerloss.Loss{Mode: mode, Seed: uint64(at*100 + n)})
			if len(image.Files) > 0 && !holds(t, image, acknowledged) || len(image.Files) == 0 && acknowledged >= 0 {
				wrong++
			}
		}
	}
	return images, wrong
}

func holds(t *testing.T, image powerloss.Image, acknowledged int) bool {
	t.Helper()
	root := filepath.Join(t.TempDir(), "image")
	require.NoError(t, image.WriteTo(root))
	done, err := powerloss.Unsynced(root)
	require.NoError(t, err)
	db, err := sql.Open("sqlite", filepath.Join(root, "n.db"))
	require.NoError(t, err)
	var check string
	var count, last int
	err = db.QueryRow(`PRAGMA quick_check`).Scan(&check)
	if err == nil && check == "ok" {
		if err = db.QueryRow(`SELECT count(*), coalesce(max(n), -1) FROM n`).Scan(&count, &last); err != nil && acknowledged < 0 {
			count, last, err = 0, -1, nil // the table was not acknowledged either
		}
	}
	require.NoError(t, db.Close())
	require.NoError(t, done())
	require.NoError(t, os.RemoveAll(root))
	return err == nil && check == "ok" && count == last+1 && last >= acknowledged
}

func TestSQLiteKeepsWhatItCommitted(t *testing.T) {
	for _, pragmas := range []string{wal, rollback} {
		t.Run(pragmas, func(t *testing.T) {
			images, wrong := lost(t, numbers(t, pragmas, powerloss.Faults{}), 10)
			require.Greater(t, images, 100)
			require.Zero(t, wrong, "of %d images", images)
		})
	}
}

func TestADiskThatLiesIsFound(t *testing.T) {
	for _, c := range []struct{ pragmas, file string }{
		{wal, "n.db-wal"}, {wal, "n.db"}, {wal, "."}, {rollback, "n.db"}, {rollback, "n.db-journal"}, {rollback, "."},
	} {
		t.Run(c.pragmas+" "+c.file, func(t *testing.T) {
			_, wrong := lost(t, numbers(t, c.pragmas, powerloss.Faults{LoseSync: func(name string) bool { return name == c.file }}), 1)
			require.NotZero(t, wrong)
		})
	}
}

func TestCommitsThatAreNotSyncedAreFound(t *testing.T) {
	for _, pragmas := range []string{
		"_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)",
		"_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)",
		"_pragma=journal_mode(DELETE)&_pragma=synchronous(FULL)", // the removal of the journal, which is the commit, is not synced
	} {
		_, wrong := lost(t, numbers(t, pragmas, powerloss.Faults{}), 1)
		require.NotZero(t, wrong, pragmas)
	}
}

func TestASyncThatFailsIsAnErrorOfTheCommit(t *testing.T) {
	root := t.TempDir()
	failing := false
	r, err := powerloss.Record(root, powerloss.Faults{FailSync: func(string) bool { return failing }})
	require.NoError(t, err)
	db, err := sql.Open("sqlite", filepath.Join(root, "n.db"))
	require.NoError(t, err)
	_, err = db.Exec(`CREATE TABLE n (n INTEGER)`)
	require.NoError(t, err)
	failing = true
	_, err = db.Exec(`INSERT INTO n VALUES (1)`)
	require.ErrorContains(t, err, "disk I/O error")
	failing = false
	require.NoError(t, db.Close())
	_, err = r.Stop()
	require.NoError(t, err)
}

func TestNamesAreFollowed(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "old"), []byte("was there"), 0o600))
	r, err := powerloss.Record(root, powerloss.Faults{})
	require.NoError(t, err)
	dir := filepath.Join(root, "data")
	require.NoError(t, os.Mkdir(dir, 0o700))
	r.Note("made")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
	require.NoError(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")))
	require.NoError(t, os.Remove(filepath.Join(root, "old")))
	for _, d := range []string{dir, root} {
		_, err := os.ReadDir(d) // is no sync
		require.NoError(t, err)
	}
	f, err := os.Open(dir)
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
	recording, err := r.Stop()
	require.NoError(t, err)
	var words []string
	for _, op := range recording.Ops {
		words = append(words, fmt.Sprint(op))
	}
	require.Equal(t, []string{
		"mkdir data", `note "made"`, "create data/a as file 2", "rename data/a to data/b", "remove old", "syncdir data",
	}, words)

	disk := powerloss.NewDisk(recording)
	for _, op := range recording.Ops {
		disk.Play(op)
	}
	gone := disk.Lose(powerloss.Loss{Mode: powerloss.Drop})
	require.Empty(t, gone.Dirs, "the name of the directory was not synced")
	require.Equal(t, map[string][]byte{"old": []byte("was there")}, gone.Files, "nor that the file is removed")
	kept := disk.Lose(powerloss.Loss{Mode: powerloss.Keep})
	require.Equal(t, []string{"data"}, kept.Dirs)
	require.Equal(t, []string{"data/b"}, kept.Names())
}
