package metrics

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/almanac-sched/almanac/engine"
)

// Config is what the figures are made of. Look, Rows and Now are required.
type Config struct {
	Look func(ctx context.Context, now time.Time) engine.Sighting // *engine.Engine's
	Rows Rows
	Now  func() time.Time

	Disk  func() (free, total uint64, ok bool)  // bytes where the data directory lies; nil leaves it out
	Files func() (database, log int64)          // bytes; nil leaves them out
	Spans func() (exported, lost, queued int64) // of the traces; nil leaves them out

	Version, Revision, Go string // of the program

	Workflows int // so many workflows get a label of their own, the others share "other"; 0 is no such label
}

// Rows gives one consistent snapshot of the rows.
type Rows interface {
	Read(ctx context.Context, fn func(v engine.View) error) error
}

// Metrics counts what it observes and answers scrapes.
type Metrics struct {
	cfg      Config
	registry *prometheus.Registry

	startLag  *prometheus.HistogramVec
	unknown   prometheus.Counter
	turns     prometheus.Histogram
	commits   prometheus.Histogram
	held      prometheus.Histogram
	began     time.Time    // when the server began to start
	ready     atomic.Int64 // how long it took until it was ready, in nanoseconds; 0 before
	started   *prometheus.CounterVec
	ended     *prometheus.CounterVec
	instances *prometheus.CounterVec

	lagging chan engine.Instance // starts whose gate was opened by something that is in the rows
	stop    context.CancelFunc
	done    sync.WaitGroup

	mu        sync.Mutex
	workflows map[string]bool // those that have a label of their own
	freed     time.Time       // when the latest attempt ended: whoever lacked a slot has not lacked it since
}

// laggingMost bounds how many starts wait to be looked up; further ones are counted and not looked up.
const laggingMost = 1024

// New returns metrics, which look starts up beside the work until Close.
func New(cfg Config) *Metrics {
	seconds := []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}
	short := []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	m := &Metrics{
		cfg: cfg, began: time.Now(), registry: prometheus.NewRegistry(), lagging: make(chan engine.Instance, laggingMost), workflows: map[string]bool{},
		startLag: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "almanac_start_lag_seconds", Buckets: seconds,
			Help: "From when an instance could start (its not-before time, or when its last gate opened) to its start, by that gate.",
		}, []string{"gate"}),
		unknown: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "almanac_start_lag_unknown_total", Help: "Starts whose lag is not known: a person opened the last gate, or too many were being looked up.",
		}),
		turns: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "almanac_loop_turn_seconds", Buckets: short, Help: "How long a turn of the engine's loop took.",
		}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "almanac_commit_seconds", Buckets: short, Help: "How long a commit took to be on the disk.",
		}),
		held: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "almanac_write_seconds", Buckets: short, Help: "How long a write transaction held the writer, its commit included.",
		}),
		started:   counters("almanac_attempts_started_total", "Attempts that this server started, by action type and whether of a main or an error action.", cfg, "action", "role"),
		ended:     counters("almanac_attempts_ended_total", "Attempts that ended, by action type, outcome and whether of a main or an error action.", cfg, "action", "outcome", "role"),
		instances: counters("almanac_instances_ended_total", "Instances that this server brought into a state that is no longer open, or into lost.", cfg, "state"),
	}
	for _, gate := range engine.Gates {
		m.startLag.WithLabelValues(string(gate))
	}
	m.registry.MustRegister(m.startLag, m.unknown, m.turns, m.commits, m.held, m.started, m.ended, m.instances, &gauges{m},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	ctx, stop := context.WithCancel(context.Background())
	m.stop = stop
	m.done.Go(func() { m.lookUp(ctx) })
	return m
}

// counters makes counters with the labels, and with that of the workflow when it is wanted.
func counters(name, help string, cfg Config, labels ...string) *prometheus.CounterVec {
	if cfg.Workflows > 0 {
		labels = append(labels, "workflow")
	}
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// Close ends what goes on beside.
func (m *Metrics) Close() {
	m.stop()
	m.done.Wait()
}

// Handler answers scrapes. At most two are under way at once, each for ten seconds at most.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 2, Timeout: 10 * time.Second})
}

// Gatherer gives the figures to who wants them otherwise than over HTTP.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// Ready says that the server does its work now.
func (m *Metrics) Ready() { m.ready.CompareAndSwap(0, int64(time.Since(m.began))) }

// start is how long the server took until it was ready, or has taken so far.
func (m *Metrics) start() time.Duration {
	if took := m.ready.Load(); took > 0 {
		return time.Duration(took)
	}
	return time.Since(m.began)
}

// Turned is engine.Config.Turned.
func (m *Metrics) Turned(took time.Duration) { m.turns.Observe(took.Seconds()) }

// Timed is store.Config.Timed.
func (m *Metrics) Timed(commit func()) {
	begin := time.Now()
	commit()
	m.commits.Observe(time.Since(begin).Seconds())
}

// Watch is store.Config.Watch.
func (m *Metrics) Watch() func() time.Duration {
	begin := time.Now()
	return func() time.Duration { return time.Since(begin) }
}

// Held is store.Config.Held.
func (m *Metrics) Held(took time.Duration, _ int) { m.held.Observe(took.Seconds()) }

// Observe is engine.Config.Observe: it counts, and waits for nothing.
func (m *Metrics) Observe(n engine.Notice) {
	role := "main"
	if n.Error {
		role = "error"
	}
	i := &n.Instance
	switch {
	case n.Attempt != nil:
		m.count(m.started, i, n.Action, role)
	case n.Result != nil:
		m.count(m.ended, i, n.Action, string(n.Result.Outcome), role)
		m.mu.Lock()
		if n.Result.EndedAt.After(m.freed) {
			m.freed = n.Result.EndedAt
		}
		m.mu.Unlock()
	case n.From == engine.Waiting && i.State == engine.Running:
		m.starts(i)
	case n.From != i.State && (i.State.Ended() || i.State == engine.Lost):
		m.count(m.instances, i, string(i.State))
	}
}

func (m *Metrics) count(c *prometheus.CounterVec, i *engine.Instance, labels ...string) {
	if m.cfg.Workflows > 0 {
		labels = append(labels, m.workflow(i.Ref.Workflow))
	}
	c.WithLabelValues(labels...).Inc()
}

// workflow is the label of a workflow: its name while there are few of them.
func (m *Metrics) workflow(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.workflows[name] {
		if len(m.workflows) >= m.cfg.Workflows {
			return "other"
		}
		m.workflows[name] = true
	}
	return name
}
