package engine

import (
	"fmt"
	"strings"
)

// explainGates says of every gate, in order, why it is open or closed.
func (l *looker) explainGates(s *subject, x *Explanation) error {
	verdicts := map[Gate]Verdict{}
	for _, v := range Verdicts(l.now, s.s) {
		verdicts[v.Gate] = v
		if !v.Open && x.Holding == "" {
			x.Holding = v.Gate
		}
	}
	if x.Holding == "" && (s.i.Gate == GateSlot || s.i.Gate == GateDisk) && l.past == nil {
		x.Holding = s.i.Gate
	}
	add := func(v Verdict, why string) {
		if !v.Open && v.Reason.Code != "" && why == "" {
			why = v.Reason.Describe()
		}
		x.Gates = append(x.Gates, GateExplanation{v, why})
	}
	named := func(g Gate, open bool, why string) { add(Verdict{Gate: g, Open: open}, why) }

	due := "was due at " + s.i.PlanTime.Format(atOffset)
	if !s.i.NotBefore.Equal(s.i.PlanTime) {
		due += ", to start from " + s.job.local(s.i.NotBefore).Format(atOffset) + " on"
	}
	add(verdicts[GateTime], unlessClosed(verdicts[GateTime], due))
	l.explainCalendar(s, named)
	add(verdicts[GateDependency], unlessClosed(verdicts[GateDependency], dependencyText(s)))
	for from, to := range s.s.declared() {
		if w := &s.s.Waits[from]; w.Ref == s.i.Ref {
			v := judgeDependency(l.now, s.s, from, to)
			v.Gate = GateSelf
			add(v, unlessClosed(v, "its own earlier one is satisfied"))
		}
	}
	confirm := "the job asks for no confirmation"
	if s.job.Confirm {
		confirm = "confirmed by " + s.i.Confirmed
	}
	add(verdicts[GateConfirm], unlessClosed(verdicts[GateConfirm], confirm))
	add(verdicts[GateFrozen], unlessClosed(verdicts[GateFrozen], "not frozen"))
	if err := l.explainConcurrency(s, verdicts[GateConcurrency], x, add); err != nil || l.past != nil {
		return err
	}
	return l.explainSlots(s, named)
}

func unlessClosed(v Verdict, why string) string {
	if v.Open {
		return why
	}
	return ""
}

func (l *looker) explainCalendar(s *subject, add func(Gate, bool, string)) {
	c := s.job.When.Calendar
	switch {
	case c == nil:
		add(GateCalendar, true, "the job has no calendar")
	case s.i.DryRun:
		add(GateCalendar, false, "a day off in the calendar "+c.Name+": it is skipped when it is due")
	default:
		add(GateCalendar, true, fmt.Sprintf("a work day of the calendar %s (days off: %s)", c.Name, s.job.When.OffCalendar))
	}
}

func dependencyText(s *subject) string {
	n := 0
	for range s.s.declared() {
		n++
	}
	switch {
	case s.i.RunNow != "":
		return "not waited for: run now by " + s.i.RunNow
	case n == 0 && s.i.Kind == Manual && len(s.job.DependsOn) > 0:
		return "triggered: dependencies are not waited for"
	case n == 0:
		return "the job depends on nothing"
	case n == 1:
		return "the dependency is satisfied"
	}
	return fmt.Sprintf("all %d dependencies are satisfied", n)
}

func (l *looker) explainConcurrency(s *subject, v Verdict, x *Explanation, add func(Verdict, string)) error {
	text := fmt.Sprintf("%d of %d run", s.s.Active, s.s.limit())
	if !v.Open && v.Event == "" {
		active, err := l.view.Active(s.i.Job)
		if err != nil {
			return fmt.Errorf("list running instances of %s: %w", s.i.Ref, err)
		}
		x.Active = active[:min(len(active), causesShown)]
		text = v.Reason.Describe() + ": " + names(active, 3)
	} else if !v.Open {
		text = ""
	}
	add(v, text)
	return nil
}

// explainSlots says who holds what the instance will need to start: places in its pool, slots of the server, the server itself, the disk.
func (l *looker) explainSlots(s *subject, add func(Gate, bool, string)) error {
	if s.job.Instantaneous() {
		return l.explainLane(s, add) // it holds no slot
	}
	live, err := l.view.Live()
	if err != nil {
		return fmt.Errorf("count live attempts: %w", err)
	}
	var holders []int64
	used := 0
	for n := range live {
		if !l.cfg.Shared || live[n].Owner == l.cfg.Owner {
			used++
		}
		if s.i.Pool != "" && live[n].Pool == s.i.Pool {
			holders = append(holders, live[n].Instance)
		}
	}
	ahead := ""
	if s.i.Gate == GateSlot && s.recorded {
		n, err := l.view.Ahead(s.i, MoreThan)
		if err != nil {
			return fmt.Errorf("count the queue before %s: %w", s.i.Name(), err)
		}
		ahead = fmt.Sprintf("; %d before it in the queue", n)
	}
	if size, sized := l.defs.poolSize(s.i.Pool); s.i.Pool != "" && sized {
		text := fmt.Sprintf("%d of %d places of the pool %s are taken", len(holders), size, s.i.Pool)
		if full := len(holders) >= size; full {
			by, err := l.holders(holders)
			if err != nil {
				return err
			}
			text += " by " + by + ahead
		}
		add(GatePool, len(holders) < size, text)
	}
	if err := l.explainLane(s, add); err != nil {
		return err
	}
	if up := l.Health(l.cfg.Clock()) == nil; up {
		text := fmt.Sprintf("%d of %d slots are taken", used, l.cfg.Slots)
		if used >= l.cfg.Slots {
			text += ahead
		}
		add(GateSlot, used < l.cfg.Slots, text)
		add(GateWorker, true, "this server runs it: "+l.cfg.Owner)
	} else {
		add(GateWorker, false, "no server works on this data directory just now")
	}
	if held := l.Held(); held != "" { // the disk, or a clock that is not believed
		add(GateDisk, false, "nothing is started: "+held)
	} else {
		add(GateDisk, true, "there is room")
	}
	return nil
}

// explainLane says why the lane of its backfill does not let an instance start.
func (l *looker) explainLane(s *subject, add func(Gate, bool, string)) error {
	if s.i.Kind != Backfill {
		return nil
	}
	lane, err := l.laneVerdict(l.view, s.i, l.now)
	if err == nil {
		add(GateLane, false, lane.Reason.Describe())
	}
	return err
}

// holders names the instances whose attempts hold the places of a pool.
func (l *looker) holders(ids []int64) (string, error) {
	var list []string
	for _, id := range ids[:min(3, len(ids))] {
		i, err := l.view.Instance(id)
		if err != nil {
			return "", fmt.Errorf("read what holds a place in a pool: %w", err)
		}
		list = append(list, i.Name())
	}
	if rest := len(ids) - len(list); rest > 0 {
		list = append(list, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(list, ", "), nil
}
