package engine_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/invariant"
	"github.com/almanac-sched/almanac/engine/spec"
)

// often is due 144 times a day.
const often = `workflow: w
defaults: {startTime: "2026-05-01T00:00:00Z"}
jobs:
  load: {cron: "*/10 * * * *", concurrency: 9, action: {type: shell, command: "true"}}
  sum: {cron: "0 6 * * *", concurrency: 9, dependsOn: [load], action: {type: shell, command: "true"}}
`

// A counting Store counts what is inserted by each write.
type counting struct {
	engine.Store
	inserted []int
}

func (c *counting) Write(ctx context.Context, fn func(tx engine.Tx) error) error {
	n := 0
	err := c.Store.Write(ctx, func(tx engine.Tx) error {
		n = 0
		return fn(&countingTx{tx, &n})
	})
	c.inserted = append(c.inserted, n)
	return err
}

type countingTx struct {
	engine.Tx
	n *int
}

func (c *countingTx) InsertInstances(rows iter.Seq2[*engine.Instance, []engine.Wait]) (int, error) {
	n, err := c.Tx.InsertInstances(rows)
	*c.n += n
	return n, err
}

// begin plans and applies 20 days of what is often due, and leaves it being applied.
func (d *desk) begin(e *engine.Engine) string {
	d.Helper()
	r := engine.BackfillRequest{Jobs: []string{"w/load", "w/sum"}, From: "2026-06-01", To: "2026-07-15", Share: "0..8"}
	plan, err := e.PlanBackfill(d.Context(), r, d.now)
	require.NoError(d, err)
	require.Equal(d, 45*145, plan.In)
	b, created, err := e.ApplyBackfill(d.Context(), engine.BackfillApplication{
		ID: plan.ID, At: plan.At, Fingerprint: plan.Fingerprint, Request: r, Jobs: plan.Jobs, Actor: "ana",
	}, d.now)
	require.NoError(d, err)
	require.True(d, created)
	require.Equal(d, engine.BackfillApplying, b.Stage)
	require.NotZero(d, b.Written)
	return b.Key
}

// sound lets the invariants judge the rows.
func (d *desk) sound() {
	d.Helper()
	r, err := invariant.Check(d.Context(), d.db, invariant.Options{Decode: spec.DecodeJob, Now: d.now})
	require.NoError(d, err)
	require.Empty(d, r.Violations)
}

// count is how many instances of a backfill there are for everybody.
func (d *desk) count(e *engine.Engine, key string) (n int) {
	d.Helper()
	list, err := e.Select(d.Context(), "backfill:"+key, d.now)
	if err != nil {
		require.ErrorIs(d, err, engine.ErrNotFound)
		return 0
	}
	return len(list)
}

func TestALargeBackfillIsWrittenInManyShortTransactions(t *testing.T) {
	d := newDesk(t)
	rows := &counting{Store: d.db}
	e, h := d.server("a", rows, false)
	d.load(e, often)
	d.step(e)
	rows.inserted = nil
	key := d.begin(e)
	d.sound()
	d.step(e)
	require.Empty(t, d.starts(h), "nothing of it starts before all of it is there")
	s := d.status(e, key)
	require.Equal(t, engine.BackfillApplying, s.Stage)
	require.Empty(t, s.States)
	require.Zero(t, d.count(e, key))
	require.Contains(t, s.Why, "of 6525 instances are written")
	for more := true; more; {
		var err error
		more, err = e.Bulk(t.Context(), d.now)
		require.NoError(t, err)
		d.sound()
	}
	total := 0
	for _, n := range rows.inserted {
		total += n
		require.LessOrEqual(t, n, 4200, "one write does all of it")
	}
	require.Equal(t, 45*145, total)
	require.Equal(t, map[engine.State]int{engine.Waiting: 45 * 145}, d.status(e, key).States)
	d.step(e)
	require.Len(t, d.starts(h), 8)
	d.sound()
}

func TestAnotherServerGoesOnApplyingABackfill(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, often)
	d.step(e)
	key := d.begin(e)
	next, h := d.server("b", d.db, false)
	d.load(next, often)
	d.step(next)
	require.Empty(t, d.starts(h))
	d.bulk(next)
	require.Equal(t, engine.BackfillRunning, d.status(next, key).Stage)
	require.Equal(t, map[engine.State]int{engine.Waiting: 45 * 145}, d.status(next, key).States)
	d.bulk(e) // the first is not dead: it finds that nothing is left to do
	d.step(next)
	require.Len(t, d.starts(h), 8)
	d.sound()
}

// withdrawn demands that nothing is left of a backfill but its row.
func (d *desk) withdrawn(e *engine.Engine, key, why string) {
	d.Helper()
	d.bulk(e)
	s := d.status(e, key)
	require.Equal(d, engine.BackfillCancelled, s.Stage)
	require.Zero(d, s.Written)
	require.Contains(d, s.Reason.Detail, why)
	require.Empty(d, s.States)
	require.NoError(d, d.db.Read(d.Context(), func(v engine.View) error {
		list, err := v.OfBackfill(key, "", 1)
		require.Empty(d, list)
		return err
	}))
	d.sound()
}

func TestABackfillThatIsAppliedCanBeCancelled(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, often)
	d.step(e)
	key := d.begin(e)
	for _, refused := range []func() (engine.BackfillRow, error){
		func() (engine.BackfillRow, error) { return e.PauseBackfill(t.Context(), key, "ana", "", d.now) },
		func() (engine.BackfillRow, error) { return e.ResumeBackfill(t.Context(), key, "ana", "", d.now) },
	} {
		_, err := refused()
		require.ErrorIs(t, err, engine.ErrConflict)
		require.ErrorContains(t, err, "it is still being applied")
	}
	b, err := e.CancelBackfill(t.Context(), key, "ana", "wrong month", false, d.now)
	require.NoError(t, err)
	require.Equal(t, engine.BackfillWithdrawing, b.Stage)
	d.sound()
	d.withdrawn(e, key, "wrong month")
	b, err = e.CancelBackfill(t.Context(), key, "ana", "", false, d.now)
	require.NoError(t, err)
	require.Equal(t, engine.BackfillCancelled, b.Stage)
}

func TestABackfillIsGivenUpWhenItsJobsChangeWhileItIsApplied(t *testing.T) {
	for name, next := range map[string]string{
		"in this process":     "a",
		"and in another then": "b",
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			e, _ := d.server("a", d.db, false)
			d.load(e, often)
			d.step(e)
			key := d.begin(e)
			if next == "b" {
				e, _ = d.server("b", d.db, false)
			}
			d.load(e, often[:len(often)-len("\"true\"}}\n")]+"\"false\"}}\n")
			d.step(e)
			d.withdrawn(e, key, "plan again")
		})
	}
}

// Planning is long and not in the transaction that takes the plan down: what happens between the two is seen.
func TestWhatHappensWhileAPlanIsHeldAgainstTheRowsIsSeen(t *testing.T) {
	d := newDesk(t)
	rows := &between{Store: d.db}
	e, h := d.server("a", rows, false)
	d.load(e, days)
	d.step(e)
	first := d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/load"}, From: "2026-07-10", To: "2026-07-10", Share: "0..8"})
	r := engine.BackfillRequest{Jobs: []string{"w/load"}, From: "2026-07-10", To: "2026-07-11", Select: []string{"all"}}
	d.step(e)
	d.starts(h)
	d.step(e)
	require.Equal(t, engine.BackfillEnded, d.status(e, first).Stage)
	plan, err := e.PlanBackfill(t.Context(), r, d.now)
	require.NoError(t, err)
	again := 0
	rows.then = func() {
		again++
		if again == 1 { // the one that the plan is made of begins again
			_, err := e.Operate(t.Context(), engine.OperationRequest{Operation: engine.OperateRerun, Selector: "backfill:" + first, Actor: "ana"}, d.now.Add(time.Second))
			require.NoError(t, err)
		}
	}
	_, _, err = e.ApplyBackfill(t.Context(), engine.BackfillApplication{
		ID: plan.ID, At: plan.At, Fingerprint: plan.Fingerprint, Request: r, Jobs: plan.Jobs, Actor: "ana",
	}, d.now)
	var drift *engine.DriftError
	require.ErrorAs(t, err, &drift)
	require.Equal(t, 2, again, "it is planned anew, and then it is another plan")
}

// between calls then after each Read that ApplyBackfill does, and before its Write.
type between struct {
	engine.Store
	then func()
	busy bool
}

func (b *between) Read(ctx context.Context, fn func(v engine.View) error) error {
	err := b.Store.Read(ctx, fn)
	if b.then != nil && !b.busy {
		b.busy = true
		b.then()
		b.busy = false
	}
	return err
}

func TestALongPlanIsToldInRanges(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, often)
	d.step(e)
	r := engine.BackfillRequest{Jobs: []string{"w/load"}, From: "2026-05-02", To: "2026-07-31"}
	const all = 91 * 144
	plan, err := e.PlanBackfill(t.Context(), r, d.now)
	require.NoError(t, err)
	require.Empty(t, plan.Instances, "there are too many to list them unasked")
	require.Equal(t, all, plan.In)
	first, last := time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 7, 31, 23, 50, 0, 0, time.UTC)
	require.Len(t, plan.Jobs[0].Ranges, 1)
	is := plan.Jobs[0].Ranges[0]
	require.True(t, is.From.Equal(first) && is.To.Equal(last), "%v", is)
	require.Equal(t, []any{all, true, "missing"}, []any{is.Instances, is.In, is.Why})

	part, err := e.PlanBackfillPart(t.Context(), r, engine.PlanPart{Skip: all - 3, Most: 50}, d.now)
	require.NoError(t, err)
	require.Equal(t, plan.Fingerprint, part.Fingerprint, "the same plan, whatever is listed of it")
	require.Len(t, part.Instances, 3)
	require.True(t, part.Instances[2].PlanTime.Equal(last))
	require.Equal(t, all, part.Matching)

	// A part is of those that its conditions leave: the sixth and later of one hour's, by their plan times.
	hour, err := e.PlanBackfillPart(t.Context(), r, engine.PlanPart{Skip: 4, Most: 50, Find: []string{"W/LOAD", "2026-06-03t07"}}, d.now)
	require.NoError(t, err)
	require.Equal(t, []any{6, plan.Fingerprint, plan.In}, []any{hour.Matching, hour.Fingerprint, hour.In})
	require.Len(t, hour.Instances, 2)
	require.True(t, hour.Instances[0].PlanTime.Equal(time.Date(2026, 6, 3, 7, 40, 0, 0, time.UTC)))
	require.NotEmpty(t, hour.Instances[0].Why)
	for name, none := range map[string]engine.PlanPart{
		"what is out": {Most: 5, Show: engine.PlanOut}, "another reason": {Most: 5, Why: "failed"}, "another job": {Most: 5, Job: "w/other"},
	} {
		part, err := e.PlanBackfillPart(t.Context(), r, none, d.now)
		require.NoError(t, err, name)
		require.Empty(t, part.Instances, name)
		require.Zero(t, part.Matching, name)
	}

	// An instance of another reason cuts a range in two.
	d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/load"}, Dates: []string{"2026-06-01"}})
	plan, err = e.PlanBackfill(t.Context(), r, d.now)
	require.NoError(t, err)
	var words []string
	for _, one := range plan.Jobs[0].Ranges {
		words = append(words, fmt.Sprintf("%d %s", one.Instances, one.Why))
	}
	require.Equal(t, []string{"4320 missing", "144 open", "8640 missing"}, words)
	out, err := e.PlanBackfillPart(t.Context(), r, engine.PlanPart{Skip: 140, Most: 50, Show: engine.PlanOut, Why: "open", Job: "w/load"}, d.now)
	require.NoError(t, err)
	require.Equal(t, []int{144, 4}, []int{out.Matching, len(out.Instances)})
}

// Another priority reaches what waits of a large backfill in short writes.
func TestALargeBackfillIsMovedInShortWrites(t *testing.T) {
	d, m := metered(t, time.Date(2026, 8, 3, 0, 30, 0, 0, time.UTC))
	e, _ := d.server("a", d.db, false)
	d.load(e, often)
	d.step(e)
	key := d.begin(e)
	d.bulk(e)
	m.on.Store(true)
	priority := 8
	b, err := e.SetBackfill(t.Context(), key, engine.BackfillChange{Priority: &priority}, "ana", "", d.now)
	require.NoError(t, err)
	require.NotNil(t, b.Options.Moving)
	next, _ := d.server("a", d.db, false) // the first dies
	d.load(next, often)
	for n := 1; ; n++ {
		more, err := next.Bulk(t.Context(), d.now)
		require.NoError(t, err)
		if !more {
			require.Greater(t, n, 10)
			break
		}
	}
	require.LessOrEqual(t, m.most.Load(), int64(mostWork))
	require.Nil(t, d.status(next, key).Options.Moving)
	list, err := next.Select(t.Context(), "backfill:"+key, d.now)
	require.NoError(t, err)
	require.Len(t, list, 45*145)
	for n := range list {
		require.Equal(t, 8, list[n].Priority)
	}
	d.sound()
}
