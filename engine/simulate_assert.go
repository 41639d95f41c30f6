package engine

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// An Assertion is a sentence about the simulated day, and whether it holds:
//
//	JOB[@TIME] done by HH:MM       each of them has ended well by then, on its plan time's day; HH:MM+1 is the day after
//	JOB[@TIME] starts by HH:MM     each of them has started by then
//	JOB[@TIME] succeeds            each of them ends well, whenever
//	JOB[@TIME] never waits longer than PT30M
//	slots below N                  never so many attempts at once
//	pool NAME below N
//
// A sentence about instances holds of none when there is none: it fails.
type Assertion struct {
	Text    string
	Holds   bool
	Checked int      // instances
	Why     []string // of one that does not hold: which and by how much, the first few
	More    int      // beyond those
	refs    []PlannedRef
}

const mostWhys = 5

// An assertion is the sentence understood.
type assertion struct {
	text  string
	jobs  []PlannedRef
	check func(x *Foreseen) (bool, string)
	usage func(f *Foresight) (bool, string)
}

var (
	instanceSentence = regexp.MustCompile(`^(\S+) (done by|starts by|succeeds|never waits longer than)(?: (\S+))?$`)
	usageSentence    = regexp.MustCompile(`^(?:(slots)|pool (\S+)) below (\d+)$`)
	clockTime        = regexp.MustCompile(`^([01]?\d|2[0-4]):([0-5]\d)(?:\+(\d))?$`)
)

func (a *asking) assert(text string) {
	s := assertion{text: text}
	if m := usageSentence.FindStringSubmatch(text); m != nil {
		s.usage = a.usageCheck(text, m[2], m[3])
		a.assertions = append(a.assertions, s)
		return
	}
	m := instanceSentence.FindStringSubmatch(text)
	if m == nil || (m[2] == "succeeds") != (m[3] == "") {
		a.mistake("assert %q: write JOB[@TIME] done by HH:MM, starts by HH:MM, succeeds, or never waits longer than PT30M; slots below N; or pool NAME below N", text)
		return
	}
	s.jobs = a.instances(fmt.Sprintf("assert %q", text), m[1])
	switch m[2] {
	case "done by", "starts by":
		clock := clockTime.FindStringSubmatch(m[3])
		if clock == nil {
			a.mistake("assert %q: %q is no time of day; write 08:00, or 02:00+1 for the day after", text, m[3])
			return
		}
		if m[2] == "done by" {
			s.check = doneBy(clock)
		} else {
			s.check = startsBy(clock)
		}
	case "succeeds":
		s.check = succeeds
	default:
		most := a.duration(fmt.Sprintf("assert %q", text), m[3])
		s.check = func(x *Foreseen) (bool, string) {
			if x.ForEver() {
				return false, fmt.Sprintf("waits for ever, for %s: %s", cmp.Or(gateWords[x.Longest], "its turn"), x.why())
			}
			waited := x.Waited()
			return waited <= most, fmt.Sprintf("waits %s, most of it for %s", waited, gateWords[x.Longest])
		}
	}
	a.assertions = append(a.assertions, s)
}

func (a *asking) usageCheck(text, pool, bound string) func(f *Foresight) (bool, string) {
	n, err := strconv.Atoi(bound)
	if err != nil {
		a.mistake("assert %q: %w", text, err)
	}
	if pool != "" && !slices.ContainsFunc(a.Planner.Jobs(), func(j *Job) bool { return j.Pool == pool }) {
		a.mistake("assert %q: no job has the pool %s", text, pool)
	}
	return func(f *Foresight) (bool, string) {
		for i := range f.Usage {
			if u := &f.Usage[i]; u.Pool == pool {
				return u.Peak < n, fmt.Sprintf("%d at once", u.Peak)
			}
		}
		return n > 0, "none at all"
	}
}

// gateWords say what is waited for.
var gateWords = map[Gate]string{
	GateTime: "its time", GateDependency: "what it depends on", GateConfirm: "a person", GateFrozen: "being unfrozen",
	GateConcurrency: "another of its job", GateSlot: "a slot", GateDisk: "room on the disk",
}

// bound is a time of day on an instance's own day.
func bound(clock []string, planTime time.Time, zone *time.Location) time.Time {
	hour, _ := strconv.Atoi(clock[1])
	minute, _ := strconv.Atoi(clock[2])
	days, _ := strconv.Atoi(clock[3])
	y, m, d := planTime.In(zone).Date()
	return time.Date(y, m, d+days, hour, minute, 0, 0, zone)
}

func doneBy(clock []string) func(x *Foreseen) (bool, string) {
	return func(x *Foreseen) (bool, string) {
		if ok, why := succeeds(x); !ok {
			return false, why
		}
		by := bound(clock, x.Instance.PlanTime, x.Job.When.Location)
		end := x.Instance.EndedAt
		return !end.After(by), fmt.Sprintf("ends at %s, %s late", clockOn(end, by), end.Sub(by))
	}
}

func startsBy(clock []string) func(x *Foreseen) (bool, string) {
	return func(x *Foreseen) (bool, string) {
		by := bound(clock, x.Instance.PlanTime, x.Job.When.Location)
		start := x.Instance.StartedAt
		if start.IsZero() {
			return x.Instance.State.Satisfies(), "never starts: " + x.why()
		}
		return !start.After(by), fmt.Sprintf("starts at %s, %s late", clockOn(start, by), start.Sub(by))
	}
}

func succeeds(x *Foreseen) (bool, string) {
	if x.Instance.State.Satisfies() {
		return true, ""
	}
	if x.Open() {
		return false, "never ends: " + x.why()
	}
	return false, fmt.Sprintf("is %s at %s: %s", x.Instance.State, clockOn(x.Instance.EndedAt, x.Instance.PlanTime), x.why())
}

// why says what an instance is in the end.
func (x *Foreseen) why() string {
	text := x.Instance.Reason.Describe()
	if x.Root != nil && x.Root.Name != x.Instance.Name() {
		text += fmt.Sprintf("; at the root %s is %s", x.Root.Name, x.Root.State)
	}
	return text
}

// clockOn is a time of day, with the date when it is another than that of the day it is compared with.
func clockOn(t, day time.Time) string {
	t = t.In(day.Location())
	if t.Format(time.DateOnly) == day.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

func (s *assertion) judge(f *Foresight) Assertion {
	v := Assertion{Text: s.text, Holds: true, refs: s.jobs}
	fail := func(why string) {
		v.Holds = false
		if len(v.Why) < mostWhys {
			v.Why = append(v.Why, why)
		} else {
			v.More++
		}
	}
	if s.usage != nil {
		if ok, why := s.usage(f); !ok {
			fail(why)
		}
		return v
	}
	wanted := map[playPlace]bool{}
	for _, ref := range s.jobs {
		wanted[ref.place()] = true
	}
	for i := range f.Instances {
		x := &f.Instances[i]
		if _, ours := of(wanted, playPlace{x.Instance.Ref, x.Instance.PlanTime.UnixMilli()}); !ours || x.Instance.Kind != Scheduled {
			continue
		}
		v.Checked++
		if ok, why := s.check(x); !ok {
			fail(x.Instance.Name() + " " + why)
		}
	}
	if v.Checked == 0 {
		fail("no instance is due then")
	}
	return v
}

// Holds reports whether every assertion does.
func (f *Foresight) Holds() bool {
	return !slices.ContainsFunc(f.Assertions, func(v Assertion) bool { return !v.Holds })
}

// choosePaths finds the critical paths of what was asked for; without being asked, of the first that misses an assertion or its deadline, or else of what
// ends last.
func (f *Foresight) choosePaths(refs []PlannedRef) {
	wanted := map[playPlace]bool{}
	for _, ref := range refs {
		wanted[ref.place()] = true
	}
	var chosen []*Foreseen
	for i := range f.Instances {
		x := &f.Instances[i]
		if _, ours := of(wanted, playPlace{x.Instance.Ref, x.Instance.PlanTime.UnixMilli()}); ours && !x.Instance.StartedAt.IsZero() && len(chosen) < mostPaths {
			chosen = append(chosen, x)
		}
	}
	if len(refs) == 0 {
		chosen = f.telling()
	}
	for _, x := range chosen {
		f.Paths = append(f.Paths, f.CriticalPath(x))
	}
}

// telling is the one instance whose path says most when nobody asks for any.
func (f *Foresight) telling() []*Foreseen {
	var late, last *Foreseen
	for i := range f.Instances {
		x := &f.Instances[i]
		if x.Instance.StartedAt.IsZero() || x.Instance.EndedAt.IsZero() {
			continue
		}
		if x.Late && late == nil {
			late = x
		}
		if last == nil || x.Instance.EndedAt.After(last.Instance.EndedAt) {
			last = x
		}
	}
	for _, v := range f.Assertions {
		if v.Holds {
			continue
		}
		wanted := map[playPlace]bool{}
		for _, ref := range v.refs {
			wanted[ref.place()] = true
		}
		var worst *Foreseen
		for i := range f.Instances {
			x := &f.Instances[i]
			_, ours := of(wanted, playPlace{x.Instance.Ref, x.Instance.PlanTime.UnixMilli()})
			if ours && !x.Instance.EndedAt.IsZero() && !x.Instance.StartedAt.IsZero() && (worst == nil || x.Instance.EndedAt.After(worst.Instance.EndedAt)) {
				worst = x
			}
		}
		if worst != nil {
			return []*Foreseen{worst}
		}
	}
	for _, x := range []*Foreseen{late, last} {
		if x != nil {
			return []*Foreseen{x}
		}
	}
	return nil
}
