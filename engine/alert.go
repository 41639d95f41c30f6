package engine

import (
	"iter"
	"time"
)

// Alerts says who is told, of what, and how often. The names of sinks are the server's; what they are is the Notifier's.
type Alerts struct {
	Default  []Notify      // of jobs that do not say themselves
	Repeat   time.Duration // between two messages about an incident that grows; 0 is DefaultRepeat
	Notifier Notifier      // nil tells nobody: incidents are recorded all the same
}

// DefaultRepeat is how far apart two messages about one incident that grows are.
const DefaultRepeat = time.Hour

// A Watched is everything that the decision on one instance depends on.
type Watched struct {
	Instance *Instance
	Deadline time.Time // zero is none
	Ends     time.Time // of an open instance with a deadline: when it will probably have ended
}

// An AlertVerdict is what there is to say of an instance.
type AlertVerdict struct {
	Kind AlertKind // "" is nothing to tell
	Over bool      // it has ended in a way that is no trouble, or no trouble any more
	Next time.Time // when to look again; zero is never
}

// shortestLook keeps looks at one instance apart.
const shortestLook = time.Second

// JudgeAlert decides on one instance. It is pure.
//
// An open one that is in time now may only come to be late as fast as time passes: when nothing of what it waits for moves on, its probable end moves
// with the clock. So it need not be looked at before the time that is left between that end and its deadline has passed.
func JudgeAlert(now time.Time, w *Watched) AlertVerdict {
	i := w.Instance
	switch {
	case i.State == Failed:
		return AlertVerdict{Kind: AlertFailed}
	case i.State == Lost:
		return AlertVerdict{Kind: AlertLost}
	case i.State == Cancelled && troubling(i.Reason.Code):
		return AlertVerdict{Kind: AlertCancelled}
	case i.State.Ended():
		v := AlertVerdict{Over: true}
		if i.State.Satisfies() && !w.Deadline.IsZero() && i.EndedAt.After(w.Deadline) {
			v.Kind = AlertEndedLate
		}
		return v
	case w.Deadline.IsZero():
		return AlertVerdict{}
	case !now.Before(w.Deadline) && i.Run <= 1 && (i.StartedAt.IsZero() || i.StartedAt.After(w.Deadline)):
		return AlertVerdict{Kind: AlertNeverStarted}
	case !now.Before(w.Deadline):
		return AlertVerdict{Kind: AlertStillRunning}
	case w.Ends.After(w.Deadline):
		return AlertVerdict{Kind: AlertWillBeLate}
	}
	next := now.Add(w.Deadline.Sub(w.Ends) + time.Millisecond)
	return AlertVerdict{Next: earliest(latest(next, now.Add(shortestLook)), w.Deadline)}
}

// troubling reports whether a cancellation for the reason is trouble: nobody wished it, and no policy is content with it.
func troubling(code ReasonCode) bool {
	switch code {
	case ReasonWaitTimeout, ReasonMisfire, ReasonUpstreamFail, ReasonUpstreamGone, ReasonNoUpstream, ReasonDefinition:
		return true
	}
	return false
}

// firstLook is when an instance with a deadline is looked at for the first time: when it, or the first of what it waits for, is due.
func firstLook(i *Instance, waits []Wait) time.Time {
	at := i.PlanTime
	for n := range waits {
		if waits[n].Count > 0 {
			at = earliest(at, waits[n].First)
		}
	}
	return at
}

// insertWatched inserts the rows of a plan, as was ordered of them ahead, and the watches of those of them that have a deadline. Only scheduled
// instances have one. The watch of an
// instance that exists already, under another id, is dropped when its time comes.
func insertWatched(tx Tx, plan *Plan, rows iter.Seq2[*Instance, []Wait]) (int, error) {
	rows, err := ofRevision(tx, rows)
	if err != nil {
		return 0, err
	}
	rows, err = obeyed(tx, plan, rows)
	if err != nil {
		return 0, err
	}
	deadlines := map[JobRef]time.Duration{}
	for n := range plan.Jobs {
		if j := plan.Jobs[n].Job; j.Deadline > 0 {
			deadlines[j.Ref()] = j.Deadline
		}
	}
	if len(deadlines) == 0 {
		return tx.InsertInstances(rows)
	}
	var watches []AlertWatchRow
	inserted, err := tx.InsertInstances(func(yield func(*Instance, []Wait) bool) {
		rows(func(i *Instance, waits []Wait) bool {
			if d := deadlines[i.Ref]; d > 0 && i.Kind == Scheduled {
				watches = append(watches, AlertWatchRow{Instance: i.ID, At: firstLook(i, waits), Deadline: i.PlanTime.Add(d)})
			}
			return yield(i, waits)
		})
	})
	if err != nil {
		return 0, err
	}
	return inserted, wrap(tx.PutWatches(watches), "watch %d deadlines", len(watches))
}

// An estimator says when instances will probably have ended, by the medians of what their jobs took and through what they wait for. It is made anew for
// each turn.
type estimator struct {
	e       *Engine
	v       View
	now     time.Time
	medians map[int64]time.Duration
	ends    map[int64]time.Time
	left    int // instances that may still be read
}

// estimated bounds how many instances one turn reads for estimates; beyond, an upstream counts as if it could begin at once.
const estimated = 2000

func (x *estimator) median(job int64) (time.Duration, error) {
	if m, known := x.medians[job]; known {
		return m, nil
	}
	e, err := EstimateDuration(x.v, job)
	x.medians[job] = e.Median
	return e.Median, err
}

// end estimates the end of an instance. What has failed counts as if it were run again now, and what is held as if it were let go.
func (x *estimator) end(i *Instance) (time.Time, error) {
	if at, known := x.ends[i.ID]; known {
		return at, nil
	}
	median, err := x.median(i.Job)
	if err != nil {
		return time.Time{}, err
	}
	x.ends[i.ID] = latest(x.now, i.NotBefore).Add(median) // of a circle, for who comes round to it
	end := x.now.Add(median)
	switch {
	case i.State.Satisfies():
		end = i.EndedAt
	case i.State == Running:
		end = latest(x.now, i.StartedAt.Add(median))
	case i.State == Waiting:
		begin, err := x.begin(i)
		if err != nil {
			return time.Time{}, err
		}
		end = begin.Add(median)
	}
	x.ends[i.ID] = end
	return end, nil
}

// begin estimates when a waiting instance can start.
func (x *estimator) begin(i *Instance) (time.Time, error) {
	at := latest(x.now, i.NotBefore)
	if x.left--; x.left < 0 {
		return at, nil
	}
	job, err := x.e.defs.version(x.v, i.Version)
	if err != nil {
		return at, nil //nolint:nilerr // it will be cancelled for its definition when its time comes
	}
	s, err := x.e.situation(x.v, i, job, x.now)
	if err != nil {
		return at, err
	}
	for from, to := range s.declared() {
		if v := judgeDependency(x.now, s, from, to); v.Open || v.Event != "" {
			continue
		}
		for n := from; n < to; n++ {
			end, err := x.upstreamEnd(&s.Waits[n], &s.Facts[n])
			if err != nil {
				return at, err
			}
			at = latest(at, end)
		}
	}
	return at, nil
}

// upstreamEnd estimates the end of the latest upstream instance that a wait lacks.
func (x *estimator) upstreamEnd(w *Wait, f *Facts) (time.Time, error) {
	u := f.Unsatisfied
	if w.AnyEnd() {
		u = f.Open
	}
	switch {
	case w.Count == 0 || f.Removed || f.Disabled || u == nil && f.Planned:
		return time.Time{}, nil
	case u == nil: // not planned yet
		median, err := x.median(w.Upstream)
		return latest(x.now, w.Last).Add(median), err
	}
	i, err := x.v.Instance(u.ID)
	if err != nil {
		return time.Time{}, wrap(err, "read what %s is doing", w.Ref)
	}
	return x.end(&i)
}
