package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
)

// An account is a job whose instances a test lets run, and what is told of it.
type account struct {
	testing.TB
	dir string
	db  *store.DB
	job engine.JobRow
	own int64 // the resource that stands for the job; 0 is none
}

func newAccount(t testing.TB) *account {
	dir := t.TempDir()
	a := &account{TB: t, dir: dir, db: open(t, dir), job: engine.JobRow{ID: 1, Ref: engine.JobRef{Workflow: "w", Job: "j"}, Version: 2}}
	a.put()
	return a
}

func (a *account) write(fn func(tx engine.Tx) error) {
	a.Helper()
	require.NoError(a, a.db.Write(context.Background(), fn))
}

func (a *account) put() {
	a.Helper()
	a.write(func(tx engine.Tx) error {
		if err := tx.PutJob(a.job); err != nil || a.own == 0 {
			return err
		}
		return tx.PutResource(engine.ResourceRow{Kind: "job", Key: "j", ID: a.own, Job: a.job.ID})
	})
}

func (a *account) reserve() (id int64) {
	a.Helper()
	a.write(func(tx engine.Tx) (err error) {
		id, err = tx.Reserve(1)
		return err
	})
	return id
}

// A story is what becomes of an instance.
type story struct {
	planned  int // hours after the day's beginning
	manual   bool
	outcomes []engine.Outcome // of the attempts, a minute apart; the last "" is live
	failing  engine.Outcome   // of the attempt of the error action; "" is none
	end      engine.Event     // an hour later; "" is none
}

const ok, bad, late = engine.OutcomeSucceeded, engine.OutcomeFailed, engine.OutcomeTimeout

// run lets an instance take its course.
func (a *account) run(c story) {
	a.Helper()
	at := day.Add(time.Duration(c.planned) * time.Hour)
	i := engine.Instance{ID: a.reserve(), Job: a.job.ID, Version: 2, Kind: engine.Scheduled, PlanTime: at, NotBefore: at, State: engine.Waiting, Gate: engine.GateTime}
	if c.manual {
		i.Kind, i.Key = engine.Manual, strconv.FormatInt(i.ID, 10)
	}
	a.write(func(tx engine.Tx) error {
		_, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) { yield(&i, nil) })
		return err
	})
	apply := func(e engine.Event, at time.Time) {
		a.write(func(tx engine.Tx) error {
			now, err := tx.Instance(i.ID)
			if err == nil {
				_, err = tx.Apply(engine.Transition{Instance: i.ID, Event: e, From: now.State, Fence: now.Fence, At: at, Owner: "server", Reason: engine.Reason{Code: engine.ReasonPerson}})
			}
			return err
		})
	}
	if len(c.outcomes) > 0 || c.end != engine.Cancel && c.end != "" {
		apply(engine.Start, at)
	}
	attempt := func(n int, outcome engine.Outcome, failing bool) {
		began := at.Add(time.Duration(n) * time.Minute)
		row := engine.AttemptRow{ID: a.reserve(), Instance: i.ID, Job: i.Job, Number: n, Error: failing, Fence: 1, Owner: "server", StartedAt: began}
		a.write(func(tx engine.Tx) error {
			if outcome == "" {
				_, err := tx.StartAttempt(row)
				return err
			}
			row.Result = &engine.Result{Attempt: row.ID, Outcome: outcome, StartedAt: began, EndedAt: began.Add(time.Second)}
			_, err := tx.AddAttempt(row)
			return err
		})
	}
	for n, outcome := range c.outcomes {
		attempt(n+1, outcome, false)
	}
	if c.end != "" {
		apply(c.end, at.Add(time.Hour))
	}
	if c.failing != "" {
		attempt(70, c.failing, true)
	}
}

// tally is what is told of the job, and the number of the last occurrence in its history; 0 when there is none.
func (a *account) tally() (t engine.Tally, number int) {
	a.Helper()
	require.NoError(a, a.db.ReadHistory(context.Background(), func(v engine.HistoryView) (err error) {
		if t, err = v.Tally(a.job.ID, a.own); err != nil {
			return err
		}
		list, before, err := v.Executions(a.job.ID, a.own, day, 1)
		if len(list) > 0 {
			number = before + 1
		}
		return err
	}))
	return t, number
}

func (a *account) prune(limit int) (n int) {
	a.Helper()
	a.write(func(tx engine.Tx) (err error) {
		n, _, err = tx.Prune(day.AddDate(1, 0, 0), limit)
		return err
	})
	return n
}

// past is everything that can become of an instance.
var past = []story{
	{planned: 0, outcomes: []engine.Outcome{ok}, end: engine.Succeed},
	{planned: 2, outcomes: []engine.Outcome{bad, late, ok}, end: engine.Succeed},
	{planned: 4, outcomes: []engine.Outcome{bad, bad, bad, bad, bad}, failing: bad, end: engine.Fail},
	{planned: 6, end: engine.Cancel},
	{planned: 7, manual: true, outcomes: []engine.Outcome{bad}, end: engine.Fail},
	{planned: 30, manual: true, outcomes: []engine.Outcome{ok}, end: engine.Succeed},
	{planned: 8, outcomes: []engine.Outcome{late}, failing: ok, end: engine.Fail},
}

func TestATallyOutlivesRetention(t *testing.T) {
	want := engine.Tally{
		Attempts: 12, Failed: 9, Faulted: 3, Last: day.Add(30*time.Hour + time.Minute).UTC(), Final: engine.Failed, Ended: day.Add(9 * time.Hour).UTC(),
	}
	for _, limit := range []int{1, 3, 100} {
		t.Run(strconv.Itoa(limit)+" at a time", func(t *testing.T) {
			a := newAccount(t)
			for _, c := range past {
				a.run(c)
			}
			got, number := a.tally()
			require.Equal(t, want, got)
			require.Equal(t, 5, number, "the manual one of the next day is in the list; the one of 08:00 was made after it")
			removed := 0
			for n := a.prune(limit); n > 0; n = a.prune(limit) {
				removed += n
				got, _ := a.tally()
				require.Equal(t, want, got, "after %d were removed", removed)
			}
			require.Equal(t, len(past), removed)
			_, number = a.tally()
			require.Zero(t, number, "nothing is there to be shown")

			// It goes on from there.
			a.run(story{planned: 40, outcomes: []engine.Outcome{bad, ""}})
			a.run(story{planned: 50})
			got, number = a.tally()
			require.Equal(t, engine.Tally{
				Attempts: 14, Failed: 10, Faulted: 3, Last: day.Add(40*time.Hour + 2*time.Minute).UTC(), Next: day.Add(50 * time.Hour).UTC(), Open: true,
				Final: engine.Waiting,
			}, got)
			require.Equal(t, 7, number, "six occurrences were attempted before it")
			require.Zero(t, a.prune(limit), "what is open stays")
			again, _ := a.tally()
			require.Equal(t, got, again)
		})
	}
}

// What was counted of the latest that are gone does not hide what is older and still there.
func TestATallyKeepsTheLatest(t *testing.T) {
	a := newAccount(t)
	a.run(story{planned: 20, outcomes: []engine.Outcome{bad}, end: engine.Fail})
	require.Equal(t, 1, a.prune(10))
	a.run(story{planned: 10, outcomes: []engine.Outcome{ok}, end: engine.Succeed})
	want := engine.Tally{Attempts: 2, Failed: 1, Faulted: 1, Last: day.Add(20*time.Hour + time.Minute).UTC(), Final: engine.Failed, Ended: day.Add(21 * time.Hour).UTC()}
	got, _ := a.tally()
	require.Equal(t, want, got)
	require.Equal(t, 1, a.prune(10))
	got, _ = a.tally()
	require.Equal(t, want, got)
}

// Removing and counting are one transaction: there is no moment at which a stop of the machine leaves one without the other.
func TestNothingIsCountedTwice(t *testing.T) {
	a := newAccount(t)
	for _, c := range past {
		a.run(c)
	}
	want, _ := a.tally()
	// as a kill leaves the directory
	killed := func() *account {
		dir := t.TempDir()
		for _, name := range []string{"almanac.db", "almanac.db-wal"} {
			data, err := os.ReadFile(filepath.Join(a.dir, name))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
		}
		return &account{TB: t, dir: dir, db: open(t, dir), job: a.job}
	}
	prune := func(tx engine.Tx) int {
		n, _, err := tx.Prune(day.AddDate(1, 0, 0), 4)
		require.NoError(t, err)
		return n
	}
	refused := errors.New("refused")
	var between *account
	require.ErrorIs(t, a.db.Write(context.Background(), func(tx engine.Tx) error {
		require.Equal(t, 4, prune(tx))
		between = killed()
		return refused
	}), refused)
	for _, left := range []*account{a, between} {
		got, _ := left.tally()
		require.Equal(t, want, got)
		require.Equal(t, len(past), left.prune(100), "nothing of it was kept")
		got, _ = left.tally()
		require.Equal(t, want, got)
	}
	after := killed()
	got, _ := after.tally()
	require.Equal(t, want, got)
	require.Zero(t, after.prune(100))
}

func TestATallyEndsWithItsJob(t *testing.T) {
	a := newAccount(t)
	a.own = a.reserve()
	a.put()
	for _, c := range past {
		a.run(c)
	}
	require.Equal(t, 3, a.prune(3))
	got, _ := a.tally()
	require.Equal(t, 12, got.Attempts)

	remove := func() {
		a.job.Removed = true
		a.write(func(tx engine.Tx) error {
			if _, err := tx.DeleteResource("job", "j"); err != nil {
				return err
			}
			return tx.PutJob(a.job)
		})
	}
	comeBack := func() {
		a.job.Removed, a.own = false, a.reserve()
		a.put()
	}
	remove()
	require.Equal(t, 2, a.prune(2), "of a job that is gone nothing is kept")
	comeBack()
	got, _ = a.tally()
	require.Equal(t, engine.Tally{}, got, "one that comes back is another")
	require.Equal(t, 2, a.prune(100))
	got, _ = a.tally()
	require.Equal(t, engine.Tally{}, got, "and what is left of the first is not its own")
	a.run(story{planned: 60, outcomes: []engine.Outcome{ok}, end: engine.Succeed})
	require.Equal(t, 1, a.prune(100))
	got, _ = a.tally()
	require.Equal(t, 1, got.Attempts)

	remove()
	require.NoError(t, a.db.Close())
	raw(t, a.dir, `CREATE TABLE probe (n INTEGER CHECK (n = 0)) STRICT`, `INSERT INTO probe SELECT count(*) FROM tally`)
}
