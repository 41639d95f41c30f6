package engine

import (
	"fmt"
	"strconv"

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

// blockerDepth bounds the way down to a root: deeper than any sensible pipeline, and proof against a cycle.
const blockerDepth = 1000

// findRoot follows what an instance waits for, or was cancelled for, down to what waits for no other instance. Whatever stands in its way there is the
// cause: a job, or what many jobs lack alike.
func (t *turn) findRoot(i *Instance) (root, error) {
	current := *i
	seen := map[int64]bool{}
	for len(seen) < blockerDepth && !seen[current.ID] {
		seen[current.ID] = true
		next, err := t.blockerOf(&current)
		if err != nil {
			return root{}, err
		}
		if next == nil || next.State.Satisfies() {
			break
		}
		current = *next
	}
	return root{current, causeOf(&current)}, nil
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

// blockedBy finds the waiting instances that cannot start because of a root, through any number of others, nearest first; count is at most
// BlockedCounted.
func blockedBy(v AlertView, root *Instance) (nearest []Instance, count int, err error) {
	seen := map[int64]bool{root.ID: true}
	line := []Instance{*root}
	for n := 0; n < len(line) && count < BlockedCounted; n++ {
		i := &line[n]
		held, err := v.HeldBy(i.Job, i.Key, i.PlanTime, BlockedCounted-count+1)
		if err != nil {
			return nil, 0, fmt.Errorf("list what waits for %s: %w", i.Name(), err)
		}
		for k := range held {
			if count == BlockedCounted || seen[held[k].ID] {
				continue
			}
			seen[held[k].ID] = true
			count++
			line = append(line, held[k])
		}
	}
	return line[1:min(len(line), blockedListed+1)], count, nil
}
