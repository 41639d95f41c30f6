package storetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

var backfillDayCases = []testCase{
	{"the days of a backfill are those of the clock of each job", func(w *world) {
		far := time.FixedZone("", 8*3600)
		place := func(job, clock string, zone *time.Location) int64 {
			i := w.filled(job, clock)
			i.PlanTime = i.PlanTime.In(zone)
			return w.insert(i).ID
		}
		first, next := place("A", "1 23:00", far), place("A", "2 00:00", far)
		near := place("B", "2 01:00", time.UTC) // 17:00 of the day before, there
		w.insert(w.planned("A", "1 23:00"))     // of no backfill
		w.run(first, engine.Succeed, "3 05:00")
		day := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
		w.read(func(v engine.View) {
			days, err := v.BackfillDays("bf")
			require.NoError(w, err)
			require.Equal(w, []engine.BackfillDay{
				{Day: day, States: map[engine.State]int{engine.Succeeded: 1, engine.Waiting: 1}},
				{Day: day.AddDate(0, 0, 1), States: map[engine.State]int{engine.Waiting: 1}},
			}, days)
			days, err = v.BackfillDays("none")
			require.NoError(w, err)
			require.Empty(w, days)

			list, err := v.OfBackfill("bf", "", 10)
			require.NoError(w, err)
			require.Equal(w, []int64{first, next, near}, ids(list))
			list, err = v.OfBackfill("bf", "", 2)
			require.NoError(w, err)
			require.Equal(w, []int64{first, next}, ids(list))
			list, err = v.OfBackfill("bf", engine.Waiting, 10)
			require.NoError(w, err)
			require.Equal(w, []int64{next, near}, ids(list))
			list, err = v.OfBackfill("none", engine.Waiting, 10)
			require.NoError(w, err)
			require.Empty(w, list)
		})
	}},
	{"a day before 1970 is a day too", func(w *world) {
		i := w.filled("A", "1 15:00")
		i.PlanTime = time.Date(1969, time.December, 30, 23, 30, 0, 0, time.UTC)
		w.insert(i)
		w.read(func(v engine.View) {
			days, err := v.BackfillDays("bf")
			require.NoError(w, err)
			require.Len(w, days, 1)
			require.Equal(w, "1969-12-30", days[0].Day.Format(time.DateOnly))
		})
	}},
}
