package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
	"github.com/almanac-sched/almanac/recurrence"
)

// A lane is what a turn knows of an open backfill: what runs of it, and what it may start. All of it is read from rows at the beginning of the turn and
// kept up with what the turn itself starts.
type lane struct {
	row     BackfillRow
	running int            // instances, on all servers
	slots   int            // attempts that live here
	pools   map[string]int // the same on all servers, by pool
	closed  string         // why nothing of it starts; "" when it may
}

// How much of a backfill one turn looks at, so that what is due by itself never waits for it.
const (
	lanePage   = 500
	cancelPage = 500
)

// cap is how many slots of this server the lane takes at most: what was asked for, or a quarter.
func (l *lane) cap(slots int) int { return min(slots, cmp.Or(l.row.Options.Cap, max(1, slots/4))) }

// floor is how many it gets before all else.
func (l *lane) floor(slots int) int {
	return max(0, min(cmp.Or(l.row.Options.Floor, 1), l.cap(slots)))
}

// room is how many more instances may begin.
func (l *lane) room(slots int) int {
	room := l.cap(slots) - l.slots
	if l.row.Options.Parallel > 0 {
		room = min(room, l.row.Options.Parallel-l.running)
	}
	return max(0, room)
}

// full says why no more of the lane may begin now; "" when one may.
func (l *lane) full(slots int) string {
	switch o := &l.row.Options; {
	case fault.Planted(fault.LaneIgnored):
	case l.closed != "":
		return l.closed
	case o.Parallel > 0 && l.running >= o.Parallel:
		return fmt.Sprintf("%d of at most %d instances of it run", l.running, o.Parallel)
	case l.slots >= l.cap(slots):
		return fmt.Sprintf("it has %d of its share of %d slots", l.slots, l.cap(slots))
	}
	return ""
}

// readLanes reads the open backfills: those that have ended are closed, those that are being cancelled are so by a page, and one that is to stop when
// an instance fails stops.
func (t *turn) readLanes() error {
	t.lanes, t.laneOrder = map[string]*lane{}, nil
	if t.cfg.Closed {
		return nil // a day of its own
	}
	rows, err := t.tx.OpenBackfills()
	if err != nil || len(rows) == 0 {
		return wrap(err, "list the open backfills")
	}
	loads, err := t.tx.LiveInLanes()
	if err != nil {
		return fmt.Errorf("count the attempts of backfills: %w", err)
	}
	for _, row := range rows {
		if !row.Stage.Real() && !fault.Planted(fault.ApplyingClaimed) {
			continue
		}
		l := &lane{row: row, pools: map[string]int{}}
		for _, load := range loads {
			if load.Key != row.Key {
				continue
			}
			if !t.cfg.Shared || load.Owner == t.cfg.Owner {
				l.slots += load.Attempts
			}
			l.pools[load.Pool] += load.Attempts
		}
		if open, err := t.lookAfter(l); err != nil || !open {
			if err != nil {
				return fmt.Errorf("backfill %s: %w", row.Key, err)
			}
			continue
		}
		t.lanes[row.Key] = l
		t.laneOrder = append(t.laneOrder, l)
	}
	slices.SortStableFunc(t.laneOrder, func(a, b *lane) int {
		return cmp.Or(cmp.Compare(b.row.Options.Priority, a.row.Options.Priority), cmp.Compare(a.slots, b.slots))
	})
	return nil
}

// lookAfter finds out what a backfill may start; false when it is over.
func (t *turn) lookAfter(l *lane) (open bool, err error) {
	if l.row.Stage == BackfillCancelling {
		if err := t.cancelPage(l); err != nil {
			return false, err
		}
	}
	if _, err := front(t.tx, l.row.Key); errors.Is(err, ErrNotFound) {
		return false, t.endBackfill(&l.row)
	} else if err != nil {
		return false, err
	}
	if l.running, err = t.tx.BackfillCount(l.row.Key, Running); err != nil {
		return false, err
	}
	if l.row.Stage == BackfillRunning && l.row.Options.StopOnFailure {
		failed, err := t.tx.BackfillInstances(l.row.Key, Failed, "", lanePage)
		if err != nil {
			return false, err
		}
		for i := range failed {
			if l.row.ResumedAt.IsZero() || failed[i].EndedAt.After(l.row.ResumedAt) {
				at := failed[i].PlanTime
				reason := Reason{Code: ReasonLane, Detail: fmt.Sprintf("stopped: %s@%s failed", failed[i].Ref, PlanTimeText(at))}
				if err := t.moveBackfill(&l.row, BackfillPaused, reason); err != nil {
					return false, err
				}
				break
			}
		}
	}
	switch l.row.Stage {
	case BackfillPaused:
		l.closed = "paused"
		if l.row.Reason.Detail != "" {
			l.closed += ": " + l.row.Reason.Detail
		}
	case BackfillCancelling:
		l.closed = "it is being cancelled"
	case BackfillRunning:
		if w := l.row.Options.Window; w != nil {
			if opens := w.Opens(t.now); opens.After(t.now) {
				l.closed = "its window " + w.String() + " opens at " + opens.Format(time.RFC3339)
				t.opens = earliest(t.opens, opens)
			}
		}
	}
	return true, nil
}

// moveBackfill moves a backfill to another stage, with its line in the history.
func moveBackfill(tx Tx, row *BackfillRow, to BackfillStage, reason Reason, now time.Time) error {
	row.Stage, row.Reason, row.EndedAt = to, reason, time.Time{}
	if !to.Open() {
		row.EndedAt = now
	}
	if err := tx.PutBackfill(*row); err != nil {
		return err
	}
	return recordBackfill(tx, row, string(to), reason, now)
}

func (t *turn) moveBackfill(row *BackfillRow, to BackfillStage, reason Reason) error {
	return moveBackfill(t.tx, row, to, reason, t.now)
}

// reopenBackfill opens the backfill of an instance that is to run again, when it was over. Without it nobody would know of a lane in which something
// waits: it could be neither paused nor cancelled.
func reopenBackfill(tx Tx, i *Instance, actor string, now time.Time) error {
	if i.Kind != Backfill {
		return nil
	}
	row, err := tx.Backfill(i.Key)
	if err != nil || row.Stage.Open() {
		return wrap(ignoreMissing(err), "read the backfill %s", i.Key) // retention may have removed it
	}
	row.Options.CancelRunning = false
	return moveBackfill(tx, &row, BackfillRunning, Reason{Code: ReasonPerson, Actor: actor, Detail: "an instance of it is to run again"}, now)
}

// endBackfill closes a backfill all of whose instances have ended.
func (t *turn) endBackfill(row *BackfillRow) error {
	if row.Stage == BackfillCancelling {
		return t.moveBackfill(row, BackfillCancelled, row.Reason)
	}
	return t.moveBackfill(row, BackfillEnded, Reason{Code: ReasonSucceeded, Detail: "all of its instances have ended"})
}

func recordBackfill(tx Tx, row *BackfillRow, what string, reason Reason, at time.Time) error {
	detail := row.Key + " " + what
	if reason.Detail != "" {
		detail += ": " + reason.Detail
	}
	reason.Detail = detail
	return wrap(tx.Record(EventRow{At: at, Kind: "backfill", Job: row.Job, Reason: reason, Actor: reason.Actor}), "record that the backfill %s is %s", row.Key, what)
}

// front is the instance of a backfill that has not ended and whose turn is the earliest; ErrNotFound when all have ended.
func front(v View, key string) (first Instance, err error) {
	found := false
	look := func(state State, gate Gate) error {
		list, err := v.BackfillInstances(key, state, gate, 1)
		if err == nil && len(list) > 0 && (!found || list[0].ID < first.ID) {
			first, found = list[0], true
		}
		return err
	}
	for _, gate := range Gates {
		if err := look(Waiting, gate); err != nil {
			return first, err
		}
	}
	for _, state := range []State{Running, Lost} {
		if err := look(state, ""); err != nil {
			return first, err
		}
	}
	if !found {
		return first, fmt.Errorf("an open instance of %s: %w", key, ErrNotFound)
	}
	return first, nil
}

// cancelPage cancels some of what waits, and asks what runs to stop when that was wanted.
func (t *turn) cancelPage(l *lane) error {
	left := cancelPage
	for _, gate := range Gates {
		list, err := t.tx.BackfillInstances(l.row.Key, Waiting, gate, left)
		if err != nil {
			return err
		}
		for i := range list {
			if i > 0 && t.tx.Full() {
				t.again = true // the rest is for the turns that follow at once
				return nil
			}
			instance := &list[i]
			if err := t.settleClosed(&contender{instance: *instance}, Verdict{Event: Cancel, Reason: l.row.Reason}); err != nil {
				return err
			}
		}
		if left -= len(list); left <= 0 {
			t.again = true
			return nil
		}
	}
	if !l.row.Options.CancelRunning {
		return nil
	}
	running, err := t.tx.BackfillInstances(l.row.Key, Running, "", cancelPage)
	if err != nil {
		return err
	}
	for i := range running {
		if running[i].Cancel != nil {
			continue
		}
		ok, err := t.tx.SetCancel(running[i].ID, l.row.Reason, t.now)
		if err != nil {
			return fmt.Errorf("cancel %s: %w", running[i].Name(), err)
		}
		if ok {
			t.cancels = append(t.cancels, cancelRequest{running[i].ID, l.row.Reason})
		}
	}
	lost, err := t.tx.BackfillInstances(l.row.Key, Lost, "", cancelPage)
	if err != nil {
		return err
	}
	for i := range lost {
		if err := t.settleClosed(&contender{instance: lost[i]}, Verdict{Event: Cancel, Reason: l.row.Reason}); err != nil {
			return err
		}
	}
	return nil
}

// lane returns the lane of an instance, nil when it stands in none, and of one whose backfill is over: who takes it up again opens that, and the steps
// of a run that another server has ended meanwhile are refused by their fence.
func (t *turn) lane(i *Instance) *lane {
	if i.Kind != Backfill {
		return nil
	}
	return t.lanes[i.Key]
}

// lookInLanes looks at what of each backfill could start next: what is queued, and then what sleeps, in the order of its turn and no more than there
// is room for.
func (t *turn) lookInLanes(open []contender) ([]contender, error) {
	for _, l := range t.laneOrder {
		if l.full(t.cfg.Slots) != "" {
			continue
		}
		ready := 0
		for i := range open {
			if open[i].instance.Kind == Backfill && open[i].instance.Key == l.row.Key {
				ready++
			}
		}
		room := l.room(t.cfg.Slots)
		queued, err := t.tx.BackfillInstances(l.row.Key, Waiting, GateSlot, room)
		if err != nil {
			return nil, fmt.Errorf("list the queue of %s: %w", l.row.Key, err)
		}
		for i := range queued {
			open = append(open, contender{instance: queued[i]})
		}
		if ready += len(queued); ready >= room {
			continue
		}
		if open, err = t.wakeLane(l, open, ready); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// wakeLane looks at what sleeps in a lane until there is enough that could start.
func (t *turn) wakeLane(l *lane, open []contender, ready int) ([]contender, error) {
	asleep, err := t.tx.Asleep(l.row.Key, lanePage)
	if err != nil {
		return nil, fmt.Errorf("list what sleeps of %s: %w", l.row.Key, err)
	}
	day := recurrence.Date{}
	for i := range asleep {
		if ready >= l.room(t.cfg.Slots) {
			return open, nil
		}
		if on := recurrence.DateOf(asleep[i].PlanTime); l.row.Options.ByDay && on != day {
			first, err := front(t.tx, l.row.Key)
			if err != nil {
				return nil, err
			}
			if day = recurrence.DateOf(first.PlanTime); on != day {
				return open, nil // its day begins when the one before has ended
			}
		}
		c := contender{instance: asleep[i]}
		v, err := t.judge(&c)
		switch {
		case err != nil:
			return nil, err
		case !v.Open:
			err = t.settleClosed(&c, v)
		case c.job.Instantaneous():
			_, err = t.begin(&c)
		default:
			open = append(open, c)
			ready++
		}
		if err != nil {
			return nil, err
		}
	}
	t.again = t.again || len(asleep) == lanePage
	return open, nil
}

// endLanes closes the backfills of which the turn has ended the last instance.
func (t *turn) endLanes() error {
	for _, l := range t.laneOrder {
		if _, err := front(t.tx, l.row.Key); errors.Is(err, ErrNotFound) {
			err = t.endBackfill(&l.row)
			if err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// lanePriority is the priority of a backfill's instance: that of the backfill, or a little behind its job's.
func lanePriority(options *BackfillOptions, job *Job) int {
	return cmp.Or(options.Priority, max(1, job.Priority-2))
}

// chosenSteps are the steps that an instance begins with: those that its backfill leaves out are passed over.
func (l *lane) chosenSteps(job *Job) []StepRow {
	if l == nil || len(l.row.Options.Steps) == 0 {
		return nil
	}
	asked := slices.ContainsFunc(l.row.Options.Jobs, func(p BackfillPart) bool { return p.Asked && p.Ref == job.Ref() })
	if !asked {
		return nil
	}
	var rows []StepRow
	for i := range job.Steps {
		if name := job.Steps[i].Name; !slices.Contains(l.row.Options.Steps, name) {
			rows = append(rows, StepRow{Step: name, State: StepSkipped})
		}
	}
	return rows
}
