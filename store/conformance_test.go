package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/store/storetest"
	"github.com/stretchr/testify/require"
)

func open(t testing.TB, dir string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), store.Config{Dir: dir, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store { return open(t, t.TempDir()) })
}
