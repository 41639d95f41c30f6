package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// A root is where trouble comes from.
type root struct {
	instance Instance
	cause    string // IncidentRow.Cause
}

// The causes that are not one job's.
const (
	causeDown  = "down"  // nobody looked: no server ran, or its machine slept
	causeSlots = "slots" // the server has too few
	causeDisk  = "disk"
	causeClock = "clock" // of messages about a clock that is not believed
	causePool  = "pool/" // and its name
	causeJob   = "job/"  // and the id of its row
)

// The bounds of the way down to a root. It is looked at step by step, deeper than any sensible pipeline and proof against a cycle; after walkedDepth steps
// what an open incident has found out of an instance is believed.
const (
	blockerDepth = 1000
	walkedDepth  = 50
)

// rootOf follows what an instance waits for, or was cancelled for, down to what waits for no other instance. Whatever stands in its way there is the
// cause: a job, or what many jobs lack alike.
func (a *alerting) rootOf(i *Instance) (root, error) {
	current := *i
	seen := map[int64]bool{}
	for len(seen) < blockerDepth && !seen[current.ID] {
		if known, ok := a.roots[current.ID]; ok {
			return a.know(seen, known), nil
		}
		seen[current.ID] = true
		if len(seen) > walkedDepth {
			known, ok, err := a.heldRoot(current.ID)
			if err != nil {
				return root{}, err
			}
			if ok {
				return a.know(seen, known), nil
			}
		}
		next, err := a.blockerOf(&current)
		if err != nil {
			return root{}, err
		}
		if next == nil || next.State.Satisfies() {
			break
		}
		current = *next
	}
	return a.know(seen, root{current, causeOf(&current)}), nil
}

// know remembers, for as long as the turn lasts, the root of each instance on the way to it.
func (a *alerting) know(way map[int64]bool, r root) root {
	for id := range way {
		a.roots[id] = r
	}
	return r
}

// heldRoot is the root of the open incident of a job that a survey has brought an instance into.
func (a *alerting) heldRoot(instance int64) (r root, ok bool, err error) {
	memberships, err := a.tx.MembershipsOf(instance)
	if err != nil {
		return r, false, err
	}
	for _, m := range memberships {
		row, err := a.tx.Incident(m.Incident)
		if err != nil {
			return r, false, err
		}
		if !row.Closed.IsZero() || !strings.HasPrefix(row.Cause, causeJob) || row.Instance == instance {
			continue
		}
		i, err := a.tx.Instance(row.Instance)
		if err == nil && !i.State.Satisfies() {
			return root{i, row.Cause}, true, nil
		}
		if err != nil && !isNotFound(err) {
			return r, false, err
		}
	}
	return r, false, nil
}

// causeOf names what stands in the way of a root.
func causeOf(i *Instance) string {
	switch {
	case i.State == Cancelled && i.Reason.Code == ReasonMisfire:
		return causeDown
	case i.State == Waiting && i.Gate == GateDisk:
		return causeDisk
	case i.State == Waiting && i.Gate == GateSlot && i.Reason.Code == ReasonPool:
		return causePool + i.Pool
	case i.State == Waiting && i.Gate == GateSlot:
		return causeSlots
	}
	if fault.Planted(fault.AlertPerInstance) {
		return causeJob + strconv.FormatInt(i.ID, 10)
	}
	return causeJob + strconv.FormatInt(i.Job, 10)
}

// blockerOf returns the instance that stands in the way of another, nil when none does or it is not planned yet.
func (t *turn) blockerOf(i *Instance) (*Instance, error) {
	reason, key := i.Reason, i.Key
	var upstream int64
	switch {
	case i.State == Cancelled && reason.Code == ReasonUpstreamFail && reason.Upstream != nil && reason.At != nil:
		row, err := t.tx.JobByRef(*reason.Upstream)
		if err != nil {
			return nil, absentOr(err, "read the upstream of %s", i.Name())
		}
		upstream = row.ID
	case i.State == Waiting:
		job, err := t.defs.version(t.tx, i.Version)
		if err != nil {
			return nil, ignoreInvalid(err)
		}
		s, err := t.situation(t.tx, i, job, t.now)
		if err != nil {
			return nil, err
		}
		verdict := judgeDependencies(t.now, s)
		reason = verdict.Reason
		if verdict.Open || reason.Upstream == nil || reason.At == nil {
			return nil, nil
		}
		for n := range s.Waits {
			if w := &s.Waits[n]; w.Ref == *reason.Upstream {
				upstream, key = w.Upstream, w.Key
				break
			}
		}
	default:
		return nil, nil
	}
	found, err := t.tx.Find(upstream, key, *reason.At)
	if err != nil {
		return nil, absentOr(err, "find what %s waits for", i.Name())
	}
	return &found, nil
}

// absentOr passes over what is not there.
func absentOr(err error, format string, args ...any) error {
	if isNotFound(err) {
		return nil
	}
	return wrap(err, format, args...)
}

// The bounds of what is recorded and counted of the instances that an incident blocks.
const (
	BlockedCounted = 10_000 // looked for
	blockedListed  = 1_000  // that get a row
)

// A heldLine finds the waiting instances that cannot start because of a root, through any number of others, nearest first. It goes on where it stopped, so
// that no look at the rows is long.
type heldLine struct {
	list  []heldOne // the root, and what was found
	seen  map[int64]bool
	asked int // of list, those of which it is known what they hold up
}

// A heldOne is what the line keeps of an instance.
type heldOne struct {
	id, job  int64
	key      string
	planTime time.Time
}

func newHeldLine(root *Instance) *heldLine {
	return &heldLine{list: []heldOne{{root.ID, root.Job, root.Key, root.PlanTime}}, seen: map[int64]bool{root.ID: true}}
}

// count is how many were found, at most BlockedCounted.
func (l *heldLine) count() int { return len(l.list) - 1 }

// nearest are those that get a row.
func (l *heldLine) nearest() []heldOne { return l.list[1:min(len(l.list), blockedListed+1)] }

// look asks of so many instances, or until it has found so many, what they hold up; done says that there is no more to find.
func (l *heldLine) look(v AlertView, most int) (done bool, err error) {
	found := l.count() + most
	for last := l.asked + most; l.asked < min(last, len(l.list)) && l.count() < min(found, BlockedCounted); l.asked++ {
		i := l.list[l.asked]
		held, err := v.HeldBy(i.job, i.key, i.planTime, BlockedCounted+1)
		if err != nil {
			return false, fmt.Errorf("list what waits for instance %d: %w", i.id, err)
		}
		for k := range held {
			h := &held[k]
			if l.count() == BlockedCounted || l.seen[h.ID] {
				continue
			}
			l.seen[h.ID] = true
			l.list = append(l.list, heldOne{h.ID, h.Job, h.Key, h.PlanTime})
		}
	}
	return l.asked == len(l.list) || l.count() == BlockedCounted, nil
}
