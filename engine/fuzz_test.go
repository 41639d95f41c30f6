package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// FuzzText is beside its tables, in text_test.go.

// opaque stands for a value in a rendered text; no text of the fuzzer's holds it.
const opaque = "\x02value\x03"

// FuzzSubstitution: what a parameter, a secret or an output holds comes out as it is and is never looked at again, in an environment, an argument
// and a command alike: rendering with a value is rendering with a mark and putting the value in its place.
func FuzzSubstitution(f *testing.F) {
	for _, text := range []string{"${{ params.x }}", "a ${{ params.x }}${{ secrets.x }} $${{ params.x }}", "$${{${{ steps.s.outputs.x }}}}", "$$${{params.x}}", "${{ params.x",
		"${{ params.x | iso }}", "}}${{ planTime -1M }}${{", "$HOME `x` $(y) ${{ params.x }}"} {
		for _, value := range []string{"", "${{ secrets.x }}", "$${{", "}}", "${{ params.x }}", "'; rm -rf / #", "\n", "日报", "$"} {
			f.Add(text, value)
		}
	}
	f.Fuzz(func(t *testing.T, source, value string) {
		if strings.Contains(source, opaque) || strings.IndexByte(value, 0) >= 0 || len(source)*(len(value)+len(opaque)) > 1<<20 {
			return
		}
		render := func(value string) (engine.Action, error) {
			scope := textScope(t)
			scope.Params = map[string]string{"x": value}
			scope.Secret = func(string) (string, error) { return value, nil }
			scope.Outputs = func(string, string) (string, bool) { return value, true }
			text := engine.Text(source)
			return engine.Action{Shell: &engine.Shell{
				Command: text, Args: []engine.Text{text, "plain"}, Env: map[string]engine.Text{"X": text, "Y": "plain"},
			}}.Render(scope)
		}
		marked, err := render(opaque)
		got, gotErr := render(value)
		if err != nil {
			require.EqualError(t, gotErr, err.Error())
			return
		}
		require.NoError(t, gotErr)
		want := strings.ReplaceAll(string(marked.Shell.Command), opaque, value)
		require.Equal(t, want, string(got.Shell.Command))
		require.Equal(t, []engine.Text{engine.Text(want), "plain"}, got.Shell.Args)
		require.Equal(t, map[string]engine.Text{"X": engine.Text(want), "Y": "plain"}, got.Shell.Env)
	})
}

// FuzzSafeReference: what may stand in a command is, for every time and offset, harmless to a shell.
func FuzzSafeReference(f *testing.F) {
	for _, inner := range []string{"planTime", "planDay -1M | yyyy-MM-dd", "dataDay +1wd", "now | iso", "windowStart | HH:mm:ss.SSSXXX", "windowEnd -999999h", "instance", "attempt",
		"planTime | yyyy`id`", "planTime | ';id'", "job\n", "now + 1 d", "planTime | unix", "planDay -2025y"} {
		f.Add(inner, int64(1774893900000), int16(480))
	}
	f.Fuzz(func(t *testing.T, inner string, ms int64, minutes int16) {
		references, err := engine.Text("${{" + inner + "}}").References()
		if err != nil || len(references) != 1 || !references[0].Safe() || strings.Contains(inner+"}", "}}") {
			return
		}
		scope := textScope(t)
		at := time.UnixMilli(ms).In(time.FixedZone("", int(minutes)*60%(14*3600)))
		if at.Year() < 1 || at.Year() > 9999 {
			return
		}
		scope.PlanTime, scope.Now = at, at
		scope.Window = func() (from, to time.Time) { return at, at }
		value, err := engine.Text("${{" + inner + "}}").Render(scope)
		if err != nil {
			return
		}
		require.Regexp(t, harmless, value)
		require.NotContains(t, value, "${{")
	})
}
