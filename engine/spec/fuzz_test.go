package spec_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
)

// FuzzDecode is beside the property of which it is the other half, in roundtrip_test.go.

// soon ends the fuzzing when one input takes much longer than any may.
func soon(t *testing.T) {
	late := time.AfterFunc(time.Minute, func() { panic("it takes longer than a minute") })
	t.Cleanup(func() { late.Stop() })
}

// FuzzLoad: whatever two files of a folder hold, they are judged alike each time and in bounded time, and what is loaded is written and read back.
func FuzzLoad(f *testing.F) {
	f.Add("jobs: {a: {action: {type: none}, dependsOn: [other/b]}}", `{"workflow": "other", "jobs": {"b": {"cron": "0 2 * * *", "action": {"type": "none"}}}}`)
	f.Add("workflow: x\njobs: {a: {action: {type: none}, dependsOn: [x/b]}, b: {action: {type: none}, dependsOn: [a]}}", "workflow: x\njobs: {}")
	f.Add("calendars: {c: {ical: b.json}}\njobs: {a: {calendar: c, cron: '@daily', action: {type: none}}}", "BEGIN:VCALENDAR\nEND:VCALENDAR")
	f.Add("a: &a [*a]", "&a {jobs: *a}")
	f.Add("jobs: {a: {action: {type: none}, at: [2026-05-01], endTime: 2026-04-01}}", "\xff\xfe{\x00}")
	f.Fuzz(func(t *testing.T, yaml, json string) {
		soon(t)
		files := fstest.MapFS{"a.yaml": {Data: []byte(yaml)}, "sub/b.json": {Data: []byte(json)}}
		workflows, problems := spec.Load(files, "/jobs")
		again, same := spec.Load(files, "/jobs")
		require.Equal(t, problems, same)
		require.Equal(t, len(workflows), len(again))
		if problems.HasErrors() {
			require.Nil(t, workflows)
			return
		}
		for n, w := range workflows {
			for k, job := range w.Jobs {
				require.Equal(t, string(job.Definition), string(again[n].Jobs[k].Definition))
				read, err := spec.DecodeJob(job.Definition, job.Folder)
				require.NoError(t, err, "%s", job.Definition)
				require.Equal(t, job, read)
			}
		}
	})
}

// scheduled decodes a job with that schedule, nil when it is refused.
func scheduled(t *testing.T, member string, value any, more object) *engine.Job {
	t.Helper()
	soon(t)
	job := object{member: value, "action": object{"type": "none"}}
	for name, v := range more {
		job[name] = v
	}
	text, err := json.Marshal(object{"workflow": "w", "jobs": object{"j": job}})
	require.NoError(t, err)
	w, problems := spec.Decode("w.json", text, spec.Options{Folder: "/jobs"})
	if problems.HasErrors() {
		require.NotEmpty(t, problems[0].Message)
		return nil
	}
	read, err := spec.DecodeJob(w.Jobs[0].Definition, "/jobs")
	require.NoError(t, err, "%s", w.Jobs[0].Definition)
	require.Equal(t, w.Jobs[0], read)
	return w.Jobs[0]
}

// FuzzRecurrence: a recurrence as people write it is refused in words, or gives times that increase.
func FuzzRecurrence(f *testing.F) {
	f.Add(`{"frequency": "week", "interval": 2, "schedule": {"weekDays": ["monday", "fri"], "hours": [10], "minutes": [0, 30]}}`, "Europe/Berlin")
	f.Add(`{"frequency": "month", "schedule": {"monthDays": [-1, 31], "monthlyOccurrences": [{"day": "friday", "occurrence": -1}]}}`, "America/Santiago")
	f.Add(`{"frequency": "year", "count": 3, "endTime": "2030-02-29"}`, "UTC")
	f.Add(`{"frequency": "minute", "interval": 1000}`, "Australia/Lord_Howe")
	f.Add(`{"frequency": "day", "schedule": {"hours": [2], "minutes": 30}, "startTime": "2026-03-29T02:30"}`, "Europe/Berlin")
	f.Add(`{"frequency": "month", "interval": 5, "schedule": {"monthDays": [30]}}`, "Local")
	f.Add(`null`, "../../etc/passwd")
	f.Fuzz(func(t *testing.T, text, zone string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return
		}
		job := scheduled(t, "recurrence", value, object{"timeZone": zone, "startTime": "2026-01-31T01:30"})
		if job == nil || job.When.Rule == nil {
			return
		}
		timetable, err := job.When.Compile(recurrence.Created(day2026))
		if err != nil {
			return
		}
		at := day2026
		for range 5 {
			next, ok := timetable.Next(at)
			if !ok {
				return
			}
			require.True(t, next.After(at))
			at = next
		}
	})
}

var day2026 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// FuzzInstant: a time that is accepted is the time that the definition says.
func FuzzInstant(f *testing.F) {
	for _, text := range []string{"2026-10-01", "2026-03-29T02:30", "2026-10-25T02:30", "2026-03-01T12:25:30.5+08:00", "2026-07-01 00:00Z", "2026-07-01t00:00 z",
		"0001-01-01", "9999-12-31T23:59:59.999999999-23", "2026-02-30", "2026-01-01T24:00", "2026-06-30T23:59:60Z", "2026-01-01T00:00+0530", "1890-01-01", "٢٠٢٦-01-01"} {
		f.Add(text, "Europe/Berlin")
		f.Add(text, "America/St_Johns")
	}
	f.Add("2011-12-30", "Pacific/Apia")
	f.Fuzz(func(t *testing.T, text, zone string) {
		job := scheduled(t, "startTime", text, object{"timeZone": zone})
		if job == nil {
			return
		}
		at := job.When.Start
		require.False(t, at.IsZero())
		require.Equal(t, job.When.Location.String(), at.Location().String())
		if strings.ContainsAny(text, "Zz+") && len(text) > 10 {
			strict, err := time.Parse(time.RFC3339Nano, text)
			if err == nil {
				require.True(t, strict.Truncate(time.Millisecond).Equal(at), "%s is %s", text, at)
			}
		}
		written := at.Format("2006-01-02T15:04:05.999999999")
		read, err := spec.ParseInstant(written, job.When.Location)
		require.NoError(t, err)
		require.Equal(t, written, read.Format("2006-01-02T15:04:05.999999999"))
		require.False(t, read.After(at), "of a local time that comes twice the first is taken")
	})
}

// FuzzDuration: a length of time is written as it is read, with and without a sign.
func FuzzDuration(f *testing.F) {
	for _, text := range []string{"PT30S", "PT15.25S", "5m", "1d12h", "-24h", "P1DT2H", "P2W", "PT60D", "PT1H0M1S", "00:01:00", "7.23:59:59.9999999", "P1M", "P1Y", "-P1M2D", "+PT0S", "PT0.0000000001S",
		"P99999999999999999999D", "P36500D", "PT", "P", "PT1S1H", "P0.5D", "-P1DT0.5H"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		soon(t)
		for _, calendar := range []bool{false, true} {
			d, err := spec.ParseDuration(text, calendar)
			if err != nil {
				require.NotEmpty(t, err.Error())
				continue
			}
			require.GreaterOrEqual(t, d, time.Duration(0), text)
			again, err := spec.ParseDuration(spec.FormatDuration(d), false)
			require.NoError(t, err, "%s as %s", text, spec.FormatDuration(d))
			require.Equal(t, d, again, "%s as %s", text, spec.FormatDuration(d))
		}
		o, err := spec.ParseOffset(text)
		if err != nil {
			return
		}
		again, err := spec.ParseOffset(spec.FormatOffset(o))
		require.NoError(t, err, "%s as %s", text, spec.FormatOffset(o))
		require.Equal(t, o, again, "%s as %s", text, spec.FormatOffset(o))
	})
}

// FuzzZone: a name that is no zone is refused, and one that is means the same on every machine.
func FuzzZone(f *testing.F) {
	for _, name := range []string{"UTC", "Etc/UTC", "Europe/Berlin", "Local", "", "localtime", "posixrules", "../../../etc/localtime", "/etc/localtime", "Europe/../Europe/Berlin",
		"europe/berlin", "EST5EDT", "GMT+5", "Etc/GMT+5", "Europe", "Europe/Berlin\x00", "\\windows", "Factory", "tzdata.zi", "right/UTC"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		job := scheduled(t, "timeZone", name, nil)
		if job == nil {
			return
		}
		require.NotContains(t, name, "..")
		require.False(t, strings.HasPrefix(name, "/"))
		require.NotEqual(t, time.Local, job.When.Location)
		require.NotEqual(t, "Local", job.When.Location.String())
	})
}

// FuzzCondition: what a file may say as a step's condition can be evaluated without harm, in bounded time.
func FuzzCondition(f *testing.F) {
	for _, source := range []string{`steps.a.outcome == "succeeded" && params.region != "x"`, `steps.a.outputs["k"] in ["1", "2"]`, `planTime.Hour() > 3`, `len(params.region) > 0`,
		`all(1..100000000, {# > 0})`, `"a" matches "(a+)+$"`, `repeat("x", 1000000000)`, `now()`, `params.gone`, `1 / 0 > 2`, `steps["a"]`, `let x = 1; x > 0`, `((((((((`} {
		f.Add(source)
	}
	env := map[string]any{
		"steps":    map[string]any{"a": map[string]any{"outcome": "succeeded", "outputs": map[string]string{"k": "1"}}},
		"params":   map[string]string{"region": "cn"},
		"planTime": day2026,
	}
	f.Fuzz(func(t *testing.T, source string) {
		soon(t)
		if spec.CheckWhen(source, map[string]bool{"a": true}, map[string]bool{"region": true}) != nil {
			return
		}
		first, err := spec.EvalWhen(source, env)
		second, again := spec.EvalWhen(source, env)
		require.Equal(t, first, second)
		require.Equal(t, err == nil, again == nil)
	})
}
