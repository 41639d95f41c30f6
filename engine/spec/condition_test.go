package spec_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/spec"
)

func TestEvalWhen(t *testing.T) {
	env := map[string]any{
		"steps":    map[string]any{"load": map[string]any{"outcome": "succeeded", "outputs": map[string]string{"rows": "12"}}, "a-b": map[string]any{"outcome": "skipped", "outputs": map[string]string(nil)}},
		"params":   map[string]string{"region": "cn"},
		"planTime": time.Date(2026, 10, 1, 2, 0, 0, 0, time.UTC),
	}
	before, params := map[string]bool{"load": true, "a-b": true}, map[string]bool{"region": true}
	for source, want := range map[string]bool{
		`steps.load.outcome == "succeeded"`:       true,
		`int(steps.load.outputs.rows) > 100`:      false,
		`steps["a-b"].outcome in ["skipped"]`:     true,
		`params.region != "cn" or true`:           true,
		`planTime.Weekday().String() == "Monday"`: false,
		`steps.load.outputs.missing == ""`:        true,
		`steps["a-b"].outputs.missing == ""`:      true,
	} {
		require.NoError(t, spec.CheckWhen(source, before, params), source)
		got, err := spec.EvalWhen(source, env)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
	for _, source := range []string{
		`steps.other.outcome == "x"`, `params.other == "x"`, `unknown`, `1`, `now().Year() == 2026`, `steps.load.exit == 0`, `params.region > 3`, `((`,
		`steps.load.outputs.rows > 3`,
	} {
		require.Error(t, spec.CheckWhen(source, before, params), source)
	}
	for source, want := range map[string]string{
		`unknown`:                "unknown name unknown",
		`1 + 1`:                  "expected bool",
		`int(params.region) > 1`: "invalid operation: int(cn)",
		`5 in 1..100000000`:      "memory budget exceeded",
	} {
		_, err := spec.EvalWhen(source, env)
		require.ErrorContains(t, err, want, source)
		require.NotContains(t, err.Error(), "\n")
	}
}

// Whatever a condition says, it is evaluated in a moment: nothing goes through a list as it is told, and lists and conditions are short.
func TestAConditionIsBounded(t *testing.T) {
	for _, source := range []string{
		`let a = 1..20000; all(a, all(a, # > 0))`, `count(1..9, # > 3) > 1`, `reduce(1..9, # + #acc) > 1`, `len(filter([1], true)) > 0`,
		`5 in ` + strings.Repeat("[", 9) + strings.Repeat("1, ", 500) + strings.Repeat("]", 9),
	} {
		require.Error(t, spec.CheckWhen(source, nil, nil), source)
		_, err := spec.EvalWhen(source, map[string]any{})
		require.Error(t, err, source)
	}
	require.EqualError(t, spec.CheckWhen(`1 > 3 or any(1..9, # > 3)`, nil, nil), "any goes through a list, which no condition may, at character 10")
	soon(t)
	long := `let a = 1..99999; ` + strings.Repeat("0 in a || ", 110) + "1 in a"
	require.NoError(t, spec.CheckWhen(long, nil, nil))
	holds, err := spec.EvalWhen(long, map[string]any{})
	require.NoError(t, err)
	require.True(t, holds)
}
