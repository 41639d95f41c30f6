package main

import (
	"slices"
	"time"
)

// An edge is one declared dependency between two job versions: the rules of `dependencies.md`, said again.
type edge struct {
	def      *dependencyDef
	down, up *schedule
	a, b     period // of down and up
	self     bool
	policy   string
	previous int
	ended    bool // the second wait of waitPreviousEnd

	upTimes, downTimes func(from, to int64) []int64 // when both are due in [from, to)
}

// newEdge joins a dependency with its two ends.
func newEdge(def *dependencyDef, down, up *version, self bool) (*edge, error) {
	if down.whenErr != nil {
		return nil, down.whenErr
	}
	if up.whenErr != nil {
		return nil, up.whenErr
	}
	e := &edge{def: def, down: down.when, up: up.when, self: self, policy: or(def.Policy, "natural"), previous: def.Previous}
	e.upTimes, e.downTimes = e.up.between, e.down.between
	var err error
	if e.a, err = periodOf(down.def); err != nil {
		return nil, err
	}
	if e.b, err = periodOf(up.def); err != nil {
		return nil, err
	}
	if def.Window == nil && !self && (e.a.class == "" || e.b.class == "") {
		return nil, notUnderstood("a dependency of or on a job without a period, and without a window")
	}
	return e, nil
}

// set lists the plan times that the instance of plan time t waits for, ascending: after select first and last, before any and counts.
func (e *edge) set(t int64) ([]int64, error) {
	list, last, err := e.candidates(t)
	if err != nil {
		return nil, err
	}
	if len(e.def.Hours) > 0 {
		list = slices.DeleteFunc(slices.Clone(list), func(u int64) bool {
			return !slices.Contains(e.def.Hours, int(floorMod(e.down.zone.local(u), dayMS)/hourMS))
		})
	}
	selects := or(e.def.Select, "default")
	if e.ended {
		selects, last = "all", false
	}
	if e.def.Rule == "nearest" && !e.self || selects == "default" && last {
		selects = "last"
	}
	if len(list) > 0 {
		switch selects {
		case "first":
			list = list[:1]
		case "last":
			list = list[len(list)-1:]
		}
	}
	return list, nil
}

// candidates is the set before hours and select; last says that the table's default is to select the last.
func (e *edge) candidates(t int64) (list []int64, last bool, err error) {
	z := e.down.zone
	hour := t - floorMod(z.local(t), hourMS)
	day := z.date(t)
	days := func(back, length int64) []int64 {
		return e.upTimes(z.dayStart(day-back), z.dayStart(day-back+length))
	}
	n, a, b := int64(e.previous), e.a.class, e.b.class
	switch {
	case e.def.Window != nil:
		return e.explicit(t)
	case e.self:
		return e.earlier(t, max(1, e.previous)), false, nil
	case e.policy == "traditional":
		return e.traditional(t, hour, days)
	case e.def.Rule == "nearest" && a == "day" && (b == "hour" || b == "minute"):
		return e.upTimes(z.dayStart(day), t+1), true, nil
	case e.def.Rule == "nearest" && a == "hour" && b == "minute":
		return e.upTimes(t-2*dayMS+1, t+1), true, nil
	case e.def.Rule != "":
		return nil, false, notUnderstood("rule %q for %s on %s", e.def.Rule, a, b)
	case e.a.fine() && e.b.fine() && (a == "discrete" || b == "discrete"):
		return e.paired(t, day), false, nil
	case n == 0 && a == "minute" && b == "minute":
		return e.upTimes(t-e.a.every+1, t+1), false, nil
	case n == 0 && a == "hour" && b == "minute":
		return e.upTimes(t-hourMS+1, t+1), false, nil
	case n == 0 && a == "hour" && b == "hour":
		return e.upTimes(hour, hour+hourMS), false, nil
	case n == 0 && a == "minute" && b == "hour":
		return e.upTimes(hour-hourMS, hour), false, nil
	case n == 0:
		return days(0, 1), false, nil
	case a == "minute" && b == "minute":
		p := max(e.a.every, e.b.every)
		return e.upTimes(t-(n+1)*p+1, t-n*p+1), false, nil
	case a == "minute" && b == "hour":
		return e.upTimes(hour-n*hourMS, hour-(n-1)*hourMS), false, nil
	case a == "hour" && b == "minute":
		return e.upTimes(hour-n*hourMS, hour-(n-1)*hourMS), true, nil
	case a == "hour" && b == "hour":
		p := max(e.a.every, e.b.every)
		p = max(1, (p+hourMS-1)/hourMS) * hourMS
		return e.upTimes(hour-n*p, hour-(n-1)*p), true, nil
	case a == "day" && (b == "minute" || b == "hour"):
		return days(n, 1), true, nil
	case a == "week" && b == "week":
		monday := day - int64(weekdayOf(day)+6)%7 - 7*n
		return e.upTimes(z.dayStart(monday), z.dayStart(monday+7)), false, nil
	case (a == "day" || a == "month") && b == "month":
		return e.monthBefore(day, n), false, nil
	}
	return days(n, 1), false, nil
}

// monthBefore is the upstream's plan times of the calendar month n before the day's.
func (e *edge) monthBefore(day, n int64) []int64 {
	y, m, _ := civil(day)
	z := e.down.zone
	return e.upTimes(z.dayStart(dayNumber(y, m-time.Month(n), 1)), z.dayStart(dayNumber(y, m-time.Month(n)+1, 1)))
}

// explicit is a window that the dependency writes itself.
func (e *edge) explicit(t int64) ([]int64, bool, error) {
	w := e.def.Window
	from, err := parseDistance(w.From)
	if err != nil {
		return nil, false, notUnderstood("%v", err)
	}
	to, err := parseDistance(w.To)
	if err != nil {
		return nil, false, notUnderstood("%v", err)
	}
	begin, end := e.down.zone.move(t, from), e.down.zone.move(t, to)
	switch or(w.Closed, "left") {
	case "left":
	case "right":
		begin, end = begin+1, end+1
	case "both":
		end++
	default:
		return nil, false, notUnderstood("closed: %s", w.Closed)
	}
	return e.upTimes(begin, end), false, nil
}

// earlier is the job's own n-th plan time before t.
func (e *edge) earlier(t int64, n int) []int64 {
	for back := int64(2); ; back *= 4 {
		list := e.downTimes(t-back*dayMS, t)
		if len(list) >= n {
			return list[len(list)-n : len(list)-n+1]
		}
		if t-back*dayMS < e.down.effective {
			return nil
		}
	}
}

// paired is §3: U is the upstream's plan times of the day, V the downstream's own.
func (e *edge) paired(t, day int64) []int64 {
	z := e.down.zone
	real := e.upTimes(z.dayStart(day-int64(e.previous)), z.dayStart(day-int64(e.previous)+1))
	v := e.downTimes(z.dayStart(day), z.dayStart(day+1))
	u := real
	if e.previous > 0 {
		// Each is moved to the same local clock time of the day itself; the answer is the time before the move.
		u = make([]int64, len(real))
		for k, at := range real {
			u[k] = z.first(day*dayMS + z.local(at) - (day-int64(e.previous))*dayMS)
			if k > 0 {
				u[k] = max(u[k], u[k-1])
			}
		}
	}
	i := slices.Index(v, t)
	if i >= 0 && len(u) == len(v) { // rule 1
		return real[i : i+1]
	}
	var before, interval, earlier []int64
	for k := range u {
		if u[k] <= t {
			earlier = real[k : k+1] // rule 2b
			if i <= 0 || u[k] > v[i-1] {
				interval = append(interval, real[k]) // rule 2a
			}
		}
	}
	switch {
	case len(interval) > 0:
		return interval
	case len(earlier) > 0:
		return earlier
	case len(real) > 0: // rule 2c
		return real[:1]
	}
	return before
}

// traditional is §6; discrete counts as hour with its smallest gap.
func (e *edge) traditional(t, hour int64, days func(back, length int64) []int64) ([]int64, bool, error) {
	a, b := e.a.class, e.b.class
	if a == "discrete" {
		a = "hour"
	}
	if b == "discrete" {
		b = "hour"
	}
	z := e.down.zone
	switch {
	case e.previous > 0 || e.def.Rule != "":
		return nil, false, notUnderstood("a traditional dependency with previous or a rule")
	case a == "month" && b == "day":
		return e.monthBefore(z.date(t), 1), false, nil
	case a == "day" && b == "day":
		n := int(max(1, e.a.every/dayMS))
		return e.upTimes(z.move(t, distance{days: -n})+1, t+1), false, nil
	case a == "day" && (b == "minute" || b == "hour"):
		return days(1, 1), false, nil
	case a == "hour" && b == "minute":
		return e.upTimes(hour-hourMS, hour), false, nil
	case a == b && (a == "minute" || a == "hour"):
		return e.upTimes(t-e.a.every+1, t+1), false, nil
	}
	return nil, false, notUnderstood("policy traditional for %s on %s", a, b)
}
