package spec_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
)

func decode(t *testing.T, text string) *engine.Workflow {
	t.Helper()
	w, problems := spec.Decode("w.yaml", []byte(text), spec.Options{Folder: "/jobs"})
	require.NoError(t, problems.Err())
	return w
}

// Everything that a job does not say has its default.
func TestDefaults(t *testing.T) {
	w := decode(t, "jobs:\n  shell: {action: {type: shell, command: ls}}\n  http: {action: {type: http, request: {method: GET, uri: \"http://x\"}}}\n  none: {action: {type: none}}\n")
	require.Equal(t, "w", w.Name)
	require.Equal(t, time.UTC, w.Location)
	shell := w.Job("shell")
	require.Equal(t, &engine.Job{
		Workflow: "w", Name: "shell", When: recurrence.When{Location: time.UTC}, Misfire: engine.MisfireRunAll, MisfireWindow: 24 * time.Hour,
		Concurrency: 1, Overlap: engine.OverlapQueue, WaitTimeout: 60 * 24 * time.Hour, Priority: 5, Slots: 1, OnLost: engine.LostRetry, Folder: "/jobs",
		Steps: []engine.Step{{OnFailure: engine.StepFail, Action: engine.Action{Type: "shell", Shell: &engine.Shell{Command: "ls"},
			Retry: engine.RetryPolicy{Type: engine.RetryNone}}}},
		Definition: []byte(`{"jobs":{"shell":{"action":{"command":"ls","type":"shell"}}},"workflow":"w"}`),
	}, shell)
	require.Equal(t, engine.RetryPolicy{Type: engine.RetryFixed, Interval: 30 * time.Second, Count: 4}, w.Job("http").Steps[0].Action.Retry)
	require.Equal(t, time.Minute, w.Job("http").Steps[0].Action.Timeout)
	require.Equal(t, engine.RetryPolicy{Type: engine.RetryNone}, w.Job("none").Steps[0].Action.Retry)
}

// A job's own member wins over `defaults`, whole member by whole member; one of a group of which a job has one displaces the others.
func TestDefaultsOfTheFile(t *testing.T) {
	w := decode(t, `
defaults: {cron: "@daily", env: {A: "1", B: "2"}, retryPolicy: {retryType: fixed, retryCount: 2}, priority: 3, action: {type: none}}
env: {B: shared, C: shared}
jobs:
  plain: {}
`[1:]+"  hourly: {recurrence: {frequency: hour}, env: {A: own}}\n  azure: {action: {type: http, request: {method: GET, uri: \"http://x\"}, retryPolicy: {retryType: none}}}\n  steps: {steps: {s: {type: shell, command: ls}}}\n")
	require.Equal(t, "@daily", w.Job("plain").When.Cron)
	require.Equal(t, 3, w.Job("plain").Priority)
	require.Equal(t, map[string]engine.Text{"A": "1", "B": "2", "C": "shared"}, w.Job("plain").Env)
	require.Empty(t, w.Job("hourly").When.Cron)
	require.NotNil(t, w.Job("hourly").When.Rule)
	require.Equal(t, map[string]engine.Text{"A": "own", "B": "shared", "C": "shared"}, w.Job("hourly").Env)
	require.Equal(t, engine.RetryNone, w.Job("azure").Steps[0].Action.Retry.Type)
	require.Equal(t, "s", w.Job("steps").Steps[0].Name)
	require.Equal(t, 2, w.Job("steps").Steps[0].Action.Retry.Count)
}

// Only what a job inherits and uses is part of its definition: another's secret or calendar does not make a new version of it.
func TestDefinitionHoldsWhatIsUsed(t *testing.T) {
	before := decode(t, "secrets: {a: {env: A}}\ncalendars: {c: {off: 2026-01-01}}\njobs: {j: {cron: \"@daily\", action: {type: shell, command: ls, env: {X: \"${{ secrets.a }}\"}}}}\n")
	after := decode(t, "description: new\nsecrets: {a: {env: A}, b: {env: B}}\ncalendars: {d: {off: 2026-01-01}}\njobs: {j: {cron: '@daily', action: {env: {X: \"${{ secrets.a }}\"}, command: ls, type: SHELL}}, k: {action: {type: none}}}\n")
	require.Equal(t, string(before.Jobs[0].Definition), string(after.Jobs[0].Definition))
	changed := decode(t, "secrets: {a: {env: OTHER}}\njobs: {j: {cron: \"@daily\", action: {type: shell, command: ls, env: {X: \"${{ secrets.a }}\"}}}}\n")
	require.NotEqual(t, string(before.Jobs[0].Definition), string(changed.Jobs[0].Definition))
}

// Times, dates, on and off are text, whatever the YAML library thinks of them.
func TestTextOfScalars(t *testing.T) {
	w := decode(t, "jobs: {a: {action: {type: shell, command: ls, args: [2026-10-01, on, off, yes, 0777, 1_000, 1e3, 12:30:45, 0x1F, true, 007, .5]}}}\n")
	require.Equal(t, []engine.Text{"2026-10-01", "on", "off", "yes", "0777", "1_000", "1e3", "12:30:45", "0x1F", "true", "007", ".5"}, w.Jobs[0].Steps[0].Action.Shell.Args)
}

// A time without an offset is in the job's zone; what a zone skips is an error (meaning/schedules), of what it repeats the first is meant.
func TestTimes(t *testing.T) {
	york, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	santiago, err := time.LoadLocation("America/Santiago")
	require.NoError(t, err)
	for _, test := range []struct {
		text string
		loc  *time.Location
		want string
	}{
		{"2012-08-04T00:00Z", time.UTC, "2012-08-04T00:00:00Z"},
		{"2013-01-09T09:30:00-08:00", time.UTC, "2013-01-09T17:30:00Z"},
		{"2012-11-04", york, "2012-11-04T00:00:00-04:00"},
		{"2026-09-06", santiago, "2026-09-06T01:00:00-03:00"}, // midnight is skipped
		{"2026-11-01T01:30", york, "2026-11-01T01:30:00-04:00"},
		{"2026-11-01T01:30-0500", york, "2026-11-01T01:30:00-05:00"},
		{"2026-11-01 01:30:15.1239-05", york, "2026-11-01T01:30:15.123-05:00"},
		{"2026-07-01t08:00:00z", york, "2026-07-01T04:00:00-04:00"},
		{"2026-07-01 08:00 +08:00", york, "2026-06-30T20:00:00-04:00"},
	} {
		got, err := spec.ParseInstant(test.text, test.loc)
		require.NoError(t, err, test.text)
		require.Equal(t, test.want, got.Format(time.RFC3339Nano), test.text)
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"PT30S": 30 * time.Second, "PT60D": 60 * 24 * time.Hour, "P1W2DT3H": (9*24 + 3) * time.Hour, "PT0.1S": 100 * time.Millisecond,
		"5m": 5 * time.Minute, "1h30m": 90 * time.Minute, "2d": 48 * time.Hour, "1d12h": 36 * time.Hour, "250ms": 250 * time.Millisecond, "1.5s": 1500 * time.Millisecond,
		"00:01:00": time.Minute, "1.00:00:00": 24 * time.Hour, "00:00:00.5": 500 * time.Millisecond,
	} {
		got, err := spec.ParseDuration(text, false)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		again, err := spec.ParseDuration(spec.FormatDuration(got), false)
		require.NoError(t, err)
		require.Equal(t, got, again, text)
	}
	months, err := spec.ParseDuration("P18M", true)
	require.NoError(t, err)
	require.Equal(t, 540*24*time.Hour, months)
	for text, want := range map[string]deps.Offset{
		"-PT24H": {Duration: -24 * time.Hour}, "-P1D": {Days: -1}, "P1Y2M1W3DT4H": {Years: 1, Months: 2, Days: 10, Duration: 4 * time.Hour}, "PT0S": {}, "+PT5M": {Duration: 5 * time.Minute},
	} {
		got, err := spec.ParseOffset(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		again, err := spec.ParseOffset(spec.FormatOffset(got))
		require.NoError(t, err)
		require.Equal(t, got, again, text)
	}
}

// The period class follows from the schedule; `period:` overrides it and is kept in the definition only then.
func TestPeriods(t *testing.T) {
	for text, want := range map[string]deps.Period{
		`cron: "*/15 * * * *"`: {Class: deps.Minute, Every: 15 * time.Minute},
		`recurrence: {frequency: day, schedule: {hours: [2, 5, 15], minutes: 0}}`: {Class: deps.Discrete, Every: 3 * time.Hour},
		`recurrence: {frequency: day}`:                                            {Class: deps.Day, Every: 24 * time.Hour},
		`cron: "0 12 * * *", period: discrete`:                                    {Class: deps.Discrete, Every: 24 * time.Hour},
		`cron: "0 0,8,16 * * *", period: hour`:                                    {Class: deps.Hour, Every: 8 * time.Hour},
		`at: 2026-01-01, period: day`:                                             {Class: deps.Day, Every: 24 * time.Hour},
		`trigger: manual`:                                                         {},
		`recurrence: {frequency: year}`:                                           {Class: deps.Year},
		`cron: "0 12 * * *", period: day`:                                         {Class: deps.Day, Every: 24 * time.Hour},
		`cron: "0 12 * * 1", period: month`:                                       {Class: deps.Month},
		`cron: "CRON_TZ=Asia/Tokyo 0 2,5 * * *"`:                                  {Class: deps.Discrete, Every: 3 * time.Hour},
		`cron: "0 12 * * 1", period: none`:                                        {},
		`cron: "0 12 * * 1", period: discrete`:                                    {Class: deps.Discrete, Every: 24 * time.Hour},
	} {
		job := decode(t, "jobs: {a: {"+text+", action: {type: none}}}").Jobs[0]
		require.Equal(t, want, job.Period, text)
		again, err := spec.DecodeJob(job.Definition, job.Folder)
		require.NoError(t, err)
		require.Equal(t, job, again, text)
	}
}

func TestCalendars(t *testing.T) {
	ics := "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//EN\r\n" +
		"BEGIN:VEVENT\r\nUID:1\r\nDTSTART;VALUE=DATE:20261001\r\nDTEND;VALUE=DATE:20261004\r\nSUMMARY:National Day\r\nEND:VEVENT\r\n" +
		"BEGIN:VEVENT\r\nUID:2\r\nDTSTART:20261004T080000\r\nDTEND:20261004T120000\r\nEND:VEVENT\r\n" +
		"BEGIN:VEVENT\r\nUID:3\r\nDTSTART;VALUE=DATE:20261225\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	files := fstest.MapFS{
		"sub/cn.yaml": {Data: []byte("calendars:\n  base: {workDays: [mon, tue, wed, thu, fri, sat], off: [2026-05-01]}\n  cn: {ical: cn.ics, on: [2026-10-10, 2026-10-11], include: base}\n  any: {off: 2026-01-01}\n" +
			"jobs:\n  a: {cron: \"@daily\", calendar: cn, offCalendar: drop, action: {type: none}}\n  b: {cron: \"@daily\", calendar: any, action: {type: none}}\n")},
		"sub/cn.ics": {Data: []byte(ics)},
	}
	workflows, problems := spec.Load(files, "/jobs")
	require.NoError(t, problems.Err())
	require.Equal(t, "/jobs/sub", workflows[0].Folder)
	c := workflows[0].Job("a").When.Calendar
	day := func(s string) recurrence.Date {
		d, err := recurrence.ParseDate(s)
		require.NoError(t, err)
		return d
	}
	require.Equal(t, &recurrence.Calendar{
		Name: "cn", WorkDays: [7]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true},
		Off: []recurrence.DateRange{{From: day("2026-05-01"), To: day("2026-05-01")}, {From: day("2026-10-01"), To: day("2026-10-04")}, {From: day("2026-12-25"), To: day("2026-12-25")}},
		On:  []recurrence.DateRange{{From: day("2026-10-10"), To: day("2026-10-11")}},
	}, c)
	require.Equal(t, recurrence.OffDrop, workflows[0].Job("a").When.OffCalendar)
	require.True(t, workflows[0].Job("b").When.Calendar.WorkDay(day("2026-01-02")))
	require.False(t, workflows[0].Job("b").When.Calendar.WorkDay(day("2026-01-03")), "Monday to Friday where nothing is said")
	job := workflows[0].Job("a")
	again, err := spec.DecodeJob(job.Definition, job.Folder)
	require.NoError(t, err)
	require.Equal(t, job, again)

	files["sub/cn.ics"] = &fstest.MapFile{Data: []byte(strings.Replace(ics, "UID:1\r\n", "UID:1\r\nRRULE:FREQ=YEARLY\r\n", 1))}
	_, problems = spec.Load(files, "/jobs")
	require.Equal(t, "/jobs/sub/cn.yaml:3:14: cn.ics: the event 1: repeats, which is not supported (write such days as off: [...])", problems.Error())
	files["sub/cn.ics"] = &fstest.MapFile{Data: []byte("no calendar")}
	_, problems = spec.Load(files, "/jobs")
	require.True(t, problems.HasErrors())
}

// The limits on a file are refusals, not crashes, and do not take seconds.
func TestFileLimits(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"bytes":  {strings.Repeat("#\n", 4<<20+1), "at most 8388608 (8 MiB) are allowed"},
		"nodes":  {"x: [" + strings.Repeat("1,", 1_000_001) + "]", "more than 1000000 values"},
		"depth":  {strings.Repeat("[", 200_000), "exceeded max depth"},
		"nested": {"x: " + strings.Repeat("{a: ", 40) + strings.Repeat("}", 40), "nested deeper than 32 levels"},
	} {
		t.Run(name, func(t *testing.T) {
			w, problems := spec.Decode("w.yaml", []byte(test.text), spec.Options{})
			require.Nil(t, w)
			require.Contains(t, problems.Error(), test.want)
		})
	}
	var jobs strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&jobs, "  j%d: {action: {type: none}}\n", i)
	}
	_, problems := spec.Decode("w.yaml", []byte("jobs:\n"+jobs.String()), spec.Options{})
	require.Equal(t, "w.yaml:1:1: the workflow holds 10001 jobs; its quota allows 10000 (raise quota: {maxJobs: ...} or split the workflow)", problems.Error())
}

// A long text full of what separates values in YAML is one value.
func TestLongText(t *testing.T) {
	body := strings.Repeat("    {\"a\": [1, 2, 3]} // not a comment\n", 20_000)
	w := decode(t, "jobs:\n  a:\n   action:\n    type: http\n    request:\n     method: POST\n     uri: http://x\n     body: |\n"+strings.ReplaceAll(body, "    {", "      {"))
	require.Len(t, strings.Split(string(w.Jobs[0].Steps[0].Action.HTTP.Body), "\n"), 20_001)
	require.Contains(t, string(w.Jobs[0].Steps[0].Action.HTTP.Body), "// not a comment")
}

// Slashes are a comment only where JSON has them.
func TestCommentsOfPastedJSON(t *testing.T) {
	w := decode(t, `jobs:
  a: {   // a comment with "quotes", [brackets] and: colons
    "action": {"type": "shell", // another
      "command": "curl http://x//y // not a comment",
      "args": [a // b, //c, 'it''s // text',  // end
        "d"] // after a list
    }  // after an object
  }
  b:
    action:
      type: shell
      command: |
        { echo // kept
        }
      args:
        - don't // kept
        - "[" # a bracket
        - x // kept
`)
	a, b := w.Job("a").Steps[0].Action.Shell, w.Job("b").Steps[0].Action.Shell
	require.Equal(t, engine.Text("curl http://x//y // not a comment"), a.Command)
	require.Equal(t, []engine.Text{"a // b", "//c", "it's // text", "d"}, a.Args)
	require.Equal(t, engine.Text("{ echo // kept\n}\n"), b.Command)
	require.Equal(t, []engine.Text{"don't // kept", "[", "x // kept"}, b.Args)
}

func TestNamesAreNormalised(t *testing.T) {
	w := decode(t, "workflow: cafe\u0301\njobs:\n  e\u0301: {action: {type: none}}\n  b: {dependsOn: [{job: e\u0301, window: {from: PT0S, to: PT0S}}], action: {type: none}}\n")
	require.Equal(t, "caf\u00e9", w.Name)
	require.NotNil(t, w.Job("\u00e9"))
	require.Equal(t, "\u00e9", w.Job("b").DependsOn[0].Job.Job)
}

// A name is shown, logged, and part of addresses and file names: nothing in it may lead elsewhere, or look like what it is not.
func TestNamesThatDeceiveAreRefused(t *testing.T) {
	for _, name := range []string{
		"../x", "..", ".x", "a/b", `a\b`, "a b", " a", "a\u202eb", "a\u2066b", "a\u200bb", "a\u00adb", "a\x00b", "a\x1b[2J", "a\nb", "<b>", "a%2Fb", "a@b", "-a", strings.Repeat("a", 129),
	} {
		quoted, err := json.Marshal(name) // JSON is YAML
		require.NoError(t, err)
		for what, text := range map[string]string{
			"workflow": `{"workflow": ` + string(quoted) + `, "jobs": {"a": {"action": {"type": "none"}}}}`,
			"job":      `{"jobs": {` + string(quoted) + `: {"action": {"type": "none"}}}}`,
			"step":     `{"jobs": {"a": {"steps": {` + string(quoted) + `: {"action": {"type": "none"}}}}}}`,
		} {
			_, problems := spec.Decode("w.yaml", []byte(text), spec.Options{})
			require.NotEmpty(t, problems, "%s %s", what, quoted)
		}
	}
}

// What a program is called with can be read by everybody on its machine, its environment cannot.
func TestASecretInAnArgumentIsWarnedOf(t *testing.T) {
	w, problems := spec.Decode("w.yaml", []byte(`secrets: {x: {env: X}}
jobs:
  a:
    params: {p: {type: string, secret: true}, q: {type: string}}
    action: {type: shell, command: '"$@"', args: ["${{ secrets.x }}", "-u${{ params.p }}", "${{ params.q }}"], env: {X: "${{ secrets.x }}"}}
`), spec.Options{})
	require.NotNil(t, w)
	require.NoError(t, problems.Err())
	require.Len(t, problems, 2, "%s", problems)
	require.Equal(t, "w.yaml:5:51: warning: ${{ secrets.x }} in an argument is in the list of processes, for everybody on the machine, while it runs "+
		`(write env: {x: "${{ secrets.x }}"} and "$x" in the command)`, problems[0].String())
	require.Contains(t, problems[1].String(), "${{ params.p }} in an argument")
}

// Lint of workflows that came from Decode reports their positions, and depends on the time given: at is the creation of what has no startTime.
func TestLint(t *testing.T) {
	w, problems := spec.Decode("w.yaml", []byte("jobs:\n  a: {cron: \"@daily\", action: {type: none}}\n  b: {cron: \"@daily\", dependsOn: [a, c], action: {type: none}}\n"), spec.Options{})
	require.Empty(t, problems)
	problems = spec.Lint([]*engine.Workflow{w}, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
	require.Equal(t, "w.yaml:3:38: b depends on w/c, which does not exist (did you mean \"a\"?)", problems.Error())
}

func TestDidYouMean(t *testing.T) {
	known := []string{"recurrence", "retryPolicy", "dependsOn", "at"}
	for word, want := range map[string]string{
		"recurence": "recurrence", "Recurrence": "recurrence", "retrypolicy": "retryPolicy", "dependOn": "dependsOn", "dpeendsOn": "dependsOn", "ta": "at",
	} {
		require.Equal(t, `did you mean "`+want+`"?`, spec.DidYouMean(word, known), word)
	}
	require.Empty(t, spec.DidYouMean("somethingElse", known))
}
