package engine

import (
	"cmp"
	"math"
	"time"
)

// A WakeMark is how far what waits of the jobs of a load, and for them, has been woken.
type WakeMark struct {
	Dependents bool  `json:"dependents,omitempty"` // what waits of the job itself is woken
	After      int64 `json:"after,omitempty"`      // the last instance that was woken
}

// wakes is how many instances one transaction wakes.
func (e *Engine) wakes() int {
	if e.cfg.Closed {
		return math.MaxInt32 // nobody would go on
	}
	return cmp.Or(e.cfg.AtOnce, wakeSlice)
}

// wakeSome wakes at most limit instances of those that wait of a job, and of those that wait for it
// where it has changed: they are bound again when they are looked at.
func (l *loading) wakeSome(x *loadItem, mark *WakeMark, limit int) (n int, done bool, err error) {
	job := x.Job
	if job == 0 {
		job, _ = l.ids(x.Ref)
	}
	if !mark.Dependents {
		var last int64
		if last, n, err = l.tx.WakeWaiting(job, mark.After, limit); err != nil || n == limit {
			mark.After = last
			return n, false, err
		}
		if !x.touched() {
			return n, true, nil
		}
		*mark = WakeMark{Dependents: true}
	}
	last, more, err := l.tx.WakeDependents(job, mark.After, limit-n)
	mark.After = last
	return n + more, more < limit-n, err
}

// wakeAll wakes what a load in one transaction concerns. What is too much is left to an operation.
func (l *loading) wakeAll(items []loadItem) error {
	left := l.e.wakes()
	for n := range items {
		mark := WakeMark{Dependents: !items[n].Waits} // nothing is bound again, nor was held
		woken, done, err := 0, false, error(nil)
		if left > 0 {
			woken, done, err = l.wakeSome(&items[n], &mark, left)
		}
		if err != nil {
			return err
		}
		if !done {
			return l.wakeLater(items[n:], mark)
		}
		left -= woken
	}
	return nil
}

// wakeLater has the rest woken in short transactions.
func (l *loading) wakeLater(items []loadItem, mark WakeMark) error {
	short := make([]loadItem, len(items))
	for n := range items {
		x := &items[n]
		short[n] = loadItem{Job: x.Job, Ref: x.Ref, Rezoned: x.touched()}
	}
	text, err := encodeItems(short)
	if err != nil {
		return err
	}
	id, err := l.tx.Reserve(1)
	if err != nil {
		return err
	}
	row := OperationRow{
		ID: id, Stage: OperationWaking, Total: len(short), Digest: digestOf(text), At: l.now,
		Actor: cmp.Or(l.actor, loadedByNobody), Order: OperationOrder{Operation: OperateLoad},
		Outcome: OperationOutcome{Wake: mark},
	}
	l.e.bulk.nudge()
	return wrap(l.tx.BeginOperation(row, text), "have the rest woken")
}

// wakeSlice wakes some more of what a load concerns.
func (l *loading) wakeSlice(row *OperationRow, items []loadItem, now time.Time) error {
	left := l.e.wakes()
	for n := 0; row.Done < row.Total && left > 0 && (n == 0 || n < wakeSlice && !l.tx.Full()); n++ {
		woken, done, err := l.wakeSome(&items[row.Done], &row.Outcome.Wake, left)
		if err != nil {
			return err
		}
		if left -= woken; done {
			row.Done, row.Outcome.Wake = row.Done+1, WakeMark{}
		}
	}
	if row.Done == row.Total {
		if err := l.endLoad(row, now); err != nil {
			return err
		}
	}
	return cmp.Or(l.broken, l.tx.SetOperation(*row))
}

// wakeDependents wakes what waits for a job whose plan has changed: some of it now, the rest in short
// transactions after this one.
func (e *Engine) wakeDependents(tx Tx, row JobRow, now time.Time) error {
	l := e.loadingOf(tx, "", now)
	x := []loadItem{{Job: row.ID, Ref: row.Ref, Rezoned: true}}
	mark := WakeMark{Dependents: true}
	_, done, err := l.wakeSome(&x[0], &mark, e.wakes())
	if err != nil || done {
		return wrap(err, "wake what waits for %s", row.Ref)
	}
	return l.wakeLater(x, mark)
}
