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
	if b.w.seen["clock jumped"] > 0 {
		return // what a clock that was ahead gave back to a count is not taken back yet
	}
	for _, id := range sortedKeys(b.recounted) {
		j := b.jobs[id]
		if j == nil || b.counted(j) == 0 {
			continue
		}
		from := j.row.CountFrom
		if from.IsZero() {
			from = j.row.CreatedAt
		}
		used := 0
		for _, list := range [][]*entry{j.scheduled, j.gone} {
			for _, i := range list {
				switch before := i.plan.Before(from); {
				case i.plan.Before(j.row.CreatedAt):
				case before && i.counts():
					used++
				case !before && !i.counts():
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

// recount remembers that a commit may have changed what is left of a count.
func (b *booking) recount(job int64) {
	if b.recounted == nil {
		b.recounted = map[int64]bool{}
	}
	b.recounted[job] = true
}

// madeRoom demands the instance that a row with a larger rest of its count makes due within its plan.
func (b *booking) madeRoom(j *jobEntry, row *engine.JobRow) {
	if b.counted(j) == 0 || row.Version != j.row.Version || row.Counted == j.row.Counted && row.CountFrom.Equal(j.row.CountFrom) {
		return
	}
	before := j.row
	j.row = *row
	table := b.timetable(j, row.Version)
	j.row = before
	if table == nil {
		return
	}
	if last, some := table.Counted(); some && last.Before(row.PlannedTo) {
		b.windows = append(b.windows, window{row.ID, row.Version, last, last.Add(time.Millisecond), nil})
	}
}

// beyondCount reports whether an instance stays although the count of its job is used up without it: it was looked at before a person had one run again that
// had been cancelled.
func (b *booking) beyondCount(j *jobEntry, i *entry) bool {
	return b.counted(j) > 0 && (i.state != engine.Waiting || i.gate != engine.GateTime)
}
