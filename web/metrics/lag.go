package metrics

import (
	"context"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// starts takes a start in. An instance that had to wait for nothing but its time could start then; of another, the gate that it waited behind last says
// what opened it.
func (m *Metrics) starts(i *engine.Instance) {
	switch i.Gate {
	case engine.GateTime, "":
		m.lag(i, i.NotBefore)
	case engine.GateSlot, engine.GateConcurrency, engine.GateDisk:
		// What took the place ended, and this server heard of it. Before it heard of any it cannot say, and takes the time of the instance.
		m.mu.Lock()
		opened := m.freed
		m.mu.Unlock()
		m.lag(i, opened)
	case engine.GateConfirm, engine.GateFrozen: // when a person opened it is not in the row
		m.unknown.Inc()
	default:
		select {
		case m.lagging <- *i:
		default:
			m.unknown.Inc()
		}
	}
}

func (m *Metrics) lag(i *engine.Instance, opened time.Time) {
	if opened.Before(i.NotBefore) {
		opened = i.NotBefore
	}
	gate := i.Gate
	if gate == "" {
		gate = engine.GateTime
	}
	m.startLag.WithLabelValues(string(gate)).Observe(max(0, i.StartedAt.Sub(opened).Seconds()))
}

// lookUp finds out, beside the work, when the last gate of each start was opened.
func (m *Metrics) lookUp(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case i := <-m.lagging:
			opened, err := m.opened(ctx, &i)
			if err != nil {
				m.unknown.Inc()
				continue
			}
			m.lag(&i, opened)
		}
	}
}

// rangeMost is how many upstream instances of one wait are looked at.
const rangeMost = 100

// opened is when the latest of what the instance waited for ended before it started.
func (m *Metrics) opened(ctx context.Context, i *engine.Instance) (opened time.Time, err error) {
	err = m.cfg.Rows.Read(ctx, func(v engine.View) error {
		opened, err = engine.Released(v, i, rangeMost)
		return err
	})
	return opened, err
}
