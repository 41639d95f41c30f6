package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A past is the rows as they were at a time, told by the history: states, who confirmed, what ran. Decisions are pure, so that what they came to then
// comes of the same function now, and need not have been recorded. What no event tells is said to be unknown.
type past struct {
	View
	engine   *Engine
	at       time.Time
	versions map[int64][]VersionRow
	oldest   *time.Time // of the history that is kept
}

// ended reports whether nothing has happened to the instance since.
func (p *past) ended(i *Instance) bool {
	return i.State.Ended() && !i.EndedAt.IsZero() && i.EndedAt.UnixMilli() <= p.at.UnixMilli()
}

// asOf gives the instance as it was; ErrNotFound when it was not there yet.
func (p *past) asOf(now Instance) (Instance, error) {
	i := now
	if p.later(i.PlanTime, i.Ref) && i.Kind == Scheduled {
		return i, fmt.Errorf("%s was not planned yet at %s: %w", i.Name(), p.at.Format(time.RFC3339), ErrNotFound)
	}
	if p.ended(&i) {
		return i, nil
	}
	_, events, err := p.View.HistoryOf(i.ID)
	if err != nil {
		return i, fmt.Errorf("read the history of %s: %w", i.Name(), err)
	}
	i.State, i.Gate, i.Reason = Waiting, GateTime, Reason{Code: ReasonPlanned}
	i.Owner, i.Lease, i.Cancel, i.Confirmed, i.RunNow, i.Frozen = "", time.Time{}, nil, "", "", false
	i.Run, i.StartedAt, i.EndedAt, i.Touched = 1, time.Time{}, time.Time{}, false
	if !i.NotBefore.After(p.at) {
		i.Gate = GateDependency // it has been looked at
	}
	for n := range events {
		e := &events[n]
		if e.At.UnixMilli() > p.at.UnixMilli() {
			if e.Kind == "trigger" {
				return i, fmt.Errorf("%s was triggered at %s: %w", i.Name(), e.At.Format(time.RFC3339), ErrNotFound)
			}
			break
		}
		replay(&i, e)
	}
	return i, nil
}

// replay lets an event happen to an instance.
func replay(i *Instance, e *EventRow) {
	i.Touched = i.Touched || slices.Contains(touching, e.Kind)
	switch {
	case e.Kind == "trigger":
		i.Reason = e.Reason
	case e.From != "" && e.To != "":
		i.State, i.Reason, i.Gate, i.Cancel = e.To, e.Reason, "", nil
		i.EndedAt = time.Time{}
		if Event(e.Kind).Closes(e.From) {
			i.next()
		}
		switch {
		case e.To == Running:
			i.StartedAt = e.At
		case e.To == Waiting:
			i.Gate = GateDependency
			i.Touched = true
			i.Confirmed, i.RunNow, i.Frozen = "", "", false // a rerun asks for them anew
		case e.To.Ended():
			i.EndedAt = e.At
		}
	case e.Kind == "confirm":
		i.Confirmed = e.Actor
	case e.Kind == "run-now":
		i.RunNow = e.Actor
	case e.Kind == "cancel-request":
		reason := e.Reason
		i.Cancel = &reason
	case e.Kind == "freeze":
		i.Frozen = true
	case e.Kind == "unfreeze":
		i.Frozen = false
	}
}

// touching are the kinds of events of what a person changes of an instance beside its state.
var touching = []string{"freeze", "unfreeze", "boost", "reschedule", "run-now", "detach"}

// notTakenBack are the kinds of events that do not tell what they changed.
var notTakenBack = []string{"boost", "rebind"}

// Waits lists what the instance waited for: before something was detached, that too.
func (p *past) Waits(instance int64) ([]Wait, error) {
	former, err := p.FormerWaits(instance, p.at)
	if err != nil || len(former) > 0 {
		return former, err
	}
	return p.View.Waits(instance)
}

// later reports whether the plan did not reach to a time yet: a natural day is written down a while before it begins.
func (p *past) later(planTime time.Time, ref JobRef) bool {
	location := planTime.Location()
	if d := p.engine.defs.lookup(ref); d != nil {
		location = d.job.When.Location
	}
	return !planTime.Before(dayAfter(p.at.Add(p.engine.cfg.PlanAhead), location))
}

// unknown lists what the history does not tell of an instance.
func (p *past) unknown(i *Instance) []string {
	list := []string{"how full the slots, the pools, the queue and the disk were, and which server worked"}
	if !p.ended(i) {
		list = append(list, "when its row was written: it is taken to have been planned as days are, "+strings.TrimSuffix(p.engine.cfg.PlanAhead.String(), "0m0s")+" before they begin")
	}
	if _, events, err := p.View.HistoryOf(i.ID); err == nil {
		for n := range events {
			e := &events[n]
			if e.At.UnixMilli() <= p.at.UnixMilli() {
				continue
			}
			lost := slices.Contains(notTakenBack, e.Kind)
			if e.Kind == "detach" { // by a version of this program that did not keep what there was
				former, err := p.FormerWaits(i.ID, p.at)
				lost = err == nil && len(former) == 0
			}
			if lost {
				list = append(list, fmt.Sprintf("how it was before its %s of %s", e.Kind, e.At.UTC().Format(time.RFC3339)))
			}
		}
	}
	if v, err := p.Version(i.Version); err == nil && v.CreatedAt.After(p.at) {
		list = append(list, "its definition then: the row was written by one that was loaded at "+v.CreatedAt.Format(time.RFC3339))
	}
	return list
}

// Instance returns one instance as it was.
func (p *past) Instance(id int64) (Instance, error) {
	i, err := p.View.Instance(id)
	if err != nil {
		return i, err
	}
	if err := p.reaches(); err != nil {
		return i, err
	}
	return p.asOf(i)
}

// reaches refuses a time before the history that is kept.
func (p *past) reaches() error {
	if p.oldest == nil {
		_, events, err := p.HistoryAfter(0, 1)
		if err != nil {
			return fmt.Errorf("find the beginning of the history: %w", err)
		}
		p.oldest = new(time.Time)
		if len(events) > 0 {
			*p.oldest = events[0].At
		}
	}
	if p.at.Before(*p.oldest) {
		return fmt.Errorf("%w: the history that is kept begins at %s, after %s", ErrInvalid, p.oldest.UTC().Format(time.RFC3339), p.at.UTC().Format(time.RFC3339))
	}
	return nil
}

// Find returns the instance of that identity as it was.
func (p *past) Find(job int64, key string, planTime time.Time) (Instance, error) {
	if err := p.reaches(); err != nil {
		return Instance{}, err
	}
	i, err := p.View.Find(job, key, planTime)
	if err != nil {
		return i, err
	}
	return p.asOf(i)
}

// each calls fn with the instances of a range as they were, until it says that it has enough.
func (p *past) each(q RangeQuery, fn func(i *Instance) bool) error {
	q.Unsatisfied, q.Limit = false, 1000
	for {
		list, err := p.View.Range(q)
		if err != nil {
			return err
		}
		for n := range list {
			i, err := p.asOf(list[n])
			if isNotFound(err) {
				continue
			}
			if err != nil || !fn(&i) {
				return err
			}
		}
		if len(list) < q.Limit {
			return nil
		}
		if end := list[len(list)-1].PlanTime; q.Latest {
			q.To = end.Add(-time.Millisecond)
		} else {
			q.From = end.Add(time.Millisecond)
		}
	}
}

// Range lists instances as they were.
func (p *past) Range(q RangeQuery) (list []Instance, err error) {
	err = p.each(q, func(i *Instance) bool {
		if !q.Unsatisfied || !i.State.Satisfies() {
			list = append(list, *i)
		}
		return len(list) < q.Limit
	})
	return list, err
}

// RangeCount counts them.
func (p *past) RangeCount(q RangeQuery) (int, error) {
	list, err := p.Range(q)
	return len(list), err
}

// Facts are those of then.
func (p *past) Facts(w *Wait) (Facts, error) {
	f, err := p.View.Facts(&Wait{Upstream: w.Upstream, Key: w.Key, Select: "all"}) // of no range: what is said of the job
	if err != nil {
		return f, err
	}
	if f.Removed, f.Disabled, err = p.gone(w.Upstream, f); err != nil || w.Count == 0 {
		return f, err
	}
	now, err := p.View.Facts(w)
	if err != nil {
		return f, err
	}
	f.Planned = now.Planned && !p.later(w.Last, w.Ref)
	seen := 0
	wanted, _ := strconv.Atoi(w.Select)
	if w.Select == "any" {
		wanted = 1
	}
	q := RangeQuery{Job: w.Upstream, Key: w.Key, From: w.First, To: w.Last, Latest: true}
	err = p.each(q, func(i *Instance) bool {
		seen++
		u := &UpstreamInstance{ID: i.ID, PlanTime: i.PlanTime, State: i.State, Frozen: i.Frozen}
		switch {
		case i.State.Satisfies():
			if f.Satisfied < wanted {
				f.Satisfied++
			}
			return true
		case w.AnyEnd() && f.Open == nil && !i.State.Ended() && (!i.Frozen || !w.FrozenEnds()):
			f.Open = u
		}
		if w.OnFailed == FailedCancel && (i.Frozen || i.State.CountsAsFailed()) {
			f.Failed = u // the earliest is met last
		}
		if f.Unsatisfied == nil {
			f.Unsatisfied = u
		}
		return true
	})
	if now.Missing > 0 && f.MayMiss(w) { // what is gone now may have been there then, and nothing tells
		f.Missing = max(0, w.Count-seen)
	}
	return f, err
}

// Active lists what ran of the job, by start.
func (p *past) Active(job int64) (list []Instance, err error) {
	some, err := p.StartedBy(job, p.at)
	if err != nil {
		return nil, err
	}
	for n := range some {
		i, err := p.asOf(some[n])
		if err != nil && !isNotFound(err) {
			return nil, err
		}
		if err == nil && i.State == Running {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b Instance) int { return cmp.Or(a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// ActiveCount counts it.
func (p *past) ActiveCount(job int64) (int, error) {
	list, err := p.Active(job)
	return len(list), err
}

// LaterDue is that of then.
func (p *past) LaterDue(i *Instance, now time.Time) (due bool, err error) {
	err = p.each(RangeQuery{Job: i.Job, From: i.PlanTime.Add(time.Millisecond), To: now}, func(later *Instance) bool {
		due = later.State == Waiting
		return !due
	})
	return due, err
}

// Durations are of what had ended then.
func (p *past) Durations(job int64, key string, limit int) (took []time.Duration, err error) {
	left := 40 * limit // looked at
	q := RangeQuery{Job: job, Key: key, From: p.at.AddDate(-5, 0, 0), To: p.at.Add(p.engine.cfg.PlanAhead + 50*time.Hour), Latest: true}
	var failed error
	err = p.each(q, func(i *Instance) bool {
		left--
		once := false
		if i.State == Succeeded {
			once, failed = p.inOneGo(i)
		}
		if once {
			took = append(took, i.EndedAt.Sub(i.StartedAt))
		}
		return len(took) < limit && left > 0 && failed == nil
	})
	return took, errors.Join(err, failed)
}

// KeyedDurations are of what had ended then.
func (p *past) KeyedDurations(job int64, _ time.Time, limit int) ([]time.Duration, error) {
	return p.View.KeyedDurations(job, p.at, limit)
}

// inOneGo reports whether the instance had been started once, as far as is told: what its fence has grown by since is what events say.
func (p *past) inOneGo(i *Instance) (bool, error) {
	if i.Fence == 1 {
		return true, nil
	}
	_, events, err := p.View.HistoryOf(i.ID)
	if err != nil {
		return false, fmt.Errorf("read the history of %s: %w", i.Name(), err)
	}
	then, since := 0, int64(0)
	for n := range events {
		if events[n].To == Running {
			since++
			if events[n].At.UnixMilli() <= p.at.UnixMilli() {
				then++
			}
		}
	}
	return then == 1 && since == i.Fence, nil
}

// HistoryOf lists the events until then.
func (p *past) HistoryOf(instance int64) (ids []int64, events []EventRow, err error) {
	ids, events, err = p.View.HistoryOf(instance)
	for n := range events {
		if events[n].At.UnixMilli() > p.at.UnixMilli() {
			if n == 0 {
				return nil, nil, err
			}
			return ids[:n], events[:n], err
		}
	}
	return ids, events, err
}

// errPast is about what of a time that has passed nothing tells.
var errPast = errors.New("stuck, this is a bug: nothing tells what it was then")

// Live is not known of then.
func (p *past) Live() ([]AttemptRow, error) { return nil, errPast }

// Ahead is not known of then.
func (p *past) Ahead(*Instance, int) (int, error) { return 0, errPast }
