package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func TestADayIsSummedUp(t *testing.T) {
	from := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	span := func(state engine.State, started, took int, once bool) engine.InstanceSpan {
		s := engine.InstanceSpan{PlanTime: from, State: state, Once: once}
		if started > 0 {
			s.StartedAt = from.Add(time.Duration(started) * time.Minute)
		}
		if took >= 0 {
			s.EndedAt = s.StartedAt.Add(time.Duration(took) * time.Minute)
		}
		return s
	}
	d := engine.DayOf(from, from.AddDate(0, 0, 1), []engine.InstanceSpan{
		span(engine.Succeeded, 60, 10, true), span(engine.Succeeded, 30, 30, true), span(engine.Succeeded, 90, 20, true),
		span(engine.Succeeded, 10, 600, false), // run twice: how long it took is not told
		span(engine.Cancelled, 200, 500, true), span(engine.Running, 300, -1, true), span(engine.Waiting, 0, -1, false),
	})
	require.Equal(t, map[engine.State]int{engine.Succeeded: 4, engine.Cancelled: 1, engine.Running: 1, engine.Waiting: 1}, d.States)
	require.Equal(t, engine.Cancelled, d.Worst)
	require.Equal(t, from.Add(10*time.Minute), d.Started)
	require.Equal(t, from.Add(700*time.Minute), d.Ended)
	require.Equal(t, 3, d.Timed)
	require.Equal(t, time.Hour, d.Total)
	require.Equal(t, 20*time.Minute, d.Median)
}

func TestTheWorstStateOfADayIsTheOneToLookAtFirst(t *testing.T) {
	order := []engine.State{engine.Failed, engine.Lost, engine.Cancelled, engine.Running, engine.Waiting, engine.Forced, engine.Succeeded, engine.Skipped}
	require.ElementsMatch(t, engine.States, order)
	for n := range order {
		var spans []engine.InstanceSpan
		for _, s := range order[n:] {
			spans = append([]engine.InstanceSpan{{State: s}}, spans...)
		}
		require.Equal(t, order[n], engine.DayOf(time.Time{}, time.Time{}, spans).Worst)
	}
	empty := engine.DayOf(time.Time{}, time.Time{}, nil)
	require.Empty(t, empty.Worst)
	require.Zero(t, empty.Median)
	require.Empty(t, empty.States)
}
