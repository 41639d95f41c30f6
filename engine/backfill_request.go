package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A BackfillRequest says what to backfill and how. Its texts are those that a person writes; what is left empty is the default.
type BackfillRequest struct {
	Jobs          []string // workflow/job
	From, To      string   // days, both included; together, or not at all
	Dates         []string // days or ranges of days, 2026-10-15..17
	Select        []string // missing, failed, stale, all; default missing and failed
	Upstream      string   // jobs that these wait for: how many steps away, all, or their names
	Downstream    string   // jobs that wait for these
	Order         string   // asc or desc
	Parallel      int
	ByDay         bool
	StopOnFailure bool
	Steps         []string
	Priority      int
	Share         string // MIN..MAX slots of each server
	Window        string // 22:00-06:00 Europe/Berlin
	IgnoreMissing bool
}

// The bounds of one backfill.
const (
	backfillMost  = 20_000_000 // instances in the range, in or out
	backfillYears = 50
)

// A backfillScope is a request that was understood.
type backfillScope struct {
	days    []recurrence.DateRange // ascending, apart
	jobs    []definition           // by workflow and name
	asked   map[JobRef]bool
	wanted  map[string]bool // by word of Select
	options BackfillOptions
}

// understand reads a request against the definitions and reports every mistake.
func (e *Engine) understand(r *BackfillRequest, at time.Time) (*backfillScope, error) {
	s := &backfillScope{asked: map[JobRef]bool{}, wanted: map[string]bool{}}
	var mistakes []error
	mistake := func(field, format string, args ...any) {
		mistakes = append(mistakes, &MistakeError{field, fmt.Sprintf(format, args...)})
	}
	s.days = r.parseDays(mistake)
	e.chooseJobs(r, s, mistake)
	for _, word := range r.Select {
		switch word {
		case "missing", "failed", "stale", "all":
			s.wanted[word] = true
		default:
			mistake("select", "select %q: choose of missing, failed, stale, all", word)
		}
	}
	if len(r.Select) == 0 {
		s.wanted["missing"], s.wanted["failed"] = true, true
	}
	o := &s.options
	switch r.Order {
	case "", "asc":
	case "desc":
		o.Descending = true
	default:
		mistake("order", "order %q: choose asc or desc", r.Order)
	}
	if r.Parallel < 0 {
		mistake("parallel", "parallel is %d; at least 1 is needed, and 0 is as many as the share lets", r.Parallel)
	}
	if r.Priority < 0 || r.Priority > 9 {
		mistake("priority", "priority %d: choose 1 (last) to 9 (first)", r.Priority)
	}
	o.Parallel, o.ByDay, o.StopOnFailure, o.Priority, o.IgnoreMissing = r.Parallel, r.ByDay, r.StopOnFailure, r.Priority, r.IgnoreMissing
	var err error
	if o.Floor, o.Cap, err = ParseShare(r.Share); err != nil {
		mistakes = append(mistakes, misplaced("share", err))
	}
	if r.Window != "" {
		if o.Window, err = ParseLaneWindow(r.Window); err != nil {
			mistakes = append(mistakes, misplaced("window", err))
		}
	}
	o.Steps = slices.Compact(slices.Sorted(slices.Values(r.Steps)))
	for _, d := range s.jobs {
		if !s.asked[d.row.Ref] {
			continue
		}
		for _, name := range o.Steps {
			if !slices.ContainsFunc(d.job.Steps, func(step Step) bool { return step.Name == name && name != "" }) {
				mistake("steps", "%s has no step %q; it has %s", d.row.Ref, name, stepNames(d.job))
			}
		}
	}
	if len(s.days) > 0 {
		lastDay := "dates"
		if len(r.Dates) == 0 {
			lastDay = "to"
		}
		first, last := s.days[0].From, s.days[len(s.days)-1].To
		for _, d := range s.jobs {
			if today := recurrence.DateOf(at.In(d.job.When.Location)); last.Compare(today) > 0 && s.asked[d.row.Ref] {
				mistake(lastDay, "the range ends on %s, and today is %s in the zone of %s: what is to come is planned by itself", last, today, d.row.Ref)
			}
		}
		if last.Year-first.Year > backfillYears {
			mistake(lastDay, "from %s to %s are more than %d years", first, last, backfillYears)
		}
	}
	return s, errors.Join(mistakes...)
}

func stepNames(j *Job) string {
	var names []string
	for _, s := range j.Steps {
		if s.Name != "" {
			names = append(names, s.Name)
		}
	}
	if names == nil {
		return "one action without a name"
	}
	return strings.Join(names, ", ")
}

// ParseShare reads MIN..MAX, how many slots of each server a backfill gets at least when it has work, and takes at most; "" is the default.
func ParseShare(text string) (floor, most int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	low, high, ok := strings.Cut(text, "..")
	floor, errLow := strconv.Atoi(low)
	most, errHigh := strconv.Atoi(high)
	if !ok || errLow != nil || errHigh != nil || floor < 0 || most < 1 || floor > most {
		return 0, 0, fmt.Errorf("%w: the share %q: write MIN..MAX slots, such as 1..4, with MIN no more than MAX and MAX at least 1", ErrInvalid, text)
	}
	if floor == 0 {
		floor = -1 // none, on purpose
	}
	return floor, most, nil
}

// parseDays reads the days of a request into ascending ranges that are apart.
func (r *BackfillRequest) parseDays(mistake func(field, format string, args ...any)) []recurrence.DateRange {
	var days []recurrence.DateRange
	add := func(name, begin, end, from, to string) {
		first, err := recurrence.ParseDay(from)
		if err != nil {
			mistake(begin, "%s: %v", name, err)
			return
		}
		last, err := recurrence.ParseDay(completeDay(from, to))
		switch {
		case err != nil:
			mistake(end, "%s: %v", name, err)
		case last.Compare(first) < 0:
			mistake(end, "%s: %s is before %s", name, last, first)
		default:
			days = append(days, recurrence.DateRange{From: first, To: last})
		}
	}
	ranged := r.From != "" || r.To != ""
	switch {
	case ranged && len(r.Dates) > 0:
		mistake("dates", "give from and to, or dates, not both")
	case ranged && (r.From == "" || r.To == ""):
		mistake("to", "from and to are given together; both days are included")
	case ranged:
		add("from and to", "from", "to", r.From, r.To)
	case len(r.Dates) == 0:
		mistake("from", "which days: give from and to, or dates")
	}
	if !ranged {
		for _, text := range r.Dates {
			if from, to, ok := strings.Cut(text, ".."); ok {
				add("dates", "dates", "dates", from, to)
			} else {
				add("dates", "dates", "dates", text, text)
			}
		}
	}
	slices.SortFunc(days, func(a, b recurrence.DateRange) int { return a.From.Compare(b.From) })
	var merged []recurrence.DateRange
	for _, d := range days {
		if n := len(merged); n > 0 && d.From.Compare(merged[n-1].To.AddDays(1)) <= 0 {
			if d.To.Compare(merged[n-1].To) > 0 {
				merged[n-1].To = d.To
			}
			continue
		}
		merged = append(merged, d)
	}
	return merged
}

// completeDay lets the end of a range leave out what it shares with its begin: 2026-10-15..17.
func completeDay(from, to string) string {
	if len(to) < len(from) && len(to) > 0 && !strings.HasPrefix(to, "-") {
		return from[:len(from)-len(to)] + to
	}
	return to
}

// chooseJobs finds the jobs of a request, and those up and down from them.
func (e *Engine) chooseJobs(r *BackfillRequest, s *backfillScope, mistake func(field, format string, args ...any)) {
	if len(r.Jobs) == 0 {
		mistake("jobs", "which jobs: name at least one, as workflow/job")
	}
	chosen := map[JobRef]bool{}
	var refs []JobRef
	for _, name := range r.Jobs {
		workflow, job, ok := strings.Cut(name, "/")
		ref := JobRef{workflow, job}
		d := e.defs.lookup(ref)
		switch {
		case !ok:
			mistake("jobs", "%q is no job: write workflow/job", name)
		case d == nil:
			mistake("jobs", "there is no job %s", ref)
		case d.job.When.Manual:
			mistake("jobs", "%s is started on demand and has no plan times: nothing to backfill; `almanac trigger` runs it", ref)
		case d.row.Disabled:
			mistake("jobs", "%s is disabled; enable it in its definition first", ref)
		case !chosen[ref]:
			chosen[ref], s.asked[ref] = true, true
			refs = append(refs, ref)
		}
	}
	up := func(j *Job) (next []JobRef) {
		for i := range j.DependsOn {
			next = append(next, j.DependsOn[i].Job)
		}
		return next
	}
	down := e.defs.dependents()
	e.spread(r.Upstream, "upstream", refs, up, chosen, mistake)
	e.spread(r.Downstream, "downstream", refs, func(j *Job) []JobRef { return down[j.Ref()] }, chosen, mistake)
	for ref := range chosen {
		s.jobs = append(s.jobs, *e.defs.lookup(ref))
	}
	slices.SortFunc(s.jobs, func(a, b definition) int { return compareRefs(a.row.Ref, b.row.Ref) })
}

// spread adds the jobs that are found along the dependencies: so many steps away, all, or the listed ones of all.
func (e *Engine) spread(text, way string, from []JobRef, next func(*Job) []JobRef, chosen map[JobRef]bool, mistake func(field, format string, args ...any)) {
	if text == "" || text == "0" {
		return
	}
	hops, err := strconv.Atoi(text)
	listed := err != nil && text != "all"
	if err == nil && hops < 0 {
		mistake(way, "%s %q: write how many steps away, all, or names of jobs", way, text)
		return
	}
	seen := map[JobRef]bool{}
	for _, ref := range from {
		seen[ref] = true
	}
	var found []JobRef
	for front := from; len(front) > 0 && (err != nil || hops > 0); hops-- {
		var further []JobRef
		for _, ref := range front {
			for _, other := range next(e.defs.lookup(ref).job) {
				d := e.defs.lookup(other)
				if d == nil || seen[other] {
					continue
				}
				seen[other] = true
				further = append(further, other)
				if !d.row.Disabled && !d.job.When.Manual {
					found = append(found, other)
				}
			}
		}
		front = further
	}
	if !listed {
		for _, ref := range found {
			chosen[ref] = true
		}
		return
	}
	for _, name := range strings.Split(text, ",") {
		workflow, job, _ := strings.Cut(strings.TrimSpace(name), "/")
		ref := JobRef{workflow, job}
		if !slices.Contains(found, ref) {
			mistake(way, "%s: %s is not %s of what is to be backfilled, or has no plan times; there are %s", way, name, way, refList(found))
			continue
		}
		chosen[ref] = true
	}
}

func refList(refs []JobRef) string {
	if len(refs) == 0 {
		return "none"
	}
	sorted := slices.SortedFunc(slices.Values(refs), compareRefs)
	var names []string
	for _, ref := range sorted {
		names = append(names, ref.String())
	}
	return strings.Join(names, ", ")
}

// dependents lists, for each job, those that declare a dependency on it.
func (c *catalog) dependents() map[JobRef][]JobRef {
	c.mu.RLock()
	defer c.mu.RUnlock()
	down := map[JobRef][]JobRef{}
	for ref, d := range c.current {
		for i := range d.job.DependsOn {
			if up := d.job.DependsOn[i].Job; up != ref {
				down[up] = append(down[up], ref)
			}
		}
	}
	for _, refs := range down {
		slices.SortFunc(refs, compareRefs)
	}
	return down
}
