package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

var (
	_ engine.HistoryView = (*view)(nil)
	_ engine.HistoryView = (*tx)(nil)
)

// ReadHistory is Read with a view that tells what became of jobs.
func (db *DB) ReadHistory(ctx context.Context, fn func(v engine.HistoryView) error) error {
	return db.read(ctx, func(v *view) error { return fn(v) })
}

const (
	keptSQL = `SELECT occurrences, attempts, failed, faulted, last, final, final_time, final_ended FROM tally WHERE job = ?`

	tallySQL = `SELECT count(*), coalesce(sum(outcome IS NOT NULL AND outcome <> 'succeeded'), 0), max(started_at) FROM attempt INDEXED BY attempt_job
		WHERE job = ? AND instance > ? AND action = 'main'`
	faultedSQL    = `SELECT count(*) FROM instance WHERE state = 'failed' AND job = ? AND id > ?`
	nextSQL       = `SELECT plan_time FROM instance WHERE ended_at IS NULL AND job = ? AND key = '' AND frozen = 0 AND state = 'waiting' ORDER BY plan_time LIMIT 1`
	openSQL       = `SELECT 1 FROM instance WHERE ended_at IS NULL AND job = ?` + real + ` LIMIT 1`
	finalSQL      = `SELECT state, plan_time, ended_at FROM instance WHERE job = ? AND key = '' AND id > ? ORDER BY plan_time DESC LIMIT 1`
	executionsSQL = `SELECT a.id, a.instance, i.plan_time, a.number, a.action, a.outcome, a.status, a.message, coalesce(a.ran_at, a.started_at), a.ended_at
		FROM attempt a INDEXED BY attempt_job JOIN instance i ON i.id = a.instance
		WHERE a.job = ? AND a.started_at >= ? AND a.instance > ? AND a.outcome IS NOT NULL ORDER BY a.started_at DESC, a.id DESC LIMIT CAST(? AS INTEGER)`
	beforeSQL = `SELECT count(DISTINCT instance) FROM attempt INDEXED BY attempt_job WHERE job = ? AND instance > ? AND instance < ? AND action = 'main'`
)

// Tally counts what became of a job: what retention has removed, and what is there.
func (v *view) Tally(job, after int64) (t engine.Tally, err error) {
	fail := func(what string) error { return fmt.Errorf("%s of job %d: %w", what, job, err) }
	g, err := v.gone(job)
	if err != nil {
		return t, fail("read the tally")
	}
	if _, err = v.s.one(tallySQL, func(c *columns) error {
		t.Attempts, t.Failed, t.Last = g.attempts+int(c.int()), g.failed+int(c.int()), later(g.last, c.utc())
		return nil
	}, job, after); err != nil {
		return t, fail("count the attempts")
	}
	if _, err = v.s.one(faultedSQL, func(c *columns) error { t.Faulted = g.faulted + int(c.int()); return nil }, job, after); err != nil {
		return t, fail("count the failed instances")
	}
	if t.Open, err = v.s.one(openSQL, func(*columns) error { return nil }, job); err != nil {
		return t, fail("look for open instances")
	}
	if t.Open {
		_, err = v.s.one(nextSQL, func(c *columns) error { t.Next = c.utc(); return nil }, job)
	}
	if err == nil {
		_, err = v.s.one(finalSQL, func(c *columns) error {
			g.end(engine.State(c.text()), c.utc(), c.utc())
			return nil
		}, job, after)
	}
	if err != nil {
		return t, fail("look for the first and the last instance")
	}
	t.Final, t.Ended = g.final, g.finalEnded
	return t, nil
}

// Executions lists the attempts of a job that have ended, newest first.
func (v *view) Executions(job, after int64, since time.Time, limit int) (list []engine.Execution, before int, err error) {
	fail := func(err error) ([]engine.Execution, int, error) {
		return nil, 0, fmt.Errorf("list the attempts of job %d: %w", job, err)
	}
	earliest := int64(0)
	if err := v.s.query(executionsSQL, func(c *columns) error {
		list = append(list, engine.Execution{
			Attempt: c.int(), Instance: c.int(), PlanTime: c.utc(), Number: int(c.int()), Error: c.text() == actionError,
			Outcome: engine.Outcome(c.text()), Status: int(c.int()), Message: c.text(), Began: c.utc(), Ended: c.utc(),
		})
		if n := list[len(list)-1].Instance; earliest == 0 || n < earliest {
			earliest = n
		}
		return nil
	}, job, since.UnixMilli(), after, limit); err != nil {
		return fail(err)
	}
	if earliest == 0 {
		return nil, 0, nil
	}
	g, err := v.gone(job)
	if err != nil {
		return fail(err)
	}
	if _, err := v.s.one(beforeSQL, func(c *columns) error { before = g.occurrences + int(c.int()); return nil }, job, after, earliest); err != nil {
		return fail(err)
	}
	return list, before, nil
}

// A gone is what is counted of instances of one job that are not there any more.
type gone struct {
	occurrences, attempts, failed, faulted int
	last                                   time.Time

	final                 engine.State // of the scheduled instance with the latest plan time
	finalTime, finalEnded time.Time
}

// gone reads what retention has removed of a job.
func (v *view) gone(job int64) (g gone, err error) {
	_, err = v.s.one(keptSQL, func(c *columns) error {
		g = gone{
			occurrences: int(c.int()), attempts: int(c.int()), failed: int(c.int()), faulted: int(c.int()), last: c.utc(),
			final: engine.State(c.text()), finalTime: c.utc(), finalEnded: c.utc(),
		}
		return nil
	}, job)
	return g, err
}

// attempt adds an attempt of the job's action.
func (g *gone) attempt(outcome engine.Outcome, began time.Time) {
	g.attempts++
	if outcome != "" && outcome != engine.OutcomeSucceeded {
		g.failed++
	}
	g.last = later(g.last, began)
}

// end adds a scheduled instance.
func (g *gone) end(state engine.State, planTime, ended time.Time) {
	if g.final == "" || planTime.After(g.finalTime) {
		g.final, g.finalTime, g.finalEnded = state, planTime, ended
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

const (
	// Which instances of a job count: those of a removed job do not, nor those that were there before the resource that stands for it now.
	countsSQL     = `SELECT NOT removed, coalesce(created_at, -4611686018427387904), (SELECT coalesce(max(r.id), 0) FROM resource r WHERE r.job = job.id) FROM job WHERE id = ?`
	addCountedSQL = `UPDATE job SET counted_gone = counted_gone + ? WHERE id = ?`

	addTallySQL = `INSERT INTO tally (job, occurrences, attempts, failed, faulted, last, final, final_time, final_ended) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (job) DO UPDATE SET
			occurrences = occurrences + excluded.occurrences, attempts = attempts + excluded.attempts, failed = failed + excluded.failed,
			faulted = faulted + excluded.faulted, last = max(coalesce(last, excluded.last), coalesce(excluded.last, last)),
			final = iif(excluded.final_time > coalesce(final_time, excluded.final_time - 1), excluded.final, final),
			final_time = iif(excluded.final_time > coalesce(final_time, excluded.final_time - 1), excluded.final_time, final_time),
			final_ended = iif(excluded.final_time > coalesce(final_time, excluded.final_time - 1), excluded.final_ended, final_ended)`
	dropTallySQL = `DELETE FROM tally WHERE job = ?`
)

// removals is what one call of Prune removes of each job.
type removals map[int64]*removal

type removal struct {
	gone
	counts bool  // it belongs into the job's tally
	after  int64 // but for the instances up to here

	created int64 // since then a count is used up
	counted int   // instances that used some of it up
}

// removalOf finds out, before the first of a job's instances is removed, which of them count.
func (t *tx) removalOf(all removals, job int64) (*removal, error) {
	r := all[job]
	if r != nil {
		return r, nil
	}
	r = new(removal)
	all[job] = r
	var err error
	if _, err = t.s.one(countsSQL, func(c *columns) error {
		r.counts, r.created, r.after = c.bool(), c.int(), c.int()
		return nil
	}, job); err != nil {
		return nil, fmt.Errorf("look for the job %d: %w", job, err)
	}
	return r, nil
}

// keepTallies adds what was removed to the tallies.
func (t *tx) keepTallies(all removals) error {
	for _, job := range slices.Sorted(maps.Keys(all)) {
		r := all[job]
		if r.counted > 0 {
			if _, err := t.s.exec(addCountedSQL, r.counted, job); err != nil {
				return fmt.Errorf("keep what counted of job %d: %w", job, err)
			}
		}
		if r.gone == (gone{}) {
			continue
		}
		var final any
		if r.final != "" {
			final = string(r.final)
		}
		if _, err := t.s.exec(addTallySQL, job, r.occurrences, r.attempts, r.failed, r.faulted, ms(r.last), final, ms(r.finalTime), ms(r.finalEnded)); err != nil {
			return fmt.Errorf("keep the tally of job %d: %w", job, err)
		}
	}
	return nil
}
