package engine

import (
	"fmt"
	"slices"
	"time"
)

// A Forecast is when an instance will start and end. Earliest is certain, made of plan times alone; Start and End are estimated by how long past instances
// took, along what the instance waits for. Slots are not foreseen beyond the queue as it is.
type Forecast struct {
	Earliest time.Time // it cannot start before; zero when it has started or ended
	Start    time.Time // zero: not known, and Unknown says why
	End      time.Time
	Took     Estimate // how long past ones took
	AtLeast  bool     // not everything that it waits for was looked at: it may be later
	Unknown  string   // why there is no estimate of its start or end: it is said, not guessed
}

// members is how many instances of one range an estimate looks at.
const members = 200

// estimate is how long instances of the subject's job take, read once.
func (l *looker) estimate(s *subject) (Estimate, error) {
	if e, ok := l.took[s.i.Job]; ok {
		return e, nil
	}
	e, err := EstimateDuration(l.view, s.i.Job)
	if err == nil {
		l.took[s.i.Job] = e
	}
	return e, err
}

// forecast foresees one instance, each at most once.
func (l *looker) forecast(s *subject) (Forecast, error) {
	if s.forecast != nil {
		return *s.forecast, nil
	}
	if s.busy {
		return Forecast{Earliest: l.now, Unknown: s.i.Name() + " waits for itself, in a circle"}, nil
	}
	s.busy = true
	defer func() { s.busy = false }()
	f, err := l.foresee(s)
	if err == nil {
		s.forecast = &f
	}
	return f, err
}

func (l *looker) foresee(s *subject) (f Forecast, err error) {
	i := s.i
	if i.State.Ended() {
		return Forecast{Start: i.StartedAt, End: i.EndedAt}, nil
	}
	if f.Took, err = l.estimate(s); err != nil {
		return f, err
	}
	switch i.State {
	case Running:
		f.Start = i.StartedAt
		f.end(s, latest(f.Start.Add(f.Took.Median), l.now))
		return f, nil
	case Lost:
		f.Start, f.Unknown = i.StartedAt, i.Name()+" is lost: what became of it is for a person to say"
		return f, nil
	}
	f.Earliest, f.Start = latest(l.now, i.NotBefore), latest(l.now, i.NotBefore)
	if s.verdict.Event != "" {
		f.Unknown = fmt.Sprintf("%s will be %s: %s", i.Name(), arrows[s.verdict.Event].to, s.verdict.Reason.Describe())
	}
	waived := judgeDependencies(l.now, s.s).Open
	for from, to := range s.s.declared() {
		if waived {
			break
		}
		d, err := l.foreseeWait(s, from, to)
		if err != nil {
			return f, err
		}
		f.Earliest, f.Start = latest(f.Earliest, d.Earliest), latest(f.Start, d.Start)
		f.AtLeast = f.AtLeast || d.AtLeast
		if f.Unknown == "" {
			f.Unknown = d.Unknown
		}
	}
	switch {
	case f.Unknown != "":
	case i.Frozen:
		f.Unknown = i.Name() + " is frozen, until somebody unfreezes it"
	case s.job.Confirm && i.Confirmed == "":
		f.Unknown = i.Name() + " waits for a person to confirm it"
	default:
		if err := l.foreseeTurn(s, &f); err != nil {
			return f, err
		}
	}
	if f.Unknown != "" {
		f.Start = time.Time{}
		return f, nil
	}
	f.end(s, f.Start.Add(f.Took.Median))
	return f, nil
}

// end sets the estimated end, when it is known how long such an instance takes.
func (f *Forecast) end(s *subject, at time.Time) {
	switch {
	case s.i.DryRun || s.job.Instantaneous():
		f.End = latest(f.Start, at)
		if f.Took.Of == 0 {
			f.End = f.Start
		}
	case f.Took.Of > 0:
		f.End = at
	default:
		f.Unknown = "no earlier instance of " + s.i.Ref.String() + " says how long it takes"
	}
}

// foreseeWait foresees when a declared dependency is satisfied: Earliest and Start are of that.
func (l *looker) foreseeWait(s *subject, from, to int) (f Forecast, err error) {
	v := judgeDependency(l.now, s.s, from, to)
	if v.Open {
		return f, nil
	}
	w := &s.s.Waits[from]
	set := newSet(s.s.Waits[from:to], s.s.Facts[from:to])
	switch {
	case v.Event != "":
		return f, nil // the verdict of the instance says so
	case set.gone != "":
		f.Unknown = fmt.Sprintf("%s was %s", w.Ref, set.gone)
		return f, nil
	case v.Reason.Code == ReasonNoUpstream:
		f.Unknown = v.Reason.Describe()
		return f, nil
	}
	all, need := l.needs(w, &set)
	list, f, err := l.foreseeMembers(s, from, to, all)
	if err != nil || len(list) == 0 {
		return f, err
	}
	if all {
		for _, m := range list {
			f.Earliest, f.Start = latest(f.Earliest, m.Earliest), latest(f.Start, m.End)
			if f.Unknown == "" {
				f.Unknown = m.Unknown
			}
		}
		return f, nil
	}
	return pick(list, need, f.AtLeast), nil
}

// needs says whether all of a set must come, or how many more.
func (l *looker) needs(w *Wait, set *set) (all bool, need int) {
	switch {
	case w.AnyEnd() || w.Select == "all":
		return true, 0
	case w.Select == "any":
		return false, 1
	}
	k := 0
	_, _ = fmt.Sscan(w.Select, &k)
	return false, max(1, k-set.count)
}

// pick is when so many of the members have come.
func pick(list []Forecast, need int, atLeast bool) (f Forecast) {
	var begins, ends []time.Time
	for _, m := range list {
		begins = append(begins, m.Earliest)
		if m.Unknown == "" && !m.End.IsZero() {
			ends = append(ends, m.End)
			continue
		}
		f.Unknown = m.Unknown
	}
	slices.SortFunc(begins, time.Time.Compare)
	slices.SortFunc(ends, time.Time.Compare)
	f.AtLeast = atLeast
	if need <= len(begins) {
		f.Earliest = begins[need-1]
	}
	if need <= len(ends) {
		f.Start, f.Unknown = ends[need-1], ""
	}
	return f
}

// foreseeMembers foresees what of a declared dependency does not satisfy yet.
func (l *looker) foreseeMembers(s *subject, from, to int, all bool) (list []Forecast, f Forecast, err error) {
	for n := from; n < to; n++ {
		w, facts := &s.s.Waits[n], &s.s.Facts[n]
		if w.Count == 0 {
			continue
		}
		rows, err := l.memberRows(w, facts, all)
		if err != nil {
			return nil, f, err
		}
		f.AtLeast = f.AtLeast || len(rows) >= members
		ups := make([]*subject, 0, len(rows)+1)
		for k := range rows {
			if w.AnyEnd() && (rows[k].State.Ended() || rows[k].Frozen && w.FrozenEnds()) {
				continue
			}
			up, err := l.recorded(&rows[k])
			if err != nil {
				return nil, f, err
			}
			ups = append(ups, up)
		}
		if !facts.Planned {
			up, err := l.at(w.Upstream, w.Ref, w.Key, w.Last)
			if err != nil && !isNotFound(err) {
				return nil, f, err
			}
			if isNotFound(err) {
				list = append(list, Forecast{Unknown: fmt.Sprintf("%s@%s is not planned", w.Ref, PlanTimeText(w.Last))})
			} else if up == nil || !up.recorded {
				ups = append(ups, up)
			}
		}
		for _, up := range ups {
			if up == nil {
				f.AtLeast = true
				continue
			}
			m, err := l.foreseeMember(up, w.AnyEnd())
			if err != nil {
				return nil, f, err
			}
			f.AtLeast = f.AtLeast || m.AtLeast
			list = append(list, m)
		}
	}
	return list, f, nil
}

// memberRows lists what of a range does not satisfy: from the end that decides.
func (l *looker) memberRows(w *Wait, f *Facts, all bool) ([]Instance, error) {
	if f.Unsatisfied == nil {
		return nil, nil
	}
	if w.Count == 1 {
		if s := l.subjects[place{w.Upstream, w.Key, f.Unsatisfied.PlanTime.UnixMilli()}]; s != nil {
			return []Instance{*s.i}, nil
		}
		if l.looks <= 0 {
			return make([]Instance, 1), nil // one that is not looked at
		}
		i, err := l.view.Find(w.Upstream, w.Key, f.Unsatisfied.PlanTime)
		return []Instance{i}, wrap(err, "find %s@%s", w.Ref, f.Unsatisfied.PlanTime)
	}
	q := RangeQuery{
		Job: w.Upstream, Key: w.Key, From: w.First, To: f.Unsatisfied.PlanTime, Unsatisfied: true, Latest: all, Limit: min(members, max(1, l.looks)),
	}
	rows, err := l.view.Range(q)
	if err != nil {
		return nil, fmt.Errorf("list what of %s does not satisfy: %w", w.Ref, err)
	}
	if all && len(rows) == q.Limit { // what is behind stands first, and may be what never comes
		q.Latest, q.To, q.Limit = false, rows[len(rows)-1].PlanTime.Add(-time.Millisecond), causesShown
		first, err := l.view.Range(q)
		if err != nil {
			return nil, fmt.Errorf("list what of %s is behind: %w", w.Ref, err)
		}
		rows = append(rows, first...)
	}
	return rows, nil
}

// foreseeMember foresees an upstream instance as one that must satisfy, or end.
func (l *looker) foreseeMember(up *subject, ended bool) (Forecast, error) {
	f, err := l.forecast(up)
	if err != nil {
		return f, err
	}
	if up.i.State.CountsAsFailed() && !ended {
		return Forecast{Earliest: l.now, Unknown: fmt.Sprintf("%s %s: somebody has to rerun it", up.i.Name(), has(up.i.State))}, nil
	}
	if f.Earliest.IsZero() {
		f.Earliest = l.now // it has started
	}
	return f, nil
}

func has(s State) string {
	if s == Cancelled {
		return "was cancelled"
	}
	return "has " + string(s)
}

// foreseeTurn puts the start behind what is in the way of it now: others of its job, or those that hold the slots.
func (l *looker) foreseeTurn(s *subject, f *Forecast) error {
	var holders []Instance
	var err error
	room, ahead := 0, 0
	switch {
	case s.verdict.Gate == GateConcurrency && !s.verdict.Open:
		holders, err = l.view.Active(s.i.Job)
		room = s.s.limit()
	case s.i.Gate == GateSlot && s.verdict.Open && s.recorded && l.past == nil:
		if holders, room, err = l.slotHolders(s); err == nil && len(holders) >= room {
			ahead, err = l.view.Ahead(s.i, members)
		}
	}
	if err != nil {
		return fmt.Errorf("list what is in the way of %s: %w", s.i.Name(), err)
	}
	if len(holders) < room || room == 0 {
		return nil
	}
	var ends []time.Time
	for n := range holders[:min(len(holders), members)] {
		h, err := l.recorded(&holders[n])
		if err != nil {
			return err
		}
		if h == nil {
			f.AtLeast = true
			continue
		}
		up, err := l.forecast(h)
		if err != nil {
			return err
		}
		if up.Unknown != "" {
			f.Unknown = up.Unknown
			return nil
		}
		ends = append(ends, up.End)
	}
	slices.SortFunc(ends, time.Time.Compare)
	need := len(holders) - room + ahead // how many must end before the one after which it starts
	if need >= len(ends) {
		f.AtLeast = true
		need = len(ends) - 1
	}
	if need >= 0 {
		f.Start = latest(f.Start, ends[need])
	}
	return nil
}

// slotHolders lists what holds the places that the instance wants: those of its pool when that is full, else the slots of the server.
func (l *looker) slotHolders(s *subject) (holders []Instance, room int, err error) {
	live, err := l.view.Live()
	if err != nil {
		return nil, 0, err
	}
	inPool := 0
	size, sized := l.defs.poolSize(s.i.Pool)
	for n := range live {
		if live[n].Pool == s.i.Pool {
			inPool++
		}
	}
	sized = sized && s.i.Pool != "" && inPool >= size
	room = l.cfg.Slots
	if sized {
		room = size
	}
	seen := map[int64]bool{}
	for n := range live {
		a := &live[n]
		if seen[a.Instance] || sized && a.Pool != s.i.Pool || !sized && l.cfg.Shared && a.Owner != l.cfg.Owner {
			continue
		}
		seen[a.Instance] = true
		i, err := l.view.Instance(a.Instance)
		if err != nil {
			return nil, 0, err
		}
		if i.State == Running {
			holders = append(holders, i)
		}
		if len(holders) == members {
			break
		}
	}
	return holders, room, nil
}

// forecastCauses adds forecasts to the tree.
func (l *looker) forecastCauses(c *Cause) (err error) {
	for n := range c.Dependencies {
		for _, up := range c.Dependencies[n].Causes {
			if s := l.subjects[l.placeOf(c.Dependencies[n].Wait.Upstream, up)]; s != nil {
				if up.Forecast, err = l.forecast(s); err != nil {
					return err
				}
			}
			if err = l.forecastCauses(up); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *looker) placeOf(job int64, c *Cause) place { return place{job, c.Key, c.PlanTime.UnixMilli()} }
