package engine

import (
	"fmt"
	"math"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/recurrence"
)

// A sheet gives plan times of a job as bindings ask for them. It keeps a part of them, that a plan
// need not hold all.
type sheet struct {
	timetable *recurrence.Timetable
	from, to  time.Time
	times     []time.Time
	ahead     time.Duration // how much more than was asked for is kept
	aim       int           // how many times are to be kept
}

func (s *sheet) between(from, to time.Time) []time.Time {
	if from.Before(s.from) || to.After(s.to) {
		s.from, s.to = from, to.Add(s.ahead)
		s.times = s.timetable.Between(s.from, s.to)
		switch {
		case len(s.times) < s.aim/2 && s.ahead < backfillReach*24*time.Hour:
			s.ahead *= 2
		case len(s.times) > 2*s.aim && s.ahead > time.Minute:
			s.ahead /= 2
		}
	}
	return between(s.times, from, to)
}

// A draftEdge is what instances of a job wait for by one of its dependencies.
type draftEdge struct {
	plan     DependencyPlan // with one binding: that of the instance that was bound last
	up       *draftPart
	binder   *deps.Binder
	sections []section // of the instance that was bound last
	looked   []window  // of the upstream job, by the days of the instances; both ends included
}

// edges binds instances of a job. aim is how many plan times of each job are kept meanwhile.
func (d *draft) edges(part *draftPart, aim int) ([]*draftEdge, error) {
	end := func(p *draftPart) deps.Job {
		s := &sheet{timetable: p.timetable, ahead: time.Hour, aim: aim}
		return deps.Job{
			Name: p.row.Ref.String(), Period: p.job.Period, Location: p.job.When.Location, Occurrences: s.between,
		}
	}
	var edges []*draftEdge
	for n := range part.job.DependsOn {
		dep := &part.job.DependsOn[n]
		up := d.tracks[dep.Job]
		if up == nil {
			return nil, errStale
		}
		for k, e := range dep.edges() {
			binder, err := e.Compile(end(part), end(up))
			if err != nil {
				return nil, wrap(err, "plan %s: its dependency on %s", part.row.Ref, dep.Job)
			}
			edges = append(edges, &draftEdge{
				plan: DependencyPlan{
					Dependency: dep, Index: n, Ended: k == 1, Upstream: up.job, Pair: binder.Describe(),
					Bindings: make([]deps.Binding, 1),
				},
				up: up, binder: binder, looked: make([]window, len(part.items)),
			})
		}
	}
	return edges, nil
}

// An upstreamTime is a plan time that is waited for, and what is known of it.
type upstreamTime struct {
	at   time.Time
	mark mark
	seen uint32 // index into draft.outcomes

	ended int64 // milliseconds; of what can best be waited for, when it is asked for
}

// bind finds what an instance waits for, in the pieces that its binding is cut in. It calls each
// for every plan time of them, and next before every piece.
func (d *draft) bind(e *draftEdge, span int, i spot, next func(), each func(upstreamTime)) {
	binding := e.binder.Bind(i.at())
	e.plan.Bindings[0] = binding
	piece := func(times []time.Time) {
		if len(times) == 0 {
			return
		}
		if span >= 0 {
			e.look(span, times[0], times[len(times)-1])
		}
		next()
		s, n := e.up.find(times[0].UnixMilli())
		for k, at := range times {
			p := upstreamTime{at: at}
			if s != nil && n+k < s.len() && s.at(n+k) == at.UnixMilli() {
				p.mark, p.seen = s.marks[n+k], s.seenAt(n+k)
				if s.seenEnded != nil {
					p.ended = s.seenEnded[n+k]
				}
			} else {
				far := d.further(e.up, at)
				p.seen, p.ended = far.seen, far.ended
			}
			each(p)
		}
	}
	if binding.Ranges == nil {
		piece(binding.Times)
		return
	}
	for _, times := range binding.Ranges {
		piece(times)
	}
}

// look notes that plan times of the upstream job were looked at.
func (e *draftEdge) look(span int, first, last time.Time) {
	w := &e.looked[span]
	if w.from.IsZero() || first.Before(w.from) {
		w.from = first
	}
	w.to = latest(w.to, last)
}

// further is what is recorded of a plan time behind all that was read: of an earlier cycle of a job
// that is due seldom. It is read when it is first asked for, which is while the plan is being made.
func (d *draft) further(up *draftPart, at time.Time) farRecord {
	key := JobTime{Job: up.row.ID, PlanTime: at.UTC()}
	if far, known := d.far[key]; known || d.view == nil {
		return far
	}
	rows, err := d.view.Recorded(up.row.ID, at, at)
	if err != nil && d.err == nil {
		d.err = fmt.Errorf("read what is recorded of job %d: %w", up.row.ID, err)
	}
	var best *Record
	for n := range rows {
		if best == nil || better(&rows[n], best) {
			best = &rows[n]
		}
	}
	far := farRecord{seen: d.outcome(best)}
	if best != nil {
		far.ended = endOf(best)
	}
	d.far[key] = far
	return far
}

// A farRecord is what can best be waited for of a plan time that no stretch has.
type farRecord struct {
	seen  uint32
	ended int64
}

// endOf is when what is recorded ended, in milliseconds; before all that has ended when it has not.
func endOf(r *Record) int64 {
	if r.EndedAt.IsZero() {
		return math.MinInt64
	}
	return r.EndedAt.UnixMilli()
}

// An outcome is what is recorded of a plan time, as far as it matters to what waits for it.
type outcome struct {
	Key   string
	State State
}

// outcome is the number of what is recorded; 0 is nothing.
func (d *draft) outcome(r *Record) uint32 {
	if r == nil {
		return 0
	}
	o := outcome{r.Key, r.State}
	n, known := d.numbers[o]
	if !known {
		n = uint32(len(d.outcomes))
		d.numbers[o] = n
		d.outcomes = append(d.outcomes, o)
	}
	return n
}
