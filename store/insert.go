package store

import (
	"database/sql/driver"
	"fmt"
	"iter"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// Rows are inserted by so many at once; what is left over goes one by one.
const insertBatch = 64

const (
	instanceFields = 18
	waitFields     = 22
)

// FAIL instead of the default ABORT saves SQLite a journal of each statement: the transaction is rolled back as a whole, or to its savepoint.
const insertInstance = `INSERT OR FAIL INTO instance (id, job, version, kind, key, plan_time, plan_offset, state, gate, reason, fence, owner, dry_run, frozen,
	not_before, wake, priority, pool, params, confirmed) VALUES `

const onePlanned = `(?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?)`

const insertWait = `INSERT OR FAIL INTO wait (instance, n, dependency, upstream, key, first_time, first_offset, last_time, last_offset, times, rule, selects,
	window_from, window_from_offset, window_to, window_to_offset, closed, on_missing, on_failed, ended, timeout, bound) VALUES `

var (
	insertInstancesSQL = [2]string{
		insertInstance + onePlanned + ` ON CONFLICT DO NOTHING`,
		insertInstance + repeat(onePlanned, insertBatch) + ` ON CONFLICT DO NOTHING`,
	}
	insertWaitsSQL = [2]string{insertWait + tuples(1, waitFields), insertWait + tuples(insertBatch, waitFields)}
)

func repeat(one string, n int) string {
	b := make([]byte, 0, n*(len(one)+1))
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, one...)
	}
	return string(b)
}

// A planning is one bulk insert under way.
type planning struct {
	t         *tx
	instances []driver.NamedValue // of the batch
	waits     []engine.Wait       // of the batch's instances, in their order
	counts    []int               // waits of each instance of the batch
	held      []driver.NamedValue // wait rows that fill no batch yet
	highest   int64               // id
	inserted  int
	reach     map[[2]int64]reach // by (upstream, job)

	reason engine.Reason // the last encoded, and its text: plans have one reason
	text   string
}

// A reach is how far an instance looks for another before and after its own plan time, in milliseconds.
type reach struct{ back, ahead int64 }

// InsertInstances inserts instances in state waiting with their waits. Ones whose identity exists already are left as they are.
func (t *tx) InsertInstances(rows iter.Seq2[*engine.Instance, []engine.Wait]) (int, error) {
	p := &planning{t: t, reach: map[[2]int64]reach{}}
	if _, err := t.s.one(highestSQL, func(c *columns) error {
		p.highest = c.int()
		return nil
	}); err != nil {
		return 0, err
	}
	for i, waits := range rows {
		if err := p.add(i, waits); err != nil {
			return 0, err
		}
		if len(p.counts) == insertBatch {
			if err := p.flush(); err != nil {
				return 0, err
			}
		}
	}
	if err := p.flush(); err != nil {
		return 0, err
	}
	if err := p.flushWaits(1); err != nil {
		return 0, err
	}
	return p.inserted, p.recordReach()
}

func (p *planning) add(i *engine.Instance, waits []engine.Wait) error {
	gate := i.Gate
	if gate == "" {
		gate = engine.GateTime
	}
	if p.text == "" || i.Reason != p.reason {
		p.reason, p.text = i.Reason, encodeReason(i.Reason)
	}
	notBefore := i.NotBefore
	if notBefore.IsZero() {
		notBefore = i.PlanTime
	}
	var at, wake any = notBefore.UnixMilli(), nil
	if i.Kind != engine.Backfill {
		wake = at
	}
	p.instances = appendValues(p.instances,
		i.ID, i.Job, i.Version, string(i.Kind), i.Key, i.PlanTime.UnixMilli(), offset(i.PlanTime), string(gate), p.text, i.Fence, i.DryRun, i.Frozen,
		at, wake, int64(i.Priority), i.Pool, encodeMap(i.Params), i.Confirmed)
	p.waits = append(p.waits, waits...)
	p.counts = append(p.counts, len(waits))
	for n := range waits {
		p.widen(i.Job, i.PlanTime.UnixMilli(), &waits[n])
	}
	return nil
}

// widen makes the reach of a job no shorter than one wait of an instance of that plan time.
func (p *planning) widen(job, at int64, w *engine.Wait) {
	pair := [2]int64{w.Upstream, job}
	known, ok := p.reach[pair]
	widest := known
	if w.Count > 0 {
		widest = reach{max(known.back, at-w.First.UnixMilli()), max(known.ahead, w.Last.UnixMilli()-at)}
	}
	if !ok || widest != known {
		p.reach[pair] = widest
	}
}

// appendValues appends arguments; each statement numbers them from 1, see number.
func appendValues(to []driver.NamedValue, values ...any) []driver.NamedValue {
	for _, v := range values {
		to = append(to, driver.NamedValue{Ordinal: len(to) + 1, Value: v})
	}
	return to
}

const (
	highestSQL = `SELECT coalesce(max(id), 0) FROM instance`
	existsSQL  = `SELECT 1 FROM instance WHERE id = ?`
)

// flush inserts the batch, and the waits of those instances that are really new.
func (p *planning) flush() error {
	text, size := insertInstancesSQL[1], insertBatch
	if len(p.counts) < insertBatch || !p.ascending() {
		text, size = insertInstancesSQL[0], 1
	}
	waits := p.waits
	for from := 0; from < len(p.counts); from += size {
		args := p.instances[from*instanceFields : (from+size)*instanceFields]
		number(args)
		inserted, err := p.t.s.bulk(text, args, size)
		if err != nil {
			return fmt.Errorf("insert instances from %v on: %w", args[0].Value, err)
		}
		p.inserted += inserted
		for k := range size {
			fresh := inserted == size
			if inserted > 0 && !fresh {
				// Some existed already. The ids of this batch are new, so that a row of that id is one that was inserted.
				if fresh, err = p.t.s.one(existsSQL, func(*columns) error { return nil }, args[k*instanceFields].Value); err != nil {
					return err
				}
			}
			count := p.counts[from+k]
			if fresh {
				for j := range waits[:count] {
					p.wait(&waits[j])
				}
			}
			waits = waits[count:]
		}
	}
	p.reset()
	return p.flushWaits(insertBatch)
}

// ascending reports whether the ids of the batch are above every id that is stored.
func (p *planning) ascending() bool {
	for k := range p.counts {
		id := p.instances[k*instanceFields].Value.(int64)
		if id <= p.highest {
			return false
		}
		p.highest = id
	}
	return true
}

func (p *planning) reset() {
	p.instances, p.waits, p.counts = p.instances[:0], p.waits[:0], p.counts[:0]
}

func number(args []driver.NamedValue) {
	for i := range args {
		args[i].Ordinal = i + 1
	}
}

// wait adds the row of one wait.
func (p *planning) wait(w *engine.Wait) {
	var first, last any
	var firstOffset, lastOffset int64
	if w.Count > 0 {
		first, firstOffset = w.First.UnixMilli(), offset(w.First)
		last, lastOffset = w.Last.UnixMilli(), offset(w.Last)
	}
	p.held = appendValues(p.held,
		w.Instance, int64(w.N), int64(w.Dependency), w.Upstream, w.Key, first, firstOffset, last, lastOffset, int64(w.Count), w.Rule, w.Select,
		ms(w.WindowFrom), offset(w.WindowFrom), ms(w.WindowTo), offset(w.WindowTo), w.Closed, string(w.OnMissing), string(w.OnFailed), w.Ended,
		int64(w.Timeout/time.Millisecond), w.Bound)
}

// flushWaits writes the wait rows, as long as there are at least so many.
func (p *planning) flushWaits(least int) error {
	rows := p.held
	for len(rows) >= least*waitFields {
		n, text := insertBatch, insertWaitsSQL[1]
		if len(rows) < insertBatch*waitFields {
			if n, text = 1, insertWaitsSQL[0]; len(rows) == 0 {
				break
			}
		}
		args := rows[:n*waitFields]
		number(args)
		if _, err := p.t.s.bulk(text, args, n); err != nil {
			return fmt.Errorf("insert what instance %v waits for: %w", args[0].Value, err)
		}
		rows = rows[n*waitFields:]
	}
	p.held = p.held[:copy(p.held, rows)]
	number(p.held)
	return nil
}

const reachSQL = `INSERT INTO job_upstream (upstream, job, reach, ahead) VALUES (?, ?, ?, ?)
	ON CONFLICT (upstream, job) DO UPDATE SET reach = max(reach, excluded.reach), ahead = max(ahead, excluded.ahead)
	WHERE excluded.reach > reach OR excluded.ahead > ahead`

// PutReach remembers that instances of the job may wait for instances of the upstream job from so long before their own plan time on.
func (t *tx) PutReach(upstream, job int64, back time.Duration) error {
	if _, err := t.s.exec(reachSQL, upstream, job, max(0, back).Milliseconds(), 0); err != nil {
		return fmt.Errorf("record how far job %d looks back for job %d: %w", job, upstream, err)
	}
	return nil
}

func (p *planning) recordReach() error {
	for pair, r := range p.reach {
		if _, err := p.t.s.exec(reachSQL, pair[0], pair[1], r.back, r.ahead); err != nil {
			return fmt.Errorf("record that job %d waits for job %d: %w", pair[1], pair[0], err)
		}
	}
	return nil
}

const (
	unstarted = ` job = ? AND plan_time >= ? AND key = '' AND kind = 'scheduled' AND gate = 'time' AND state = 'waiting' AND confirmed = '' AND touched = 0 `

	deleteUnstartedWaitsSQL = `DELETE FROM wait WHERE instance IN (SELECT id FROM instance WHERE` + unstarted + `)`
	deleteUnstartedSQL      = `DELETE FROM instance WHERE` + unstarted
)

// DeleteUnstarted removes the job's scheduled, waiting, never looked at instances that nobody has acted on with plan time ≥ from, and their waits.
func (t *tx) DeleteUnstarted(job int64, from time.Time) (int, error) {
	if _, err := t.s.exec(deleteUnstartedWaitsSQL, job, from.UnixMilli()); err != nil {
		return 0, err
	}
	n, err := t.s.exec(deleteUnstartedSQL, job, from.UnixMilli())
	t.s.work += n
	return n, err
}
