package invariant

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// named holds I4 for what an instance waits for: the recorded ranges hold exactly the due times that
// its rule names, by the rows of both jobs and, behind their plan, by their definitions.
func (c *check) named(f *facts) error {
	i := f.i
	own := c.jobs[i.Job]
	if i.State != engine.Waiting || i.Kind != engine.Scheduled || f.job == nil || own == nil || len(f.waits) == 0 {
		return nil
	}
	if i.Touched || i.Fence > 0 || c.jumped || own.row.Disabled || own.row.Removed {
		c.skipped("I4") // a person has had a say, or a clock
		return nil
	}
	for from := 0; from < len(f.waits); {
		to := from + 1
		for to < len(f.waits) && f.waits[to].Dependency == f.waits[from].Dependency && f.waits[to].Ended == f.waits[from].Ended {
			to++
		}
		if err := c.namedBy(f, own, f.waits[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// namedBy holds the ranges of one dependency, or of the cycle before that it waits for the end of.
func (c *check) namedBy(f *facts, own *jobRows, waits []engine.Wait) error {
	w, up := &waits[0], c.jobs[waits[0].Upstream]
	if up == nil || up.row.Removed || up.row.Disabled || w.Dependency >= len(f.job.DependsOn) ||
		f.job.DependsOn[w.Dependency].Job != w.Ref || w.Bound < max(up.row.Revision, own.row.Revision) ||
		slices.ContainsFunc(waits, func(w engine.Wait) bool {
			return w.Key != "" || w.Rule == engine.RuleDetached || w.Rule == engine.RuleRetention
		}) {
		c.skipped("I4") // it is bound again before anything is decided on it, or by what is no rule
		return nil
	}
	upJob := c.versions[up.row.Version]
	if upJob == nil || c.versions[own.row.Version] == nil {
		return nil
	}
	d := &f.job.DependsOn[w.Dependency]
	edge := d.Edge
	if w.Ended {
		edge.Previous++
		edge.Select = deps.Select{Kind: deps.SelectAll}
	}
	down, upper := c.dueTimes(own), c.dueTimes(up)
	down.also = f.i.PlanTime
	binder, err := edge.Compile(
		deps.Job{Name: f.i.Ref.String(), Period: f.job.Period, Location: f.job.When.Location, Occurrences: down.between},
		deps.Job{Name: w.Ref.String(), Period: upJob.Period, Location: upJob.When.Location, Occurrences: upper.between})
	if err != nil {
		c.skipped("I4")
		return nil //nolint:nilerr // a job of another kind than it was
	}
	at := f.i.PlanTime
	if f.job.When.Location != nil {
		at = at.In(f.job.When.Location)
	}
	bound := binder.Bind(at)
	if err := errors.Join(down.err, upper.err); err != nil {
		return fmt.Errorf("find out what %s waits for of %s: %w", f.i.Name(), w.Ref, err)
	}
	if down.unknown || upper.unknown {
		c.skipped("I4") // retention has come by
		return nil
	}
	times := engine.PlanTimes(&bound)
	count := 0
	for n := range waits {
		count += waits[n].Count
	}
	same := count == len(times) && (count == 0 || times[0].Equal(waits[0].First) && times[count-1].Equal(waits[len(waits)-1].Last))
	c.must(same, "I4", f.i, "it waits for %s of %s, and its rule names %s", spanWords(count, waits[0].First, waits[len(waits)-1].Last), w.Ref,
		timesWords(times))
	return nil
}

func timesWords(times []time.Time) string {
	if len(times) == 0 {
		return spanWords(0, time.Time{}, time.Time{})
	}
	return spanWords(len(times), times[0], times[len(times)-1])
}

func spanWords(n int, first, last time.Time) string {
	if n == 0 {
		return "no instance"
	}
	return fmt.Sprintf("%d from %s to %s", n, first.UTC().Format(form), last.UTC().Format(form))
}

// dueTimes is when a job is due: by its rows up to where it is planned, and by its definition from there on.
type dueTimes struct {
	c         *check
	row       *engine.JobRow
	timetable *recurrence.Timetable
	also      time.Time // due too; zero is none

	unknown bool // it was asked about a time of which retention has removed rows
	err     error
}

func (c *check) dueTimes(j *jobRows) *dueTimes {
	d := &dueTimes{c: c, row: &j.row}
	d.timetable, d.err = c.versions[j.row.Version].When.Compile(j.row.Origin())
	return d
}

func (d *dueTimes) between(from, to time.Time) []time.Time {
	if d.err != nil {
		return nil
	}
	d.unknown = d.unknown || from.Before(d.c.kept)
	var times []time.Time
	if from.Before(d.row.PlannedTo) {
		times, d.err = d.c.s.PlanTimes(d.row.ID, whole(from), whole(earliest(to, d.row.PlannedTo)))
		for n := range times {
			times[n] = times[n].In(d.timetable.Location())
		}
	}
	if d.row.PlannedTo.Before(to) {
		times = append(times, d.timetable.Between(latest(from, d.row.PlannedTo), to)...)
	}
	if !d.also.IsZero() && !d.also.Before(from) && d.also.Before(to) {
		times = append(times, d.also.In(d.timetable.Location()))
	}
	slices.SortFunc(times, time.Time.Compare)
	return slices.CompactFunc(times, time.Time.Equal)
}

// whole is t, or the next whole millisecond: plan times are whole.
func whole(t time.Time) time.Time { return t.Add(time.Millisecond - 1).Truncate(time.Millisecond) }
