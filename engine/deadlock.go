package engine

import (
	"fmt"
	"slices"
	"strings"
)

// longestCycle bounds how many waiting instances are looked at.
const longestCycle = 200

// nameCycle makes the reason of an instance that waits in a circle say so, with the path (`reliability.md` F31). Cycles are refused when definitions are
// checked; one can still arise between instances that were planned with different versions. Nothing in it can ever start, and each of its members
// shall say why: those that do not yet are looked at again.
//
// Who waits for whom is followed only among jobs that wait, in some version, for each other: elsewhere this costs nothing.
func (t *turn) nameCycle(i *Instance, v *Verdict) error {
	s := circle{turn: t, start: i, seen: map[int64]bool{i.ID: true}}
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
			continue
		}
		if hop.from.Reason.Code == ReasonCycle || hop.from.Gate != GateDependency {
			continue // it says so, or it is looked at when its time comes
		}
		if _, err := t.tx.Hold(Hold{Instance: hop.from.ID, Gate: hop.from.Gate, Reason: hop.reason, Wake: t.now}); err != nil {
			return fmt.Errorf("hold %s: %w", hop.from.Name(), err)
		}
	}
	return nil
}

// A circle is the search for a way from an instance back to itself, along what must end before what.
type circle struct {
	*turn
	start *Instance
	seen  map[int64]bool
	hops  []hop // when one is found: from its end
}

type hop struct {
	from   Instance
	reason Reason // why from waits for the next
}

func (s *circle) follow(from *Instance) (found bool, err error) {
	job, err := s.defs.version(s.tx, from.Version)
	if err != nil || from == s.start && !s.mayCircle(job) {
		return false, ignoreInvalid(err)
	}
	situation, err := s.situation(s.tx, from, job, s.now)
	if err != nil {
		return false, err
	}
	for _, reason := range mustEnd(s.now, situation) {
		if *reason.Upstream != s.start.Ref && !s.defs.waitsFor(*reason.Upstream, s.start.Ref) {
			continue
		}
		next, ok, err := s.blocker(situation.Waits, &reason)
		if err != nil {
			return false, err
		}
		switch {
		case !ok:
			continue
		case next.ID == s.start.ID:
			found = true
		case s.seen[next.ID] || len(s.seen) >= longestCycle || next.State != Waiting:
			continue
		default:
			s.seen[next.ID] = true
			found, err = s.follow(&next)
		}
		if err != nil || found {
			s.hops = append(s.hops, hop{*from, reason})
			return found, err
		}
	}
	return false, nil
}

// mayCircle reports whether the job of the start waits for another that waits for it. Its own earlier instances alone make no circle.
func (s *circle) mayCircle(job *Job) bool {
	return slices.ContainsFunc(job.DependsOn, func(d Dependency) bool { return d.Job != job.Ref() && s.defs.waitsFor(d.Job, s.start.Ref) })
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
