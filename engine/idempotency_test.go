package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func TestKeysOfWork(t *testing.T) {
	for want, a := range map[string]engine.Attempt{
		"4711":               {Instance: 4711, Number: 3},
		"4711/load":          {Instance: 4711, Step: "load"},
		"4711/load%5B2%5D":   {Instance: 4711, Step: "load[2]"},
		"4711/send%20mail~2": {Instance: 4711, Step: "send mail", Again: 2},
		"4711~1":             {Instance: 4711, Again: 1},
		"4711!error-4720":    {Instance: 4711, Error: true, Errand: 4720, Number: 2},
		"4711/a%2Fb":         {Instance: 4711, Step: "a/b"},
	} {
		require.Equal(t, want, a.IdempotencyKey())
	}
}
