package engine

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A survey is a look at an open incident: what of it is left, and what waits because of its root. Both may be much, so that it is made beside the loop, by
// short looks at the rows and short writes. It is a memory of the rows: a crash loses nothing, and the next server begins it anew.
type survey struct {
	incident int64
	line     *heldLine // nil of one that holds nothing up
	counted  bool      // the line is at its end

	after   int64 // the members up to this instance are looked at
	checked bool  // and so are all
	listed  int   // of the nearest of the line, those that have their row
	less    int   // of these, those that are in more trouble than being blocked
}

// The bounds of one step of a survey.
const (
	surveyLook = 200 // instances of which it is asked what they hold up, or that are found
	surveyPage = 64  // members between two looks at the time
)

// survey carries on with the look at an incident that is due, by one short look at the rows or one short write transaction; more says that there is more to
// do at once. It is a part of Bulk.
func (e *Engine) survey(ctx context.Context, now time.Time) (more bool, err error) {
	if e.cfg.Alerts == nil || e.clockHold() != nil {
		return false, nil
	}
	s := e.bulk.survey
	e.bulk.survey = nil // and again when this step has succeeded
	if s == nil || !s.counted {
		s, err = e.surveyRows(ctx, s, now)
		if err != nil || s == nil {
			return false, wrap(err, "look at an incident")
		}
		e.bulk.survey = s
		return true, nil
	}
	over, mine := false, false
	var next survey
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		next = *s
		if mine, err = e.leaseBulk(tx); err != nil || !mine {
			return err
		}
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		a := newAlerting(&turn{Engine: e, tx: tx, now: now})
		a.beside = true
		over, err = a.survey(&next)
		return err
	})
	switch {
	case err != nil:
		return false, fmt.Errorf("record the look at incident %d: %w", s.incident, err)
	case !mine:
		return false, nil
	case over:
		e.inbox.nudge() // there may be something to tell
	default:
		e.bulk.survey = &next
	}
	return true, nil
}

// surveyRows finds an incident to look at, or goes on finding out what the one holds up. nil is that there is none.
func (e *Engine) surveyRows(ctx context.Context, s *survey, now time.Time) (*survey, error) {
	err := e.cfg.Store.Read(ctx, func(v View) error {
		if s == nil {
			now, err := e.viewTime(v, now)
			if err != nil {
				return fmt.Errorf("read the clock: %w", err)
			}
			due, err := v.IncidentsDue(now, 1)
			if err != nil || len(due) == 0 {
				return err
			}
			s = &survey{incident: due[0].ID}
			if ofJob := len(due[0].Cause) > len(causeJob) && due[0].Cause[:len(causeJob)] == causeJob; ofJob {
				root, err := v.Instance(due[0].Instance)
				if err != nil && !isNotFound(err) {
					return err
				}
				if err == nil && !root.State.Satisfies() {
					s.line = newHeldLine(&root)
				}
			}
		}
		s.counted = s.line == nil
		if s.counted {
			return nil
		}
		done, err := s.line.look(v, surveyLook)
		s.counted = done
		return err
	})
	return s, err
}

// survey writes what a survey has found, as much as the transaction has time for; over says that it was all.
func (a *alerting) survey(s *survey) (over bool, err error) {
	row, err := a.tx.Incident(s.incident)
	if isNotFound(err) || err == nil && !row.Closed.IsZero() {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for first := true; !s.checked; first = false {
		if !first && a.tx.Full() {
			return false, nil
		}
		if err := a.checkMembers(s); err != nil {
			return false, err
		}
	}
	blocked := 0
	if s.line != nil {
		blocked = s.line.count()
		for nearest := s.line.nearest(); s.listed < len(nearest); s.listed++ {
			if a.tx.Full() {
				return false, nil
			}
			if err := a.listBlocked(s, &nearest[s.listed]); err != nil {
				return false, err
			}
		}
	}
	inc := a.touch(row)
	inc.grown, inc.row.Blocked, inc.row.Look = true, blocked-s.less, a.now.Add(a.rules.repeat())
	return true, a.conclude(inc)
}

// checkMembers resolves some members of the incident that are in trouble no longer, without anybody having noticed.
func (a *alerting) checkMembers(s *survey) error {
	members, err := a.tx.OpenMembers(s.incident, s.after, surveyPage)
	if err != nil {
		return fmt.Errorf("list the members of incident %d: %w", s.incident, err)
	}
	for _, m := range members {
		s.after = m.Instance
		i, err := a.tx.Instance(m.Instance)
		if err != nil && !isNotFound(err) {
			return err
		}
		if err == nil && (!i.State.Ended() || JudgeAlert(a.now, &Watched{Instance: &i}).Kind != "") {
			continue
		}
		m.Resolved = a.now
		if err := a.tx.PutMember(m); err != nil {
			return err
		}
	}
	s.checked = len(members) < surveyPage
	return nil
}

// listBlocked gives an instance that the root holds up its row.
func (a *alerting) listBlocked(s *survey, b *heldOne) error {
	memberships, err := a.tx.MembershipsOf(b.id)
	if err != nil {
		return err
	}
	if m := slices.IndexFunc(memberships, func(m MemberRow) bool { return m.Incident == s.incident }); m >= 0 {
		if memberships[m].Kind != AlertBlocked {
			s.less++ // it is more than that
		}
		return nil
	}
	return a.tx.PutMember(MemberRow{Incident: s.incident, Instance: b.id, Job: b.job, PlanTime: b.planTime, Kind: AlertBlocked, Since: a.now})
}
