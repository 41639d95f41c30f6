package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// A contender is a waiting instance that lacks nothing but a slot.
type contender struct {
	instance Instance
	job      *Job
	judged   bool      // every gate was open in this transaction
	until    time.Time // how long it may wait for a slot; zero is for ever
}

// lookAtDue evaluates what has come due or was woken. What needs no slot ends here; what only needs a slot is returned.
func (t *turn) lookAtDue() (open []contender, full bool, err error) {
	if t.agenda.Wake.IsZero() || t.agenda.Wake.After(t.now) {
		return nil, false, nil
	}
	due, err := t.tx.Due(t.now, dueBatch)
	if err != nil {
		return nil, false, fmt.Errorf("list what is due: %w", err)
	}
	for i := range due {
		c := contender{instance: due[i]}
		v, err := t.judge(&c)
		if err != nil {
			return nil, false, err
		}
		switch {
		case !v.Open:
			err = t.settleClosed(&c, v)
		case c.job.Instantaneous():
			err = t.beginAtOnce(&c)
		default:
			open = append(open, c)
		}
		if err != nil {
			return nil, false, err
		}
	}
	return open, len(due) == dueBatch, nil
}

// judge evaluates the instance on what this transaction sees.
func (t *turn) judge(c *contender) (Verdict, error) {
	if d := t.defs.lookup(c.instance.Ref); fault.Planted(fault.CurrentVersion) && d != nil {
		c.instance.Version = d.row.Version
	}
	job, err := t.defs.version(t.tx, c.instance.Version)
	if errors.Is(err, ErrInvalid) {
		return Verdict{Gate: c.instance.Gate, Event: Cancel, Reason: Reason{Code: ReasonDefinition, Detail: err.Error()}}, nil
	}
	if err != nil {
		return Verdict{}, err
	}
	c.job, c.judged = job, true
	waits, err := t.waits(&c.instance, job)
	if err != nil {
		return Verdict{}, err
	}
	s, err := t.situate(t.tx, &c.instance, job, waits, t.now)
	if err != nil {
		return Verdict{}, err
	}
	v := Evaluate(t.now, s)
	if v.Open {
		c.until = v.Wake
	}
	return v, nil
}

// waits reads what the instance waits for, bound to the definitions in force.
func (t *turn) waits(i *Instance, job *Job) ([]Wait, error) {
	waits, err := t.tx.Waits(i.ID)
	if err != nil {
		return nil, fmt.Errorf("read what %s waits for: %w", i.Name(), err)
	}
	if t.stale(i, waits) {
		return t.bindAgain(t.tx, i, job, waits, t.now)
	}
	return waits, nil
}

// settleClosed carries out the verdict of a closed gate.
func (t *turn) settleClosed(c *contender, v Verdict) error {
	i := &c.instance
	if v.CancelActive {
		if err := t.cancelActive(i); err != nil {
			return err
		}
	}
	if v.Event == "" {
		if v.Gate == GateDependency {
			if err := t.nameCycle(i, &v); err != nil {
				return err
			}
		}
		_, err := t.tx.Hold(Hold{
			Instance: i.ID, Gate: v.Gate, Reason: v.Reason, Wake: v.Wake, At: t.now,
			WatchJob: v.WatchJob, WatchKey: v.WatchKey, WatchTime: v.WatchTime,
		})
		if err != nil {
			return fmt.Errorf("hold %s: %w", i.Name(), err)
		}
		return nil
	}
	ok, err := t.tx.Apply(Transition{Instance: i.ID, Event: v.Event, From: i.State, Fence: i.Fence, At: t.now, Reason: v.Reason})
	if err != nil {
		return fmt.Errorf("%s %s: %w", v.Event, i.Name(), err)
	}
	if ok {
		after := *i
		after.State, after.Reason, after.EndedAt = arrows[v.Event].to, v.Reason, t.now
		t.notices = append(t.notices, Notice{Instance: after, From: i.State})
		t.settled = append(t.settled, settled{*i, v.Event})
	}
	return nil
}

// cancelActive cancels what runs of the job, for overlap: cancelRunning.
func (t *turn) cancelActive(i *Instance) error {
	active, err := t.tx.Active(i.Job)
	if err != nil {
		return fmt.Errorf("list running instances of %s: %w", i.Ref, err)
	}
	for n := range active {
		reason := Reason{Code: ReasonOverlap, Detail: "overlap: cancelRunning, for " + i.Name()}
		ok, err := t.tx.SetCancel(active[n].ID, reason, t.now)
		if err != nil {
			return fmt.Errorf("cancel %s: %w", active[n].Name(), err)
		}
		if ok {
			t.cancels = append(t.cancels, cancelRequest{active[n].ID, reason})
		}
	}
	return nil
}

// enqueue keeps an instance that only lacks a slot in the queue, for as long as the job's waitTimeout lets it wait.
func (t *turn) enqueue(c *contender, why Reason) error {
	v := Verdict{Gate: GateSlot, Reason: why, Wake: c.until}
	if !c.until.IsZero() && !t.now.Before(c.until) {
		v.Event, v.Wake = Cancel, time.Time{}
		v.Reason = Reason{Code: ReasonWaitTimeout, At: &c.until, Detail: "waitTimeout of the job, while " + string(why.Code)}
	}
	if err := t.settleClosed(c, v); err != nil || c.instance.Kind != Backfill || c.instance.Gate != GateConcurrency {
		return err
	}
	// It was given the turn among those of its job, and nobody knows when its lane will let it go: the turn is the next one's.
	return wrap(t.tx.WakeNext(c.instance.Job, t.now), "wake the next of %s", c.instance.Ref)
}
