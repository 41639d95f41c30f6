package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// longestCycle bounds how many waiting instances are looked at.
	longestCycle = 200
	// mostLooks bounds how often one search asks what a range holds: instances that wait for one another by long ranges have each of these walked.
	mostLooks = 5 * longestCycle
)

// nameCycle makes the reason of an instance that waits in a circle say so, with the path (`reliability.md` F31). Cycles are refused when definitions are
// checked; one can still arise between instances that were planned with different versions. Nothing in it can ever start, and each of its members
// shall say why: those that do not yet are looked at again.
//
// Who waits for whom is followed only among jobs that wait, in some version, for each other: elsewhere this costs nothing.
func (t *turn) nameCycle(i *Instance, v *Verdict) error {
	number, err := t.defs.circle(t.tx, i.Job)
	if err != nil || number == 0 {
		return err
	}
	s := circle{turn: t, start: i, number: number, seen: map[int64]bool{i.ID: true}}
	found, err := s.follow(i)
	if err != nil || !found {
		return err
	}
	slices.Reverse(s.hops)
	names := make([]string, 0, len(s.hops)+1)
	for n := range s.hops {
		names = append(names, s.hops[n].from.Name())
	}
	detail := strings.Join(append(names, names[0]), " → ")
	for n := range s.hops {
		hop := &s.hops[n]
		hop.reason.Code, hop.reason.Detail = ReasonCycle, detail
		if n == 0 {
			v.Reason = hop.reason
			v.WatchJob, v.WatchKey, v.WatchTime = hop.to.Job, hop.to.Key, hop.to.PlanTime // when a person ends that one, the reason is another
			continue
		}
		if hop.from.Reason.Code == ReasonCycle || hop.from.Gate != GateDependency {
			continue // it says so, or it is looked at when its time comes
		}
		if _, err := t.tx.Hold(Hold{Instance: hop.from.ID, Gate: hop.from.Gate, Reason: hop.reason, Wake: t.now, At: t.now}); err != nil {
			return fmt.Errorf("hold %s: %w", hop.from.Name(), err)
		}
	}
	return nil
}

// A circle is the search for a way from an instance back to itself, along what must end before what.
type circle struct {
	*turn
	start  *Instance
	number int // which circle of jobs it may be in
	seen   map[int64]bool
	looks  int
	hops   []hop // when one is found: from its end
}

type hop struct {
	from   Instance
	to     Instance
	reason Reason // why the one waits for the other
}

func (s *circle) follow(from *Instance) (found bool, err error) {
	job, err := s.defs.version(s.tx, from.Version)
	if err != nil {
		return false, ignoreInvalid(err)
	}
	situation, err := s.situation(s.tx, from, job, s.now)
	if err != nil {
		return false, err
	}
	ranges, err := s.ranges(situation.Waits)
	if err != nil {
		return false, err
	}
	for s.looks < mostLooks {
		if some, err := s.cut(ranges, situation.Facts); err != nil || !some {
			return false, err
		}
		for _, reason := range mustEnd(s.now, situation) {
			if found, err = s.leadsBack(from, situation.Waits, &reason); err != nil || found {
				return found, err
			}
		}
	}
	return false, nil
}

// leadsBack follows one reason for which an instance waits.
func (s *circle) leadsBack(from *Instance, waits []Wait, reason *Reason) (found bool, err error) {
	next, ok, err := s.blocker(waits, reason)
	if err != nil || !ok {
		return false, err
	}
	switch {
	case next.ID == s.start.ID:
		found = true
	case s.seen[next.ID] || len(s.seen) >= longestCycle || next.State != Waiting:
		return false, nil
	default:
		s.seen[next.ID] = true
		found, err = s.follow(&next)
	}
	if found {
		s.hops = append(s.hops, hop{*from, next, *reason})
	}
	return found, err
}

// ranges are what is left to walk of the waits from which a way may lead back.
func (s *circle) ranges(waits []Wait) ([]Wait, error) {
	ranges := slices.Clone(waits)
	for n := range ranges {
		r := &ranges[n]
		circle, err := s.defs.circle(s.tx, r.Upstream)
		if err != nil {
			return nil, err
		}
		if circle != s.number {
			r.Count = 0
		}
		r.OnFailed = FailedRun // ask for what is open, whatever has failed behind it
	}
	return ranges, nil
}

// cut puts the latest open instance of each range in the place of what does not satisfy, and ends the range before it: so mustEnd names by turns all
// that have to end, of which an instance watches the latest only. It reports whether there was any.
func (s *circle) cut(ranges []Wait, facts []Facts) (some bool, err error) {
	for n := range ranges {
		r, f := &ranges[n], &facts[n]
		f.Open, f.Unsatisfied = nil, nil
		if r.Count == 0 {
			continue
		}
		s.looks++
		left, err := s.tx.Facts(r)
		if err != nil {
			return false, fmt.Errorf("look up %s for a circle: %w", r.Ref, err)
		}
		if left.Open == nil {
			r.Count = 0
			continue
		}
		f.Open, f.Unsatisfied, some = left.Open, left.Open, true
		r.Last = left.Open.PlanTime.Add(-time.Millisecond)
		if r.Select != "all" {
			r.Count = 0 // another than those before it may satisfy
		}
	}
	return some, nil
}

// blocker returns the instance that a reason names.
func (s *circle) blocker(waits []Wait, reason *Reason) (next Instance, ok bool, err error) {
	for n := range waits {
		if waits[n].Ref != *reason.Upstream {
			continue
		}
		next, err = s.tx.Find(waits[n].Upstream, waits[n].Key, *reason.At)
		if isNotFound(err) {
			continue
		}
		return next, err == nil, wrap(err, "find %s@%s", reason.Upstream, reason.At)
	}
	return next, false, nil
}
