package sim

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A dueTime is one due time of a job.
type dueTime struct{ job, at int64 }

// A pauseName is the identity of a pause.
type pauseName struct {
	workflow, job string
	since         int64
}

func (r *recorder) SetNotBefore(instance int64, to time.Time, why engine.Reason, at time.Time) (bool, error) {
	ok, err := r.Tx.SetNotBefore(instance, to, why, at)
	r.touched(instance, ok, func(i *entry) { i.notBefore = to })
	return ok, err
}

func (r *recorder) PutPause(p engine.PauseRow) error {
	err := r.Tx.PutPause(p)
	r.add(op{kind: opPause, ok: err == nil, pause: &p})
	return err
}

func (r *recorder) PutOverride(o engine.OverrideRow) error {
	err := r.Tx.PutOverride(o)
	r.add(op{kind: opOverride, ok: err == nil, override: &o})
	return err
}

func (r *recorder) SetOverride(instance int64, frozen bool, priority int, notBefore time.Time) (bool, error) {
	ok, err := r.Tx.SetOverride(instance, frozen, priority, notBefore)
	r.bulk++
	r.add(op{kind: opObey, ok: ok, id: instance, touch: func(i *entry) { i.frozen, i.priority, i.notBefore = frozen, priority, notBefore }})
	return ok, err
}

func (b *booking) putPause(p *engine.PauseRow) {
	b.pauses[pauseName{p.Workflow, p.Job, p.Since.UnixMilli()}] = p
	b.w.logf("%s pauses %s since %s until %s resumed %s missed=%s", b.s.name, p.Name(), p.Since, p.Until, p.Resumed, p.Missed)
}

func (b *booking) putOverride(o *engine.OverrideRow) {
	at := dueTime{o.Job, o.PlanTime.UnixMilli()}
	if o.Empty() {
		delete(b.overrides, at)
		return
	}
	b.overrides[at] = o
}

// obey enters that an instance was made as an order ahead says.
func (b *booking) obey(o *op) {
	i := b.instances[o.id]
	switch {
	case !o.ok:
	case i == nil:
		b.w.broken("I2", "instance %d, which does not exist, was ordered ahead", o.id)
	case i.state != engine.Waiting || i.gate != engine.GateTime || i.touched:
		b.w.broken("I2", "instance %d of %s was ordered ahead while it was %s behind %s", i.id, i.ref, i.state, i.gate)
	default:
		o.touch(i)
		b.act(i.id)
		b.w.saw("ordered ahead")
		b.checkObeyed(i)
	}
}

// checkObeyed holds an instance that is planned against what is ordered of it: what a person ordered ahead is obeyed, and nothing else is.
func (b *booking) checkObeyed(i *entry) {
	o := b.overrides[dueTime{i.job, i.plan.UnixMilli()}]
	switch {
	case i.kind != engine.Scheduled || i.touched:
	case o == nil && i.frozen:
		b.w.broken("I18", "%s@%s was planned frozen, and nobody ordered so", i.ref, i.plan)
	case o == nil:
	case o.Frozen != i.frozen:
		b.w.broken("I18", "%s@%s is planned frozen=%t, and %s ordered frozen=%t", i.ref, i.plan, i.frozen, o.Actor, o.Frozen)
	case o.Priority != 0 && o.Priority != i.priority:
		b.w.broken("I18", "%s@%s is planned with priority %d, and %s ordered %d", i.ref, i.plan, i.priority, o.Actor, o.Priority)
	case !o.NotBefore.IsZero() && !o.NotBefore.Equal(i.notBefore):
		b.w.broken("I18", "%s@%s is planned to start at %s, and %s ordered %s", i.ref, i.plan, i.notBefore, o.Actor, o.NotBefore)
	default:
		b.w.saw("order ahead obeyed")
	}
}

// checkPaused demands that nothing of a paused job starts.
func (b *booking) checkPaused(i *entry, at time.Time) {
	for _, p := range b.pauses {
		if p.Workflow == i.ref.Workflow && (p.Job == "" || p.Job == i.ref.Job) && p.Active(at) {
			b.w.broken("I18", "instance %d of %s was started at %s, while %s is paused since %s", i.id, i.ref, at, p.Name(), p.Since)
		}
	}
}
