package deps_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/deps"
)

func TestCircles(t *testing.T) {
	waits := map[string][]string{
		"a": {"b", "a"}, "b": {"c"}, "c": {"a", "d"}, // a circle of three, of which d is no part
		"d": {"d"},             // itself alone
		"e": {"f"}, "f": {"e"}, // another
		"g": {"e", "unknown"},
	}
	circles, err := deps.Circles([]string{"g", "a", "b", "c", "d", "e", "f"}, func(job string) []string { return waits[job] })
	require.NoError(t, err)
	require.Equal(t, [][]string{{"a", "b", "c"}, {"e", "f"}}, circles)
	circles, err = deps.Circles(nil, nil)
	require.NoError(t, err)
	require.Empty(t, circles)
}
