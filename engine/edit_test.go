package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// jobOf reads the only job of a workflow file.
func (d *desk) jobOf(text string) *engine.Job {
	d.Helper()
	w, problems := spec.Decode("w.yaml", []byte(text), spec.Options{})
	require.False(d, problems.HasErrors(), "%v", problems)
	require.Len(d, w.Jobs, 1)
	return w.Jobs[0]
}

func (d *desk) edit(e *engine.Engine, fn func(*engine.Edit) error) error {
	return e.Edit(d.Context(), "face", "ann", d.now, fn)
}

// times lists the plan times of the scheduled instances of c/j in a state, by hour.
func (d *desk) times(state engine.State) (times []string) {
	d.Helper()
	require.NoError(d, d.db.Read(d.Context(), func(v engine.View) error {
		job, err := v.JobByRef(engine.JobRef{Workflow: "c", Job: "j"})
		if err != nil {
			return err
		}
		for at := d.now.Truncate(24 * time.Hour); at.Before(job.PlannedTo); at = at.Add(30 * time.Minute) {
			i, err := v.Find(job.ID, "", at)
			if err == nil && i.State == state {
				times = append(times, at.Format("02T15:04"))
			}
		}
		return nil
	}))
	return times
}

const everyHour = `workflow: c
defaults: {startTime: "2026-08-01T00:00:00Z"}
jobs:
  j: {recurrence: {frequency: hour}, action: {type: shell, command: "true"}}
`

const sixHours = `workflow: c
defaults: {startTime: "2026-08-01T03:00:00Z"}
jobs:
  j: {recurrence: {frequency: hour, interval: 6}, action: {type: shell, command: "true"}}
`

// A server comes back after many days, and before it has planned what was due of a job somebody changes
// it: that is written down by the definition of before, a day at a time.
func TestAnEditAfterManyDaysIsShortWrites(t *testing.T) {
	d, m := metered(t, time.Date(2026, 8, 2, 23, 0, 0, 0, time.UTC))
	e, _ := d.server("a", d.db, false)
	d.load(e, hourly)
	often := strings.Replace(everyHour, "{frequency: hour}", "{frequency: minute}", 1)
	put := func(e *engine.Engine, text string) {
		require.NoError(t, d.edit(e, func(edit *engine.Edit) error {
			_, err := edit.Put(d.jobOf(text))
			return err
		}))
	}
	put(e, often)
	d.step(e)
	d.now = d.now.AddDate(0, 0, 30)
	next, _ := d.server("b", d.db, false)
	m.on.Store(true)
	put(next, everyHour)
	require.LessOrEqual(t, m.most.Load(), int64(4500), "a day of the job of each minute")
	m.on.Store(false)
	for _, day := range []string{"2026-08-04", "2026-08-20", "2026-08-31"} {
		list, err := next.Select(t.Context(), "job:c/j date:"+day, d.now)
		require.NoError(t, err)
		require.Len(t, list, 1440, day)
	}
	d.sound()
}

func TestAnEditIsPlannedFromNowOn(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, hourly)
	d.step(e)
	put := func(text string) engine.JobRow {
		var row engine.JobRow
		require.NoError(t, d.edit(e, func(edit *engine.Edit) (err error) {
			row, err = edit.Put(d.jobOf(text))
			return err
		}))
		d.step(e)
		return row
	}
	first := put(everyHour)
	require.Equal(t, "face", first.Source)
	require.Len(t, d.times(engine.Waiting), 23, "planned by the loop, from 00:30 to the end of the day")

	d.now = time.Date(2026, 8, 3, 2, 30, 0, 0, time.UTC)
	d.step(e)
	require.Len(t, h.started, 4+1, "two hours of the folder's two jobs and our 01:00, for which our 02:00 waits")
	require.Equal(t, first.Version, put(everyHour).Version, "the same definition changes nothing")

	second := put(sixHours)
	require.Equal(t, first.ID, second.ID)
	require.NotEqual(t, first.Version, second.Version)
	require.Equal(t, []string{"03T02:00", "03T03:00", "03T09:00", "03T15:00", "03T21:00"}, d.times(engine.Waiting),
		"02:00 was due before and keeps its version; the rest is planned anew")

	// What a folder loads leaves it alone, and cannot take its name.
	d.load(e, hourly)
	require.Len(t, d.times(engine.Waiting), 5)
	w, problems := spec.Decode("w.yaml", []byte(everyHour), spec.Options{})
	require.False(t, problems.HasErrors())
	_, err := e.Load(t.Context(), []*engine.Workflow{w}, d.now)
	require.ErrorIs(t, err, engine.ErrConflict)
	require.ErrorContains(t, err, "c/j was not made by a folder")
	require.ErrorIs(t, d.edit(e, func(edit *engine.Edit) error { return edit.Remove(engine.JobRef{Workflow: "w", Job: "load"}) }), engine.ErrConflict)

	require.NoError(t, d.edit(e, func(edit *engine.Edit) error { return edit.Remove(second.Ref) }))
	d.step(e)
	require.Empty(t, d.times(engine.Waiting))
	require.Equal(t, []string{"03T02:00"}, d.times(engine.Cancelled))
	require.ErrorIs(t, d.edit(e, func(edit *engine.Edit) error { return edit.Remove(second.Ref) }), engine.ErrNotFound)

	d.now = d.now.Add(time.Hour)
	third := put(sixHours)
	require.Equal(t, d.now, third.CreatedAt, "a job that is made again counts from then")
	require.Equal(t, []string{"03T09:00", "03T15:00", "03T21:00"}, d.times(engine.Waiting))
}

func TestAnEditThatFailsChangesNothing(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.step(e)
	no := errors.New("no")
	require.ErrorIs(t, d.edit(e, func(edit *engine.Edit) error {
		if _, err := edit.Put(d.jobOf(everyHour)); err != nil {
			return err
		}
		require.NoError(t, edit.Tx().PutResource(engine.ResourceRow{Kind: "job", Key: "c/j"}))
		return no
	}), no)
	d.step(e)
	require.NoError(t, d.db.Read(t.Context(), func(v engine.View) error {
		_, err := v.JobByRef(engine.JobRef{Workflow: "c", Job: "j"})
		require.ErrorIs(t, err, engine.ErrNotFound)
		_, err = v.Resource("job", "c/j")
		require.ErrorIs(t, err, engine.ErrNotFound)
		return nil
	}))
	waits := d.jobOf(everyHour)
	waits.DependsOn = []engine.Dependency{{Job: engine.JobRef{Workflow: "w", Job: "load"}}}
	err := d.edit(e, func(edit *engine.Edit) error { _, err := edit.Put(waits); return err })
	require.ErrorIs(t, err, engine.ErrInvalid)
	require.ErrorContains(t, err, "only a folder can say so")
}

// What waits for an edited job waits for its new plan times.
func TestAnEditReachesWhatWaitsForIt(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	put := func(text string) {
		require.NoError(t, d.edit(e, func(edit *engine.Edit) error { _, err := edit.Put(d.jobOf(text)); return err }))
	}
	put(everyHour)
	d.load(e, `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z"}
jobs:
  after: {recurrence: {frequency: day, schedule: {hours: [12], minutes: [0]}}, dependsOn: [{job: c/j, window: {from: -PT4H, to: PT0S, closed: both}}], action: {type: none}}
`)
	d.step(e)
	waits := func() int {
		i, _ := d.instance("after", 12)
		var n int
		require.NoError(t, d.db.Read(t.Context(), func(v engine.View) error {
			list, err := v.Waits(i.ID)
			require.Len(t, list, 1)
			n = list[0].Count
			return err
		}))
		return n
	}
	require.Equal(t, 5, waits(), "08:00 to 12:00, each hour")
	put(sixHours)
	d.step(e)
	require.Equal(t, 1, waits(), "09:00 alone")
}
