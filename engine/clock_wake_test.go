package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// What a clock that was ahead has put off is not looked at when that time comes, but when its own
// does: also when the server that was misled is not the one that goes on.
func TestALookThatWasPutOffByAFalseClock(t *testing.T) {
	for _, restarted := range []bool{false, true} {
		d := newDesk(t)
		const text = "workflow: w\njobs:\n  load: {cron: \"0 * * * *\", misfire: runAll, action: {type: shell, command: \"true\"}"
		e, _ := d.server("a", d.db, false)
		d.load(e, text+"}\n")
		d.settle(t, e)
		right := d.now
		d.now = right.Add(20 * time.Hour)
		d.load(e, text+", state: disabled}\n") // what is due is held
		d.settle(t, e)
		asleep := d.wakings()
		require.NotEmpty(t, asleep)
		for _, w := range asleep {
			require.True(t, w.At.After(d.now), "it is held by the false clock")
		}

		d.now = right.Add(time.Minute)
		if restarted {
			e, _ = d.server("b", d.db, false)
		}
		d.settle(t, e)
		after := d.wakings()
		require.Len(t, after, len(asleep))
		for _, w := range after {
			require.Equal(t, w.NotBefore, w.At)
		}
	}
}

// wakings lists when what was looked at and waits is looked at again.
func (d *desk) wakings() (list []engine.Waking) {
	d.Helper()
	require.NoError(d, d.db.Read(d.Context(), func(v engine.View) error {
		all, err := v.WakingAfter(time.Time{}, 0, 10_000)
		for _, w := range all {
			if w.Gate != engine.GateTime {
				list = append(list, w)
			}
		}
		return err
	}))
	return list
}
