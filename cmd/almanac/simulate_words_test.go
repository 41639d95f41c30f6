package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// A deadline is met by what has ended well: what has failed in time has not met it.
func TestOnlyWhatEndsWellMeetsItsDeadline(t *testing.T) {
	due := time.Date(2026, 11, 22, 6, 0, 0, 0, time.UTC)
	before, after := due.Add(-time.Minute), due.Add(time.Minute)
	for _, c := range []struct {
		state engine.State
		ended *time.Time
		late  bool
		want  string
	}{
		{engine.Succeeded, &before, false, "met, 1m00s left"},
		{engine.Failed, &before, false, "failed, 1m00s before"},
		{engine.Cancelled, &before, false, "cancelled, 1m00s before"},
		{engine.Failed, &after, true, "missed by 1m00s"},
		{engine.Waiting, nil, true, "missed, never ends"},
	} {
		x := web.SimulatedInstance{State: c.state, EndedAt: c.ended, Deadline: &due, Late: c.late}
		require.Equal(t, c.want, deadlineWords(&x))
	}
	require.Equal(t, "-", deadlineWords(&web.SimulatedInstance{State: engine.Failed, EndedAt: &before}))
}
