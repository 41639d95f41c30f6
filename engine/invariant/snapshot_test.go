package invariant_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/invariant"
)

// A busy reader lets the server work on each time that the check asks for another part of the rows, as it does on a machine where both run.
type busy struct {
	w     *world
	moved *int
}

type busyView struct {
	invariant.Source
	busy
}

func (b busy) Read(ctx context.Context, fn func(v engine.View) error) error {
	return b.w.db.Read(ctx, func(v engine.View) error { return fn(busyView{v.(invariant.Source), b}) })
}

func (b busy) work() {
	*b.moved++
	b.w.until(b.w.now.Add(7*time.Minute + 11*time.Second))
}

func (v busyView) InstancesAfter(job int64, planTime time.Time, key string, id int64, limit int) ([]engine.Instance, error) {
	v.work()
	return v.Source.InstancesAfter(job, planTime, key, id, limit)
}

func (v busyView) HistoryAfter(event int64, limit int) (ids []int64, events []engine.EventRow, err error) {
	v.work()
	return v.Source.HistoryAfter(event, limit)
}

func (v busyView) Running() ([]engine.Instance, error) {
	v.work()
	return v.Source.Running()
}

func (v busyView) LeftOver(limit int) ([]int64, error) {
	v.work()
	return v.Source.LeftOver(limit)
}

// TestTheCheckIsOfOneMoment checks the rows of a server that goes on working all the time: what was started and what runs must be counted in one snapshot, or
// a sound server is accused.
func TestTheCheckIsOfOneMoment(t *testing.T) {
	w := newWorld(t, time.Date(2026, 8, 3, 6, 0, 0, 0, time.UTC))
	defer w.close()
	w.load(read(t, map[string]string{"w.yaml": everything}))
	w.until(w.now.Add(8 * time.Hour))
	moved := 0
	for range 4 {
		o := w.options()
		o.Page = 40
		r, err := invariant.Check(context.Background(), busy{w, &moved}, o)
		require.NoError(t, err)
		require.Empty(t, r.Violations, "a sound server is accused")
	}
	require.Greater(t, moved, 50, "the server did not work meanwhile")
	w.clean()
}

// TestWhatStaysOverdueIsFound holds the other side: what a server goes on forgetting is found, however patient the check is.
func TestWhatStaysOverdueIsFound(t *testing.T) {
	w := newWorld(t, time.Date(2026, 8, 3, 6, 0, 0, 0, time.UTC))
	defer w.close()
	w.load(read(t, map[string]string{"w.yaml": everything}))
	w.until(w.now.Add(time.Hour))
	w.clean()
	o := w.options()
	o.Now = o.Now.Add(time.Hour) // the server has not come by since
	o.Patience = 120 * time.Millisecond
	r, err := invariant.Check(context.Background(), w.db, o)
	require.NoError(t, err)
	found := map[string]bool{}
	for _, v := range r.Violations {
		found[v.Invariant] = true
	}
	require.True(t, found["I7"], "%v", r.Violations)
}
