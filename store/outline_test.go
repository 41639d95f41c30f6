package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// Every word that a row may hold comes back from the number that an outline reads it as.
func TestOutlinesKnowEveryWord(t *testing.T) {
	kinds := []engine.Kind{engine.Scheduled, engine.Manual, engine.Backfill}
	for _, state := range engine.States {
		for _, gate := range append([]engine.Gate{""}, engine.Gates...) {
			for n, kind := range kinds {
				want := engine.Instance{
					State: state, Gate: gate, Kind: kind, Frozen: n == 1, DryRun: n == 2, Run: 1 << (10 * n),
				}
				for _, offset := range []int{-86_399, -1, 0, 3600, 86_399} {
					got, gotOffset, err := store.OutlineOf(&want, offset)
					require.NoError(t, err)
					require.Equal(t, want, got)
					require.Equal(t, offset, gotOffset)
				}
			}
		}
	}
}
