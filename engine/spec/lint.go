package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// Lint judges workflows together (`definition.md`, Loading): upstream jobs that do not exist, cycles, pairs that a policy or a rule refuses,
// windows that are always empty; and, as warnings, upstream instances that nobody waits for and waits for a later instance. Schedules without
// a startTime are taken as created at `at`. Workflows that came from Decode or Load are reported with their positions, others by file only.
//
// Its cost is bounded for each dependency, whatever the schedules: it looks at a sample of plan times.
func Lint(workflows []*engine.Workflow, at time.Time) Problems {
	l := lint{at: at}
	return l.run(workflows).sorted()
}

// lint is one run over all workflows.
type lint struct {
	at       time.Time
	now      time.Time       // what has passed by then; zero judges nothing by a clock
	settled  map[string]bool // workflows that were judged before, by name
	unread   bool            // files of which nothing is known may hold what seems to be missing
	damaged  []*damagedFile
	unknown  map[engine.JobRef]bool // jobs of damaged files of which only the name is known
	open     map[string]bool        // workflows of damaged files whose jobs are not known, by name
	problems Problems
	files    map[string]string // by workflow name
	jobs     map[engine.JobRef]*lintJob
	order    []*lintJob
	edges    []*lintEdge
	loose    []deps.Link // of dependencies that cannot be compiled, as it is not known when a job is due
}

// lintJob is a job with what the lint derives of it.
type lintJob struct {
	*engine.Job
	file      string
	marks     jobMarks
	timetable *recurrence.Timetable // nil until it is asked for, and where it cannot be compiled
	compiled  bool
	sampled   sample
	down      []*lintEdge // the dependencies that name this job
}

// lintEdge is a dependency that could be compiled.
type lintEdge struct {
	down, up   *lintJob
	n          int // ordinal of the dependency
	dependency *engine.Dependency
	binder     *deps.Binder
}

func (l *lint) run(workflows []*engine.Workflow) Problems {
	l.jobs = map[engine.JobRef]*lintJob{}
	l.files = map[string]string{}
	l.unknown, l.open = map[engine.JobRef]bool{}, map[string]bool{}
	for _, f := range l.damaged {
		l.open[f.workflow.Name] = f.named == nil
		for name := range f.named {
			l.unknown[engine.JobRef{Workflow: f.workflow.Name, Job: name}] = true
		}
		workflows = append(slices.Clip(workflows), f.workflow)
	}
	for _, w := range workflows {
		if first, taken := l.files[w.Name]; taken {
			l.problems = append(l.problems, Problem{File: w.File, Line: 1, Column: 1,
				Message: fmt.Sprintf("the workflow %s is defined in %s already; a name is used once", w.Name, first), Hint: "write workflow: ANOTHER"})
			continue
		}
		l.files[w.Name] = w.File
		marks := marksOf(w)
		for _, job := range w.Jobs {
			j := &lintJob{Job: job, file: w.File, marks: marks[job.Name]}
			l.jobs[job.Ref()] = j
			l.order = append(l.order, j)
		}
	}
	for _, j := range l.order {
		for n := range j.DependsOn {
			l.edge(j, n)
		}
	}
	l.cycles()
	l.calls()
	for _, e := range l.edges {
		if !l.settled[e.down.Workflow] || !l.settled[e.up.Workflow] {
			l.emptyOrLater(e)
			l.tooFew(e)
		}
	}
	for _, j := range l.order {
		if !l.settled[j.Workflow] && !j.marks.faults.when {
			l.atOnce(j)
		}
	}
	if l.unread || len(l.damaged) > 0 {
		return l.problems // a job that could not be read may wait for what seems not to be waited for
	}
	for _, j := range l.order {
		if !l.settled[j.Workflow] {
			l.orphans(j)
		}
	}
	return l.problems
}

// atOnce tells what a load would start: no plan of a day shows it, since its plan time is that of the load.
func (l *lint) atOnce(j *lintJob) {
	passed := !l.now.IsZero() && j.When.Missed(l.now)
	if j.Disabled || !passed && !j.When.Immediate() || !l.now.IsZero() && !j.When.ImmediateAt(l.now) {
		return
	}
	if passed {
		l.report(j, j.marks.when, Warning, "write a startTime to come, or trigger: manual",
			"the startTime %s of %s has passed: it runs once, as soon as its name is first loaded", j.When.Start.Format(time.RFC3339), j.Name)
		l.problems[len(l.problems)-1].Kind = KindAtOnce
		return
	}
	text := "as soon as its name is first loaded"
	if j.When.Rule != nil {
		text += ", and from then on " + j.When.Rule.String()
	}
	l.report(j, j.marks.when, Warning, "write startTime: TIME, or trigger: manual", "%s has no startTime: it runs %s", j.Name, text)
	l.problems[len(l.problems)-1].Kind = KindAtOnce
}

// warn reports something worth a second look.
func (l *lint) warn(j *lintJob, at mark, kind Kind, format string, args ...any) {
	l.report(j, at, Warning, "", format, args...)
	l.problems[len(l.problems)-1].Kind = kind
}

func (l *lint) report(j *lintJob, at mark, severity Severity, hint, format string, args ...any) {
	l.problems = append(l.problems, Problem{File: j.file, Line: at.line, Column: at.column, Severity: severity, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// place is where the n-th dependency of a job stands.
func (j *lintJob) place(n int) mark {
	if n < len(j.marks.dependsOn) {
		return j.marks.dependsOn[n]
	}
	return j.marks.job
}

// edge finds the upstream job of a dependency and compiles it, exactly as the planner does.
func (l *lint) edge(j *lintJob, n int) {
	x := &j.DependsOn[n]
	if x.Job.Job == "" {
		return // the mistake in its name is said
	}
	up := l.jobs[x.Job]
	if x.Edge.Self {
		up = j
	}
	if up == nil {
		l.missing(j, n)
		return
	}
	switch {
	case j.marks.faults.dependsOn[n]:
		return
	case j.marks.faults.when || up.marks.faults.when:
		l.loose = append(l.loose, deps.Link{Down: j.Ref().String(), Up: up.Ref().String(), SameCycle: x.Edge.SameCycle()})
		return
	}
	binder, err := x.Edge.Compile(l.end(j), l.end(up))
	if err == nil && x.WaitPreviousEnd {
		previous := x.Edge
		previous.Previous++
		if _, err = previous.Compile(l.end(j), l.end(up)); err != nil {
			err = fmt.Errorf("waitPreviousEnd: %w", err)
		}
	}
	if err != nil && (l.whenUnread(j) || l.whenUnread(up)) {
		return // the mistake in when it is due is said
	}
	if err != nil {
		l.report(j, j.place(n), Error, "", "%s cannot depend on %s like this: %s", j.Name, x.Job, err)
		return
	}
	e := &lintEdge{down: j, up: up, n: n, dependency: x, binder: binder}
	l.edges = append(l.edges, e)
	up.down = append(up.down, e)
}

// whenUnread reports whether it is not known when a job is due, for a mistake in its file.
func (l *lint) whenUnread(j *lintJob) bool {
	damaged := slices.ContainsFunc(l.damaged, func(f *damagedFile) bool { return f.workflow.File == j.file })
	return damaged && j.Period == deps.Period{} && !j.When.Manual
}

// mayExist reports whether a job that was not read may stand in a file with a mistake: then nothing is said about it, as the mistake is
// said.
func (l *lint) mayExist(ref engine.JobRef) bool {
	if _, known := l.files[ref.Workflow]; !known {
		return l.unread
	}
	return l.unknown[ref] || l.open[ref.Workflow]
}

func (l *lint) missing(j *lintJob, n int) {
	ref := j.DependsOn[n].Job
	if l.mayExist(ref) {
		return
	}
	if _, known := l.files[ref.Workflow]; !known {
		l.report(j, j.place(n), Error, didYouMean(ref.Workflow, sortedKeys(l.files)), "%s depends on %s, but there is no workflow %s", j.Name, ref, ref.Workflow)
		return
	}
	var names []string
	for other := range l.jobs {
		if other.Workflow == ref.Workflow {
			names = append(names, other.Job)
		}
	}
	for other := range l.unknown {
		if other.Workflow == ref.Workflow {
			names = append(names, other.Job)
		}
	}
	slices.Sort(names)
	hint := didYouMean(ref.Job, names)
	if ref.Workflow == j.Workflow {
		for _, other := range l.order {
			if hint == "" && other.Name == ref.Job {
				hint = "a job of another workflow is written " + other.Ref().String()
			}
		}
	}
	l.report(j, j.place(n), Error, hint, "%s depends on %s, which does not exist", j.Name, ref)
}

// end is one end of an edge. Its occurrences are computed when they are asked for.
func (l *lint) end(j *lintJob) deps.Job {
	return deps.Job{Name: j.Ref().String(), Period: j.Period, Location: j.When.Location, Occurrences: func(from, to time.Time) []time.Time {
		t := l.timetable(j)
		if t == nil {
			return nil
		}
		return j.sampled.between(t, from, to)
	}}
}

func (l *lint) timetable(j *lintJob) *recurrence.Timetable {
	if !j.compiled {
		j.compiled = true
		if t, err := j.When.Compile(recurrence.Anchored(l.at)); err == nil && !j.When.Manual {
			j.timetable = t
		}
	}
	return j.timetable
}

// sample keeps the last range of plan times that was asked for: the windows of neighbouring plan times are mostly the same.
type sample struct {
	from, to time.Time
	times    []time.Time
}

func (s *sample) between(t *recurrence.Timetable, from, to time.Time) []time.Time {
	if s.times == nil || from.Before(s.from) || to.After(s.to) {
		s.from, s.to = from, to
		if s.times = t.Between(from, to); s.times == nil {
			s.times = []time.Time{}
		}
		return s.times
	}
	i, _ := slices.BinarySearchFunc(s.times, from, time.Time.Compare)
	k, _ := slices.BinarySearchFunc(s.times, to, time.Time.Compare)
	return s.times[i:max(i, k)]
}

// cycles reports every cycle of jobs, and the first cycle of instances, each by its path.
func (l *lint) cycles() {
	var names []string
	byName := map[string]*lintJob{}
	for _, j := range l.order {
		names = append(names, j.Ref().String())
		byName[j.Ref().String()] = j
	}
	var links []deps.Link
	for _, e := range l.edges {
		links = append(links, deps.Link{Down: e.down.Ref().String(), Up: e.up.Ref().String(), SameCycle: e.dependency.Edge.SameCycle(), Binder: e.binder})
	}
	from := l.at
	for _, j := range l.order {
		if len(j.DependsOn) > 0 && j.When.Start.After(from) {
			from = j.When.Start // where the latest begins, all that could wait for each other exist
		}
	}
	const most = 20
	for range most {
		err := l.ordered(names, links)
		if err == nil {
			err = deps.FindCycle(names, links, from)
		}
		if err == nil {
			return
		}
		var path []string
		var jobs *deps.CycleError
		var instances *deps.InstanceCycleError
		switch {
		case errors.As(err, &jobs):
			path = jobs.Path
		case errors.As(err, &instances):
			for _, i := range instances.Path {
				path = append(path, i.Job)
			}
		}
		first := byName[firstOf(path)]
		if first == nil {
			l.problems = append(l.problems, Problem{Message: err.Error()})
			return
		}
		place := first.marks.job
		if i := slices.IndexFunc(first.DependsOn, func(x engine.Dependency) bool { return len(path) > 1 && x.Job.String() == path[1] }); i >= 0 {
			place = first.place(i)
		}
		l.report(first, place, Error, "", "%s", err)
		// Without this cycle's links the next one can be found.
		onPath := func(k deps.Link) bool {
			for i := 0; i+1 < len(path); i++ {
				if k.Down == path[i] && k.Up == path[i+1] {
					return true
				}
			}
			return false
		}
		links, l.loose = slices.DeleteFunc(links, onPath), slices.DeleteFunc(l.loose, onPath)
	}
}

// ordered finds a cycle of jobs among all links, those that could not be compiled included.
func (l *lint) ordered(names []string, links []deps.Link) error {
	if len(l.loose) == 0 {
		return nil
	}
	same := map[string][]string{}
	for _, k := range slices.Concat(links, l.loose) {
		if k.SameCycle {
			same[k.Down] = append(same[k.Down], k.Up)
		}
	}
	_, err := deps.Order(names, func(job string) []string { return same[job] })
	return err
}

func firstOf(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return path[0]
}

// clock is a plan time in words, short where the day says nothing.
func clock(t time.Time, beside time.Time) string {
	if recurrence.DateOf(t) == recurrence.DateOf(beside.In(t.Location())) {
		return t.Format("15:04")
	}
	return t.Format("Mon 2006-01-02 15:04")
}

func clocks(list []time.Time) string {
	var parts []string
	for i, t := range list {
		if i == 5 {
			parts = append(parts, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		parts = append(parts, t.Format("Mon 15:04"))
	}
	return strings.Join(parts, ", ")
}
