package sim

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// counted returns the job's current count, 0 when it has none or is away: what is left of it is counted anew when it is back.
func (b *booking) counted(j *jobEntry) int {
	job := b.definition(j.row.Version)
	if job == nil || job.When.Rule == nil || j.row.Disabled || j.row.Removed {
		return 0
	}
	return job.When.Rule.Count
}

// counts reports whether an instance uses up some of the count of its job: it ran, or will.
func (i *entry) counts() bool { return i.state != engine.Cancelled || i.fence > 0 }

// checkCounts holds what the rows of jobs say of their counts against their instances: a due time that was cancelled before it ever ran uses up nothing.
func (b *booking) checkCounts() {
	for _, id := range sortedKeys(b.recounted) {
		j := b.jobs[id]
		if j == nil || b.counted(j) == 0 {
			continue
		}
		from := countedFrom(&j.row)
		rest := b.rest(j)
		used := 0
		// What was gone already is known by a number alone: it ran, whenever it was due.
		for _, i := range j.gone[:j.settled] {
			if i.counts() && !i.plan.Before(j.row.CreatedAt) {
				used++
			}
		}
		for _, list := range [][]*entry{j.scheduled, j.gone[j.settled:]} {
			for _, i := range list {
				switch before := i.plan.Before(from); {
				case i.plan.Before(j.row.CreatedAt):
				case before && i.counts():
					used++
				case !before && i.plan.Before(rest) && !i.counts():
					used--
				}
			}
		}
		if used != j.row.Counted {
			b.w.broken("I1", "%s has used up %d of its count of %d before %s by its row, and %d by its instances", j.row.Ref, j.row.Counted, b.counted(j), from, used)
			return
		}
		if used != 0 {
			b.w.saw("count moved")
		}
	}
}

// rest is the end of the due times that are left of the count of a job.
func (b *booking) rest(j *jobEntry) time.Time {
	table := b.timetable(j, j.row.Version)
	switch {
	case table == nil:
		return engine.AfterAll
	case b.counted(j) <= j.row.Counted:
		return countedFrom(&j.row)
	}
	if last, ends := table.Counted(); ends {
		return last.Add(time.Millisecond)
	}
	return engine.AfterAll
}

// recount remembers that a commit may have changed what is left of a count.
func (b *booking) recount(job int64) {
	if b.recounted == nil {
		b.recounted = map[int64]bool{}
	}
	b.recounted[job] = true
}

// madeRoom demands the instances that a row with a larger rest of its count makes due within its
// plan.
func (b *booking) madeRoom(j *jobEntry, row *engine.JobRow) {
	from := countedFrom(row)
	anew := !from.Equal(countedFrom(&j.row))
	if b.counted(j) == 0 || row.Version != j.row.Version || !anew && row.Counted >= j.row.Counted {
		return
	}
	if before := b.timetable(j, row.Version); !anew && before != nil {
		last, ends := before.Counted()
		switch {
		case ends:
			from = last.Add(time.Millisecond)
		case b.counted(j) > j.row.Counted:
			return // more is left than the schedule has
		}
	}
	if from.Before(row.PlannedTo) {
		b.windows = append(b.windows, window{row.ID, row.Version, from, row.PlannedTo, nil})
	}
}

// countedFrom is from when on the rest of the count of a job's rule is due.
func countedFrom(row *engine.JobRow) time.Time {
	if row.CountFrom.IsZero() {
		return row.CreatedAt
	}
	return row.CountFrom
}

// beyondCount reports whether an instance stays although the count of its job is used up without it: it was looked at before a person had one run again that
// had been cancelled.
func (b *booking) beyondCount(j *jobEntry, i *entry) bool {
	return b.counted(j) > 0 && (i.state != engine.Waiting || i.gate != engine.GateTime)
}
