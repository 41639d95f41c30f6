//go:build linux

package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/store/powerloss"
	"github.com/stretchr/testify/require"
)

// errRefused is what a write returns that must leave no trace.
var errRefused = errors.New("refused")

// A job of work is one call of Write: what it does depends on its number, the seed and the rows that it finds, and on nothing else, so that the
// same calls in the same order leave the same rows behind.
type job struct {
	number int
	do     func(tx engine.Tx, r *powerloss.Rand, at time.Time) error
	seed   uint64
}

// kinds are what a server does with its rows, each as often as it stands here.
var kinds = []func(tx engine.Tx, r *powerloss.Rand, at time.Time) error{
	planMore, planMore, claim, claim, claim, finish, finish, finish, hold, note, define, takeOver, deliver, cancelSome, unplan, retain, refuse,
}

const workJobs = 6

// jobID is the id of a job of the work: the first ids that there are.
func jobID(n int) int64 { return int64(1 + 2*(n%workJobs)) }

// workload is n calls of Write. The first makes the jobs and comes before all others.
func workload(seed uint64, n int) []job {
	r := powerloss.NewRand(seed)
	list := make([]job, n)
	for k := range list {
		list[k] = job{number: k, do: kinds[r.Intn(len(kinds))], seed: r.Uint64()}
	}
	list[0].do = makeJobs
	if n > 1 {
		list[1].do = planMore
	}
	return list
}

// name is what marks the transaction of the call: a job of that name, which nothing removes.
func (j job) name() string { return fmt.Sprintf("write-%06d", j.number) }

// run carries one call out. The id of the job that marks it is the order of the transactions.
func (j job) run(tx engine.Tx) error {
	at := day.Add(time.Duration(j.number) * time.Minute)
	if err := j.do(tx, powerloss.NewRand(j.seed), at); err != nil {
		return err
	}
	order, err := tx.Reserve(1)
	if err != nil {
		return err
	}
	return tx.PutJob(engine.JobRow{ID: order, Ref: engine.JobRef{Workflow: "written", Job: j.name()}, CreatedAt: at})
}

// worked lists the jobs that have work, and not those that are marks.
func worked(tx engine.Tx) ([]engine.JobRow, error) {
	list, err := tx.Jobs()
	return slices.DeleteFunc(list, func(j engine.JobRow) bool { return j.Ref.Workflow != "w" }), err
}

func makeJobs(tx engine.Tx, _ *powerloss.Rand, at time.Time) error {
	first, err := tx.Reserve(2 * workJobs)
	if err != nil || first != jobID(0) {
		return fmt.Errorf("the first id is %d: %w", first, err)
	}
	for n := range workJobs {
		row := engine.JobRow{
			ID: jobID(n), Ref: engine.JobRef{Workflow: "w", Job: fmt.Sprintf("job-%d", n)}, Version: jobID(n) + 1, CreatedAt: at, PlannedTo: day,
		}
		if err := tx.PutJob(row); err != nil {
			return err
		}
		if err := tx.PutVersion(engine.VersionRow{ID: row.Version, Job: row.ID, Definition: []byte("{}"), CreatedAt: at}); err != nil {
			return err
		}
	}
	return nil
}

// planMore moves a job's watermark and inserts the instances up to it, as the planner does.
func planMore(tx engine.Tx, r *powerloss.Rand, at time.Time) error {
	list, err := worked(tx)
	if err != nil || len(list) == 0 { // others write too, and may come before who makes the jobs
		return err
	}
	n := r.Intn(len(list))
	j, each := list[n], 4+r.Intn(20)
	to := j.PlannedTo.Add(time.Duration(each) * time.Minute)
	if ok, err := tx.SetPlannedTo(j.ID, j.PlannedTo, to); err != nil || !ok {
		return fmt.Errorf("the watermark of job %d moved: %w", j.ID, err)
	}
	first, err := tx.Reserve(each)
	if err != nil {
		return err
	}
	_, err = tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
		for m := range each {
			t := j.PlannedTo.Add(time.Duration(m) * time.Minute)
			i := engine.Instance{
				ID: first + int64(m), Job: j.ID, Version: j.Version, Kind: engine.Scheduled, PlanTime: t, NotBefore: t, State: engine.Waiting,
				Gate: engine.GateTime, Reason: engine.Reason{Code: engine.ReasonPlanned}, Priority: 5,
			}
			waits := []engine.Wait{{
				Instance: i.ID, Upstream: jobID(n + 1), First: t, Last: t, Count: 1, Rule: "one-to-one", Select: "all", WindowFrom: day,
				WindowTo: day.AddDate(0, 0, 1), Closed: "left", OnMissing: engine.MissingRun, OnFailed: engine.FailedWait,
			}}
			if !yield(&i, waits[:m%2]) {
				return
			}
		}
	})
	return err
}

// due is one instance that may start, false when there is none.
func due(tx engine.Tx, r *powerloss.Rand) (engine.Instance, bool, error) {
	list, err := tx.Due(day.AddDate(1, 0, 0), 30)
	if err != nil || len(list) == 0 {
		return engine.Instance{}, false, err
	}
	return list[r.Intn(len(list))], true, nil
}

// must turns the answer of a compare-and-set that cannot be refused here into an error.
func must(ok bool, err error) error {
	if err == nil && !ok {
		err = errors.New("refused, and nobody else writes")
	}
	return err
}

// claim starts up to three instances with their steps and attempts.
func claim(tx engine.Tx, r *powerloss.Rand, at time.Time) error {
	for range 1 + r.Intn(3) {
		i, ok, err := due(tx, r)
		if err != nil || !ok {
			return err
		}
		if err := must(tx.Apply(engine.Transition{
			Instance: i.ID, Event: engine.Start, From: engine.Waiting, Fence: i.Fence, At: at, Owner: "server", Lease: at.Add(time.Minute),
			Reason: engine.Reason{Code: engine.ReasonReleased},
		})); err != nil {
			return err
		}
		steps := []engine.StepRow{{Step: "extract", State: engine.StepRunning, Attempts: 1}, {Step: "load", State: engine.StepWaiting}}
		if err := must(tx.PutSteps(i.ID, i.Fence+1, steps)); err != nil {
			return err
		}
		id, err := tx.Reserve(1)
		if err != nil {
			return err
		}
		if err := must(tx.StartAttempt(engine.AttemptRow{
			ID: id, Instance: i.ID, Job: i.Job, Step: "extract", Number: 1, Fence: i.Fence + 1, Owner: "server", StartedAt: at,
		})); err != nil {
			return err
		}
	}
	return nil
}

// live is one attempt without an end, with its instance.
func live(tx engine.Tx, r *powerloss.Rand) (engine.AttemptRow, bool, error) {
	list, err := tx.Live()
	if err != nil || len(list) == 0 {
		return engine.AttemptRow{}, false, err
	}
	return list[r.Intn(len(list))], true, nil
}

// finish ends up to three attempts, and with each its instance: most well, some not, with the outbox row of the error action.
func finish(tx engine.Tx, r *powerloss.Rand, at time.Time) error {
	for range 1 + r.Intn(3) {
		a, ok, err := live(tx, r)
		if err != nil || !ok {
			return err
		}
		exit := r.Intn(4) / 3
		result := engine.Result{
			Attempt: a.ID, Outcome: engine.OutcomeSucceeded, Exit: &exit, StartedAt: at, EndedAt: at,
			Outputs: map[string]string{"rows": strings.Repeat("x", r.Intn(3000))},
		}
		event, state := engine.Succeed, engine.StepSucceeded
		if exit != 0 {
			result.Outcome, event, state = engine.OutcomeFailed, engine.Fail, engine.StepFailed
		}
		if err := must(tx.EndAttempt(result, a.Fence)); err != nil {
			return err
		}
		if err := must(tx.SetStep(a.Instance, a.Fence, engine.StepRow{Step: "extract", State: state, Attempts: 1, Outputs: result.Outputs})); err != nil {
			return err
		}
		if err := must(tx.Apply(engine.Transition{Instance: a.Instance, Event: event, From: engine.Running, Fence: a.Fence, At: at})); err != nil {
			return err
		}
		if exit == 0 {
			continue
		}
		id, err := tx.Reserve(1)
		if err != nil {
			return err
		}
		if err := tx.PutOutbox(engine.OutboxRow{
			ID: id, Kind: "errorAction", Instance: a.Instance, NotBefore: at, State: engine.OutboxPending, CreatedAt: at,
		}); err != nil {
			return err
		}
	}
	return nil
}

func hold(tx engine.Tx, r *powerloss.Rand, at time.Time) error {
	i, ok, err := due(tx, r)
	if err != nil || !ok {
		return err
	}
	return must(tx.Hold(engine.Hold{
		Instance: i.ID, Gate: engine.GateDependency, Reason: engine.Reason{Code: engine.ReasonUpstream}, Wake: at.AddDate(0, 0, 1),
		WatchJob: jobID(r.Intn(workJobs)), WatchTime: i.PlanTime,
	}))
}

func note(tx engine.Tx, r *powerloss.Rand, at time.Time) error {
	for n := range 1 + r.Intn(6) {
		if err := tx.Record(engine.EventRow{At: at, Kind: "load", Actor: fmt.Sprintf("person %d", n)}); err != nil {
			return err
		}
	}
	return nil
}

// define records a version of a job, from a line to many pages.
func define(tx engine.Tx, r *powerloss.Rand, at time.Time) error {
	id, err := tx.Reserve(1)
	if err != nil {
		return err
	}
	definition := make([]byte, []int{100, 5_000, 60_000}[r.Intn(3)])
	r.Read(definition)
	if err := tx.PutVersion(engine.VersionRow{ID: id, Job: jobID(0), Definition: definition, CreatedAt: at}); err != nil {
		return err
	}
	list, err := worked(tx)
	if err != nil || len(list) == 0 { // others write too, and may come before who makes the jobs
		return err
	}
	list[0].Version = id
	return tx.PutJob(list[0])
}

func takeOver(tx engine.Tx, r *powerloss.Rand, at time.Time) error {
	a, ok, err := live(tx, r)
	if err != nil || !ok {
		return err
	}
	_, ok, err = tx.TakeOver(a.Instance, a.Fence, "other", at.Add(time.Minute))
	return must(ok, err)
}

func deliver(tx engine.Tx, r *powerloss.Rand, at time.Time) error {
	list, err := tx.OutboxDue(day.AddDate(1, 0, 0), 3)
	for _, row := range list {
		row.State, row.EndedAt, row.Attempts = engine.OutboxDelivered, at, 1+r.Intn(3)
		err = errors.Join(err, tx.PutOutbox(row))
	}
	return err
}

func cancelSome(tx engine.Tx, r *powerloss.Rand, at time.Time) error {
	i, ok, err := due(tx, r)
	if err != nil || !ok {
		return err
	}
	return must(tx.Apply(engine.Transition{Instance: i.ID, Event: engine.Cancel, From: engine.Waiting, Fence: i.Fence, At: at}))
}

func unplan(tx engine.Tx, r *powerloss.Rand, _ time.Time) error {
	list, err := worked(tx)
	if err != nil || len(list) == 0 { // others write too, and may come before who makes the jobs
		return err
	}
	j := list[r.Intn(len(list))]
	from := j.PlannedTo.Add(-2 * time.Minute)
	if from.Before(day) {
		return nil
	}
	if _, err := tx.DeleteUnstarted(j.ID, from); err != nil {
		return err
	}
	return must(tx.SetPlannedTo(j.ID, j.PlannedTo, from))
}

// retain removes the oldest of what has ended, and of the history.
func retain(tx engine.Tx, _ *powerloss.Rand, at time.Time) error {
	_, _, err := tx.Prune(at.Add(-40*time.Minute), 5)
	return err
}

// refuse changes much and then nothing.
func refuse(tx engine.Tx, r *powerloss.Rand, at time.Time) error {
	return errors.Join(planMore(tx, r, at), claim(tx, r, at), define(tx, r, at), errRefused)
}

// write carries one job of work out and reports whether it was acknowledged.
func (j job) write(db *store.DB) (bool, error) {
	err := db.Write(context.Background(), j.run)
	if errors.Is(err, errRefused) {
		return false, nil
	}
	return err == nil, err
}

// doWork does the work with so many writers at once, with checkpoints of all kinds in between, and notes each acknowledgement.
func doWork(t *testing.T, dir string, list []job, writers int, r *powerloss.Recorder) {
	t.Helper()
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	require.NoError(t, err)
	var failed []error
	var mu sync.Mutex
	do := func(j job) {
		ok, err := j.write(db)
		switch {
		case err != nil:
			mu.Lock()
			failed = append(failed, fmt.Errorf("write %d: %w", j.number, err))
			mu.Unlock()
		case ok:
			r.Note(j.name())
		}
		if modes := []string{"PASSIVE", "FULL", "RESTART", "TRUNCATE"}; j.seed%17 == 0 {
			err := db.CopyLog(modes[j.seed/17%4])
			mu.Lock()
			failed = append(failed, err)
			mu.Unlock()
		}
	}
	if len(list) > 0 && list[0].number == 0 {
		do(list[0])
		list = list[1:]
	}
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := w; n < len(list); n += writers {
				do(list[n])
			}
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(failed...))
	require.NoError(t, db.Close())
}

// rows is every row of every table in words, in the order of their first columns.
func rows(db *sql.DB) ([]byte, error) {
	tables, err := texted(db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	var all bytes.Buffer
	for _, table := range tables {
		what := "*"
		if table == "goose_db_version" {
			what = "version_id, is_applied" // and when, by the clock
		}
		fmt.Fprintln(&all, table)
		err = errors.Join(err, tabled(&all, db, "SELECT "+what+" FROM "+table+" ORDER BY 1, 2"))
	}
	return all.Bytes(), err
}

func tabled(to *bytes.Buffer, db *sql.DB, query string) (err error) {
	found, err := db.Query(query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	columns, err := found.Columns()
	if err != nil {
		return err
	}
	values, targets := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for n := range values {
		targets[n] = &values[n]
	}
	for found.Next() {
		if err := found.Scan(targets...); err != nil {
			return err
		}
		for _, v := range values {
			switch {
			case v == nil:
				to.WriteString("-;")
			case len(v) > 200:
				fmt.Fprintf(to, "%d:%x;", len(v), sha256.Sum256(v))
			default:
				fmt.Fprintf(to, "%q;", v)
			}
		}
		to.WriteByte('\n')
	}
	return found.Err()
}

// texted reads the first column of a query.
func texted(db *sql.DB, query string) (list []string, err error) {
	found, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	for found.Next() {
		var s string
		if err := found.Scan(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, found.Err()
}

// A course is what the rows must be after each write of the work, in the order in which the writes were committed.
type course struct {
	Order []string            // by name
	Rows  [][sha256.Size]byte // after so many of them
}

// marks lists the writes that a database holds, in their order.
func marks(db *sql.DB) ([]string, error) {
	return texted(db, `SELECT name FROM job WHERE workflow = 'written' ORDER BY id`)
}

// follow does the work again, one write at a time and in the order in which the recorded database has it.
func follow(t *testing.T, recorded string, list []job) course {
	t.Helper()
	beside, err := sql.Open("sqlite", filepath.Join(recorded, "almanac.db"))
	require.NoError(t, err)
	order, err := marks(beside)
	require.NoError(t, err)
	want, err := rows(beside)
	require.NoError(t, err)
	require.NoError(t, beside.Close())

	dir := scratch(t)
	done, err := powerloss.Unsynced(dir)
	require.NoError(t, err)
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	require.NoError(t, err)
	twin, err := sql.Open("sqlite", filepath.Join(dir, "almanac.db"))
	require.NoError(t, err)
	c := course{Order: order}
	var last []byte
	step := func() {
		last, err = rows(twin)
		require.NoError(t, err)
		c.Rows = append(c.Rows, sha256.Sum256(last))
	}
	step()
	for _, name := range order {
		n := slices.IndexFunc(list, func(j job) bool { return j.name() == name })
		ok, err := list[n].write(db)
		require.NoError(t, must(ok, err))
		step()
	}
	require.Equal(t, string(want), string(last), "the same writes in the same order leave the same rows")
	require.NoError(t, twin.Close())
	require.NoError(t, db.Close())
	require.NoError(t, done())
	return c
}
