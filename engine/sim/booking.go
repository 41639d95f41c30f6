package sim

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// A booking is one commit on its way into the book.
type booking struct {
	*ledger
	s       *server
	clock   time.Time // the store's
	failed  map[int64]bool
	written map[int64]bool // instances of outbox rows that are new
	windows []window
	planned []*entry
	applied bool                       // definitions were changed
	over    map[int64]*engine.WatchRow // watches that are to become attempts

	acted     map[int64]bool // instances that something was done to
	recounted map[int64]bool // jobs of which the commit may have changed what is left of a count
}

// A window is what a commit says it has planned.
type window struct {
	job      int64
	version  int64 // 0: the one that is current when the commit is complete
	from, to time.Time
	table    *recurrence.Timetable // by which it was planned; nil is that of the complete commit
}

// commit enters what a transaction wrote, in order, and checks it.
func (l *ledger) commit(s *server, ops []op) {
	if len(ops) == 0 {
		return
	}
	l.commits++
	s.commits++
	b := &booking{ledger: l, s: s, clock: l.w.storeClock()}
	for i := range ops {
		if b.enter(&ops[i]); l.w.violation != nil {
			return
		}
	}
	b.checkOutbox()
	b.checkOver()
	b.checkPlan()
	b.checkWithin()
	b.checkCounts()
}

func (b *booking) enter(o *op) {
	w := b.w
	switch o.kind {
	case opPutJob:
		b.putJob(o.job)
	case opPutVersion:
		if b.versions[o.version.ID] != nil {
			w.broken("I13", "version %d was replaced", o.version.ID)
		}
		b.versions[o.version.ID] = o.version
	case opPlanned:
		b.moveMark(o)
	case opInsert:
		b.insert(o)
	case opDelete:
		b.delete(o)
	case opApply:
		b.apply(o)
	case opHold:
		if i := b.instances[o.id]; o.ok && i != nil {
			if i.state != engine.Waiting {
				w.broken("I2", "instance %d was held while it was %s", o.id, i.state)
			}
			if i.gate != o.hold.Gate || i.reason != o.hold.Reason.Code {
				w.logf("%s holds %d %s@%s behind %s: %s %s", b.s.name, i.id, i.ref, i.plan.Format("01-02T15:04"), o.hold.Gate, o.hold.Reason.Code, o.hold.Reason.Detail)
			}
			i.gate, i.reason = o.hold.Gate, o.hold.Reason.Code
			if delete(b.slotted, i.id); i.gate == engine.GateSlot && i.kind != engine.Backfill {
				i.passed, b.slotted[i.id] = 0, i
			}
			if o.hold.Reason.Code == engine.ReasonCycle {
				w.saw("cycle blocked")
			}
		}
	case opCancel:
		if i := b.instances[o.id]; o.ok {
			b.act(o.id)
			if i.cancel = true; !b.s.commanded {
				i.told, i.toldAt = true, b.s.turned
			}
			b.s.called = true
		}
	case opConfirm:
		if i := b.instances[o.id]; o.ok {
			b.act(o.id)
			i.confirmed = true
		}
	case opRenew:
		for _, i := range b.running {
			if i.owner == o.owner {
				i.lease = o.to
			}
		}
	case opTakeOver:
		b.takeOver(o)
	case opTakeErrand:
		b.takeErrand(o)
	case opSteps:
		b.fenced(o, "a step")
	case opStart, opAdd:
		b.attempt(o)
	case opEnd:
		b.end(o)
	case opOutbox:
		b.deliver(o.outbox)
	case opEvent:
		switch o.event.Kind {
		case "clock-jump":
			w.saw("clock jump noticed")
		case "fenced":
			w.saw("fenced write refused")
		}
	case opPrune:
		b.prune(o)
	case opTouch:
		b.touch(o)
	case opRebind:
		b.rebind(o)
	case opBackfill:
		b.putBackfill(o.backfill)
	case opLanePriority:
		b.setLanePriority(o)
	case opWritten, opWithdraw:
		b.write(o)
	case opWatch:
		b.putWatch(o)
	case opEndWatch:
		b.endWatch(o)
	case opIncident:
		b.putIncident(o.incident)
	case opMember:
		b.troubled[o.id] = true
	case opPause:
		b.putPause(o.pause)
	case opOverride:
		b.putOverride(o.override)
	case opObey:
		b.obey(o)
	case opBegin:
		b.beginOperation(o)
	case opProgress:
		b.progressOperation(o)
	case opDelivery:
		b.putDelivery(o.delivery)
	}
}
