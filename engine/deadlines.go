package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// A LateInstance is an open instance that has missed its deadline, or cannot be expected to keep it.
type LateInstance struct {
	Instance Instance
	Kind     AlertKind
	Incident int64
	Deadline time.Time
	Ends     time.Time // when it will probably have ended
}

// Late is how far behind its deadline it will probably end.
func (l *LateInstance) Late() time.Duration { return l.Ends.Sub(l.Deadline) }

// The bounds of what Deadlines looks at: the newest open incidents, and so many of their members.
const (
	deadlineIncidents = 200
	deadlineMembers   = 2000
)

// Deadlines lists the open instances whose deadlines are missed or at risk, the one that will be latest first, at most limit: those that open incidents name as
// late, and those that they hold up and that will be. all says how many there are among the newest 200 incidents, the first 100 members of each and 2,000 in all.
func (e *Engine) Deadlines(ctx context.Context, limit int, now time.Time) (list []LateInstance, all int, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		list = nil
		now, err := e.viewTime(v, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		guess := estimator{e: e, v: v, now: now, medians: map[int64]time.Duration{}, ends: map[int64]time.Time{}, left: estimated}
		seen := map[int64]bool{}
		incidents, err := v.Incidents(true, 0, deadlineIncidents)
		if err != nil {
			return err
		}
		for n := range incidents {
			members, err := v.Members(incidents[n].ID, MembersNamed)
			if err != nil {
				return err
			}
			for _, m := range members {
				if m.Kind.Class() == ClassFailure || !m.Resolved.IsZero() || seen[m.Instance] || len(seen) == deadlineMembers {
					continue
				}
				seen[m.Instance] = true
				late, open, err := guess.late(&m)
				if err != nil {
					return err
				}
				if open {
					list = append(list, late)
				}
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b LateInstance) int {
		return cmp.Or(cmp.Compare(b.Late(), a.Late()), cmp.Compare(a.Instance.ID, b.Instance.ID))
	})
	return list[:min(limit, len(list))], len(list), wrap(err, "list deadlines at risk")
}

// late tells of a member what is known of it now; open is false when it has ended, is gone, has no deadline any more, or is only held up and will be in time.
func (x *estimator) late(m *MemberRow) (late LateInstance, open bool, err error) {
	i, err := x.v.Instance(m.Instance)
	if isNotFound(err) || err == nil && i.State.Ended() {
		return late, false, nil
	}
	if err != nil {
		return late, false, err
	}
	job, err := x.e.defs.version(x.v, i.Version)
	if err != nil || job.Deadline <= 0 {
		return late, false, nil //nolint:nilerr // a definition that cannot be read has no deadline to tell
	}
	late = LateInstance{Instance: i, Kind: m.Kind, Incident: m.Incident, Deadline: i.PlanTime.Add(job.Deadline)}
	if late.Ends, err = x.end(&i); err != nil {
		return late, false, err
	}
	if m.Kind.Class() != ClassDeadline {
		late.Kind = JudgeAlert(x.now, &Watched{Instance: &i, Deadline: late.Deadline, Ends: late.Ends}).Kind
	}
	return late, late.Kind.Class() == ClassDeadline, nil
}
