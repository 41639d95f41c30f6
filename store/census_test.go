package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// A commit is made once, by whoever times it, and its error is the one that counts.
func TestCommitsAreTimed(t *testing.T) {
	timed := 0
	db, err := store.Open(t.Context(), store.Config{Dir: t.TempDir(), Timed: func(commit func()) {
		timed++
		commit()
	}})
	require.NoError(t, err)
	before := timed
	require.NoError(t, db.Write(t.Context(), func(tx engine.Tx) error { return tx.PutZoneRules("UTC", "none") }))
	require.Equal(t, before+1, timed)
	require.NoError(t, db.Read(t.Context(), func(v engine.View) error {
		rules, err := v.ZoneRules("UTC")
		require.Equal(t, "none", rules)
		return err
	}))
	sizes := db.Sizes()
	require.Positive(t, sizes.Database)
	require.Positive(t, sizes.Log)
	require.NoError(t, db.Close())
}

// BenchmarkCensus counts a day of 100,000 open instances, as each look of a server does.
func BenchmarkCensus(b *testing.B) {
	db, err := store.Open(b.Context(), store.Config{Dir: b.TempDir()})
	require.NoError(b, err)
	defer db.Close()
	ids := jobs(b, db, 1000)
	require.NoError(b, db.Write(b.Context(), func(tx engine.Tx) error {
		first, err := tx.Reserve(100_000)
		if err == nil {
			_, err = tx.InsertInstances(plan(first, ids, 100_000))
		}
		return err
	}))
	for b.Loop() {
		require.NoError(b, db.Read(b.Context(), func(v engine.View) error {
			n, err := v.Census()
			require.Equal(b, 100_000, n.States[engine.Waiting])
			return err
		}))
	}
}
