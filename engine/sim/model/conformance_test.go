package model_test

import (
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/invariant"
	"github.com/almanac-sched/almanac/engine/sim/model"
	"github.com/almanac-sched/almanac/store/storetest"
	"github.com/stretchr/testify/require"
)

// noon is what the clocks of these tests say.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func newStore() *model.Store { return model.New(func() time.Time { return noon }) }

func TestConformance(t *testing.T) {
	storetest.Run(t, func(*testing.T) engine.Store { return newStore() })
}

func TestAViewListsWhatTheInvariantsAskFor(t *testing.T) {
	require.NoError(t, newStore().Read(t.Context(), func(v engine.View) error {
		require.Implements(t, (*invariant.Source)(nil), v)
		return nil
	}))
}
