package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// A meter measures how many statements and rows the largest write transaction is, while it is on.
type meter struct {
	on   atomic.Bool
	most atomic.Int64
}

// metered is a desk whose writes are measured.
func metered(t *testing.T, now time.Time) (*desk, *meter) {
	d, m := &desk{T: t, now: now}, &meter{}
	db, err := store.Open(t.Context(), store.Config{
		Dir: t.TempDir(), Clock: func() time.Time { return d.now },
		Watch: func() func() time.Duration { return func() time.Duration { return 0 } },
		Held: func(_ time.Duration, work int) {
			if m.on.Load() {
				m.most.Store(max(m.most.Load(), int64(work)))
			}
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	d.db = db
	return d, m
}

// operate asks for an operation and says whether it is carried out later.
func (d *desk) operate(e *engine.Engine, r engine.OperationRequest) engine.OperationResult {
	d.Helper()
	r.Actor = "ana"
	result, err := e.Operate(d.Context(), r, d.now)
	require.NoError(d, err)
	return result
}

// through carries on until an operation has ended.
func (d *desk) through(e *engine.Engine, r *engine.OperationResult) engine.OperationRow {
	d.Helper()
	require.NotNil(d, r.UnderWay)
	d.bulk(e)
	row, err := e.FindOperation(d.Context(), r.UnderWay.ID)
	require.NoError(d, err)
	require.Equal(d, engine.OperationEnded, row.Stage)
	return row
}

func (d *desk) states(e *engine.Engine, selector string) map[string]int {
	d.Helper()
	list, err := e.Select(d.Context(), selector, d.now)
	require.NoError(d, err)
	states := map[string]int{}
	for n := range list {
		if list[n].Frozen {
			states["frozen"]++
		}
		states[string(list[n].State)]++
	}
	return states
}

func TestAnOperationOnManyIsCarriedOutInShortWrites(t *testing.T) {
	const jobs, all = 1, 1440 + 1
	d, m := metered(t, time.Date(2026, 8, 2, 23, 0, 0, 0, time.UTC))
	e, _ := d.server("a", d.db, false)
	d.load(e, behind(jobs))
	d.step(e)
	m.on.Store(true)
	for _, o := range []struct {
		op   engine.Operation
		want map[string]int
	}{
		{engine.OperateFreeze, map[string]int{"waiting": all, "frozen": all}},
		{engine.OperateUnfreeze, map[string]int{"waiting": all}},
		{engine.OperateSkip, map[string]int{"skipped": all}},
		{engine.OperateRerun, map[string]int{"waiting": all}},
		{engine.OperateCancel, map[string]int{"cancelled": all}},
		{engine.OperateForce, map[string]int{"forced": all}},
	} {
		r := d.operate(e, engine.OperationRequest{Operation: o.op, Selector: "date:2026-08-03"})
		require.Equal(t, all, r.Counts[engine.EffectChanged], o.op)
		require.Equal(t, 0, r.UnderWay.Changed(), o.op)
		more, err := e.Bulk(t.Context(), d.now)
		require.NoError(t, err)
		require.True(t, more)
		row, err := e.FindOperation(t.Context(), r.UnderWay.ID)
		require.NoError(t, err)
		require.Greater(t, row.Changed(), 0)
		require.Less(t, row.Changed(), all, "%s is not done at once", o.op)
		row = d.through(e, &r)
		require.Equal(t, map[engine.Effect]int{engine.EffectChanged: all}, row.Outcome.Counts, o.op)
		require.Zero(t, row.Outcome.MovedOn)
		require.Equal(t, o.want, d.states(e, "date:2026-08-03"), o.op)
	}
	require.LessOrEqual(t, m.most.Load(), int64(mostWork))
	require.Greater(t, m.most.Load(), int64(100), "it was measured")
}

// bitByBit is a Store whose every slice is of one instance.
type bitByBit struct{ engine.Store }

type bitTx struct{ engine.Tx }

func (bitTx) Full() bool { return true }

func (b bitByBit) Write(ctx context.Context, fn func(tx engine.Tx) error) error {
	return b.Store.Write(ctx, func(tx engine.Tx) error { return fn(bitTx{tx}) })
}

// slicer is a server that carries out each operation on more than one instance one by one.
func (d *desk) slicer(name string) (*engine.Engine, *hand) {
	d.Helper()
	h := &hand{}
	e, err := engine.New(d.config(name, h, func(c *engine.Config) { c.Store, c.AtOnce = bitByBit{d.db}, 1 }))
	require.NoError(d, err)
	return e, h
}

const pair = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", concurrency: 9}
jobs:
  late: {cron: "10 0 * * *", action: {type: shell, command: "true"}}
  early: {cron: "5 0 * * *", dependsOn: [late], action: {type: shell, command: "true"}}
`

func (d *desk) bit(e *engine.Engine) {
	d.Helper()
	_, err := e.Bulk(d.Context(), d.now)
	require.NoError(d, err)
}

// What comes early on the list would start on what stands at its end: it is held until the whole
// list is through, by whichever server looks at it, and is looked at then.
func TestNothingOnTheListOfAnOperationStartsBeforeItIsThrough(t *testing.T) {
	d := newDesk(t)
	e, h := d.slicer("a")
	d.now = d.now.Add(-time.Hour)
	d.load(e, pair)
	d.step(e)
	d.now = d.now.Add(time.Hour)
	d.step(e)
	require.Equal(t, []string{"late@08-03T00"}, d.starts(h))
	d.step(e)
	require.Equal(t, []string{"early@08-03T00"}, d.starts(h))
	d.step(e)
	r := d.operate(e, engine.OperationRequest{Operation: engine.OperateRerun, Selector: "date:2026-08-03"})
	require.Equal(t, 2, r.UnderWay.Total)
	d.bit(e)
	early := d.find("early", 5)
	require.Equal(t, engine.Waiting, early.State, "it is the first of the list")
	require.Equal(t, engine.Succeeded, d.find("late", 10).State)
	d.step(e)
	require.Empty(t, d.starts(h), "early would run again on what late was before")
	early = d.find("early", 5)
	require.Equal(t, engine.ReasonOperation, early.Reason.Code)
	require.Equal(t, engine.GateFrozen, early.Gate)
	x, err := e.Explain(t.Context(), early.ID, d.now)
	require.NoError(t, err)
	require.Contains(t, fmt.Sprintf("%+v", x), "rerun of 2 instances")
	d.sound()
	d.through(e, &r)
	d.step(e)
	require.Equal(t, []string{"late@08-03T00"}, d.starts(h))
	d.step(e)
	require.Equal(t, []string{"early@08-03T00"}, d.starts(h))
	d.sound()
}

func (d *desk) find(job string, minute int) engine.Instance {
	d.Helper()
	at := time.Date(2026, 8, 3, 0, minute, 0, 0, time.UTC)
	i, err := d.db.FindByName(d.Context(), engine.JobRef{Workflow: "w", Job: job}, "", at)
	require.NoError(d, err)
	return i
}

// A server that dies between two slices leaves what it did and the rest of the list: the next one
// goes on behind it, and does nothing twice.
func TestAnOperationIsGoneOnWithAfterACrash(t *testing.T) {
	for name, op := range map[string]engine.Operation{"skip": engine.OperateSkip, "boost": engine.OperateBoost} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			e, _ := d.slicer("a")
			d.load(e, hourly)
			d.step(e)
			const rest = "state:waiting date:2026-08-03 job:load"
			list, err := e.Select(t.Context(), rest, d.now)
			require.NoError(t, err)
			require.Greater(t, len(list), 10)
			r := d.operate(e, engine.OperationRequest{Operation: op, Selector: rest, Options: priorityOf(op)})
			for range 7 {
				d.bit(e)
			}
			d.sound()
			next, _ := d.slicer("a") // the first is dead
			d.load(next, hourly)
			row, err := next.FindOperation(t.Context(), r.UnderWay.ID)
			require.NoError(t, err)
			require.Equal(t, 7, row.Done)
			row = d.through(next, &r)
			require.Equal(t, map[engine.Effect]int{engine.EffectChanged: len(list)}, row.Outcome.Counts)
			for n := range list {
				events, err := d.db.Events(t.Context(), 0, list[n].ID, 99)
				require.NoError(t, err)
				acts := 0
				for k := range events {
					if events[k].Kind == string(op) {
						acts++
					}
				}
				require.Equal(t, 1, acts, "%s of %s", op, list[n].Name())
			}
			d.bulk(e) // the first is not dead after all: nothing is left for it
			d.sound()
		})
	}
}

func priorityOf(op engine.Operation) (o engine.OperationOptions) {
	if op == engine.OperateBoost {
		o.Priority = 8
	}
	return o
}

// What has moved on meanwhile is left as it is, counted and named; what has gone is no trouble.
func TestWhatHasMovedOnIsLeftByAnOperation(t *testing.T) {
	d := newDesk(t)
	e, h := d.slicer("a")
	d.load(e, hourly)
	d.step(e)
	started := len(h.started)
	r := d.operate(e, engine.OperationRequest{Operation: engine.OperateFreeze, Selector: "state:waiting date:2026-08-03"})
	other := d.operate(e, engine.OperationRequest{Operation: engine.OperateSkip, IDs: []int64{d.idAt(e, "load", 7)}})
	require.Nil(t, other.UnderWay, "one instance is changed at once")
	row := d.through(e, &r)
	require.Equal(t, 1, row.Outcome.MovedOn)
	require.Len(t, row.Outcome.Refusals, 1)
	require.Equal(t, "w/load@2026-08-03T07:00:00Z", row.Outcome.Refusals[0].Instance)
	require.Equal(t, "it is skipped", row.Outcome.Refusals[0].Why)
	require.Equal(t, row.Total-1, row.Outcome.Counts[engine.EffectChanged])
	require.Len(t, h.started, started)
	list, err := e.ListOperations(t.Context(), 0, 1)
	require.NoError(t, err)
	require.Equal(t, []engine.OperationRow{row}, list)
}

func (d *desk) idAt(e *engine.Engine, job string, hour int) int64 {
	d.Helper()
	list, err := e.Select(d.Context(), fmt.Sprintf("w/%s@2026-08-03T%02d:00:00Z", job, hour), d.now)
	require.NoError(d, err)
	require.Len(d, list, 1)
	return list[0].ID
}

// One that refuses when it is asked for refuses for all: nothing is taken down.
func TestAnOperationOnManyIsRefusedAsAWhole(t *testing.T) {
	d := newDesk(t)
	e, _ := d.slicer("a")
	d.load(e, hourly)
	d.step(e)
	d.now = d.now.Add(time.Hour)
	d.step(e) // what is due runs
	var refused *engine.RefusedError
	_, err := e.Operate(t.Context(), engine.OperationRequest{Operation: engine.OperateFreeze, Selector: "date:2026-08-03", Actor: "ana"}, d.now)
	require.ErrorAs(t, err, &refused)
	list, err := e.ListOperations(t.Context(), 0, 9)
	require.NoError(t, err)
	for n := range list {
		require.Equal(t, engine.OperateLoad, list[n].Order.Operation)
	}
	require.Zero(t, d.states(e, "date:2026-08-03")["frozen"])
}

// What is due on days to come is written down for it, slice by slice.
func TestAnOperationOnManyDaysAheadWritesThemDown(t *testing.T) {
	d := newDesk(t)
	e, _ := d.slicer("a")
	d.load(e, hourly)
	d.step(e)
	r := d.operate(e, engine.OperationRequest{Operation: engine.OperateSkip, Selector: "job:load date:2026-08-10..11"})
	require.Equal(t, 48, r.UnderWay.Total)
	row := d.through(e, &r)
	require.Equal(t, 48, row.Outcome.Counts[engine.EffectChanged])
	require.Equal(t, map[string]int{"skipped": 48}, d.states(e, "job:load date:2026-08-10..11"))
	d.sound()
}

// An operation goes on by the definitions that are in force when the turn of an instance comes.
func TestAnOperationGoesOnWhenDefinitionsChange(t *testing.T) {
	d := newDesk(t)
	e, h := d.slicer("a")
	d.load(e, hourly)
	d.step(e)
	d.starts(h)
	d.step(e)
	d.starts(h)
	d.step(e)
	d.now = d.now.Add(9 * time.Hour)
	for range 20 {
		d.step(e)
		d.starts(h)
	}
	r := d.operate(e, engine.OperationRequest{Operation: engine.OperateRerun, Selector: "state:succeeded date:2026-08-03"})
	d.bit(e)
	d.bit(e)
	without := strings.Split(hourly, "  pair:")[0]
	w, problems := spec.Decode("w.yaml", []byte(without), spec.Options{})
	require.NoError(t, problems.Err())
	_, err := e.Load(t.Context(), []*engine.Workflow{w}, d.now)
	require.NoError(t, err)
	row := d.through(e, &r)
	require.NotZero(t, row.Outcome.MovedOn)
	require.Equal(t, "the job was removed from the definitions", row.Outcome.Refusals[0].Why)
	require.Equal(t, row.Total, row.Outcome.MovedOn+row.Outcome.Counts[engine.EffectChanged])
	d.sound()
}
