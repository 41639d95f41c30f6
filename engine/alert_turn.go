package engine

import (
	"cmp"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// The bounds of one turn: what is left is done in one that follows at once. So many are always looked at, however long the turn has gone on.
const (
	watchBatch = 200
	watchLeast = 10
)

// An alerting is what one turn does about alerts: it looks at what is due to be looked at, brings trouble into incidents, and at the end decides of each
// incident that was touched whether it is over and who is told. So what one transaction notices together is told together.
type alerting struct {
	*turn
	rules   *Alerts
	beside  bool // the loop: a survey
	guess   estimator
	touched []*touchedIncident
	roots   map[int64]root // by each instance on a way to one
}

// A touchedIncident is one that the turn opened, or changed.
type touchedIncident struct {
	row      IncidentRow
	fresh    bool
	grown    bool // a survey has counted it
	held     bool // its first messages wait for the survey
	end      *Reason
	troubles []trouble
}

// A trouble is one instance that came into an incident, and whom to tell.
type trouble struct {
	class AlertClass
	jobs  []*Job
}

// judgeAlerts looks at what is due, and returns when there is something to look at again.
func (t *turn) judgeAlerts() (next time.Time, err error) {
	if t.cfg.Alerts == nil {
		return time.Time{}, nil
	}
	t.heard = len(t.told)
	if err := t.recordTold(t.tx, t.now); err != nil {
		return time.Time{}, err
	}
	if next, err = t.alertsDue(); err != nil || next.IsZero() || next.After(t.now) {
		return next, err
	}
	a := newAlerting(t)
	watches, err := t.tx.WatchesDue(t.now, watchBatch)
	if err != nil {
		return next, fmt.Errorf("list what is watched: %w", err)
	}
	for n, w := range watches {
		if n >= watchLeast && t.tx.Full() {
			break
		}
		if err := a.look(w); err != nil {
			return next, err
		}
	}
	for _, i := range a.touched {
		if err := a.conclude(i); err != nil {
			return next, err
		}
	}
	if err := t.claimDeliveries(); err != nil {
		return next, err
	}
	return t.alertsDue()
}

// newID takes an id: of the loop's, or beside the loop one by itself.
func (a *alerting) newID() (int64, error) {
	if a.beside {
		id, err := a.tx.Reserve(1)
		return id, wrap(err, "reserve an id")
	}
	return a.ids.take(a.tx)
}

func newAlerting(t *turn) *alerting {
	return &alerting{turn: t, rules: t.cfg.Alerts, roots: map[int64]root{}, guess: estimator{
		e: t.Engine, v: t.tx, now: t.now, medians: map[int64]time.Duration{}, ends: map[int64]time.Time{}, left: estimated,
	}}
}

// alertsDue returns when there is something to do about alerts. What cannot be sent is not: while as many are under way as may be, the next answer is what
// the turn waits for, and without sinks nothing is. An incident that is due is not the turn's: Survey looks at it, beside the loop.
func (t *turn) alertsDue() (time.Time, error) {
	due, err := t.tx.AlertAgenda()
	if err != nil {
		return time.Time{}, fmt.Errorf("read the agenda of alerts: %w", err)
	}
	next := due.Watch
	if t.surveys = !due.Incident.IsZero() && !due.Incident.After(t.now); !t.surveys {
		next = earliest(next, due.Incident)
	}
	if t.freeSends() > 0 {
		next = earliest(next, due.Send)
	}
	return next, nil
}

// look judges one watched instance.
func (a *alerting) look(w AlertWatchRow) error {
	i, err := a.tx.Instance(w.Instance)
	if isNotFound(err) || err == nil && i.Kind == Backfill { // a backfill's own state shows what became of it
		return a.tx.DropWatch(w.Instance)
	}
	if err != nil {
		return fmt.Errorf("read watched instance %d: %w", w.Instance, err)
	}
	seen := Watched{Instance: &i, Deadline: w.Deadline}
	if !w.Deadline.IsZero() && !i.State.Ended() && a.now.Before(w.Deadline) {
		if seen.Ends, err = a.guess.end(&i); err != nil {
			return fmt.Errorf("estimate the end of %s: %w", i.Name(), err)
		}
	}
	v := JudgeAlert(a.now, &seen)
	if v.Kind == "" && !v.Next.IsZero() {
		w.At = v.Next
		return a.tx.PutWatches([]AlertWatchRow{w})
	}
	if err := a.tx.DropWatch(w.Instance); err != nil {
		return err
	}
	if v.Kind != "" {
		unseen := a.now.Sub(w.At) > MisfireGrace
		if err := a.enter(&i, v.Kind, unseen); err != nil {
			return fmt.Errorf("record the trouble of %s: %w", i.Name(), err)
		}
	}
	if !v.Over {
		return nil
	}
	more, err := a.settle(&i)
	if err == nil && more {
		err = a.tx.PutWatches([]AlertWatchRow{{Instance: i.ID, At: a.now}}) // a turn that follows at once goes on
	}
	return wrap(err, "settle the trouble of %s", i.Name())
}

// enter brings the trouble of an instance into the incident of its root, which begins when there is none. unseen says that the time to look passed while
// nobody did.
func (a *alerting) enter(i *Instance, kind AlertKind, unseen bool) error {
	memberships, err := a.tx.MembershipsOf(i.ID)
	if err != nil {
		return err
	}
	for _, m := range memberships {
		if m.Kind.Class().weight() >= kind.Class().weight() {
			return nil // it is told already
		}
	}
	if kind == AlertEndedLate && len(memberships) > 0 {
		return nil
	}
	from, err := a.rootOf(i)
	if err != nil {
		return err
	}
	inc, err := a.incident(from.cause)
	if err != nil {
		return err
	}
	rootKind := AlertRoot
	if v := JudgeAlert(a.now, &Watched{Instance: &from.instance}); v.Kind.Class() == ClassFailure {
		rootKind = v.Kind
	}
	if inc == nil && unseen && kind.Class() == ClassDeadline && rootKind == AlertRoot {
		from.cause = causeDown
		if inc, err = a.incident(causeDown); err != nil {
			return err
		}
	}
	if from.instance.ID == i.ID {
		rootKind = kind
	}
	if inc == nil {
		if inc, err = a.open(from, kind, rootKind); err != nil {
			return err
		}
	}
	if kind.Class().weight() > inc.row.Kind.Class().weight() {
		inc.row.Kind = kind
		if i.Job == inc.row.Job {
			inc.row.Reason = i.Reason
		}
	}
	if err := a.tx.PutMember(MemberRow{Incident: inc.row.ID, Instance: i.ID, Job: i.Job, PlanTime: i.PlanTime, Kind: kind, Since: a.now}); err != nil {
		return err
	}
	told := trouble{class: kind.Class()}
	for _, who := range []*Instance{&from.instance, i} {
		job, err := a.defs.version(a.tx, who.Version)
		if ignoreInvalid(err) != nil {
			return err
		}
		if err == nil && (len(told.jobs) == 0 || told.jobs[0] != job) {
			told.jobs = append(told.jobs, job)
		}
	}
	inc.troubles = append(inc.troubles, told)
	return nil
}

// incident returns the open incident of the cause, nil when there is none.
func (a *alerting) incident(cause string) (*touchedIncident, error) {
	for _, i := range a.touched {
		if i.row.Cause == cause {
			return i, nil
		}
	}
	row, err := a.tx.OpenIncident(cause)
	if err != nil {
		return nil, absentOr(err, "look for an incident of %s", cause)
	}
	return a.touch(row), nil
}

func (a *alerting) touch(row IncidentRow) *touchedIncident {
	for _, i := range a.touched {
		if i.row.ID == row.ID {
			return i
		}
	}
	i := &touchedIncident{row: row}
	a.touched = append(a.touched, i)
	return i
}

// open begins an incident, with its root as a member. A survey is due at once.
func (a *alerting) open(from root, kind, rootKind AlertKind) (*touchedIncident, error) {
	id, err := a.newID()
	if err != nil {
		return nil, err
	}
	i := &from.instance
	row := IncidentRow{
		ID: id, Cause: from.cause, Instance: i.ID, Job: i.Job, Key: i.Key, PlanTime: i.PlanTime, Kind: kind, Reason: i.Reason, Opened: a.now,
		Look: a.now,
	}
	if rootKind.Class() == ClassFailure {
		row.Kind = rootKind
	}
	inc := a.touch(row)
	inc.fresh = true
	if err := a.tx.PutIncident(row); err != nil {
		return nil, fmt.Errorf("open an incident: %w", err)
	}
	if err := a.tx.PutMember(MemberRow{Incident: id, Instance: i.ID, Job: i.Job, PlanTime: i.PlanTime, Kind: rootKind, Since: a.now}); err != nil {
		return nil, err
	}
	return inc, a.tx.Record(EventRow{At: a.now, Kind: "incident-opened", Instance: i.ID, Job: i.Job, Reason: Reason{
		Code: ReasonAlert, Detail: fmt.Sprintf("incident %d: %s", id, row.Kind),
	}})
}

func (r *Alerts) repeat() time.Duration { return cmp.Or(max(0, r.Repeat), DefaultRepeat) }

// settleBatch bounds how many members of one job the look at an end resolves.
const settleBatch = 50

// settle resolves what an instance has settled by its end: its own trouble, and when it ended well, that of earlier ones of its job that have ended. more
// says that there may be more of these.
func (a *alerting) settle(i *Instance) (more bool, err error) {
	own, err := a.tx.MembershipsOf(i.ID)
	if err != nil {
		return false, err
	}
	for _, m := range own {
		if m.Kind == AlertBlocked {
			continue
		}
		if err := a.resolve(m, i); err != nil {
			return false, err
		}
	}
	if !i.State.Satisfies() || i.Kind == Backfill {
		return false, nil
	}
	members, err := a.tx.Unresolved(i.Job, i.PlanTime, settleBatch)
	if err != nil {
		return false, err
	}
	settled := 0
	for _, m := range members {
		earlier, err := a.tx.Instance(m.Instance)
		if err != nil && !isNotFound(err) {
			return false, err
		}
		if err == nil && (!earlier.State.Ended() || i.Kind == Manual && earlier.Kind != Manual) {
			continue // a person's run stands for no other
		}
		settled++
		if err := a.resolve(m, i); err != nil {
			return false, err
		}
	}
	return len(members) == settleBatch && settled > 0, nil
}

// resolve says of a member that its trouble is over, by the end of an instance.
func (a *alerting) resolve(m MemberRow, by *Instance) error {
	m.Resolved = a.now
	if err := a.tx.PutMember(m); err != nil {
		return err
	}
	row, err := a.tx.Incident(m.Incident)
	if err != nil {
		return err
	}
	a.touch(row).end = &by.Reason
	return nil
}

// conclude closes an incident that is over, and writes what is to be told of it. What it costs does not depend on how many instances are in it.
func (a *alerting) conclude(inc *touchedIncident) error {
	counts, err := a.tx.MemberCounts(inc.row.ID)
	if err != nil {
		return err
	}
	open, all := 0, inc.row.Blocked
	for _, c := range counts {
		if c.Kind.Class() != "" {
			open, all = open+c.Open, all+c.All
		}
	}
	over := open == 0 && !fault.Planted(fault.AlertStaysOpen)
	inc.held = inc.fresh && !over
	if inc.grown || over {
		sent, err := a.sendHeld(inc)
		if err != nil {
			return err
		}
		if sent { // the first message says it all
			inc.row.Told = all
		}
	}
	if err := a.tell(inc, all); err != nil {
		return err
	}
	if over {
		if err := a.close(inc); err != nil {
			return err
		}
	}
	return wrap(a.tx.PutIncident(inc.row), "record incident %d", inc.row.ID)
}

// close ends an incident nothing of which is left, and tells those who were told of it.
func (a *alerting) close(inc *touchedIncident) error {
	inc.row.Closed = a.now
	if err := a.tx.ResolveMembers(inc.row.ID, a.now); err != nil {
		return err
	}
	if !inc.fresh { // what began and ended at once is one message
		if err := a.tellAgain(inc, ClassRecovery); err != nil {
			return err
		}
	}
	return a.tx.Record(EventRow{At: a.now, Kind: "incident-closed", Instance: inc.row.Instance, Job: inc.row.Job, Reason: Reason{
		Code: ReasonAlert, Detail: fmt.Sprintf("incident %d: nothing of it is left", inc.row.ID),
	}})
}
