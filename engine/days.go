package engine

import (
	"slices"
	"time"
)

// DaysView tells what became of the instances of a job, for one who shows them by the day.
type DaysView interface {
	// Spans lists the instances of the job, of every kind, with a plan time in [from, to), by plan time, at most limit.
	Spans(job int64, from, to time.Time, limit int) ([]InstanceSpan, error)
}

// An InstanceSpan is what a day says of one instance.
type InstanceSpan struct {
	PlanTime  time.Time // UTC
	State     State
	StartedAt time.Time // of the current run; zero before it started
	EndedAt   time.Time // zero while it is open
	Run       int       // the number of the current run, from 1
	Keyed     bool      // no due time of the job's schedule
	Once      bool      // no other server took it over, which takes time that the job does not
}

// took is how long the instance took; false when that says nothing of its job: it has not succeeded, or not in one go.
func (s *InstanceSpan) took() (time.Duration, bool) {
	if s.State != Succeeded || !s.Once || s.StartedAt.IsZero() || s.EndedAt.IsZero() {
		return 0, false
	}
	return s.EndedAt.Sub(s.StartedAt), true
}

// A Day is what became of the instances of a job that were planned for one natural day.
type Day struct {
	From, To time.Time // [From, To): 23 or 25 hours where the clocks change
	States   map[State]int
	Worst    State         // the one that a person wants to know first; "" of a day without instances
	Started  time.Time     // the first start; zero when none has started
	Ended    time.Time     // the last end; zero when none has ended
	Reruns   int           // runs before the current ones
	Timed    int           // instances that succeeded in one go
	Total    time.Duration // that these took together
	Median   time.Duration // that the middle one of these took
}

// byConcern lists the states, the one that a person wants to know first before the others.
var byConcern = []State{Failed, Lost, Cancelled, Running, Waiting, Forced, Succeeded, Skipped}

// DayOf sums the instances of one day up.
func DayOf(from, to time.Time, spans []InstanceSpan) Day {
	d := Day{From: from, To: to, States: map[State]int{}}
	var took []time.Duration
	for i := range spans {
		s := &spans[i]
		d.States[s.State]++
		d.Reruns += max(0, s.Run-1)
		if !s.StartedAt.IsZero() && (d.Started.IsZero() || s.StartedAt.Before(d.Started)) {
			d.Started = s.StartedAt
		}
		if s.EndedAt.After(d.Ended) {
			d.Ended = s.EndedAt
		}
		if t, ok := s.took(); ok {
			took = append(took, t)
			d.Total += t
		}
	}
	if d.Timed = len(took); d.Timed > 0 {
		slices.Sort(took)
		d.Median = took[(len(took)-1)/2]
	}
	if n := slices.IndexFunc(byConcern, func(s State) bool { return d.States[s] > 0 }); n >= 0 {
		d.Worst = byConcern[n]
	}
	return d
}
