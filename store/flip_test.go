//go:build linux

package store_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault/effort"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/store/powerloss"
)

// workedIn is a directory in which two servers, one after the other, have done real work and were
// stopped.
func workedIn(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.Mkdir(dir, 0o700))
	for part := range 2 {
		db, err := store.Open(context.Background(), store.Config{Dir: dir})
		require.NoError(t, err)
		for _, j := range workload(7, 240)[part*120:][:120] {
			if err := db.Write(context.Background(), j.run); err != nil {
				require.ErrorIs(t, err, errRefused)
			}
		}
		require.NoError(t, db.Close())
	}
	return dir
}

// One bit flips at each of many places of a database: each flip is found, wherever it is, and the
// page is named.
func TestEachFlippedBitIsFound(t *testing.T) {
	dir := workedIn(t)
	path := filepath.Join(dir, "almanac.db")
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	check := func() error {
		db, err := store.Open(context.Background(), store.Config{Dir: dir, ReadOnly: true})
		if err != nil {
			return err
		}
		defer db.Close()
		return db.QuickCheck(context.Background())
	}
	require.NoError(t, check(), "it is sound")

	random := rand.New(rand.NewPCG(1, 2))
	byPage, before := 0, 0
	places := effort.Of(150, 1000)
	for range places {
		at, bit := random.IntN(len(sound)), byte(1)<<random.IntN(8)
		damaged := append([]byte(nil), sound...)
		damaged[at] ^= bit
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		switch err := check(); {
		case err == nil:
			t.Fatalf("bit %#x of byte %d of page %d is silent", bit, at%4096, at/4096+1)
		case contains(err, int64(at/4096+1)):
			byPage++
		default:
			before++ // SQLite cannot even open it, as when it is in the first page
		}
	}
	t.Logf("%d places of %d bytes: %d found by the checksum of the page, %d before that", places, len(sound), byPage, before)
	require.Greater(t, byPage, places*9/10)
	require.NoError(t, os.WriteFile(path, sound, 0o600))
	require.NoError(t, check())
}

// A flip in the checksums is no damage of the database.
func TestAFlippedBitOfTheChecksumsIsNoDamage(t *testing.T) {
	dir := workedIn(t)
	path := filepath.Join(dir, "almanac.db-pages")
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		damaged := append([]byte(nil), sound...)
		damaged[random.IntN(len(sound))] ^= byte(1) << random.IntN(8)
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		db, err := store.Open(context.Background(), store.Config{Dir: dir, ReadOnly: true})
		require.NoError(t, err)
		require.NoError(t, db.QuickCheck(context.Background()))
		require.NoError(t, db.Close())
	}
}

// The pages are checked while a server writes, copies its log and begins it anew, as `almanac
// verify` does from another process; and after a stop without a word the next server takes the
// checksums up where they were.
func TestPagesAreSoundBesideAServer(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		db, err := store.Open(context.Background(), store.Config{Dir: dir})
		require.NoError(t, err)
		beside, err := store.Open(context.Background(), store.Config{Dir: dir, ReadOnly: true})
		require.NoError(t, err)
		done := make(chan error, 1)
		go func() {
			var err error
			for n := 0; n < effort.Of(60, 600) && err == nil; n++ {
				err = db.Write(context.Background(), large(n))
			}
			done <- err
		}()
		for busy := true; busy; {
			select {
			case err := <-done:
				require.NoError(t, err)
				busy = false
			default:
			}
			require.NoError(t, beside.CheckPages())
		}
		known, all := entries(t, dir)
		require.Greater(t, known, all/2, "hardly a page has a checksum: it proves too little")
		copied := t.TempDir()
		for _, name := range []string{"almanac.db", "almanac.db-wal", "almanac.db-pages", "head"} { // as it would be found after a kill
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(copied, name), data, 0o600))
		}
		require.NoError(t, beside.Close())
		require.NoError(t, db.Close())
		again, err := store.Open(context.Background(), store.Config{Dir: copied})
		require.NoError(t, err)
		require.NoError(t, again.CheckPages())
		require.NoError(t, again.Close())
		known, _ = entries(t, copied)
		require.Greater(t, known, all/2, "they were thrown away")
	}
}

// entries counts the pages, and those that have a checksum.
func entries(t *testing.T, dir string) (known, all int) {
	t.Helper()
	sums, err := os.ReadFile(filepath.Join(dir, "almanac.db-pages"))
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(dir, "almanac.db"))
	require.NoError(t, err)
	all = int(info.Size() / 4096)
	for n := range all {
		if at := 64 + 8*n; at+8 <= len(sums) && binary.BigEndian.Uint64(sums[at:]) != 0 {
			known++
		}
	}
	return known, all
}

// contains reports whether the error names the page.
func contains(err error, page int64) bool {
	return strings.Contains(err.Error(), fmt.Sprintf(": page %d is not as it was written", page))
}

// large is a write that fills the log: a definition of 300 kB.
func large(n int) func(tx engine.Tx) error {
	return func(tx engine.Tx) error {
		id, err := tx.Reserve(2)
		if err != nil {
			return err
		}
		if err := tx.PutJob(engine.JobRow{ID: id, Ref: engine.JobRef{Workflow: "w", Job: fmt.Sprint("j", id)}, Version: id + 1, CreatedAt: day}); err != nil {
			return err
		}
		definition := make([]byte, 300_000)
		powerloss.NewRand(uint64(n)).Read(definition)
		return tx.PutVersion(engine.VersionRow{ID: id + 1, Job: id, Definition: definition, CreatedAt: day})
	}
}
