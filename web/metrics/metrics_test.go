package metrics_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web/metrics"
)

var start = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)

// rows hold the instances that one waits for, and nothing else.
type rows struct{ engine.View }

func (r rows) Read(_ context.Context, fn func(v engine.View) error) error { return fn(r) }

func (rows) Waits(instance int64) ([]engine.Wait, error) {
	if instance == 404 {
		return nil, errors.New("the rows cannot be read")
	}
	return []engine.Wait{{Instance: instance, Count: 2}}, nil
}

func (rows) RangeOf(*engine.Wait, int) ([]engine.Instance, error) {
	return []engine.Instance{
		{ID: 1, State: engine.Succeeded, EndedAt: start.Add(10 * time.Second)}, {ID: 2, State: engine.Succeeded, EndedAt: start.Add(20 * time.Second)},
		{ID: 3, State: engine.Failed, EndedAt: start.Add(time.Hour)}, {ID: 4, State: engine.Running},
	}, nil
}

func newMetrics(t *testing.T, change ...func(*metrics.Config)) *metrics.Metrics {
	cfg := metrics.Config{
		Rows: rows{}, Now: func() time.Time { return start.Add(time.Minute) }, Version: "1.0.0", Revision: "abc", Go: "go1.26",
		Disk: func() (uint64, uint64, bool) { return 3 << 20, 9 << 20, true }, Files: func() (int64, int64) { return 4096, 512 },
		Spans: func() (int64, int64, int64) { return 7, 2, 1 },
		Look: func(_ context.Context, now time.Time) engine.Sighting {
			return engine.Sighting{
				At: now.Add(-time.Second), Slots: 8, Used: 3, Pools: []engine.PoolUse{{Used: 2}, {Pool: "db", Used: 1, Size: 2}}, PlannedTo: start.Add(time.Hour),
				Census: engine.Census{
					States: map[engine.State]int{engine.Waiting: 5, engine.Running: 3}, Gates: map[engine.Gate]int{engine.GateTime: 4, engine.GateSlot: 1},
					Outbox: 2, OutboxSince: start, LastEvent: 99,
				},
				Ready: "w/a is due", ReadySince: start.Add(20 * time.Second), Lease: engine.LeaseRow{Epoch: 3, Until: start.Add(90 * time.Second)},
				Troubles: []engine.Trouble{{Aspect: engine.AspectReady, Detail: "w/a is due"}},
			}
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	m := metrics.New(cfg)
	t.Cleanup(m.Close)
	return m
}

// busy is one notice of each kind.
func busy(m *metrics.Metrics) {
	i := engine.Instance{ID: 9, Ref: engine.JobRef{Workflow: "w", Job: "a"}, State: engine.Running, Gate: engine.GateTime, NotBefore: start, StartedAt: start.Add(2 * time.Second)}
	m.Observe(engine.Notice{Instance: i, From: engine.Waiting})
	m.Observe(engine.Notice{Instance: i, From: engine.Running, Attempt: &engine.Attempt{}, Action: engine.ActionShell})
	m.Observe(engine.Notice{Instance: i, From: engine.Running, Action: engine.ActionShell, Result: &engine.Result{Outcome: engine.OutcomeFailed, EndedAt: start.Add(5 * time.Second)}})
	m.Observe(engine.Notice{Instance: i, From: engine.Running, Action: engine.ActionHTTP, Error: true, Result: &engine.Result{Outcome: engine.OutcomeSucceeded}})
	i.State = engine.Failed
	m.Observe(engine.Notice{Instance: i, From: engine.Running})
	m.Turned(3 * time.Millisecond)
	m.Timed(func() {})
}

func scrape(t *testing.T, m *metrics.Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, w.Code)
	text, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return string(text)
}

func TestTheFiguresAreThoseOfTheRows(t *testing.T) {
	m := newMetrics(t)
	busy(m)
	text := scrape(t, m)
	for _, line := range []string{
		`almanac_instances{state="waiting"} 5`, `almanac_instances{state="lost"} 0`, `almanac_instances_waiting{gate="slot"} 1`, `almanac_instances_waiting{gate="disk"} 0`,
		`almanac_slots 8`, `almanac_slots_used 3`, `almanac_pool_slots{pool="db"} 2`, `almanac_pool_slots_used{pool="db"} 1`, `almanac_ready_seconds 40`,
		`almanac_plan_ahead_seconds 3540`, `almanac_outbox_rows 2`, `almanac_outbox_age_seconds 60`, `almanac_event_id 99`, `almanac_lease_epoch 3`, `almanac_lease_seconds 30`,
		`almanac_aspect_ok{aspect="ready"} 0`, `almanac_aspect_ok{aspect="disk"} 1`, `almanac_disk_free_bytes 3.145728e+06`, `almanac_database_bytes 4096`,
		`almanac_database_log_bytes 512`, `almanac_spans_lost_total 2`, `almanac_look_age_seconds 1`, `almanac_build_info{goversion="go1.26",revision="abc",version="1.0.0"} 1`,
		`almanac_attempts_started_total{action="shell",role="main"} 1`, `almanac_attempts_ended_total{action="shell",outcome="failed",role="main"} 1`,
		`almanac_attempts_ended_total{action="http",outcome="succeeded",role="error"} 1`, `almanac_instances_ended_total{state="failed"} 1`,
		`almanac_start_lag_seconds_sum{gate="time"} 2`, `almanac_loop_turn_seconds_sum 0.003`, `almanac_commit_seconds_count 1`,
	} {
		require.Contains(t, text, "\n"+line+"\n")
	}
	require.Contains(t, text, "\ngo_goroutines ")
	require.NotContains(t, text, `pool=""`)
}

func TestWhatPrometheusAsksOfNames(t *testing.T) {
	m := newMetrics(t, func(c *metrics.Config) { c.Workflows = 2 })
	busy(m)
	problems, err := testutil.GatherAndLint(m.Gatherer())
	require.NoError(t, err)
	require.Empty(t, problems)
}

// docs/metrics.md has a line for each figure of ours, with the help that the figure itself has, and for no other.
func TestEveryFigureIsDocumented(t *testing.T) {
	m := newMetrics(t, func(c *metrics.Config) { c.Workflows = 2 })
	busy(m)
	page, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	families, err := m.Gatherer().Gather()
	require.NoError(t, err)
	var names []string
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "almanac_") {
			continue
		}
		names = append(names, f.GetName())
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, "`"+l.GetName()+"`")
		}
		line := "| `" + f.GetName() + "` | " + strings.ToLower(f.GetType().String()) + " | " + strings.Join(labels, ", ") + " | " + f.GetHelp() + " |"
		require.Contains(t, string(page), line+"\n")
	}
	var documented []string
	for _, found := range regexp.MustCompile("(?m)^\\| `(almanac_[a-z_]+)` ").FindAllStringSubmatch(string(page), -1) {
		documented = append(documented, found[1])
	}
	for _, aspect := range engine.Aspects {
		require.Contains(t, string(page), "| `"+string(aspect)+"` | ")
	}
	slices.Sort(documented)
	require.Equal(t, names, documented)
}

// The lag runs from when the last gate opened: the time, the last upstream that ended before the start, or the place that another gave free.
func TestTheLagOfAStart(t *testing.T) {
	m := newMetrics(t)
	begin := func(id int64, gate engine.Gate, at time.Duration) {
		m.Observe(engine.Notice{From: engine.Waiting, Instance: engine.Instance{
			ID: id, State: engine.Running, Gate: gate, NotBefore: start, StartedAt: start.Add(at),
		}})
	}
	begin(10, engine.GateTime, 3*time.Second)
	begin(11, engine.GateSlot, 4*time.Second) // before anything was heard to end
	m.Observe(engine.Notice{Result: &engine.Result{EndedAt: start.Add(30 * time.Second)}})
	begin(12, engine.GateSlot, 31*time.Second)
	begin(13, engine.GateDependency, 25*time.Second)
	begin(404, engine.GateDependency, 25*time.Second)
	begin(14, engine.GateConfirm, 25*time.Second)
	require.Eventually(t, func() bool {
		text := scrape(t, m)
		return strings.Contains(text, `almanac_start_lag_seconds_sum{gate="dependency"} 5`+"\n") && strings.Contains(text, "\nalmanac_start_lag_unknown_total 2\n")
	}, time.Minute, 10*time.Millisecond, "what ended after the start, or runs, was not waited for")
	text := scrape(t, m)
	require.Contains(t, text, `almanac_start_lag_seconds_sum{gate="time"} 3`+"\n")
	require.Contains(t, text, `almanac_start_lag_seconds_sum{gate="slot"} 5`+"\n")
	require.Contains(t, text, `almanac_start_lag_seconds_count{gate="slot"} 2`+"\n")
}

// However many workflows there are, no more labels than were asked for.
func TestLabelsOfWorkflowsAreCapped(t *testing.T) {
	m := newMetrics(t, func(c *metrics.Config) { c.Workflows = 2 })
	for _, name := range []string{"a", "b", "c", "d", "a", "c"} {
		m.Observe(engine.Notice{From: engine.Running, Instance: engine.Instance{Ref: engine.JobRef{Workflow: name, Job: "j"}, State: engine.Succeeded}})
	}
	text := scrape(t, m)
	require.Contains(t, text, `almanac_instances_ended_total{state="succeeded",workflow="a"} 2`)
	require.Contains(t, text, `almanac_instances_ended_total{state="succeeded",workflow="other"} 3`)
	require.NotContains(t, text, `workflow="c"`)
	require.NotContains(t, scrape(t, newMetrics(t)), "workflow=")
}
