package deps_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/stretchr/testify/require"
)

// plannedDay is the day that the benchmarks bind: 25 hours long in New York.
const plannedDay = "2026-11-01"

// benchJob gives a job whose plan times around plannedDay are already
// listed, as a planner's cache holds them.
func benchJob(t testing.TB, text string) deps.Job {
	s, err := parseSchedule(text, "America/New_York")
	require.NoError(t, err)
	noon, err := time.ParseInLocation("2006-01-02 15", plannedDay+" 12", s.loc)
	require.NoError(t, err)
	job := s.job(text)
	job.Occurrences = cached(s.between(noon.AddDate(0, 0, -40), noon.AddDate(0, 0, 5)))
	return job
}

func dueOn(t testing.TB, job deps.Job, date string) []time.Time {
	noon, err := time.ParseInLocation("2006-01-02 15", date+" 12", job.Location)
	require.NoError(t, err)
	return job.Occurrences(walkDay(noon))
}

var benchRules = []struct{ rule, down, up, edge string }{
	{"natural-day", "every 15m", "daily 2:00", ""},
	{"natural-day-of-minutes", "daily 2:00", "every 5m", ""},
	{"natural-hour", "hourly at :05", "hourly at :12", ""},
	{"rolling", "every 15m", "every 5m", ""},
	{"pair-one-to-one", "hours 3 6 8", "hours 0 8 16", ""},
	{"pair-interval", "hours 2 5 15", "every 5m", ""},
	{"pair-of-minutes", "every 5m", "hours 2 5 15", ""},
	{"nearest-day", "daily 8:00", "every 5m", "nearest"},
	{"nearest-back", "hourly", "every 5m", "nearest"},
	{"previous-hour", "hourly", "every 15m", "previous 1"},
	{"previous-month", "daily 2:00", "monthly 15 3:00", "previous 1"},
	{"traditional-days", "daily 2:00", "daily 3:00", "traditional"},
	{"window", "hourly", "every 5m", "window -PT24H PT0S"},
	{"window-of-days", "hourly", "every 5m", "window -P1D PT0S"},
	{"self", "every 5m", "", "self"},
}

func benchBinder(t testing.TB, down, up, edge string) (*deps.Binder, []time.Time) {
	e, err := parseEdge(edge)
	require.NoError(t, err)
	a := benchJob(t, down)
	b := a
	if up != "" {
		b = benchJob(t, up)
	}
	binder, err := e.Compile(a, b)
	require.NoError(t, err)
	return binder, dueOn(t, a, plannedDay)
}

// BenchmarkBind binds the plan times of one day over and over, on cached
// occurrences: one operation is one Bind.
func BenchmarkBind(b *testing.B) {
	for _, r := range benchRules {
		b.Run(r.rule, func(b *testing.B) {
			binder, due := benchBinder(b, r.down, r.up, r.edge)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				binder.Bind(due[i])
				if i++; i == len(due) {
					i = 0
				}
			}
		})
	}
}

// TestBindOfAContiguousSetAllocatesNothing holds for every rule on cached occurrences.
func TestBindOfAContiguousSetAllocatesNothing(t *testing.T) {
	for _, r := range benchRules {
		binder, due := benchBinder(t, r.down, r.up, r.edge)
		require.Zero(t, testing.AllocsPerRun(10, func() {
			for _, at := range due {
				binder.Bind(at)
			}
		}), r.rule)
	}
}

// BenchmarkMillion plans and binds a day of 10,000 jobs with 100 plan times each:
// one operation is all 1,000,000, with compiling the edges and asking for the
// downstream occurrences.
func BenchmarkMillion(b *testing.B) {
	a, up := benchJob(b, "every 14m to 23:06"), []deps.Job{benchJob(b, "every 15m"), benchJob(b, "hourly"), benchJob(b, "daily 2:00"), benchJob(b, "hours 2 5 15")}
	from, to := walkDay(dueOn(b, a, "2026-10-30")[50])
	b.ReportAllocs()
	for b.Loop() {
		bound := 0
		for i := range 10_000 {
			binder, err := deps.Edge{}.Compile(a, up[i%len(up)])
			if err != nil {
				b.Fatal(err)
			}
			for _, at := range a.Occurrences(from, to) {
				binder.Bind(at)
				bound++
			}
		}
		if bound != 1_000_000 {
			b.Fatal(bound)
		}
	}
}

// tenThousand gives a workflow of layers, each job on two of the layer before,
// every job on itself.
func tenThousand(t testing.TB) ([]string, []deps.Link) {
	job := benchJob(t, "daily 2:00")
	same, err := deps.Edge{}.Compile(job, job)
	require.NoError(t, err)
	self, err := deps.Edge{Self: true}.Compile(job, job)
	require.NoError(t, err)
	var jobs []string
	var links []deps.Link
	for i := range 10_000 {
		name := fmt.Sprint("job", i)
		jobs = append(jobs, name)
		links = append(links, deps.Link{Down: name, Up: name, Binder: self})
		for _, u := range []int{i - 100, i - 101} {
			if u >= 0 {
				links = append(links, deps.Link{Down: name, Up: jobs[u], SameCycle: true, Binder: same})
			}
		}
	}
	return jobs, links
}

// BenchmarkFindCycle10k checks 10,000 jobs with 30,000 edges that have no cycle.
func BenchmarkFindCycle10k(b *testing.B) {
	jobs, links := tenThousand(b)
	for b.Loop() {
		if err := deps.FindCycle(jobs, links, monday); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExpand follows the instances of a circle of an hour, a minute and a
// day job over a week.
func BenchmarkExpand(b *testing.B) {
	n := newNetwork(b, `
		d: daily 0:00
		h: hourly
		m: every 5m
		d -> h:
		h -> m:
		m -> d: previous 1`)
	b.ReportAllocs()
	for b.Loop() {
		if err := deps.FindCycle(n.jobs, n.links, monday); err != nil {
			b.Fatal(err)
		}
	}
}
