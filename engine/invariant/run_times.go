package invariant

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// runs holds that part of I2 that is about runs: the rows tell the runs that the history tells, each with its own times, and each attempt is within its run.
func (c *check) runs(f *facts) {
	i := f.i
	number, earlier := 1, 0
	var started time.Time
	var ended time.Time
	for _, change := range f.past {
		switch {
		case change.event.Closes(change.from):
			if earlier >= len(f.runs) {
				c.must(false, "I2", i, "event %d ends run %d, and no row tells of it", change.id, number)
				return
			}
			r := &f.runs[earlier]
			if change.from == engine.Lost {
				ended = change.at
			}
			c.must(r.Number == number && r.State == change.from && sameMilli(r.StartedAt, started) && sameMilli(r.EndedAt, ended), "I2", i,
				"run %d was %s from %s to %s by its row, and run %d %s from %s to %s by the history", r.Number, r.State, r.StartedAt.Format(form), r.EndedAt.Format(form),
				number, change.from, started.Format(form), ended.Format(form))
			number, earlier, started = number+1, earlier+1, time.Time{}
		case change.event == engine.Start:
			started = change.at
		}
		if change.to.Ended() {
			ended = change.at
		}
	}
	c.must(earlier == len(f.runs), "I2", i, "the history tells of %d earlier runs, and the rows of %d", earlier, len(f.runs))
	c.must(i.Run == number, "I2", i, "it is at run %d, and the history at run %d", i.Run, number)
	c.must(sameMilli(i.StartedAt, started), "I2", i, "run %d started at %s, and the history says %s", i.Run, i.StartedAt.Format(form), started.Format(form))
	c.ordered(f)
}

// ordered holds that a run ends after it started and that its attempts begin in it, as far as the fences tell whose they are. By a clock that was set back
// they need not, and two servers may differ by as long as one of them may stand still.
func (c *check) ordered(f *facts) {
	i := f.i
	if c.jumped {
		c.skipped("I2")
		return
	}
	starts, ends := map[int]time.Time{i.Run: i.StartedAt}, map[int]time.Time{i.Run: i.EndedAt}
	for n := range f.runs {
		r := &f.runs[n]
		starts[r.Number], ends[r.Number] = r.StartedAt, r.EndedAt
	}
	for number, start := range starts {
		end := ends[number]
		c.must(start.IsZero() || end.IsZero() || !end.Add(longPause).Before(start), "I2", i, "run %d started at %s and ended at %s", number, start.Format(form), end.Format(form))
	}
	for n := range f.attempts {
		a := &f.attempts[n]
		if a.Error {
			continue
		}
		run := engine.RunOf(a, i.Run, f.runs)
		start, end := starts[run], ends[run]
		c.must(!start.IsZero() && !a.StartedAt.Add(longPause).Before(start), "I2", i, "attempt %d began at %s, and run %d, to which it belongs, at %s", a.ID, a.StartedAt.Format(form), run,
			start.Format(form))
		c.must(end.IsZero() || !a.StartedAt.After(end.Add(longPause)), "I2", i, "attempt %d began at %s, and run %d, to which it belongs, ended at %s", a.ID, a.StartedAt.Format(form), run,
			end.Format(form))
	}
}

func sameMilli(a, b time.Time) bool {
	return a.IsZero() == b.IsZero() && (a.IsZero() || a.UnixMilli() == b.UnixMilli())
}
