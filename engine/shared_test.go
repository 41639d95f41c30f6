package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// A hand is a Runner that does nothing but remember; the test says how attempts end.
type hand struct {
	started   []engine.Attempt
	cancelled []int64
	done      map[int64]func(engine.Result)
	until     time.Time
}

func (h *hand) Start(a engine.Attempt, done func(engine.Result)) {
	if h.done == nil {
		h.done = map[int64]func(engine.Result){}
	}
	h.started = append(h.started, a)
	h.done[a.ID] = done
}
func (h *hand) Cancel(id int64)                                                     { h.cancelled = append(h.cancelled, id) }
func (h *hand) Renew(_ []int64, until time.Time)                                    { h.until = until }
func (h *hand) Adopt(ids []int64, _ func(engine.Result)) (unknown, unbegun []int64) { return ids, nil }

func (h *hand) end(id int64, at time.Time) {
	h.done[id](engine.Result{Attempt: id, Outcome: engine.OutcomeSucceeded, StartedAt: at, EndedAt: at})
}

// A faulty is a Store whose next writes fail, before or after they were made.
type faulty struct {
	engine.Store
	before, after error
}

func (f *faulty) Write(ctx context.Context, fn func(tx engine.Tx) error) error {
	before, after := f.before, f.after
	f.before, f.after = nil, nil
	if before != nil {
		return before
	}
	return errors.Join(f.Store.Write(ctx, fn), after)
}

// A desk is a store with a clock that the test sets, and as many servers as it wants.
type desk struct {
	*testing.T
	db  *store.DB
	now time.Time
}

func newDesk(t *testing.T) *desk {
	d := &desk{T: t, now: time.Date(2026, 8, 3, 0, 30, 0, 0, time.UTC)}
	db, err := store.Open(t.Context(), store.Config{Dir: t.TempDir(), Clock: func() time.Time { return d.now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	d.db = db
	return d
}

const hourly = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", concurrency: 9}
jobs:
  load: {recurrence: {frequency: hour}, action: {type: shell, command: "true"}}
  pair:
    recurrence: {frequency: hour}
    steps:
      one: {type: shell, command: "true"}
      two: {type: shell, command: "true", needs: [one]}
`

func (d *desk) server(name string, rows engine.Store, shared bool) (*engine.Engine, *hand) {
	d.Helper()
	h := &hand{}
	e, err := engine.New(d.config(name, h, func(c *engine.Config) { c.Store, c.Shared = rows, shared }))
	require.NoError(d, err)
	return e, h
}

func (d *desk) config(name string, h *hand, change func(*engine.Config)) engine.Config {
	c := engine.Config{
		Store: d.db, Runner: h, Owner: name, Slots: 8, Decode: spec.DecodeJob, Condition: spec.EvalWhen, Clock: func() time.Time { return d.now },
	}
	change(&c)
	return c
}

func (d *desk) load(e *engine.Engine, text string) {
	d.Helper()
	w, problems := spec.Decode("w.yaml", []byte(text), spec.Options{})
	require.False(d, problems.HasErrors(), "%v", problems)
	_, err := e.Load(d.Context(), []*engine.Workflow{w}, d.now)
	require.NoError(d, err)
}

// step takes turns until there is nothing to do now.
func (d *desk) step(e *engine.Engine) {
	d.Helper()
	for range 20 {
		next, _, err := e.Step(d.Context(), d.now)
		require.NoError(d, err)
		if next.After(d.now) {
			return
		}
	}
	d.Fatal("the engine does not come to rest")
}

func (d *desk) instance(job string, hour int) (engine.Instance, []engine.AttemptRow) {
	d.Helper()
	i, err := d.db.FindByName(d.Context(), engine.JobRef{Workflow: "w", Job: job}, "", time.Date(2026, 8, 3, hour, 0, 0, 0, time.UTC))
	require.NoError(d, err)
	attempts, err := d.db.Attempts(d.Context(), i.ID)
	require.NoError(d, err)
	return i, attempts
}

// A server that stands still for longer than its lease loses what it ran: whatever it writes afterwards is refused, recorded, and changes nothing.
func TestOneServerDecides(t *testing.T) {
	d := newDesk(t)
	a, ha := d.server("a", d.db, true)
	b, hb := d.server("b", d.db, true)
	d.load(a, hourly)
	d.step(a)
	d.step(b)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step(a)
	d.step(b)
	require.Len(t, ha.started, 2, "load and the first step of pair")
	require.Empty(t, hb.started, "each instance has one owner")
	require.Equal(t, d.now.Add(time.Minute), ha.started[0].Until)

	d.now = d.now.Add(50 * time.Second)
	d.step(b)
	require.Empty(t, hb.started, "the lease of a has not passed")
	d.now = d.now.Add(25 * time.Second) // a stands still
	d.step(b)
	require.Len(t, hb.started, 2, "b knows nothing of the attempts of a: lost, and tried again")
	for _, job := range []string{"load", "pair"} {
		i, attempts := d.instance(job, 1)
		require.Equal(t, "b", i.Owner)
		require.Len(t, attempts, 2)
		require.Equal(t, engine.OutcomeLost, attempts[0].Result.Outcome)
	}

	for _, attempt := range ha.started {
		ha.end(attempt.ID, d.now)
	}
	before, _ := d.instance("load", 1)
	d.step(a)
	after, attempts := d.instance("load", 1)
	require.Equal(t, before, after, "a decides nothing any more")
	require.Equal(t, engine.OutcomeLost, attempts[0].Result.Outcome, "the first outcome stands")
	require.Len(t, ha.started, 2, "and a starts no second step")

	for _, attempt := range hb.started {
		hb.end(attempt.ID, d.now)
	}
	d.step(b)
	after, _ = d.instance("load", 1)
	require.Equal(t, engine.Succeeded, after.State)
	require.Len(t, hb.started, 3, "the second step of pair")
}

// Renewal tells a server that it has lost something, before it has anything to write of it: it ends what it runs of that.
func TestALostRunIsLetGoOf(t *testing.T) {
	d := newDesk(t)
	a, ha := d.server("a", d.db, true)
	b, hb := d.server("b", d.db, true)
	d.load(a, hourly)
	d.step(a)
	d.step(b)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step(a)
	d.now = d.now.Add(61 * time.Second)
	d.step(b)
	require.Len(t, hb.started, 2)
	d.step(a)
	require.ElementsMatch(t, []int64{ha.started[0].ID, ha.started[1].ID}, ha.cancelled)
	for range 5 {
		d.now = d.now.Add(20 * time.Second)
		d.step(b)
		d.step(a)
		require.Len(t, ha.started, 2, "nothing changes hands while both renew")
	}
}

// Definitions that another server loaded are noticed before anything is planned or triggered with the old ones.
func TestServersFollowEachOthersDefinitions(t *testing.T) {
	d := newDesk(t)
	a, _ := d.server("a", d.db, true)
	b, _ := d.server("b", d.db, true)
	d.load(a, hourly)
	d.step(a)
	d.step(b)
	d.load(b, hourly+"  late: {recurrence: {frequency: hour}, action: {type: none}}\n")
	d.now = time.Date(2026, 8, 3, 23, 0, 0, 0, time.UTC) // tomorrow is planned from 22:00
	d.step(a)
	i, err := d.db.FindByName(t.Context(), engine.JobRef{Workflow: "w", Job: "late"}, "", time.Date(2026, 8, 4, 5, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	require.Equal(t, engine.Waiting, i.State)

	d.load(b, "workflow: w\njobs:\n  load: {recurrence: {frequency: hour}, action: {type: shell, command: \"true\"}, state: disabled}\n")
	_, _, err = a.Trigger(t.Context(), engine.TriggerRequest{Ref: engine.JobRef{Workflow: "w", Job: "load"}}, d.now)
	require.ErrorIs(t, err, engine.ErrConflict, "a has not loaded what b has")
	_, _, err = a.Trigger(t.Context(), engine.TriggerRequest{Ref: engine.JobRef{Workflow: "w", Job: "late"}}, d.now)
	require.ErrorIs(t, err, engine.ErrNotFound)
}

// A write that is reported as failed may have been made. The working set is rebuilt from the rows, and what was recorded as started and not handed out is
// handed out: once.
func TestAnUnknownCommit(t *testing.T) {
	unknown := fmt.Errorf("the connection broke: %w", engine.ErrUnavailable)
	for name, fault := range map[string]faulty{"it was not made": {before: unknown}, "it was made": {after: unknown}} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			rows := &faulty{Store: d.db}
			e, h := d.server("a", rows, false)
			d.load(e, hourly)
			d.step(e)

			d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
			d.step(e) // renews the lease
			_, attempts := d.instance("load", 1)
			require.Len(t, attempts, 1)
			first := h.started[0]

			// The claim of the next hour.
			d.now = d.now.Add(time.Hour)
			d.step(e)
			require.Len(t, h.started, 4)
			d.now = d.now.Add(time.Hour - time.Second)
			d.step(e) // renews the lease; nothing is due
			d.now = d.now.Add(time.Second)
			rows.before, rows.after = fault.before, fault.after
			next, _, err := e.Step(t.Context(), d.now)
			require.Len(t, h.started, 4)
			require.NoError(t, err, "trying again makes sense")
			require.True(t, next.After(d.now))
			d.now = next
			d.step(e)
			require.Len(t, h.started, 6, "each attempt was handed out once")
			seen := map[int64]bool{}
			for _, a := range h.started {
				require.False(t, seen[a.ID])
				seen[a.ID] = true
			}

			// The end of an attempt.
			h.end(first.ID, d.now)
			rows.before, rows.after = fault.before, fault.after
			_, _, err = e.Step(t.Context(), d.now)
			require.NoError(t, err)
			d.now = d.now.Add(2 * time.Second)
			d.step(e)
			i, attempts := d.instance(first.Ref.Job, 1)
			require.Equal(t, engine.OutcomeSucceeded, attempts[0].Result.Outcome)
			if first.Ref.Job == "load" {
				require.Equal(t, engine.Succeeded, i.State)
			}
			require.Empty(t, h.cancelled)
		})
	}
}

// newRules is a zone of the name whose clocks are nine hours ahead for ever: zone data after an update.
func newRules(t *testing.T, name string) *time.Location {
	data := append([]byte("TZif"), make([]byte, 16+5*4)...)
	data = append(data[:36], 0, 0, 0, 1, 0, 0, 0, 4) // one type, four characters
	data = append(data, 0, 0, 0x7e, 0x90, 0, 0)      // 32400 s, no summer time, name at 0
	data = append(data, "NEW\x00"...)
	loc, err := time.LoadLocationFromTZData(name, data)
	require.NoError(t, err)
	return loc
}

// After an update of the zone data what is planned and not looked at is planned with the new rules, and the history says what moved.
func TestNewZoneRulesPlanTheFutureAnew(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	const text = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z"}
jobs:
  night: {timeZone: Europe/Berlin, recurrence: {frequency: day, schedule: {hours: [4], minutes: [0]}}, action: {type: none}}
  other: {recurrence: {frequency: day, schedule: {hours: [4], minutes: [0]}}, action: {type: none}}
`
	w, problems := spec.Decode("w.yaml", []byte(text), spec.Options{})
	require.False(t, problems.HasErrors(), "%v", problems)
	load := func() engine.LoadReport {
		report, err := e.Load(t.Context(), []*engine.Workflow{w}, d.now)
		require.NoError(t, err)
		return report
	}
	load()
	d.step(e)
	at := func(job, text string) error {
		when, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		_, err = d.db.FindByName(t.Context(), engine.JobRef{Workflow: "w", Job: job}, "", when)
		return err
	}
	require.NoError(t, at("night", "2026-08-03T04:00:00+02:00"))
	require.Zero(t, load().Replaced, "the same rules")

	w.Job("night").When.Location = newRules(t, "Europe/Berlin")
	d.now = d.now.Add(15 * time.Minute)
	report := load()
	require.Equal(t, 1, report.Replaced)
	require.Equal(t, 1, report.Planned, "04:00 of the 3rd has passed; that of the 4th is at 19:00 UTC")
	require.ErrorIs(t, at("night", "2026-08-03T04:00:00+02:00"), engine.ErrNotFound)
	require.NoError(t, at("other", "2026-08-03T04:00:00Z"))
	d.now = time.Date(2026, 8, 4, 14, 0, 0, 0, time.UTC)
	d.step(e)
	require.NoError(t, at("night", "2026-08-04T04:00:00+09:00"))
	require.NoError(t, at("night", "2026-08-05T04:00:00+09:00"))

	events, err := d.db.Events(t.Context(), 0, 0, 500)
	require.NoError(t, err)
	var details []string
	for _, event := range events {
		if event.Kind == "zone-rules" {
			details = append(details, event.Reason.Detail)
		}
	}
	require.Equal(t, []string{"the rules of Europe/Berlin have changed: 1 instances planned anew; gone: 2026-08-03 11:00 +09:00; new: 2026-08-04 04:00 +09:00"}, details)
}

// Definitions that changed while no server ran change the plan from now on: what was due before was due by the definitions of then.
func TestAChangeAfterALongStopIsFromNowOn(t *testing.T) {
	d := newDesk(t)
	a, _ := d.server("a", d.db, false)
	d.load(a, hourly)
	d.step(a)
	d.now = time.Date(2026, 8, 6, 10, 30, 0, 0, time.UTC)
	b, _ := d.server("b", d.db, false)
	d.load(b, `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z"}
jobs:
  load: {recurrence: {frequency: minute, interval: 20}, action: {type: shell, command: "true"}}
`)
	count := func(job string, from, to time.Time) (n int) {
		for at := from; at.Before(to); at = at.Add(20 * time.Minute) {
			_, err := d.db.FindByName(t.Context(), engine.JobRef{Workflow: "w", Job: job}, "", at)
			if err == nil {
				n++
			} else {
				require.ErrorIs(t, err, engine.ErrNotFound)
			}
		}
		return n
	}
	d.step(b)
	stopped := time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	require.Equal(t, 82, count("load", stopped, d.now), "once an hour")
	require.Equal(t, 82, count("pair", stopped, d.now), "removed by now, and due until now all the same")
	require.Equal(t, 3*13+1, count("load", d.now.Add(10*time.Minute), time.Date(2026, 8, 7, 0, 0, 0, 0, time.UTC)), "every 20 minutes from now on")
}
