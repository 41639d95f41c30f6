package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/almanac-sched/almanac/engine"
)

// gauges reads what is now, each time that it is asked.
type gauges struct{ m *Metrics }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	openDesc       = describe("almanac_instances", "Open instances, by state.", "state")
	waitingDesc    = describe("almanac_instances_waiting", "Waiting instances, by the gate that holds them.", "gate")
	slotsDesc      = describe("almanac_slots", "Attempts that this server may run at once.")
	usedDesc       = describe("almanac_slots_used", "Attempts that this server runs.")
	poolSizeDesc   = describe("almanac_pool_slots", "Attempts of a pool that may run at once, on all servers.", "pool")
	poolUsedDesc   = describe("almanac_pool_slots_used", "Attempts of a pool that run, on all servers.", "pool")
	readyDesc      = describe("almanac_ready_seconds", "How long the oldest instance has been ready although a slot was free; 0 when there is none.")
	startDesc      = describe("almanac_start_seconds", "How long the server took from its start until it did its work; until then, how long it has taken.")
	planDesc       = describe("almanac_plan_ahead_seconds", "How far from now the plan of every scheduled job is written; negative when it is behind.")
	outboxDesc     = describe("almanac_outbox_rows", "Error actions that are not delivered.")
	outboxAgeDesc  = describe("almanac_outbox_age_seconds", "Age of the oldest error action that is not delivered; 0 when there is none.")
	eventDesc      = describe("almanac_event_id", "Id of the newest event of the history.")
	epochDesc      = describe("almanac_lease_epoch", "Epoch of this server's lease.")
	leaseDesc      = describe("almanac_lease_seconds", "How long this server's lease lasts from now on; negative when it has ended.")
	okDesc         = describe("almanac_aspect_ok", "Whether an aspect of the server's work is as it should be (1) or not (0).", "aspect")
	diskFreeDesc   = describe("almanac_disk_free_bytes", "Free bytes where the data directory lies.")
	diskSizeDesc   = describe("almanac_disk_size_bytes", "Bytes of the file system where the data directory lies.")
	databaseDesc   = describe("almanac_database_bytes", "Size of the database file.")
	logDesc        = describe("almanac_database_log_bytes", "Size of the write-ahead log of the database.")
	exportedDesc   = describe("almanac_spans_exported_total", "Spans that the collector of traces has taken.")
	lostDesc       = describe("almanac_spans_lost_total", "Spans that were not exported: the queue was full, or the collector did not take them.")
	queuedDesc     = describe("almanac_spans_queued", "Spans that wait to be exported.")
	buildDesc      = describe("almanac_build_info", "1, with the version of the program.", "version", "revision", "goversion")
	lookDesc       = describe("almanac_look_age_seconds", "Age of the look at the rows that the gauges are made of.")
	workflowedDesc = describe("almanac_workflow_labels", "Workflows that have a label of their own.")
)

// Describe implements prometheus.Collector.
func (g *gauges) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		openDesc, waitingDesc, slotsDesc, usedDesc, poolSizeDesc, poolUsedDesc, readyDesc, startDesc, planDesc, outboxDesc, outboxAgeDesc, eventDesc, epochDesc, leaseDesc,
		okDesc, diskFreeDesc, diskSizeDesc, databaseDesc, logDesc, exportedDesc, lostDesc, queuedDesc, buildDesc, lookDesc, workflowedDesc,
	} {
		out <- d
	}
}

// lookPatience is how long a scrape waits for the rows.
const lookPatience = 2 * time.Second

// Collect implements prometheus.Collector.
func (g *gauges) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lookPatience)
	defer cancel()
	cfg := &g.m.cfg
	now := cfg.Now()
	s := cfg.Look(ctx, now)
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	for _, state := range []engine.State{engine.Waiting, engine.Running, engine.Lost} {
		gauge(openDesc, float64(s.States[state]), string(state))
	}
	for _, gate := range engine.Gates {
		gauge(waitingDesc, float64(s.Gates[gate]), string(gate))
	}
	gauge(slotsDesc, float64(s.Slots))
	gauge(usedDesc, float64(s.Used))
	g.pools(&s, gauge)
	age := func(since time.Time) float64 {
		if since.IsZero() {
			return 0
		}
		return max(0, now.Sub(since).Seconds())
	}
	gauge(readyDesc, age(s.ReadySince))
	gauge(startDesc, g.m.start().Seconds())
	gauge(outboxDesc, float64(s.Outbox))
	gauge(outboxAgeDesc, age(s.OutboxSince))
	gauge(eventDesc, float64(s.LastEvent))
	gauge(epochDesc, float64(s.Lease.Epoch))
	gauge(lookDesc, age(s.At))
	if !s.PlannedTo.IsZero() {
		gauge(planDesc, s.PlannedTo.Sub(now).Seconds())
	}
	if !s.Lease.Until.IsZero() {
		gauge(leaseDesc, s.Lease.Until.Sub(now).Seconds())
	}
	troubled := map[engine.Aspect]bool{}
	for _, t := range s.Troubles {
		troubled[t.Aspect] = true
	}
	for _, aspect := range engine.Aspects {
		gauge(okDesc, truth(!troubled[aspect]), string(aspect))
	}
	g.machine(gauge)
	g.traces(out, gauge)
	gauge(buildDesc, 1, cfg.Version, cfg.Revision, cfg.Go)
	if cfg.Workflows > 0 {
		g.m.mu.Lock()
		n := len(g.m.workflows)
		g.m.mu.Unlock()
		gauge(workflowedDesc, float64(n))
	}
}

// poolsMost is how many pools get figures of their own; definitions name them, and there are few.
const poolsMost = 100

func (g *gauges) pools(s *engine.Sighting, gauge func(*prometheus.Desc, float64, ...string)) {
	for n, p := range s.Pools {
		if n == poolsMost {
			return
		}
		if p.Pool == "" {
			continue
		}
		gauge(poolUsedDesc, float64(p.Used), p.Pool)
		if p.Size > 0 {
			gauge(poolSizeDesc, float64(p.Size), p.Pool)
		}
	}
}

func (g *gauges) machine(gauge func(*prometheus.Desc, float64, ...string)) {
	if g.m.cfg.Disk != nil {
		if free, total, ok := g.m.cfg.Disk(); ok {
			gauge(diskFreeDesc, float64(free))
			gauge(diskSizeDesc, float64(total))
		}
	}
	if g.m.cfg.Files != nil {
		database, log := g.m.cfg.Files()
		gauge(databaseDesc, float64(database))
		gauge(logDesc, float64(log))
	}
}

func (g *gauges) traces(out chan<- prometheus.Metric, gauge func(*prometheus.Desc, float64, ...string)) {
	if g.m.cfg.Spans == nil {
		return
	}
	exported, lost, queued := g.m.cfg.Spans()
	out <- prometheus.MustNewConstMetric(exportedDesc, prometheus.CounterValue, float64(exported))
	out <- prometheus.MustNewConstMetric(lostDesc, prometheus.CounterValue, float64(lost))
	gauge(queuedDesc, float64(queued))
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
