package effort_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/fault/effort"
)

func TestOf(t *testing.T) {
	for value, want := range map[string]int{"": 3, "short": 3, "long": 70} {
		t.Setenv(effort.Variable, value)
		require.Equal(t, want, effort.Of(3, 70), value)
		require.Equal(t, value == "long", effort.Long())
	}
}
