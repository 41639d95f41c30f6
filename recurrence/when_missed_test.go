package recurrence_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/recurrence"
)

// A job is due at once, as it is said of it, exactly when its timetable has its creation although it was
// made before that: when it was made a moment later, it is due a moment later.
func TestWhatIsDueAtOnceIsSaid(t *testing.T) {
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		minutes := func(name string) time.Time {
			return day.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, name)) * time.Minute)
		}
		w := recurrence.When{Manual: rapid.Bool().Draw(t, "manual")}
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			w.Rule, w.Manual = &recurrence.Rule{Frequency: recurrence.Minute, Interval: 2}, false
		case 1:
			w.Cron, w.Manual = "*/2 * * * *", false
		case 2:
			w.At, w.Manual = []time.Time{minutes("at")}, false
		}
		if rapid.Bool().Draw(t, "has a start") {
			w.Start = minutes("start")
		}
		if rapid.Bool().Draw(t, "has an end") {
			w.End = minutes("end")
		}
		if w.Validate() != nil {
			return
		}
		moved := 0
		for _, created := range []time.Time{day.Add(31 * time.Second), day.Add(32 * time.Second)} {
			table, err := w.Compile(recurrence.Created(created))
			require.NoError(t, err)
			if next, ok := table.Next(created.Add(-time.Millisecond)); ok && next.Equal(created) {
				moved++
			}
			require.Equal(t, moved > 0, w.ImmediateAt(created), "%+v", w)
		}
		require.NotEqual(t, 1, moved)
	})
}
