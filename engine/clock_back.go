package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// What a clock that was ahead has done, and what one turn takes back of it at most.
const (
	backBatch  = 100  // instances that are opened again in one transaction
	backLooked = 2000 // instances that one turn looks at
	backRows   = 500  // instances that are withdrawn in one transaction, and those of one job and day more
	backTurns  = 20   // transactions of one turn

	planSlack = 48 * time.Hour // a plan may end later than it should by this: of a job whose time zone was changed the days begin at another time
)

// serverActor is the actor of what the server does of itself to an instance that has ended.
const serverActor = "almanac"

// takeBack takes back what was decided by a clock that was ahead and has come back: an end that lies in the future is no end. What was cancelled unasked and
// had not begun is opened again, as soon as its day is planned, and what is planned too far ahead is withdrawn. Each part is a transaction of its own; more says
// that there is more to do.
func (e *Engine) takeBack(ctx context.Context, now time.Time) (more bool, err error) {
	if fault.Planted(fault.MisfireStays) {
		return false, nil
	}
	if more, err = e.withdrawFuture(ctx, now); err != nil || more {
		return more, err
	}
	if more, err = e.recountFuture(ctx, now); err != nil || more {
		return more, err
	}
	return e.reopenFuture(ctx, now)
}

// recountFuture has what is left of counts due from now on, where it was to be due from a time on
// that has not come.
func (e *Engine) recountFuture(ctx context.Context, now time.Time) (more bool, err error) {
	ahead := e.defs.countedFrom(now.Add(MisfireGrace), planGroup)
	if len(ahead) == 0 {
		return false, nil
	}
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		revision := e.defs.at()
		if current, err := tx.Revision(); err != nil || current != revision {
			return errors.Join(err, unless(current == revision, errStale))
		}
		for _, ref := range ahead {
			c, err := e.counting(tx, ref, now)
			if err != nil {
				return fmt.Errorf("read what is left of the count of %s: %w", ref, err)
			}
			if c == nil {
				continue
			}
			if err := c.anew(earliest(c.now.Add(time.Millisecond), c.row.PlannedTo)); err != nil {
				return fmt.Errorf("count %s from now on: %w", ref, err)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStale) {
		return false, err
	}
	return true, e.relearn(ctx)
}

// reopenFuture opens again what was cancelled at a time that has not come.
func (e *Engine) reopenFuture(ctx context.Context, now time.Time) (more bool, err error) {
	var found []Instance
	at, id := e.back.at, e.back.id
	if due := now.Add(MisfireGrace); at.Before(due) { // clocks are set by less all the time
		at, id = due, 1<<62
	}
	err = e.cfg.Store.Read(ctx, func(v View) error {
		found = found[:0]
		list, err := v.EndedAfter(at, id, backLooked)
		if err != nil {
			return err
		}
		more = len(list) == backLooked
		for n := range list {
			i := &list[n]
			at, id = i.EndedAt, i.ID
			if takenBack(i) && i.PlanTime.Before(e.plannedBy(i.Ref, now)) {
				if found = append(found, *i); len(found) == backBatch {
					more = true
					break
				}
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("list what ended in the future: %w", err)
	}
	if len(found) > 0 {
		if err := e.reopen(ctx, now, found); err != nil {
			return false, err
		}
	}
	e.back = backPlace{at, id}
	if !more {
		e.back = backPlace{}
	}
	return more, nil
}

// A backPlace is how far takeBack has looked.
type backPlace struct {
	at time.Time
	id int64
}

// takenBack reports whether an end in the future is taken back: it was decided by the time, and by nobody.
func takenBack(i *Instance) bool {
	if i.State != Cancelled || i.Kind != Scheduled || !i.StartedAt.IsZero() {
		return false
	}
	switch i.Reason.Code {
	case ReasonMisfire, ReasonWaitTimeout, ReasonUpstreamFail, ReasonNoUpstream, ReasonOverlap:
		return true
	}
	return false
}

// plannedBy is up to when the job is planned at a time. Nothing looks again at what its watermark
// lies behind already.
func (e *Engine) plannedBy(ref JobRef, now time.Time) time.Time {
	d := e.defs.lookup(ref)
	if d == nil || d.job == nil {
		return time.Time{}
	}
	return latest(dayAfter(now.Add(e.cfg.PlanAhead), d.job.When.Location), d.row.PlannedTo)
}

// reopen lets cancelled instances wait for their time again.
func (e *Engine) reopen(ctx context.Context, now time.Time, list []Instance) error {
	n := 0
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		n = 0
		counts := countKeeper{e: e, tx: tx, now: now}
		var opened []settled
		for k := range list {
			i, err := tx.Instance(list[k].ID)
			if err != nil {
				return err
			}
			if i.Fence != list[k].Fence || !takenBack(&i) {
				continue // a person was quicker
			}
			if right, err := e.stillMissed(tx, &i, now); err != nil || right {
				if err != nil {
					return err
				}
				continue
			}
			if room, err := counts.takes(&i); err != nil || !room {
				if err != nil {
					return err
				}
				continue // the count of its job is used up by what ran meanwhile
			}
			reason := Reason{Code: ReasonClock, Actor: serverActor, At: &list[k].EndedAt, Detail: fmt.Sprintf(
				"open again: it was cancelled (%s) by a clock that was ahead, and that time has not come", i.Reason.Code)}
			ok, err := tx.Apply(Transition{Instance: i.ID, Event: Rerun, From: Cancelled, Fence: i.Fence, At: now, Reason: reason})
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			n++
			opened = append(opened, settled{i, Rerun})
			fresh, err := tx.Instance(i.ID)
			if err != nil {
				return err
			}
			// Its time is judged as if nobody had looked at it.
			if _, err := tx.Hold(Hold{Instance: i.ID, Gate: GateTime, Reason: reason, Wake: fresh.NotBefore, At: now}); err != nil {
				return err
			}
			if err := tx.WakeWaiters(&i); err != nil {
				return err
			}
		}
		if n == 0 {
			return nil
		}
		if err := e.recount(tx, opened, now); err != nil {
			return err
		}
		return tx.Record(EventRow{At: now, Kind: "clock-reopened", Reason: Reason{Code: ReasonClock, Detail: fmt.Sprintf(
			"%s opened again, cancelled by a clock that was ahead", plural(n, "instance"))}})
	})
	if err != nil {
		return fmt.Errorf("open what was cancelled by a clock that was ahead: %w", err)
	}
	e.log.Warn("opened again what was cancelled by a clock that was ahead", "instances", n)
	return nil
}

// stillMissed reports whether a due time was missed by the true time too.
func (e *Engine) stillMissed(v View, i *Instance, now time.Time) (bool, error) {
	late := now.Sub(i.NotBefore)
	if i.Reason.Code != ReasonMisfire || late <= MisfireGrace {
		return false, nil
	}
	job, err := e.defs.version(v, i.Version)
	if err != nil {
		return true, ignoreInvalid(err)
	}
	switch {
	case late > job.MisfireWindow, job.Misfire == MisfireSkip:
		return true, nil
	case job.Misfire == MisfireRunLatest:
		return v.LaterDue(i, now)
	}
	return false, nil
}

// withdrawFuture moves the watermarks back to where they belong, and removes what nobody has looked at beyond.
func (e *Engine) withdrawFuture(ctx context.Context, now time.Time) (more bool, err error) {
	for range backTurns {
		ahead := e.defs.beyond(func(j *Job) time.Time {
			return dayAfter(now.Add(e.cfg.PlanAhead), j.When.Location).Add(planSlack)
		}, planGroup)
		if len(ahead) == 0 {
			return false, nil
		}
		planned := map[int64]time.Time{}
		err := e.cfg.Store.Write(ctx, func(tx Tx) error {
			clear(planned)
			removed := 0
			revision := e.defs.at()
			if current, err := tx.Revision(); err != nil || current != revision {
				return errors.Join(err, unless(current == revision, errStale))
			}
			for _, d := range ahead {
				from := latest(dayAfter(now.Add(e.cfg.PlanAhead), d.job.When.Location), d.row.PlannedTo.Add(-24*time.Hour))
				n, err := tx.DeleteUnstarted(d.row.ID, from)
				if err != nil {
					return fmt.Errorf("withdraw the plan of %s: %w", d.row.Ref, err)
				}
				ok, err := tx.SetPlannedTo(d.row.ID, d.row.PlannedTo, from)
				if err != nil {
					return fmt.Errorf("move the watermark of %s: %w", d.row.Ref, err)
				}
				if !ok {
					e.defs.doubt()
					return fmt.Errorf("withdraw the plan of %s: %w", d.row.Ref, errStale)
				}
				planned[d.row.ID] = from
				if removed += n; removed >= backRows {
					break
				}
			}
			if removed == 0 {
				return nil
			}
			return tx.Record(EventRow{At: now, Kind: "clock-withdrawn", Reason: Reason{Code: ReasonClock, Detail: fmt.Sprintf(
				"%s withdrawn, planned too early by a clock that was ahead", plural(removed, "instance"))}})
		})
		if errors.Is(err, errStale) {
			return true, e.relearn(ctx)
		}
		if err != nil {
			return false, err
		}
		e.defs.setPlanned(planned)
	}
	return true, nil
}
