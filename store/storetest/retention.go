package storetest

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

func (w *world) prune(before string, limit int) (n int, attempts []int64) {
	w.Helper()
	w.write(func(tx engine.Tx) {
		var err error
		n, attempts, err = tx.Prune(at(before), limit)
		require.NoError(w, err)
	})
	return n, attempts
}

// left lists which of the instances are there.
func (w *world) left(list ...engine.Instance) (clocks []string) {
	w.Helper()
	w.read(func(v engine.View) {
		for _, i := range list {
			if _, err := v.Instance(i.ID); err == nil {
				clocks = append(clocks, i.PlanTime.Format("15:04"))
			}
		}
	})
	return clocks
}

var retentionCases = []testCase{
	{"what ended before the time goes, with what belongs to it, oldest end first", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00")
		var want []int64
		for _, n := range []int{1, 0, 2} {
			i := w.apply(p[n].ID, engine.Start, "05:00")
			a, b := w.attempt(i, "s"), w.attempt(i, "t")
			w.write(func(tx engine.Tx) {
				w.yes(tx.PutSteps(i.ID, i.Fence, []engine.StepRow{{Step: "s", State: engine.StepSucceeded}}))
				r := w.result(a.ID)
				a.Result = &r
				w.yes(tx.AddAttempt(a))
				w.yes(tx.StartAttempt(b))
				w.yes(tx.EndAttempt(w.result(b.ID), b.Fence))
				require.NoError(w, tx.PutOutbox(engine.OutboxRow{
					ID: w.reserve(tx, 1), Kind: "errorAction", Instance: i.ID, NotBefore: at("05:00"), CreatedAt: at("05:00"), State: engine.OutboxDelivered,
				}))
			})
			w.apply(p[n].ID, engine.Succeed, fmt.Sprintf("06:%02d", n*10))
			want = append(want, a.ID, b.ID)
		}
		n, attempts := w.prune("06:00", 10)
		require.Zero(w, n)
		require.Empty(w, attempts)
		n, attempts = w.prune("06:20", 1)
		require.Equal(w, 1, n)
		require.Equal(w, want[2:4], attempts, "02:00 ended at 06:10, 01:00 at 06:00")
		n, attempts = w.prune("06:20", 10)
		require.Equal(w, 1, n)
		require.Equal(w, want[:2], attempts)
		require.Equal(w, []string{"03:00", "04:00"}, w.left(p...))
		w.read(func(v engine.View) {
			left, err := v.Attempts(p[0].ID)
			require.NoError(w, err)
			require.Empty(w, left)
			steps, err := v.Steps(p[0].ID)
			require.NoError(w, err)
			require.Empty(w, steps)
		})
	}},
	{"open instances stay, however old", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00")
		w.apply(p[1].ID, engine.Start, "01:00")
		w.run(p[2].ID, engine.Lose, "01:00")
		n, _ := w.prune("9 00:00", 10)
		require.Zero(w, n)
		require.Len(w, w.left(p...), 3)
	}},
	{"what an open instance waits for stays until it has ended", func(w *world) {
		b := w.plan("B", "01:00", "02:00", "03:00", "04:00")
		for _, i := range b {
			w.run(i.ID, engine.Succeed, "05:00")
		}
		a := w.insert(w.planned("A", "20:00"), w.on("B", "02:00", "03:00"))
		n, _ := w.prune("9 00:00", 1)
		require.Equal(w, 1, n)
		n, _ = w.prune("9 00:00", 1)
		require.Equal(w, 1, n, "those that stay do not hide the rest")
		require.Equal(w, []string{"02:00", "03:00"}, w.left(b...))
		n, _ = w.prune("9 00:00", 10)
		require.Zero(w, n)
		w.run(a.ID, engine.Succeed, "21:00")
		n, _ = w.prune("9 00:00", 10)
		require.Equal(w, 3, n)
	}},
	{"what instances yet to be planned look back at stays", func(w *world) {
		b := w.plan("B", "01:00", "05:00", "10:00")
		for _, i := range b {
			w.run(i.ID, engine.Fail, "11:00")
		}
		a := w.insert(w.planned("A", "12:00"), w.on("B", "05:00", "10:00")) // reaches seven hours back
		w.apply(a.ID, engine.Cancel, "12:00")
		w.plannedTo("A", at("13:00"))
		w.prune("9 00:00", 10)
		require.Equal(w, []string{"10:00"}, w.left(b...), "an A at 13:00 looks back to 06:00")
		w.plannedTo("A", at("17:01"))
		w.prune("9 00:00", 10)
		require.Empty(w, w.left(b...))
	}},
	{"a reach that was put counts like one of a wait", func(w *world) {
		b := w.plan("B", "01:00", "05:00")
		for _, i := range b {
			w.run(i.ID, engine.Fail, "11:00")
		}
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutReach(w.ids["B"], w.ids["A"], 10*time.Hour))
			require.NoError(w, tx.PutReach(w.ids["B"], w.ids["A"], time.Hour), "no shorter one takes it back")
		})
		w.plannedTo("A", at("13:00"))
		w.prune("9 00:00", 10)
		require.Equal(w, []string{"05:00"}, w.left(b...))
	}},
	{"a job that is gone looks back at nothing", func(w *world) {
		b := w.plan("B", "05:00")
		w.run(b[0].ID, engine.Fail, "11:00")
		a := w.insert(w.planned("A", "12:00"), w.on("B", "05:00", "05:00"))
		w.apply(a.ID, engine.Cancel, "12:00")
		w.plannedTo("A", at("12:00"))
		n, _ := w.prune("9 00:00", 10)
		require.Equal(w, 1, n, "a alone")
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutJob(engine.JobRow{ID: w.ids["A"], Ref: ref("A"), Version: w.ids["A"] + 1, PlannedTo: at("12:00"), Removed: true}))
		})
		n, _ = w.prune("9 00:00", 10)
		require.Equal(w, 1, n)
	}},
	{"what still owes a delivery stays until it is made", func(w *world) {
		i := w.plan("A", "01:00")[0]
		w.run(i.ID, engine.Fail, "01:00")
		row := engine.OutboxRow{Kind: "errorAction", Instance: i.ID, NotBefore: at("8 00:00"), CreatedAt: at("01:00"), State: engine.OutboxPending}
		w.write(func(tx engine.Tx) {
			row.ID = w.reserve(tx, 1)
			require.NoError(w, tx.PutOutbox(row))
		})
		n, _ := w.prune("9 00:00", 10)
		require.Zero(w, n)
		row.State = engine.OutboxDelivered
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutOutbox(row)) })
		n, _ = w.prune("9 00:00", 10)
		require.Equal(w, 1, n)
	}},
	{"leases that expired before the time go", func(w *world) {
		w.write(func(tx engine.Tx) {
			_, _, err := tx.Acquire("old", "a", at("01:00"), at("02:00"))
			require.NoError(w, err)
			_, _, err = tx.Acquire("young", "a", at("01:00"), at("03:00"))
			require.NoError(w, err)
		})
		w.prune("03:00", 10)
		w.read(func(v engine.View) {
			_, err := v.Lease("old")
			require.ErrorIs(w, err, engine.ErrNotFound)
			_, err = v.Lease("young")
			require.NoError(w, err)
		})
	}},
	{"an open instance needs the key that it waits for", func(w *world) {
		manual := w.planned("B", "02:00")
		manual.Kind, manual.Key = engine.Manual, "m"
		m := w.insert(manual)
		w.run(m.ID, engine.Succeed, "05:00")
		w.insert(w.planned("A", "03:00"), w.on("B", "02:00", "02:00"))
		n, _ := w.prune("9 00:00", 10)
		require.Equal(w, 1, n)
	}},
}
