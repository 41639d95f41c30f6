package engine_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

func textScope(t require.TestingT) engine.Scope {
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	day := func(s string) recurrence.Date {
		d, err := recurrence.ParseDate(s)
		require.NoError(t, err)
		return d
	}
	return engine.Scope{
		PlanTime: time.Date(2026, 3, 31, 2, 5, 0, 0, shanghai),
		Window: func() (from, to time.Time) {
			return time.Date(2026, 3, 30, 18, 5, 0, 0, time.UTC).Add(-24 * time.Hour), time.Date(2026, 3, 31, 2, 5, 0, 0, shanghai)
		},
		Now:      time.Date(2026, 3, 31, 2, 6, 7, 89e6, shanghai),
		Workflow: "retail", Job: "orders", Instance: "1234", Attempt: 2,
		Params: map[string]string{"region": "cn; rm -rf /", "nested": "${{ secrets.token }}", "empty": ""},
		Secret: func(name string) (string, error) {
			if name != "token" {
				return "", errors.New("not declared")
			}
			return "s3cret", nil
		},
		Outputs: func(step, key string) (string, bool) { return "12", step == "load" && key == "rows" },
		Calendar: &recurrence.Calendar{Name: "cn", WorkDays: [7]bool{1: true, 2: true, 3: true, 4: true, 5: true},
			Off: []recurrence.DateRange{{From: day("2026-04-01"), To: day("2026-04-06")}}},
	}
}

func TestTextRender(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"plain", "plain"},
		{"", ""},
		{"${{ planTime }}", "2026-03-31T02:05:00+08:00"},
		{"${{planTime|iso}}", "2026-03-31T02:05:00+08:00"},
		{"${{ now }}", "2026-03-31T02:06:07.089+08:00"},
		{"${{ now | yyyy/MM/dd HH:mm:ss.SSSXXX }}", "2026/03/31 02:06:07.089+08:00"},
		{"${{ planTime | unix }}", "1774893900"},
		{"${{ planTime | yyyyMMddHHmmss }}", "20260331020500"},
		{"${{ planTime | yy-M-d_H:m:s,T }}", "26-3-31_2:5:0,T"},
		{"${{ planDay }}", "2026-03-31"},
		{"${{ dataDay }}", "2026-03-30"},
		{"${{ dataDay | yyyyMMdd }}", "20260330"},
		{"${{ planDay | unix }}", "1774886400"},
		{"${{ planDay | yyyy-MM-dd'T'HH }}", ""},
		{"${{ planDay | yyyy-MM-ddTHH:mmXXX }}", "2026-03-31T00:00+08:00"},
		{"${{ windowStart }} ${{ windowEnd }}", "2026-03-30T02:05:00+08:00 2026-03-31T02:05:00+08:00"},
		{"${{ planTime -1d }}", "2026-03-30T02:05:00+08:00"},
		{"${{ planTime-1M }}", "2026-02-28T02:05:00+08:00"},
		{"${{ planTime + 1M }}", "2026-04-30T02:05:00+08:00"},
		{"${{ planTime -13M | yyyyMM }}", "202502"},
		{"${{ planDay -25M }}", "2024-02-29"},
		{"${{ planDay +1y }}", "2027-03-31"},
		{"${{ planDay -2w }}", "2026-03-17"},
		{"${{ planDay +1wd }}", "2026-04-07"},
		{"${{ planDay -1wd }}", "2026-03-30"},
		{"${{ planTime +1wd }}", "2026-04-07T02:05:00+08:00"},
		{"${{ planTime +2h | HH:mm }}", "04:05"},
		{"${{ planTime -150m | yyyy-MM-dd HH:mm }}", "2026-03-30 23:35"},
		{"${{ planTime +30s | ss }}", "30"},
		{"${{ workflow }}/${{ job }}#${{ instance }}.${{ attempt }}", "retail/orders#1234.2"},
		{"a${{ params.empty }}b", "ab"},
		{"${{ params.region }}", "cn; rm -rf /"},
		{"${{ params.nested }}", "${{ secrets.token }}"}, // one pass: what a parameter holds is not looked at again
		{"${{ secrets.token }}${{ steps.load.outputs.rows }}", "s3cret12"},
		{"$${{ planTime }}", "${{ planTime }}"},
		{"$$${{ job }}", "$${{ job }}"},
		{"${{ job }}$${{ job }}${{ job }}", "orders${{ job }}orders"},
		{"$HOME ${HOME} $${ {{ }} }", "$HOME ${HOME} $${ {{ }} }"},
	} {
		got, err := engine.Text(test.text).Render(textScope(t))
		if test.want == "" && test.text != "" {
			require.Error(t, err, test.text)
			continue
		}
		require.NoError(t, err, test.text)
		require.Equal(t, test.want, got, test.text)
	}
}

func TestTextErrors(t *testing.T) {
	for text, want := range map[string]string{
		"${{ planTime":                   "does not end with }}",
		"${{ }}":                         "the name is missing",
		"${{ Plantime }}":                "unknown name",
		"${{ params.gone }}":             "the parameter has no value",
		"${{ secrets.gone }}":            "not declared",
		"${{ steps.load.outputs.gone }}": "has written no output gone",
		"${{ steps.load.rows }}":         "steps.S.outputs.K",
		"${{ planTime -1 }}":             "no offset",
		"${{ planTime -1d -1d }}":        "no offset",
		"${{ planTime -1q }}":            "no offset",
		"${{ planDay -1h }}":             "is a day",
		"${{ job -1d }}":                 "takes no offset",
		"${{ job | iso }}":               "takes no format",
		"${{ params.a | iso }}":          "takes no format",
		"${{ planTime | }}":              "format after | is missing",
		"${{ planTime | yyyymmdd }}":     "the month is MM",
		"${{ planTime | YYYY }}":         "not understood",
		"${{ planTime | $(date) }}":      "not understood",
		"${{ planTime | iso | unix }}":   "not understood",
		"${{ now() }}":                   "there are no functions",
		"${{ params.a b }}":              "is no name",
		"${{ planDay -3000y }}":          "out of range",
	} {
		_, err := engine.Text(text).Render(textScope(t))
		require.ErrorContains(t, err, want, text)
	}
	scope := textScope(t)
	scope.Calendar = nil
	_, err := engine.Text("${{ planDay +1wd }}").Render(scope)
	require.ErrorContains(t, err, "needs a calendar")
	scope.Params["nul"] = "a\x00b"
	_, err = engine.Text("${{ params.nul }}").Render(scope)
	require.ErrorContains(t, err, "NUL")
	scope.Params["long"] = strings.Repeat("x", 600_000)
	_, err = engine.Text("${{ params.long }}${{ params.long }}").Render(scope)
	require.ErrorContains(t, err, "longer than")
}

// Days are those of the job's zone: midnight that does not exist, and 23:30 UTC that is the next day elsewhere.
func TestTextDaysOfTheZone(t *testing.T) {
	santiago, err := time.LoadLocation("America/Santiago")
	require.NoError(t, err)
	scope := engine.Scope{PlanTime: time.Date(2026, 9, 6, 12, 0, 0, 0, santiago)}
	for text, want := range map[string]string{
		"${{ planDay }}":                         "2026-09-06",
		"${{ planDay | yyyy-MM-dd HH:mm }}":      "2026-09-06 00:00",
		"${{ planDay | unix }}":                  "1788667200", // 01:00, the first instant of the day
		"${{ planTime -12h | HH:mm }}":           "23:00",
		"${{ planTime -1d | yyyy-MM-dd HH:mm }}": "2026-09-05 12:00",
	} {
		got, err := engine.Text(text).Render(scope)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
}

func TestTextReferences(t *testing.T) {
	list, err := engine.Text("a ${{ planTime -1wd }} $${{ job }} ${{ params.x }}${{ secrets.y }} ${{ steps.s-1.outputs.k.v }}").References()
	require.NoError(t, err)
	var names []string
	for _, r := range list {
		names = append(names, r.String())
	}
	require.Equal(t, []string{"planTime", "params.x", "secrets.y", "steps.s-1.outputs.k.v"}, names)
	require.Equal(t, 2, list[0].Offset)
	require.True(t, list[0].WorkDays)
	require.True(t, list[0].Safe())
	require.False(t, list[1].Safe())
	require.Equal(t, engine.RefOutput, list[3].Kind)
	require.Equal(t, "s-1", list[3].Step)

	list, err = engine.Text("${{ a }} ${{ job }} ${{ b").References()
	require.Len(t, list, 1)
	var first *engine.TextError
	require.ErrorAs(t, err, &first)
	require.Equal(t, 0, first.Offset)
	require.Len(t, strings.Split(err.Error(), "\n"), 2)
}

func TestActionRender(t *testing.T) {
	action := engine.Action{
		Type: "shell", Timeout: time.Minute,
		Shell: &engine.Shell{Command: "run ${{ planDay }}", Args: []engine.Text{"${{ params.region }}"}, Env: map[string]engine.Text{"T": "${{ secrets.token }}"}, Dir: "d"},
		HTTP: &engine.HTTP{Method: "GET", URI: "http://x/${{ job }}", Headers: map[string]engine.Text{"H": "${{ attempt }}"}, Body: "${{ instance }}", Expect: []int{200},
			Basic: &engine.BasicAuth{Username: "${{ workflow }}", Password: "${{ secrets.token }}"}},
	}
	got, err := action.Render(textScope(t))
	require.NoError(t, err)
	require.Equal(t, engine.Action{
		Type: "shell", Timeout: time.Minute,
		Shell: &engine.Shell{Command: "run 2026-03-31", Args: []engine.Text{"cn; rm -rf /"}, Env: map[string]engine.Text{"T": "s3cret"}, Dir: "d"},
		HTTP: &engine.HTTP{Method: "GET", URI: "http://x/orders", Headers: map[string]engine.Text{"H": "2"}, Body: "1234", Expect: []int{200},
			Basic: &engine.BasicAuth{Username: "retail", Password: "s3cret"}},
	}, got)
	require.Equal(t, engine.Text("run ${{ planDay }}"), action.Shell.Command, "the definition is not changed")
	require.Equal(t, engine.Text("${{ secrets.token }}"), action.Shell.Env["T"])

	action.Shell.Env["A"] = "${{ params.gone }}"
	_, err = action.Render(textScope(t))
	require.EqualError(t, err, "env A: ${{ params.gone }}: the parameter has no value")
}

// harmless is what a value of a safe name may hold: nothing that a shell reads as anything but text.
var harmless = regexp.MustCompile(`^[\p{L}\p{N}_.:/+, -]*$`)

// A command in which only safe names stand is, rendered, what its author wrote with harmless text in between.
func TestCommandsStayWhatTheAuthorWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scope := textScope(t)
		scope.Job = rapid.StringMatching(`[\p{L}\p{N}][\p{L}\p{N}_.-]{0,20}`).Draw(t, "job")
		scope.PlanTime = time.UnixMilli(rapid.Int64Range(-6e13, 2e14).Draw(t, "plan")).In(scope.PlanTime.Location())
		var text, want strings.Builder
		for range rapid.IntRange(1, 4).Draw(t, "pieces") {
			literal := rapid.SampledFrom([]string{"echo ", "'", `"`, "$(x)", "`", ";", "&& ls | wc", "\\", "$HOME"}).Draw(t, "literal")
			inner := rapid.SampledFrom(engine.TextNames).Draw(t, "name") +
				rapid.SampledFrom([]string{"", " -1d", "+3h", " +2M", "-1wd", " $(x)", ";"}).Draw(t, "offset") +
				rapid.SampledFrom([]string{"", " | iso", "|unix", "| yyyyMMdd", "|HH:mm XXX", "| ';rm'", "|$(x)", "| yyyy`x`"}).Draw(t, "format")
			substitution := engine.Text("${{ " + inner + " }}")
			value, err := substitution.Render(scope)
			if err != nil {
				return
			}
			require.Regexp(t, harmless, value)
			text.WriteString(literal + string(substitution))
			want.WriteString(literal + value)
		}
		got, err := engine.Text(text.String()).Render(scope)
		require.NoError(t, err)
		require.Equal(t, want.String(), got)
	})
}

// FuzzText: no text makes the parser panic; what has no mistake renders, and a text without substitutions is its own value.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"${{ planTime -1M | yyyy-MM-dd }}", "$${{ x }}", "$$$${{{{}}}}", "${{ steps.a.outputs.b }}", "${{", "}}", "${{ params. }}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		text := engine.Text(source)
		references, err := text.References()
		scope := textScope(t)
		scope.Secret = func(string) (string, error) { return "v", nil }
		scope.Outputs = func(string, string) (string, bool) { return "v", true }
		scope.Params = map[string]string{}
		for _, r := range references {
			if r.Kind == engine.RefParam {
				scope.Params[r.Name] = "${{ secrets.x }}"
			}
		}
		rendered, renderErr := text.Render(scope)
		switch {
		case err != nil && renderErr == nil && strings.Contains(source, "${{"):
			t.Fatalf("%q has mistakes and renders as %q: %s", source, rendered, err)
		case err == nil && renderErr != nil && len(source) < 1000 && !strings.Contains(renderErr.Error(), "out of range") && !strings.Contains(renderErr.Error(), "no such work day"):
			t.Fatalf("%q has no mistake and does not render: %s", source, renderErr)
		case err == nil && len(references) == 0 && !strings.Contains(source, "$${{") && rendered != source:
			t.Fatalf("%q became %q", source, rendered)
		}
	})
}
