package sim

import (
	"github.com/almanac-sched/almanac/engine"
)

func (b *booking) attempt(o *op) {
	a := *o.attempt
	if !a.Error && !b.fenced(o, "an attempt") || !o.ok {
		return
	}
	i := b.instances[a.Instance]
	if b.attempts[a.ID] != nil || i == nil {
		b.w.broken("I2", "attempt %d of instance %d was begun twice, or of nothing", a.ID, a.Instance)
		return
	}
	if !b.becomes(i, &a) && !a.Error && b.forgotten(i) {
		b.w.broken("I9", "attempt %d of instance %d of %s begins although its cancellation was decided %d turns before", a.ID, i.id, i.ref, b.s.turned-i.toldAt)
		return
	}
	e := &attemptEntry{row: a, result: a.Result, http: b.isHTTP(i, &a)}
	for _, id := range i.attempts {
		other := b.attempts[id]
		if other.row.Error != a.Error || other.row.Step != a.Step || a.Error && other.row.Outbox != a.Outbox {
			continue
		}
		if other.result == nil {
			b.w.broken("I2", "attempt %d of instance %d of %s begins while attempt %d lives", a.ID, i.id, i.ref, id)
		}
		if other.row.Number >= a.Number {
			b.w.broken("I2", "attempt %d of instance %d of %s has number %d after %d", a.ID, i.id, i.ref, a.Number, other.row.Number)
		}
	}
	b.attempts[a.ID] = e
	i.attempts = append(i.attempts, a.ID)
	if a.Number > 1 && !a.Error {
		b.w.saw("attempt repeated")
	}
	if a.Error && a.Number > 1 {
		b.w.saw("outbox redelivered")
	}
	if a.Result == nil {
		b.s.called = true
		b.live[a.ID] = e
		b.checkLimits(e)
	}
	b.w.logf("%s attempt %d of %d %s step=%q n=%d f%d error=%t", b.s.name, a.ID, i.id, i.ref, a.Step, a.Number, a.Fence, a.Error)
}

// checkLimits holds a new live attempt against I5.
func (b *booking) checkLimits(e *attemptEntry) {
	mine, pooled := 0, 0
	for _, other := range b.live {
		if !b.w.shape.shared || other.row.Owner == e.row.Owner {
			mine++
		}
		if e.row.Pool != "" && other.row.Pool == e.row.Pool {
			pooled++
		}
	}
	if mine > b.w.shape.slots {
		b.w.broken("I5", "attempt %d is the %d-th of %d slots", e.row.ID, mine, b.w.shape.slots)
	}
	if size := b.w.shape.pools[e.row.Pool]; e.row.Pool != "" && pooled > size {
		b.w.broken("I5", "attempt %d is the %d-th in the pool %s of %d", e.row.ID, pooled, e.row.Pool, size)
	}
	if size := b.w.shape.pools[e.row.Pool]; e.row.Pool != "" && pooled == size {
		b.w.saw("pool full")
	}
	for pool, size := range b.w.shape.pools {
		if pool != e.row.Pool && size == 1 {
			for _, other := range b.live {
				if other.row.Pool == pool {
					b.w.saw("started beside a full pool")
				}
			}
		}
	}
	if mine == b.w.shape.slots {
		b.w.saw("slots full")
	}
}

func (b *booking) end(o *op) {
	a, r := b.attempts[o.id], o.result
	holds := a != nil && a.result == nil && a.row.Fence == o.fence
	switch {
	case !o.ok && holds:
		b.w.broken("store", "the end of attempt %d was refused under its fence %d", o.id, o.fence)
		return
	case !o.ok:
		b.refused++
		if a != nil && a.row.Fence > o.fence {
			b.w.saw("fenced write refused")
		}
		return
	case !holds:
		b.w.broken("I3", "attempt %d ended as %s under fence %d while it was %+v", o.id, r.Outcome, o.fence, a)
		return
	}
	a.result = r
	delete(b.live, o.id)
	i := b.instances[a.row.Instance]
	b.w.logf("%s attempt %d of %d ended %s %s", b.s.name, o.id, a.row.Instance, r.Outcome, r.Message)
	job := b.definition(i.version)
	if r.Outcome == engine.OutcomeLost && job != nil && !a.row.Error {
		b.w.saw("lost " + string(job.OnLost))
	}
	b.checkWitness(a, r)
}

// checkWitness holds what is recorded against what happened.
func (b *booking) checkWitness(a *attemptEntry, r *engine.Result) {
	c := b.w.witness.children[r.Attempt]
	switch {
	case r.Outcome == engine.OutcomeSucceeded && (c == nil || c.alive || c.outcome != engine.OutcomeSucceeded):
		b.w.broken("I6", "attempt %d is recorded as succeeded, and the witness saw %+v", r.Attempt, c)
	case r.Outcome == engine.OutcomeFailed && r.Exit != nil && (c == nil || c.alive):
		b.w.broken("I6", "attempt %d is recorded as failed with an exit, and the witness saw %+v", r.Attempt, c)
	case r.Outcome == engine.OutcomeLost && !b.w.shape.shared && !a.http && c != nil && c.alive && !c.loose:
		b.w.broken("I6", "attempt %d is recorded as lost, and the witness sees it running", r.Attempt)
	}
}

func (b *booking) deliver(row *engine.OutboxRow) {
	before := b.outbox[row.ID]
	copied := *row
	b.outbox[row.ID] = &copied
	switch {
	case before == nil:
		if b.written == nil {
			b.written = map[int64]bool{}
		}
		b.written[row.Instance] = true
		if i := b.instances[row.Instance]; i != nil {
			b.tells[row.ID] = i.version // a rerun may give it another
		}
	case before.State != engine.OutboxPending:
		b.w.broken("I8", "the outbox row %d was %s and was written again", row.ID, before.State)
	case row.Attempts < before.Attempts:
		b.w.broken("I8", "the outbox row %d had %d attempts and now has %d", row.ID, before.Attempts, row.Attempts)
	}
	if row.State == engine.OutboxDelivered && row.Attempts > 0 {
		b.w.saw("outbox delivered")
	}
}

// checkOutbox holds failures and deliveries of one commit against I8.
func (b *booking) checkOutbox() {
	for id := range b.failed {
		job := b.definition(b.instances[id].version)
		if job != nil && (job.ErrorAction != nil) != b.written[id] {
			b.w.broken("I8", "instance %d of %s failed, has errorAction=%t, and its outbox row was written=%t", id, b.instances[id].ref, job.ErrorAction != nil, b.written[id])
		}
	}
	for id := range b.written {
		if !b.failed[id] {
			b.w.broken("I8", "an outbox row of instance %d was written without its failure", id)
		}
	}
}
