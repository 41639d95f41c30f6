package engine

import (
	"fmt"
	"strings"
)

// longestCycle bounds how far a chain of waiting instances is followed.
const longestCycle = 200

// nameCycle makes the reason of an instance that waits in a circle say so, with the path (`reliability.md` F31). Cycles are refused when definitions are
// checked; one can still arise between instances that were planned with different versions. Nothing in it can ever start, and each of its members
// shall say why: those that do not yet are looked at again.
//
// The chain of who waits for whom is followed only where the other job waits, in some version, for this one: elsewhere this costs nothing.
func (t *turn) nameCycle(i *Instance, v *Verdict) error {
	if !blocks(&v.Reason) || *v.Reason.Upstream == i.Ref || !t.defs.waitsFor(*v.Reason.Upstream, i.Ref) {
		return nil
	}
	members := []Instance{*i}
	members[0].Reason = v.Reason
	for len(members) < longestCycle {
		next, ok, err := t.blocker(&members[len(members)-1])
		switch {
		case err != nil || !ok:
			return err
		case next.ID == i.ID:
			return t.tellCycle(members, v)
		case next.State != Waiting || next.Gate != GateDependency || !blocks(&next.Reason):
			return nil
		}
		for n := range members {
			if members[n].ID == next.ID {
				return nil // it waits for a circle that it is not in
			}
		}
		members = append(members, next)
	}
	return nil
}

// blocks reports whether the reason names one upstream instance that must end first and waits itself.
func blocks(r *Reason) bool {
	return (r.Code == ReasonUpstream && r.Detail == "" || r.Code == ReasonCycle) && r.State == Waiting && r.Upstream != nil && r.At != nil
}

// blocker returns the instance that the waiting instance's reason names.
func (t *turn) blocker(i *Instance) (next Instance, ok bool, err error) {
	waits, err := t.tx.Waits(i.ID)
	if err != nil {
		return next, false, fmt.Errorf("read what %s waits for: %w", i.Name(), err)
	}
	for n := range waits {
		if waits[n].Ref != *i.Reason.Upstream {
			continue
		}
		next, err = t.tx.Find(waits[n].Upstream, waits[n].Key, *i.Reason.At)
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return next, false, fmt.Errorf("follow what %s waits for: %w", i.Name(), err)
		}
		return next, true, nil
	}
	return next, false, nil
}

// tellCycle gives the reason to the instance and has the other members looked at that do not know it.
func (t *turn) tellCycle(members []Instance, v *Verdict) error {
	names := make([]string, 0, len(members)+1)
	for n := range members {
		names = append(names, members[n].Name())
	}
	detail := strings.Join(append(names, names[0]), " → ")
	v.Reason.Code, v.Reason.Detail = ReasonCycle, detail
	for n := range members[1:] {
		m := &members[n+1]
		if m.Reason.Code == ReasonCycle {
			continue
		}
		reason := m.Reason
		reason.Code, reason.Detail = ReasonCycle, detail
		if _, err := t.tx.Hold(Hold{Instance: m.ID, Gate: m.Gate, Reason: reason, Wake: t.now}); err != nil {
			return fmt.Errorf("hold %s: %w", m.Name(), err)
		}
	}
	return nil
}
