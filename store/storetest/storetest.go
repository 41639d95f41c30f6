// Package storetest answers one question: does an implementation of engine.Store keep the contract of each method?
//
// Run speaks to the implementation through the ports alone, so that the same suite holds every dialect.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

// Run runs the suite. open returns an empty store, which the test's cleanup closes.
func Run(t *testing.T, open func(t *testing.T) engine.Store) {
	suites := []struct {
		name  string
		cases []testCase
	}{
		{"active", activeCases},
		{"ahead", aheadCases},
		{"alerts", alertCases},
		{"around", aroundCases},
		{"audit", auditCases},
		{"days of backfills", backfillDayCases},
		{"applying", applyingCases},
		{"backfills", backfillCases},
		{"board", boardCases},
		{"census", censusCases},
		{"days", dayCases},
		{"facts", factsCases},
		{"jobs", jobCases},
		{"lookups", lookupCases},
		{"once", onceCases},
		{"operate", operateCases},
		{"operations", operationRowCases},
		{"plan", planCases},
		{"resources", resourceCases},
		{"retention", retentionCases},
		{"runs", runCases},
		{"reruns", rerunCases},
		{"fence", fenceCases},
		{"outbox", outboxCases},
		{"tokens", tokenCases},
		{"transactions", transactionCases},
		{"transitions", transitionCases},
		{"versions", versionCases},
		{"wake", wakeCases},
		{"watches", watchCases},
	}
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) {
			for _, c := range s.cases {
				t.Run(c.name, func(t *testing.T) {
					c.test(newWorld(t, open(t)))
				})
			}
		})
	}
}

type testCase struct {
	name string
	test func(w *world)
}

// shanghai is the zone of the plan times: one that is not UTC, so that a lost offset is seen.
var shanghai = time.FixedZone("", 8*3600)

// at is a time of 2 March 2026 in Shanghai, such as "05:00", or of another day of that month, such as "3 05:00".
func at(clock string) time.Time {
	layout, text := "2006-01-02 15:04", "2026-03-02 "+clock
	for n, c := range clock {
		if c == ' ' {
			day := clock[:n]
			if len(day) == 1 {
				day = "0" + day
			}
			text = "2026-03-" + day + clock[n:]
		}
	}
	t, err := time.ParseInLocation(layout, text, shanghai)
	if err != nil {
		panic(err)
	}
	return t
}

// A world is a store with some jobs A to D in the workflow "w".
type world struct {
	*testing.T
	ctx   context.Context
	store engine.Store
	ids   map[string]int64
}

func newWorld(t *testing.T, s engine.Store) *world {
	w := &world{T: t, ctx: context.Background(), store: s, ids: map[string]int64{}}
	w.write(func(tx engine.Tx) {
		for _, name := range []string{"A", "B", "C", "D"} {
			id := w.reserve(tx, 2)
			w.ids[name] = id
			require.NoError(w, tx.PutJob(engine.JobRow{ID: id, Ref: ref(name), Version: id + 1, CreatedAt: at("00:00").UTC()}))
			require.NoError(w, tx.PutVersion(engine.VersionRow{ID: id + 1, Job: id, Definition: []byte(name), Folder: "/f", CreatedAt: at("00:00").UTC()}))
		}
	})
	return w
}

func ref(name string) engine.JobRef { return engine.JobRef{Workflow: "w", Job: name} }

// write runs fn in a write transaction that must succeed.
func (w *world) write(fn func(tx engine.Tx)) {
	w.Helper()
	require.NoError(w, w.store.Write(w.ctx, func(tx engine.Tx) error {
		fn(tx)
		return nil
	}))
}

// read runs fn on a snapshot.
func (w *world) read(fn func(v engine.View)) {
	w.Helper()
	require.NoError(w, w.store.Read(w.ctx, func(v engine.View) error {
		fn(v)
		return nil
	}))
}

// yes and no take the answer of a compare-and-set.
func (w *world) yes(ok bool, err error) {
	w.Helper()
	require.NoError(w, err)
	require.True(w, ok)
}

func (w *world) no(ok bool, err error) {
	w.Helper()
	require.NoError(w, err)
	require.False(w, ok)
}

func (w *world) reserve(tx engine.Tx, n int) int64 {
	id, err := tx.Reserve(n)
	require.NoError(w, err)
	return id
}

// planned is an instance of the job as the planner makes it.
func (w *world) planned(job, clock string) engine.Instance {
	return engine.Instance{
		Job: w.ids[job], Ref: ref(job), Version: w.ids[job] + 1, Kind: engine.Scheduled, PlanTime: at(clock), State: engine.Waiting,
		Gate: engine.GateTime, Reason: engine.Reason{Code: engine.ReasonPlanned}, NotBefore: at(clock), Priority: 5,
	}
}

// on is a wait for the job's instances from first to last.
func (w *world) on(job, first, last string) engine.Wait {
	return engine.Wait{
		Upstream: w.ids[job], Ref: ref(job), First: at(first), Last: at(last), Count: 1, Rule: "natural-day", Select: "all",
		WindowFrom: at("00:00"), WindowTo: at("3 00:00"), Closed: "left", OnMissing: engine.MissingRun, OnFailed: engine.FailedWait,
	}
}

// insert stores one instance with its waits and returns it as stored.
func (w *world) insert(i engine.Instance, waits ...engine.Wait) engine.Instance {
	w.Helper()
	w.write(func(tx engine.Tx) {
		i.ID = w.reserve(tx, 1)
		for n := range waits {
			waits[n].Instance, waits[n].N = i.ID, n
		}
		n, err := tx.InsertInstances(rows(row{i, waits}))
		require.NoError(w, err)
		require.Equal(w, 1, n)
	})
	return w.get(i.ID)
}

// plan inserts an instance of the job at each time.
func (w *world) plan(job string, clocks ...string) []engine.Instance {
	w.Helper()
	var list []engine.Instance
	for _, clock := range clocks {
		list = append(list, w.insert(w.planned(job, clock)))
	}
	return list
}

type row struct {
	instance engine.Instance
	waits    []engine.Wait
}

func rows(list ...row) iter.Seq2[*engine.Instance, []engine.Wait] {
	return func(yield func(*engine.Instance, []engine.Wait) bool) {
		for _, r := range list {
			if !yield(&r.instance, r.waits) {
				return
			}
		}
	}
}

func (w *world) get(id int64) (i engine.Instance) {
	w.Helper()
	w.read(func(v engine.View) {
		var err error
		i, err = v.Instance(id)
		require.NoError(w, err)
	})
	return i
}

// apply carries a transition out on the instance as it is stored now.
func (w *world) apply(id int64, e engine.Event, clock string) engine.Instance {
	w.Helper()
	return w.applyAt(id, e, at(clock))
}

// applyAt is apply at a time that no clock of the day shows.
func (w *world) applyAt(id int64, e engine.Event, now time.Time) engine.Instance {
	w.Helper()
	i := w.get(id)
	t := engine.Transition{Instance: id, Event: e, From: i.State, Fence: i.Fence, At: now, Reason: engine.Reason{Code: engine.ReasonPerson}}
	if e == engine.Start {
		t.Owner, t.Lease = "server", now.Add(time.Minute)
	}
	w.write(func(tx engine.Tx) {
		ok, err := tx.Apply(t)
		require.NoError(w, err)
		require.True(w, ok, "%s of an instance that is %s", e, i.State)
	})
	return w.get(id)
}

// run brings an instance to an end by way of running.
func (w *world) run(id int64, end engine.Event, clock string) engine.Instance {
	w.Helper()
	w.apply(id, engine.Start, clock)
	return w.apply(id, end, clock)
}

// hold records that the instance was looked at and waits behind a gate.
func (w *world) hold(h engine.Hold) {
	w.Helper()
	w.write(func(tx engine.Tx) {
		ok, err := tx.Hold(h)
		require.NoError(w, err)
		require.True(w, ok)
	})
}

// wait holds an instance behind a gate until it is woken.
func (w *world) wait(id int64, gate engine.Gate) {
	w.Helper()
	w.hold(engine.Hold{Instance: id, Gate: gate, Reason: engine.Reason{Code: engine.ReasonUpstream}})
}

// due lists the ids of what is due at a time.
func (w *world) due(clock string) []int64 {
	w.Helper()
	ids := []int64{}
	w.read(func(v engine.View) {
		list, err := v.Due(at(clock), 1000)
		require.NoError(w, err)
		for _, i := range list {
			ids = append(ids, i.ID)
		}
	})
	return ids
}

// woken lists the ids of what is due of job A.
func (w *world) woken(clock string) []int64 {
	w.Helper()
	found := []int64{}
	w.read(func(v engine.View) {
		list, err := v.Due(at(clock), 1000)
		require.NoError(w, err)
		for _, i := range list {
			if i.Job == w.ids["A"] {
				found = append(found, i.ID)
			}
		}
	})
	return found
}

func (w *world) facts(wait engine.Wait) (f engine.Facts) {
	w.Helper()
	w.read(func(v engine.View) {
		var err error
		f, err = v.Facts(&wait)
		require.NoError(w, err)
	})
	return f
}

// plannedTo moves the job's watermark.
func (w *world) plannedTo(job string, to time.Time) {
	w.Helper()
	w.write(func(tx engine.Tx) {
		jobs, err := tx.Jobs()
		require.NoError(w, err)
		for _, j := range jobs {
			if j.ID == w.ids[job] {
				ok, err := tx.SetPlannedTo(j.ID, j.PlannedTo, to)
				require.NoError(w, err)
				require.True(w, ok)
			}
		}
	})
}

func ids(list []engine.Instance) []int64 {
	found := []int64{}
	for _, i := range list {
		found = append(found, i.ID)
	}
	return found
}

// same compares values that hold times by what they mean and the offset that people read.
func (w *world) same(want, got any) {
	w.Helper()
	require.Equal(w, text(w, want), text(w, got))
}

func text(w *world, v any) string {
	b, err := json.MarshalIndent(v, "", " ")
	require.NoError(w, err)
	return string(b)
}

var errRefused = errors.New("refused")
