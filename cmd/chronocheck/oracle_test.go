package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/fault/effort"
)

// programFolder is where the real server was built; "" when no test has asked for it.
var programFolder string

// program builds the real server once. The tests run it as users do: no code of it is linked in here.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "chronocheck-binary")
	if err != nil {
		return "", err
	}
	programFolder = dir
	path := filepath.Join(dir, "almanac")
	if out, err := exec.Command("go", "build", "-o", path, "../almanac").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	if programFolder != "" {
		_ = os.RemoveAll(programFolder)
	}
	os.Exit(status)
}

// A chooser draws the same things each time.
type chooser uint64

func (c *chooser) below(n int) int {
	*c = *c*6364136223846793005 + 1442695040888963407
	return int(uint64(*c) >> 33 % uint64(n))
}

func pick[T any](c *chooser, list ...T) T { return list[c.below(len(list))] }

// some draws at most most different numbers of [low, high].
func (c *chooser) some(most, low, high int) []int {
	var list []int
	for range 1 + c.below(most) {
		if v := low + c.below(high-low+1); v != 0 || low >= 0 {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

type object map[string]any

func drawSchedule(c *chooser, frequency string) object {
	s := object{}
	if c.below(3) > 0 {
		s["hours"] = c.some(4, 0, 23)
	}
	if c.below(3) > 0 || frequency == "minute" {
		s["minutes"] = c.some(4, 0, 59)
	}
	days := []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
	switch frequency {
	case "week":
		if c.below(3) > 0 {
			s["weekDays"] = []string{pick(c, days...)}
		}
	case "month":
		switch c.below(4) {
		case 0:
			s["monthDays"] = append(c.some(4, 1, 31), -1-c.below(3))
		case 1:
			s["monthlyOccurrences"] = []object{{"day": pick(c, days...), "occurrence": pick(c, 1, 2, 5, -1, -2)}}
		case 2:
			s["workDays"] = []int{1, -1, 3}
		}
	}
	return s
}

// drawJob draws a job of every kind of schedule that the oracle understands.
func drawJob(c *chooser) object {
	job := object{"action": object{"type": "none"}}
	if c.below(3) > 0 {
		start := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(c.below(480*24*60)) * time.Minute)
		if c.below(4) == 0 {
			start = start.Add(time.Duration(c.below(60)) * time.Second)
		}
		job["startTime"] = start.Format(time.RFC3339)
	}
	frequency := pick(c, "minute", "hour", "day", "week", "month", "year")
	switch c.below(5) {
	case 0:
		field := func(low, high int) string {
			a := low + c.below(high-low+1)
			return pick(c, "*", "*", fmt.Sprint(a), fmt.Sprintf("*/%d", 1+c.below(5)), fmt.Sprintf("%d-%d", a, high), fmt.Sprintf("%d,%d", a, high))
		}
		job["cron"] = strings.Join([]string{fmt.Sprint(c.below(60)), field(0, 23), field(1, 28), pick(c, "*", "*", "mar-nov"), pick(c, "*", "*", "1-5", "sun")}, " ")
	case 1:
		from := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
		job["at"] = []string{from.Add(time.Duration(c.below(3e7)) * time.Second).Format(time.RFC3339), from.Add(time.Duration(c.below(3e7)) * time.Second).Format(time.RFC3339)}
	default:
		rule := object{"frequency": frequency, "interval": pick(c, 1, 1, 2, 3, 7)}
		if frequency == "year" {
			rule["interval"] = 1
		}
		switch frequency { // intervals that meet every minute and hour sooner or later: a rule that never fires is refused
		case "minute":
			rule["interval"] = pick(c, 7, 11, 31)
		case "hour":
			rule["interval"] = pick(c, 1, 5, 7)
		}
		if c.below(3) > 0 {
			if s := drawSchedule(c, frequency); len(s) > 0 {
				rule["schedule"] = s
			}
		}
		if c.below(6) == 0 {
			rule["count"] = 1 + c.below(400)
		}
		if c.below(6) == 0 {
			rule["endTime"] = "2026-10-20T00:00:00Z"
		}
		job["recurrence"] = rule
	}
	if c.below(4) == 0 || strings.Contains(fmt.Sprint(job), "workDays") {
		job["calendar"], job["offCalendar"] = "work", pick(c, "drop", "dryRun", "previous", "next")
		if rule, ok := job["recurrence"].(object); job["offCalendar"] == "drop" && (!ok || rule["frequency"] == "week" || rule["frequency"] == "month" || rule["frequency"] == "year") {
			job["offCalendar"] = "next" // Sundays that are dropped never come
		}
	}
	if c.below(4) == 0 {
		job["dst"] = object{"gap": pick(c, "shift", "skip"), "overlap": pick(c, "first", "last", "both")}
	}
	return job
}

var drawnCalendars = object{"work": object{"workDays": []string{"mon", "tue", "wed", "thu", "fri"}, "off": []string{"2026-03-09..2026-03-11", "2026-11-02"}, "on": []string{"2026-10-31"}}}

// A planned is what `almanac plan -o json` says.
type planned struct {
	Instances []struct {
		Job      string    `json:"job"`
		PlanTime time.Time `json:"planTime"`
		Waits    []struct {
			Job       string      `json:"job"`
			PlanTimes []time.Time `json:"planTimes"`
		} `json:"waits"`
	} `json:"instances"`
}

// plan asks the real program for the plan of a document over a window.
func plan(t *testing.T, doc object, created, from, to time.Time) planned {
	t.Helper()
	binary, err := program()
	require.NoError(t, err)
	folder := t.TempDir()
	text, err := json.Marshal(doc)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "w.yaml"), text, 0o644))
	out, err := exec.Command(binary, "plan", folder, "-o", "json", "--created", created.Format(time.RFC3339), "--from", from.Format(time.RFC3339),
		"--to", to.Format(time.RFC3339)).Output()
	if e, ok := err.(*exec.ExitError); ok {
		require.NoError(t, err, "%s", e.Stderr)
	}
	require.NoError(t, err)
	var p planned
	require.NoError(t, json.Unmarshal(out, &p))
	return p
}

// versionOf reads one job of a document as the server stores it: alone.
func versionOf(t *testing.T, doc object, name string, created time.Time) *version {
	t.Helper()
	alone := object{"timeZone": doc["timeZone"], "calendars": doc["calendars"], "jobs": object{name: doc["jobs"].(object)[name]}}
	text, err := json.Marshal(alone)
	require.NoError(t, err)
	j := &job{workflow: "w", name: name, created: created.UnixMilli(), hasCreated: true}
	v := &version{id: 1, job: j, created: j.created}
	v.def, err = readDefinition(text, j)
	require.NoError(t, err)
	v.when, v.whenErr = newSchedule(v.def, j)
	j.versions = []*version{v}
	return v
}

// Windows in which clocks change, months end, and one that is quiet.
var windows = []struct {
	zone     string
	from, to string
}{
	{"America/New_York", "2026-03-06", "2026-03-12"},
	{"America/New_York", "2026-10-30", "2026-11-05"},
	{"Europe/Berlin", "2026-10-22", "2026-11-02"},
	{"America/Santiago", "2026-09-04", "2026-09-09"},
	{"Australia/Lord_Howe", "2026-10-02", "2026-10-07"},
	{"Australia/Lord_Howe", "2026-04-03", "2026-04-07"},
	{"Asia/Shanghai", "2026-06-28", "2026-07-03"},
	{"UTC", "2028-02-27", "2028-03-02"},
}

// Two readings of the same rules, written apart, agree on schedules drawn at random.
func TestOracleAgreesWithThePlan(t *testing.T) {
	c := chooser(1)
	compared, times, unknown := 0, 0, 0
	for _, w := range windows {
		jobs := object{}
		for n := range effort.Of(5, 40) {
			jobs[fmt.Sprintf("j%02d", n)] = drawJob(&c)
		}
		doc := object{"workflow": "w", "timeZone": w.zone, "calendars": drawnCalendars, "jobs": jobs}
		created := time.Date(2026, 1, 15, 13, 17, 23, 0, time.UTC)
		from, err := time.Parse(time.DateOnly, w.from)
		require.NoError(t, err)
		to, err := time.Parse(time.DateOnly, w.to)
		require.NoError(t, err)
		want := map[string][]int64{}
		for _, i := range plan(t, doc, created, from, to).Instances {
			want[i.Job] = append(want[i.Job], i.PlanTime.UnixMilli())
		}
		for name := range jobs {
			v := versionOf(t, doc, name, created)
			if v.whenErr != nil {
				require.ErrorIs(t, v.whenErr, errNotUnderstood)
				unknown++
				continue
			}
			compared++
			times += len(want[name])
			require.Equal(t, want[name], v.when.between(from.UnixMilli(), to.UnixMilli()), "%s in %s: %v", name, w.zone, jobs[name])
		}
	}
	require.Greater(t, compared, 6*unknown, "most must be understood")
	require.Greater(t, times, 10*compared)
}

// Schedules of each period class, to be joined by every kind of dependency.
var classed = map[string][]object{
	"minute":   {{"cron": "*/10 * * * *"}, {"recurrence": object{"frequency": "minute", "interval": 15}}, {"cron": "*/20 6-20 * * *"}},
	"hour":     {{"cron": "5 * * * *"}, {"recurrence": object{"frequency": "hour", "interval": 2}}, {"cron": "0 */8 * * *"}},
	"discrete": {{"cron": "0 2,5,15 * * *"}, {"cron": "30 1,3 * * *"}, {"recurrence": object{"frequency": "day", "schedule": object{"hours": []int{0, 6, 12, 18}, "minutes": []int{0}}}}},
	"day":      {{"cron": "30 2 * * *"}, {"cron": "0 12 * * *"}, {"recurrence": object{"frequency": "day", "interval": 2}}},
	"week":     {{"cron": "0 12 * * 1"}, {"recurrence": object{"frequency": "week", "schedule": object{"weekDays": []string{"friday", "sunday"}}}}},
	"month":    {{"recurrence": object{"frequency": "month", "schedule": object{"monthDays": []int{-1, 1, 8}}}}, {"cron": "0 6 1 * *"}},
	"year":     {{"recurrence": object{"frequency": "year"}}},
}

var classWords = []string{"minute", "hour", "discrete", "day", "week", "month", "year"}

func drawEdge(c *chooser, down, up string) object {
	e := object{}
	pair := down + " on " + up
	switch {
	case c.below(5) == 0:
		from, to := pick(c, "-P1D", "-PT24H", "-PT90M", "-P1M", "-P1M2DT3H"), pick(c, "PT0S", "PT30M", "P1D")
		e["window"] = object{"from": from, "to": to, "closed": pick(c, "left", "right", "both")}
	case c.below(3) == 0:
		e["previous"] = 1 + c.below(3)
	case (pair == "day on hour" || pair == "day on minute" || pair == "hour on minute") && c.below(2) == 0:
		e["rule"] = "nearest"
	case (pair == "day on hour" || pair == "day on minute" || pair == "hour on minute") && c.below(2) == 0:
		e["policy"] = "traditional"
	}
	if c.below(4) == 0 && e["rule"] == nil {
		e["select"] = pick(c, "all", "any", "first", "last", "2")
	}
	if c.below(5) == 0 {
		e["hours"] = c.some(3, 0, 23)
	}
	return e
}

// The dependency rules, said again and slowly, give the sets of the real plan.
func TestDependencyOracleAgreesWithThePlan(t *testing.T) {
	c := chooser(1)
	sets, members := 0, 0
	for _, w := range windows {
		jobs, downs := object{}, map[string][]object{}
		schedule := func(class string, extra object) object {
			job := object{"action": object{"type": "none"}, "startTime": "2026-01-01T10:00:00Z"}
			for k, v := range pick(&c, classed[class]...) {
				job[k] = v
			}
			for k, v := range extra {
				job[k] = v
			}
			return job
		}
		for _, class := range classWords {
			jobs["up-"+class] = schedule(class, nil)
		}
		for n := range 30 {
			down, edges := pick(&c, classWords...), []object{}
			for range 1 + c.below(2) {
				up := pick(&c, classWords...)
				e := drawEdge(&c, down, up)
				e["job"] = "up-" + up
				edges = append(edges, e)
			}
			if c.below(4) == 0 {
				edges = append(edges, object{"job": "self", "previous": 1 + c.below(3)})
			}
			name := fmt.Sprintf("down%02d", n)
			downs[name] = edges
			jobs[name] = schedule(down, object{"dependsOn": edges})
		}
		doc := object{"workflow": "w", "timeZone": w.zone, "calendars": drawnCalendars, "jobs": jobs}
		created := time.Date(2026, 1, 15, 13, 17, 23, 0, time.UTC)
		from, err := time.Parse(time.DateOnly, w.from)
		require.NoError(t, err)
		to, err := time.Parse(time.DateOnly, w.to)
		require.NoError(t, err)
		versions := map[string]*version{}
		for name := range jobs {
			versions[name] = versionOf(t, doc, name, created)
		}
		for _, i := range plan(t, doc, created, from, to).Instances {
			require.Len(t, i.Waits, len(downs[i.Job]))
			for n, wait := range i.Waits {
				down := versions[i.Job]
				def := &down.def.dependsOn[n]
				up, self := versions[def.Job], def.Job == "self"
				if self {
					up = down
				}
				e, err := newEdge(def, down, up, self)
				require.NoError(t, err)
				set, err := e.set(i.PlanTime.UnixMilli())
				require.NoError(t, err)
				var want []int64
				for _, at := range wait.PlanTimes {
					want = append(want, at.UnixMilli())
				}
				sets++
				members += len(want)
				require.Equal(t, want, append([]int64(nil), set...), "%s@%s in %s on %v: %v", i.Job, i.PlanTime, w.zone, downs[i.Job][n], jobs[i.Job])
			}
		}
	}
	require.Greater(t, sets, 1000)
	require.Greater(t, members, sets)
}
