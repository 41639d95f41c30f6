package fault_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/fault"
)

// Each bug has a name of its own and says where it was seen; and in a program like this none is planted.
func TestBugs(t *testing.T) {
	require.EqualValues(t, 57, fault.Count-1, "fifty-seven are promised")
	names := map[string]bool{}
	for b := fault.None + 1; b < fault.Count; b++ {
		require.NotEmpty(t, b.String())
		require.NotEmpty(t, b.From(), b)
		require.NotEmpty(t, b.What(), b)
		require.False(t, names[b.String()], b)
		names[b.String()] = true
		found, known := fault.Find(b.String())
		require.True(t, known)
		require.Equal(t, b, found)
		if !fault.Enabled {
			fault.Use(b)
			require.False(t, fault.Planted(b), b)
		}
	}
	_, known := fault.Find("no such bug")
	require.False(t, known)
}
