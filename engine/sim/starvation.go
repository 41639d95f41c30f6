package sim

import (
	"cmp"

	"github.com/almanac-sched/almanac/engine"
)

// mostPasses is how many turns in a row may leave a runnable instance in the queue beside a free slot (I7).
const mostPasses = 2

// checkStarvation holds a server that has just had its turn against I7: the first in the queue of a pool with room, while the server has a free slot, starts
// within two turns.
func (w *World) checkStarvation(s *server) {
	l := w.ledger
	if len(l.slotted) == 0 || w.violation != nil {
		return
	}
	free, taken := w.shape.slots, map[string]int{}
	for _, a := range l.live {
		if !w.shape.shared || a.row.Owner == s.owner {
			free--
		}
		taken[a.row.Pool]++
	}
	if free <= 0 {
		return
	}
	first := map[string]*entry{}
	for _, i := range l.slotted {
		job := l.definition(i.version)
		if size := w.shape.pools[job.Pool]; job.Pool != "" && taken[job.Pool] >= size {
			i.passed = 0
			continue
		}
		best := first[job.Pool]
		if best == nil || cmp.Or(cmp.Compare(best.priority, i.priority), i.plan.Compare(best.plan), cmp.Compare(i.id, best.id)) < 0 {
			first[job.Pool] = i
		}
	}
	for _, pool := range sortedKeys(first) {
		i := first[pool]
		if i.passed++; i.passed <= mostPasses {
			continue
		}
		w.read(func(v engine.View) error {
			row, err := v.Instance(i.id)
			if err != nil {
				return err
			}
			now := s.now()
			if w.shape.shared {
				now = w.storeClock()
			}
			verdict, err := judge(v, &row, l.definition(i.version), l.limit(i.job, l.definition(i.version)), l.jobs[i.job].row.Disabled, now)
			if err == nil && verdict.Open {
				w.broken("I7", "instance %d of %s@%s is runnable, %d slots of %s are free, and %d turns have passed it over", i.id, i.ref, i.plan, free, s.name, i.passed)
			}
			return err
		})
		return
	}
}
