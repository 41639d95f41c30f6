package engine

import (
	"cmp"
	"slices"
	"time"
)

// A Foresight is what a simulated day comes to.
type Foresight struct {
	From, To   time.Time // the windows, over all jobs
	Last       time.Time // when the last thing happened
	Slots      int
	Instances  []Foreseen // by start, those that never started last, by plan time
	Waiting    []GateTotal
	Assumed    []AssumedUpstream
	Durations  []JobDuration // of the jobs that were played, by workflow and name
	Usage      []Usage       // of the slots first, then of each pool by name
	Assertions []Assertion
	Paths      [][]PathStep
	Blind      int // times that a `when` was taken for true because it asks for what only a real attempt could tell

	rows  *playRows
	index map[*playRow]int
}

// A Foreseen is one instance as it was played.
type Foreseen struct {
	Instance  Instance
	Job       *Job
	Held      []HeldBy  // in the order of the gates; only those that held it at all
	Longest   Gate      // of them, "" when none did; of one that waits for ever, the one that does not open
	Deadline  time.Time // zero when the job has none
	Late      bool      // it ends after its deadline, or never
	Root      *Blocked  // of one that did not start: what it waits for in the end
	scheduled *playRow
}

// A HeldBy is how long a gate held an instance after its time had come.
type HeldBy struct {
	Gate Gate
	Took time.Duration
}

// Waited is how long all gates held it.
func (f *Foreseen) Waited() (sum time.Duration) {
	for _, h := range f.Held {
		sum += h.Took
	}
	return sum
}

// Open reports that it was still open when nothing happened any more.
func (f *Foreseen) Open() bool { return !f.Instance.State.Ended() }

// ForEver reports that it still waited when nothing happened any more: longer than any bound.
func (f *Foreseen) ForEver() bool { return f.Instance.State == Waiting }

// A Blocked is the end of the chain of what an instance waits for.
type Blocked struct {
	Name   string // of the instance at the root
	State  State
	Reason Reason
}

// A GateTotal is where the time of all instances went.
type GateTotal struct {
	Gate      Gate
	Instances int
	Total     time.Duration
	Longest   time.Duration
	Of        string // the instance that it held longest
}

// An AssumedUpstream is what was taken for satisfied of an upstream job, since it lies outside of what was played.
type AssumedUpstream struct {
	Upstream    JobRef
	PlanTimes   int
	First, Last time.Time
	For         int // dependencies of instances that would have waited
}

// A JobDuration says how long the instances of a job were taken to run.
type JobDuration struct {
	Ref JobRef
	AssumedDuration
}

// foresight puts together what was played.
func (p *play) foresight() *Foresight {
	f := &Foresight{From: p.begin, To: p.end, Last: p.begin, Slots: p.Slots, Assumed: assumed(p.assumptions), rows: p.rows, index: map[*playRow]int{}}
	f.Blind = p.blind
	f.Instances = make([]Foreseen, 0, len(p.rows.list))
	played := slices.DeleteFunc(slices.Clone(p.rows.list), func(row *playRow) bool { return row.part == nil })
	slices.SortStableFunc(played, comparePlayed)
	for _, row := range played {
		f.Instances = append(f.Instances, p.foreseen(row))
		f.Last = latest(latest(f.Last, row.StartedAt), row.EndedAt)
	}
	totals := make([]GateTotal, len(Gates))
	for i := range f.Instances {
		x := &f.Instances[i]
		f.index[x.scheduled] = i
		for _, h := range x.Held {
			t := &totals[slices.Index(Gates, h.Gate)]
			t.Gate = h.Gate
			t.Instances++
			t.Total += h.Took
			if h.Took > t.Longest {
				t.Longest, t.Of = h.Took, x.Instance.Name()
			}
		}
	}
	f.Waiting = slices.DeleteFunc(totals, func(t GateTotal) bool { return t.Instances == 0 })
	slices.SortStableFunc(f.Waiting, func(a, b GateTotal) int { return cmp.Compare(b.Total, a.Total) })
	f.findRoots()
	for i := range p.rows.jobs {
		job := &p.rows.jobs[i]
		if len(job.scheduled)+len(job.backfill) == 0 {
			continue
		}
		if d := p.Duration(job.ref); d.Source == DurationGiven || !p.Planner.Jobs()[i].Instantaneous() {
			f.Durations = append(f.Durations, JobDuration{job.ref, d})
		}
	}
	f.Usage = p.usage(f.Last)
	return f
}

// comparePlayed orders by start; what never started comes last, by plan time.
func comparePlayed(a, b *playRow) int {
	x, y := &a.Instance, &b.Instance
	if started := !x.StartedAt.IsZero(); started == y.StartedAt.IsZero() {
		if started {
			return -1
		}
		return 1
	}
	return cmp.Or(x.StartedAt.Compare(y.StartedAt), x.PlanTime.Compare(y.PlanTime), cmp.Compare(x.ID, y.ID))
}

func (p *play) foreseen(row *playRow) Foreseen {
	x := Foreseen{Instance: row.Instance, Job: row.part.Job, scheduled: row}
	until := row.StartedAt
	if until.IsZero() {
		until = row.EndedAt
	}
	if until.IsZero() {
		until = p.now
	}
	var held [8]int64
	after := until.UnixMilli()
	for at := row.last; at >= 0; at = p.rows.spells[at].before {
		s := &p.rows.spells[at]
		held[s.gate] += max(0, after-s.at)
		after = s.at
	}
	most := int64(0)
	for g, ms := range held[:len(Gates)] {
		if ms == 0 || Gates[g] == GateTime {
			continue
		}
		x.Held = append(x.Held, HeldBy{Gates[g], time.Duration(ms) * time.Millisecond})
		if ms > most {
			most, x.Longest = ms, Gates[g]
		}
	}
	if x.ForEver() && row.last >= 0 && Gates[p.rows.spells[row.last].gate] != GateTime {
		x.Longest = Gates[p.rows.spells[row.last].gate] // it goes on, whatever held it before
	}
	if x.Job.Deadline > 0 && row.Key == "" {
		x.Deadline = row.PlanTime.Add(x.Job.Deadline)
		x.Late = row.EndedAt.IsZero() || row.EndedAt.After(x.Deadline)
	}
	return x
}

// findRoots follows, for each instance that stayed open, what it waits for down to the one that waits for no other.
func (f *Foresight) findRoots() {
	roots := map[*playRow]*Blocked{}
	for i := range f.Instances {
		x := &f.Instances[i]
		if !x.Open() {
			continue
		}
		row := x.scheduled
		var way []*playRow
		on := map[*playRow]bool{}
		for {
			if root := roots[row]; root != nil || on[row] {
				break
			}
			on[row] = true
			way = append(way, row)
			next := row.watching
			if row.State != Waiting || next == nil {
				break
			}
			row = next
		}
		root := roots[row]
		if root == nil {
			root = &Blocked{Name: row.Name(), State: row.State, Reason: row.Reason}
		}
		for _, w := range way {
			roots[w] = root
		}
		x.Root = root
	}
}
