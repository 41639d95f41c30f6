package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
	"github.com/almanac-sched/almanac/recurrence"
)

// ErrDrift says that what was reviewed is no longer what would be done: the loaded definitions, the files or the instances have changed since. Nothing
// was changed; it takes another look.
var ErrDrift = errors.New("the world has changed since the review")

// A LoadedDiff says what loading a set of definitions would change of what is loaded. It is computed as of a time, and Apply carries exactly it out.
type LoadedDiff struct {
	PlanDiff
	At          time.Time // a change is from here on
	From, To    time.Time // the plans are compared in [From, To); From is not before At
	Loaded      Fingerprint
	Definitions Fingerprint
	DropDue     bool
	Due         []DueInstance // by plan time, workflow, job
	Without     []Ordered     // orders ahead, from At on, that lose their instance
	Bound       []Rebound     // by plan time, workflow, job
}

// A DueInstance is due and has not started when its job goes, or a job that it waits for.
type DueInstance struct {
	Instance Instance
	Fate     DueFate
}

// DueFate is what a load makes of a due, unstarted instance.
type DueFate string

// The fates.
const (
	DueRuns    DueFate = "runs"    // the job is removed: it runs by the version that it was planned with
	DueHeld    DueFate = "held"    // the job is disabled: it waits until the job is enabled
	DueDropped DueFate = "dropped" // it is cancelled, because the review says so

	// DueStranded is that of an instance which waits for what goes and will never come, so that it is
	// cancelled (`dependencies.md` §7), or whose `onMissing: cancel` has nothing left to wait for.
	DueStranded DueFate = "stranded"
)

// due reports whether a waiting instance is due as of a load: its plan time lies before it, or a person has asked for it.
func (i *Instance) due(now time.Time) bool { return i.Kind != Scheduled || i.PlanTime.Before(now) }

// unlooked reports whether DeleteUnstarted would take a waiting instance away if its plan time were not before.
func (i *Instance) unlooked() bool {
	return i.Kind == Scheduled && i.Gate == GateTime && !i.Touched && i.Confirmed == ""
}

// DiffLoaded compares what is loaded with a set of definitions over [from, to), or what is left of it, as of now. dropDue asks for a diff that cancels
// due, unstarted instances of jobs that are removed or disabled.
func (e *Engine) DiffLoaded(ctx context.Context, workflows []*Workflow, from, to time.Time, dropDue bool, now time.Time) (LoadedDiff, error) {
	var jobs []*Job
	for _, w := range workflows {
		jobs = append(jobs, w.Jobs...)
	}
	var d LoadedDiff
	err := e.cfg.Store.Read(ctx, func(v View) error {
		d = LoadedDiff{At: now.Truncate(time.Millisecond), DropDue: dropDue, Definitions: FingerprintJobs(jobs)}
		d.From, d.To = latest(from, d.At), to
		return e.diffLoaded(v, &d, jobs)
	})
	return d, wrap(err, "compare with what is loaded")
}

func (e *Engine) diffLoaded(v View, d *LoadedDiff, jobs []*Job) error {
	rows, err := v.Jobs()
	if err != nil {
		return err
	}
	d.Loaded = FingerprintRows(rows)
	known := make(map[JobRef]JobRow, len(rows))
	var loaded, others []*Job
	for _, row := range rows {
		known[row.Ref] = row
		if row.Removed {
			continue
		}
		job, err := e.defs.version(v, row.Version)
		if errors.Is(err, ErrInvalid) {
			continue // nobody can say what it planned: it is another job from now on
		}
		if err != nil {
			return fmt.Errorf("read the version of %s: %w", row.Ref, err)
		}
		if row.Source == "" {
			loaded = append(loaded, job)
		} else {
			others = append(others, job)
		}
	}
	for _, j := range jobs {
		if row, taken := known[j.Ref()]; taken && !row.Removed && row.Source != "" {
			return notOfAFolder(j.Ref())
		}
	}
	changed, err := originsAfter(v, loaded, jobs, known, d.At)
	if err != nil {
		return err
	}
	plan := func(jobs []*Job, origins map[JobRef]recurrence.Origin) (*Planner, Plan, error) {
		planner, err := NewPlanner(slices.Concat(jobs, others), func(j *Job) recurrence.Origin {
			if origin, other := origins[j.Ref()]; other {
				return origin
			}
			if row, ok := known[j.Ref()]; ok {
				return row.Origin()
			}
			return recurrence.Created(d.At)
		})
		if err != nil {
			return nil, Plan{}, err
		}
		plan, err := planner.Plan(func(j *Job) (time.Time, time.Time) {
			if j.Disabled || j.When.Manual || known[j.Ref()].Source != "" && !known[j.Ref()].Removed {
				return time.Time{}, time.Time{} // jobs that no folder made stay as they are
			}
			return d.From, d.To
		})
		return planner, plan, err
	}
	planner, before, err := plan(loaded, nil)
	if err != nil {
		return err
	}
	fresh, after, err := plan(jobs, changed)
	if err != nil {
		return err
	}
	d.PlanDiff = DiffPlans(&before, &after)
	d.Jobs = DiffJobs(loaded, jobs)
	for n := range d.Jobs {
		if _, back := known[d.Jobs[n].Ref]; back {
			d.Jobs[n].AtOnce = false // it was made when its name first appeared
		}
	}
	if d.Without, err = lostOrders(v, loaded, jobs, known, d.At); err != nil {
		return err
	}
	if err := d.look(e, v, known); err != nil {
		return err
	}
	return d.boundAgain(e, v, known, planner, fresh)
}

// look adds what only the rows know: which instances are due and go or lose what they wait for, and which of changed jobs stay as they are because
// somebody has looked at them already.
func (d *LoadedDiff) look(e *Engine, v View, known map[JobRef]JobRow) (err error) {
	if d.Due, err = e.dueIn(v, d.Jobs, known, d.DropDue, d.At); err != nil {
		return err
	}
	pinned := map[JobRef][]time.Time{}
	for _, c := range d.Jobs {
		row, ok := known[c.Ref]
		if !ok || c.Change != JobChanged {
			continue
		}
		waiting, err := v.Waiting(row.ID)
		if err != nil {
			return fmt.Errorf("list what waits of %s: %w", row.Ref, err)
		}
		for _, i := range waiting {
			if i.Kind == Scheduled && !i.due(d.At) && !i.unlooked() {
				pinned[c.Ref] = append(pinned[c.Ref], i.PlanTime)
			}
		}
	}
	if len(pinned) == 0 {
		return nil
	}
	stays := func(i DiffInstance) bool { return slices.ContainsFunc(pinned[i.Ref], i.PlanTime.Equal) }
	removed := len(d.Removed)
	d.Added = slices.DeleteFunc(d.Added, func(i PlacedLinks) bool { return stays(i.DiffInstance) })
	d.Removed = slices.DeleteFunc(d.Removed, stays)
	d.Relinked = slices.DeleteFunc(d.Relinked, func(i Relinked) bool { return stays(i.DiffInstance) })
	d.Changed = slices.DeleteFunc(d.Changed, stays)
	d.Kept += removed - len(d.Removed)
	return nil
}

// dueIn lists the due, unstarted instances that a load with these changes concerns: those of jobs that go, and those that wait for what goes.
func (e *Engine) dueIn(v View, changes []JobChange, known map[JobRef]JobRow, drop bool, now time.Time) ([]DueInstance, error) {
	gone := goneJobs(changes, known)
	var dependents []JobRow
	var list []DueInstance
	for _, c := range changes {
		row, ok := known[c.Ref]
		if !ok || gone[row.ID] == "" {
			continue
		}
		waits, err := v.Dependents(row.ID)
		if err != nil {
			return nil, fmt.Errorf("list what waits for %s: %w", row.Ref, err)
		}
		dependents = append(dependents, row)
		dependents = append(dependents, waits...)
	}
	slices.SortFunc(dependents, func(a, b JobRow) int { return compareRefs(a.Ref, b.Ref) })
	dependents = slices.CompactFunc(dependents, func(a, b JobRow) bool { return a.ID == b.ID })
	for _, row := range dependents {
		waiting, err := v.Waiting(row.ID)
		if err != nil {
			return nil, fmt.Errorf("list what waits of %s: %w", row.Ref, err)
		}
		for _, i := range waiting {
			if !i.due(now) {
				continue
			}
			fate := DueFate("")
			switch change, goes := gone[row.ID]; {
			case goes && drop:
				fate = DueDropped
			case goes && (change == JobDisabled || row.Disabled):
				fate = DueHeld
			case goes:
				fate = DueRuns
			}
			if fate != DueDropped {
				stranded, err := e.strands(v, &i, gone, now)
				if err != nil {
					return nil, err
				}
				if stranded {
					fate = DueStranded
				}
			}
			if fate != "" {
				list = append(list, DueInstance{i, fate})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b DueInstance) int { return a.Instance.PlanTime.Compare(b.Instance.PlanTime) })
	return list, nil
}

// goneJobs are the recorded jobs that a load removes or disables.
func goneJobs(changes []JobChange, known map[JobRef]JobRow) map[int64]Change {
	gone := map[int64]Change{}
	for _, c := range changes {
		if row, ok := known[c.Ref]; ok && (c.Change == JobRemoved || c.Change == JobDisabled) {
			gone[row.ID] = c.Change
		}
	}
	return gone
}

// strands reports whether a waiting instance will be cancelled because jobs go that it waits for (`dependencies.md` §7).
func (e *Engine) strands(v View, i *Instance, gone map[int64]Change, now time.Time) (bool, error) {
	job, err := e.defs.version(v, i.Version)
	if err != nil {
		return false, ignoreInvalid(err)
	}
	s, err := e.situation(v, i, job, now)
	if err != nil {
		return false, err
	}
	if judgeDependencies(now, s).Event != "" {
		return false, nil // whatever is loaded
	}
	return s.cancelledWithout(gone, now), nil
}

// cancelledWithout reports whether an instance is cancelled when jobs go that it waits for.
func (s *Situation) cancelledWithout(gone map[int64]Change, now time.Time) bool {
	for n := range s.Waits {
		change, goes := gone[s.Waits[n].Upstream]
		if !goes {
			continue
		}
		f := &s.Facts[n]
		f.Removed, f.Disabled = change == JobRemoved, change == JobDisabled
		f.Planned = f.Planned && s.Waits[n].Last.Before(now) // its future is withdrawn
	}
	return judgeDependencies(now, s).Event == Cancel
}

// A Review is what a person has seen of a LoadedDiff, and allows.
type Review struct {
	Loaded      Fingerprint
	Definitions Fingerprint
	DropDue     bool
	Dropped     []InstanceName // every instance that the diff takes away: removed from the plan, or due and cancelled
	Actor       string
	Note        string // why, for the history
	Keep        bool   // workflows that the definitions do not have stay as they are
}

// An InstanceName is the identity of an instance.
type InstanceName struct {
	Ref      JobRef
	Key      string // "" for scheduled ones
	PlanTime time.Time
}

// Apply loads the workflows like Load, as a person has reviewed it. It fails with ErrDrift, and changes nothing, when the definitions or those that are
// loaded are others than the reviewed ones, or when a due, unstarted instance would be cancelled that the review does not name.
func (e *Engine) Apply(ctx context.Context, workflows []*Workflow, review Review, now time.Time) (LoadReport, error) {
	report, err := e.loadAs(ctx, workflows, newReviewed(&review), now)
	if err == nil {
		e.redefined(&review, &report)
	}
	return report, err
}

// reviewed is a review that can be asked. The nil one is that of a load that nobody has reviewed: it allows everything but to drop what is due.
type reviewed struct {
	*Review
	dropped map[string]bool
}

func newReviewed(r *Review) *reviewed {
	names := make(map[string]bool, len(r.Dropped))
	for i := range r.Dropped {
		names[r.Dropped[i].text()] = true
	}
	return &reviewed{r, names}
}

func (n *InstanceName) text() string {
	return fmt.Sprintf("%s@%d %s", n.Ref, n.PlanTime.UnixMilli(), n.Key)
}

// check holds the review against the definitions that are about to be loaded and the rows of those that are.
func (r *reviewed) check(jobs []*Job, rows []JobRow) error {
	if r == nil {
		return nil
	}
	var mistakes []error
	if FingerprintJobs(jobs) != r.Definitions {
		mistakes = append(mistakes, fmt.Errorf("%w: the definitions to load are not the reviewed ones", ErrDrift))
	}
	if FingerprintRows(rows) != r.Loaded && !fault.Planted(fault.DriftIgnored) {
		mistakes = append(mistakes, fmt.Errorf("%w: what is loaded is not what the definitions were compared with", ErrDrift))
	}
	return errors.Join(mistakes...)
}

// names holds the due instances that would be cancelled against those that the review names.
func (r *reviewed) names(due []DueInstance) error {
	var mistakes []error
	for i := range due {
		x := &due[i].Instance
		name := InstanceName{x.Ref, x.Key, x.PlanTime}
		if fate := due[i].Fate; (fate == DueDropped || fate == DueStranded) && !r.dropped[name.text()] {
			mistakes = append(mistakes, fmt.Errorf("%w: %s is due and has not started, and the review does not say that it is cancelled", ErrDrift, x.Name()))
		}
	}
	return errors.Join(mistakes...)
}

// drops reports whether what is due goes with its job.
func (r *reviewed) drops() bool { return r != nil && r.DropDue }

func notOfAFolder(ref JobRef) error {
	return fmt.Errorf("%w: the job %s was not made by a folder; remove it there, or give it another name here", ErrConflict, ref)
}

// EndOfDays is where so many natural days end, that of from included, in the zone that all workflows share, or UTC.
func EndOfDays(workflows []*Workflow, from time.Time, days int) time.Time {
	zone := time.UTC
	for i, w := range workflows {
		switch {
		case w.Location == nil:
		case i == 0:
			zone = w.Location
		case w.Location.String() != zone.String():
			zone = time.UTC
		}
	}
	return recurrence.DayStart(recurrence.DateOf(from.In(zone)).AddDays(days), zone)
}
