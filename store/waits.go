package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	waitColumns = `SELECT w.instance, w.n, w.dependency, w.upstream, j.workflow, j.name, w.key, w.first_time, w.first_offset, w.last_time, w.last_offset,
	w.times, w.rule, w.selects, w.window_from, w.window_from_offset, w.window_to, w.window_to_offset, w.closed, w.on_missing, w.on_failed, w.ended,
	w.timeout, w.bound `
	waitsSQL  = waitColumns + `FROM wait w LEFT JOIN job j ON j.id = w.upstream WHERE w.instance = ? ORDER BY w.n`
	formerSQL = waitColumns + `FROM former_wait w LEFT JOIN job j ON j.id = w.upstream
		WHERE w.instance = ?1 AND w.until =
			(SELECT min(until) FROM former_wait WHERE instance = ?1 AND until > ?2) ORDER BY w.n`
	// Of two changes in one millisecond the first one tells what was before.
	keepFormerSQL = `INSERT INTO former_wait (instance, until, n, dependency, upstream, key,
		first_time, first_offset, last_time, last_offset, times, rule, selects, window_from,
		window_from_offset, window_to, window_to_offset, closed, on_missing, on_failed, ended,
		timeout, bound)
		SELECT instance, ?1, n, dependency, upstream, key,
		first_time, first_offset, last_time, last_offset, times, rule, selects, window_from,
		window_from_offset, window_to, window_to_offset, closed, on_missing, on_failed, ended,
		timeout, bound FROM wait WHERE instance = ?2
		AND NOT EXISTS (SELECT 1 FROM former_wait f WHERE f.instance = ?2 AND f.until = ?1)`
	waitsOfSQL = waitColumns + `FROM json_each(?) e CROSS JOIN wait w LEFT JOIN job j ON j.id = w.upstream
		WHERE w.instance = e.value`
)

// Waits lists what the instance waits for, by N.
func (v *view) Waits(instance int64) ([]engine.Wait, error) {
	return v.waits(waitsSQL, instance)
}

// FormerWaits lists what the instance waited for at a time, where a person has detached something
// since.
func (v *view) FormerWaits(instance int64, at time.Time) ([]engine.Wait, error) {
	return v.waits(formerSQL, instance, at.UnixMilli())
}

// WaitsOf lists what each of some instances waits for.
func (v *view) WaitsOf(instances []int64) (waits []engine.Wait, err error) {
	for part := range slices.Chunk(instances, idsAtOnce) {
		some, err := v.waits(waitsOfSQL, idList(part))
		if err != nil {
			return nil, err
		}
		waits = append(waits, some...)
	}
	slices.SortFunc(waits, func(a, b engine.Wait) int {
		return cmp.Or(cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.N, b.N))
	})
	return waits, nil
}

// idsAtOnce is how many ids one list of them holds.
const idsAtOnce = 2000

func (v *view) waits(text string, args ...any) (waits []engine.Wait, err error) {
	err = v.s.query(text, func(c *columns) error {
		waits = append(waits, engine.Wait{
			Instance: c.int(), N: int(c.int()), Dependency: int(c.int()), Upstream: c.int(),
			Ref: engine.JobRef{Workflow: c.text(), Job: c.text()}, Key: c.text(), First: c.zoned(), Last: c.zoned(), Count: int(c.int()),
			Rule: c.text(), Select: c.text(), WindowFrom: c.zoned(), WindowTo: c.zoned(), Closed: c.text(),
			OnMissing: engine.OnMissing(c.text()), OnFailed: engine.OnFailed(c.text()), Ended: c.bool(),
			Timeout: time.Duration(c.int()) * time.Millisecond, Bound: c.int(),
		})
		return nil
	}, args...)
	return waits, err
}

// An upstreamMark is what Facts says of an upstream job whatever the range.
type upstreamMark struct {
	removed, disabled bool
	planned           bool // ever
	plannedTo         int64
}

const upstreamSQL = `SELECT j.removed, j.disabled, m.planned_to IS NOT NULL, m.planned_to FROM job j LEFT JOIN plan_mark m ON m.job = j.id WHERE j.id = ?`

func (v *view) upstream(job int64) (upstreamMark, error) {
	if m, ok := v.marks[job]; ok {
		return m, nil
	}
	var m upstreamMark
	known, err := v.s.one(upstreamSQL, func(c *columns) error {
		m = upstreamMark{removed: c.bool(), disabled: c.bool(), planned: c.bool(), plannedTo: c.int()}
		return nil
	}, job)
	if err != nil {
		return m, err
	}
	if !known {
		m.removed = true
	}
	if v.marks == nil {
		v.marks = map[int64]upstreamMark{}
	}
	v.marks[job] = m
	return m, nil
}

// Each look-up goes to one end of a range of one index: of the open instances, frozen ones apart, and of the failed ones.
const (
	inRange     = ` job = ? AND key = ? AND plan_time >= ? AND plan_time <= ? `
	stateOpen   = ` AND ended_at IS NULL `
	stateFailed = ` AND state IN ('failed', 'cancelled') `
	found1      = `, id, plan_time, plan_offset, state, frozen FROM instance WHERE`
	last        = ` ORDER BY plan_time DESC LIMIT 1`
	first       = ` ORDER BY plan_time LIMIT 1`

	blockersSQL = `SELECT * FROM (SELECT 1` + found1 + inRange + `AND frozen = 0` + stateOpen + last + `)
		UNION ALL SELECT * FROM (SELECT 2` + found1 + inRange + `AND frozen = 1` + stateOpen + last + `)
		UNION ALL SELECT * FROM (SELECT 3` + found1 + inRange + stateFailed + last + `)`
	failuresSQL = `SELECT * FROM (SELECT 4` + found1 + inRange + `AND frozen = 1` + stateOpen + first + `)
		UNION ALL SELECT * FROM (SELECT 4` + found1 + inRange + stateFailed + first + `)`
	// Of a range of one plan time there is one instance at most.
	singleSQL    = `SELECT id, plan_time, plan_offset, state, frozen FROM instance WHERE job = ? AND plan_time = ? AND key = ?`
	thereSQL     = `SELECT count(*) FROM instance WHERE job = ? AND plan_time >= ? AND plan_time <= ? AND key = ?`
	satisfiedSQL = `SELECT count(*) FROM (SELECT 1 FROM instance WHERE` + inRange + `AND (state = 'succeeded' OR state = 'forced' OR state = 'skipped') LIMIT CAST(? AS INTEGER))`
)

// Facts looks up what Evaluate needs to know of a wait's upstream instances.
func (v *view) Facts(w *engine.Wait) (engine.Facts, error) {
	mark, err := v.upstream(w.Upstream)
	if err != nil {
		return engine.Facts{}, fmt.Errorf("look up job %d: %w", w.Upstream, err)
	}
	f := engine.Facts{Removed: mark.removed, Disabled: mark.disabled}
	if w.Count == 0 {
		f.Planned = true // there is nothing that could be missing
		return f, nil
	}
	from, to := w.First.UnixMilli(), w.Last.UnixMilli()
	f.Planned = mark.planned && mark.plannedTo > to || w.Key != "" // a backfill is written down as a whole

	wantOpen := w.AnyEnd()
	if from == to {
		found, err := v.s.one(singleSQL, func(c *columns) error {
			u := engine.UpstreamInstance{ID: c.int(), PlanTime: c.zoned(), State: engine.State(c.text()), Frozen: c.bool()}
			single(&f, w, &u, wantOpen)
			return nil
		}, w.Upstream, from, w.Key)
		if err == nil && !found {
			f.Missing = w.Count
		}
		return f, err
	}
	take := func(c *columns) error {
		which := c.int()
		u := engine.UpstreamInstance{ID: c.int(), PlanTime: c.zoned(), State: engine.State(c.text()), Frozen: c.bool()}
		if which == 4 {
			if f.Failed == nil || u.PlanTime.Before(f.Failed.PlanTime) {
				f.Failed = &u
			}
			return nil
		}
		if wantOpen && (which == 1 || which == 2 && !w.FrozenEnds()) &&
			(f.Open == nil || u.PlanTime.After(f.Open.PlanTime)) {
			f.Open = &u
		}
		if f.Unsatisfied == nil || u.PlanTime.After(f.Unsatisfied.PlanTime) {
			f.Unsatisfied = &u
		}
		return nil
	}
	err = v.s.query(blockersSQL, take, w.Upstream, w.Key, from, to, w.Upstream, w.Key, from, to, w.Upstream, w.Key, from, to)
	if err == nil && w.OnFailed == engine.FailedCancel && f.Unsatisfied != nil {
		err = v.s.query(failuresSQL, take, w.Upstream, w.Key, from, to, w.Upstream, w.Key, from, to)
	}
	if n := wanted(w.Select); err == nil && n > 0 {
		_, err = v.s.one(satisfiedSQL, func(c *columns) error {
			f.Satisfied = int(c.int())
			return nil
		}, w.Upstream, w.Key, from, to, n)
	}
	if err == nil && f.MayMiss(w) {
		_, err = v.s.one(thereSQL, func(c *columns) error {
			f.Missing = max(0, w.Count-int(c.int()))
			return nil
		}, w.Upstream, from, to, w.Key)
	}
	return f, err
}

// single says of the one instance of a range what the indexes would.
func single(f *engine.Facts, w *engine.Wait, u *engine.UpstreamInstance, wantOpen bool) {
	if u.State.Satisfies() {
		f.Satisfied = min(1, wanted(w.Select))
		return
	}
	f.Unsatisfied = u
	open := !u.State.Ended()
	if wantOpen && open && (!u.Frozen || !w.FrozenEnds()) {
		f.Open = u
	}
	if w.OnFailed == engine.FailedCancel && (open && u.Frozen || u.State.CountsAsFailed()) {
		f.Failed = u
	}
}

const planTimesSQL = `SELECT plan_time, plan_offset FROM instance WHERE job = ? AND plan_time >= ? AND plan_time < ? AND key = '' ORDER BY plan_time`

// PlanTimes lists the plan times of the scheduled instances of a job.
func (v *view) PlanTimes(job int64, from, to time.Time) (times []time.Time, err error) {
	err = v.s.query(planTimesSQL, func(c *columns) error {
		times = append(times, c.zoned())
		return nil
	}, job, from.UnixMilli(), to.UnixMilli())
	return times, err
}

const countedSQL = `SELECT (SELECT counted_gone FROM job WHERE id = ?)
	+ (SELECT count(*) FROM instance WHERE job = ? AND key = '' AND plan_time >= ? AND plan_time < ? AND NOT (state = 'cancelled' AND fence = 0))
	- (SELECT count(*) FROM instance WHERE job = ? AND key = '' AND plan_time >= ? AND plan_time < ? AND state = 'cancelled' AND fence = 0)`

// Counted counts what counts of a job before a time, less what does not from it on.
func (v *view) Counted(job int64, from, to, until time.Time) (n int, err error) {
	_, err = v.s.one(countedSQL, func(c *columns) error { n = int(c.int()); return nil },
		job, job, from.UnixMilli(), to.UnixMilli(), job, to.UnixMilli(), until.UnixMilli())
	return n, err
}

// wanted is how many satisfied instances a wait asks for: 0 stands for all.
func wanted(selects string) int {
	if selects == "any" {
		return 1
	}
	n, err := strconv.Atoi(selects)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
