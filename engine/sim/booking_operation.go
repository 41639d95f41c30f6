package sim

import (
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// touched records a change of a waiting instance by a person.
func (r *recorder) touched(instance int64, ok bool, change func(i *entry)) {
	r.bulk++
	r.add(op{kind: opTouch, ok: ok, id: instance, touch: change})
}

func (r *recorder) SetFrozen(instance int64, frozen bool, why engine.Reason, at time.Time) (bool, error) {
	ok, err := r.Tx.SetFrozen(instance, frozen, why, at)
	r.touched(instance, ok, func(i *entry) { i.frozen = frozen })
	return ok, err
}

func (r *recorder) SetPriority(instance int64, priority int, why engine.Reason, at time.Time) (bool, error) {
	ok, err := r.Tx.SetPriority(instance, priority, why, at)
	r.touched(instance, ok, func(i *entry) { i.priority, i.passed = priority, 0 })
	return ok, err
}

func (r *recorder) SetRunNow(instance int64, why engine.Reason, at time.Time) (bool, error) {
	ok, err := r.Tx.SetRunNow(instance, why, at)
	r.touched(instance, ok, func(i *entry) {
		i.runNow, i.notBefore = true, at.Truncate(time.Millisecond)
		if i.gate == engine.GateTime {
			i.gate = engine.GateDependency
		}
	})
	return ok, err
}

func (r *recorder) SetWaits(instance int64, waits []engine.Wait, why engine.Reason, at time.Time) (bool, error) {
	own := append([]engine.Wait(nil), waits...)
	ok, err := r.Tx.SetWaits(instance, waits, why, at)
	r.touched(instance, ok, func(i *entry) { i.waits = own })
	return ok, err
}

func (r *recorder) Rebind(instance int64, waits []engine.Wait, why engine.Reason, at time.Time) (bool, error) {
	own := append([]engine.Wait(nil), waits...)
	ok, err := r.Tx.Rebind(instance, waits, why, at)
	r.add(op{kind: opRebind, ok: ok, id: instance, waits: own})
	return ok, err
}

func (r *recorder) KeepSteps(instance int64, steps []engine.StepRow) (bool, error) {
	ok, err := r.Tx.KeepSteps(instance, steps)
	r.add(op{kind: opTouch, ok: ok, id: instance, n: int64(len(steps))})
	return ok, err
}

func (r *recorder) SetBound(instance, revision int64) error {
	err := r.Tx.SetBound(instance, revision)
	r.add(op{kind: opRebind, ok: err == nil, id: instance, n: revision})
	return err
}

// touch enters what a person has changed of a waiting instance, or which steps of one that has ended are kept.
func (b *booking) touch(o *op) {
	i := b.instances[o.id]
	switch {
	case !o.ok:
	case i == nil:
		b.w.broken("I2", "instance %d, which does not exist, was changed", o.id)
	case o.touch == nil:
		if i.state == engine.Running || i.state == engine.Waiting {
			b.w.broken("I2", "the steps of instance %d of %s were replaced while it was %s", i.id, i.ref, i.state)
		}
		if o.n > 0 {
			b.w.saw("steps kept")
		}
	case i.state != engine.Waiting:
		b.w.broken("I2", "instance %d of %s was changed by a person while it was %s", i.id, i.ref, i.state)
	default:
		o.touch(i)
		b.act(i.id)
		i.touched = true
		b.w.logf("%s touches %d %s@%s frozen=%t runNow=%t priority=%d waits=%d", b.s.name, i.id, i.ref, i.plan.Format("01-02T15:04"), i.frozen, i.runNow, i.priority, len(i.waits))
	}
}

// rebind enters what an instance waits for since definitions have changed.
func (b *booking) rebind(o *op) {
	i := b.instances[o.id]
	switch {
	case !o.ok:
	case i == nil || i.state != engine.Waiting:
		b.w.broken("I2", "instance %d was bound again while it did not wait: %+v", o.id, i)
	case o.n > 0:
		i.waits = slices.Clone(i.waits)
		for n := range i.waits {
			i.waits[n].Bound = o.n
		}
	default:
		b.w.saw("bound again")
		b.w.logf("%s binds %d %s@%s again: %d waits", b.s.name, i.id, i.ref, i.plan.Format("01-02T15:04"), len(o.waits))
		i.waits = o.waits
	}
}

// rerun enters that an instance begins again.
func (b *booking) rerun(i *entry, t *engine.Transition) {
	for _, id := range i.attempts {
		if a := b.attempts[id]; a.result == nil && !a.row.Error {
			b.w.broken("I2", "instance %d of %s was rerun while its attempt %d lives", i.id, i.ref, id)
		}
	}
	if i.state == engine.Lost {
		b.w.witness.letGo(i.id) // who reruns what may still run takes that upon himself
	}
	if t.Version != 0 {
		i.version = t.Version
	}
	if t.At.After(i.notBefore) {
		i.notBefore = t.At.Truncate(time.Millisecond) // as the rows have it
	}
	i.gate, i.touched, i.frozen, i.runNow, i.confirmed, i.ended = engine.GateDependency, true, false, false, false, time.Time{}
	i.before = len(i.attempts)
	i.reruns++
}

// letGo makes nobody answerable for what still runs of an instance.
func (t *witness) letGo(instance int64) {
	for p, children := range t.running {
		if p.instance == instance {
			for _, c := range children {
				c.loose = true
			}
		}
	}
}
