package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func TestAnEstimateIsMadeOfPastDurations(t *testing.T) {
	seconds := func(s ...int) (d []time.Duration) {
		for _, n := range s {
			d = append(d, time.Duration(n)*time.Second)
		}
		return d
	}
	require.Zero(t, engine.EstimateOf(nil))
	require.Equal(t, engine.Estimate{Median: 7 * time.Second, High: 7 * time.Second, Of: 1}, engine.EstimateOf(seconds(7)))
	require.Equal(t, engine.Estimate{Median: 5 * time.Second, High: 9 * time.Second, Of: 10}, engine.EstimateOf(seconds(10, 1, 3, 2, 9, 4, 5, 8, 7, 6)))
}
