package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const instanceColumns = `SELECT i.id, i.job, j.workflow, j.name, i.version, i.kind, i.key, i.plan_time, i.plan_offset, i.state, i.gate, i.reason,
	i.fence, i.owner, i.lease, i.dry_run, i.frozen, i.not_before, i.plan_offset, i.priority, i.pool, i.params, i.confirmed, i.cancel,
	i.run, i.started_at, i.ended_at, i.touched, i.run_now
	FROM instance i JOIN job j ON j.id = i.job `

func scanInstance(c *columns) (engine.Instance, error) {
	i := engine.Instance{
		ID: c.int(), Job: c.int(), Ref: engine.JobRef{Workflow: c.text(), Job: c.text()}, Version: c.int(),
		Kind: engine.Kind(c.text()), Key: c.text(), PlanTime: c.zoned(), State: engine.State(c.text()), Gate: engine.Gate(c.text()),
	}
	var err error
	if i.Reason, err = decodeReason(c.text()); err != nil {
		return i, fmt.Errorf("instance %d: %w", i.ID, err)
	}
	i.Fence, i.Owner, i.Lease = c.int(), c.text(), c.utc()
	i.DryRun, i.Frozen, i.NotBefore = c.bool(), c.bool(), c.zoned()
	i.Priority, i.Pool = int(c.int()), c.text()
	if i.Params, err = decodeMap(c.text()); err != nil {
		return i, fmt.Errorf("instance %d: %w", i.ID, err)
	}
	i.Confirmed = c.text()
	if cancel := c.text(); cancel != "" {
		r, err := decodeReason(cancel)
		if err != nil {
			return i, fmt.Errorf("instance %d: %w", i.ID, err)
		}
		i.Cancel = &r
	}
	i.Run, i.StartedAt, i.EndedAt = int(c.int()), c.utc(), c.utc()
	i.Touched, i.RunNow = c.bool(), c.text()
	i.TellBroken()
	return i, nil
}

func (v *view) instances(text string, args ...any) ([]engine.Instance, error) {
	var list []engine.Instance
	err := v.s.query(text, func(c *columns) error {
		i, err := scanInstance(c)
		list = append(list, i)
		return err
	}, args...)
	return list, err
}

func (v *view) instance(text string, args ...any) (i engine.Instance, ok bool, err error) {
	ok, err = v.s.one(text, func(c *columns) (err error) {
		i, err = scanInstance(c)
		return err
	}, args...)
	return i, ok, err
}

const (
	instanceSQL = instanceColumns + `WHERE i.id = ?` + isReal
	listedSQL   = instanceColumns + `WHERE i.id IN (SELECT value FROM json_each(?))` + isReal
	findSQL     = instanceColumns + `WHERE i.job = ? AND i.plan_time = ? AND i.key = ?` + isReal
	findKeySQL  = instanceColumns + `WHERE i.job = ? AND i.key = ? AND i.key <> ''` + isReal + ` ORDER BY i.plan_time DESC LIMIT 1`
)

// idList is ids as one argument of SQL, for json_each: one statement that looks at many rows costs
// less than one for each.
func idList(ids []int64) string {
	list := make([]byte, 1, 2+8*len(ids))
	list[0] = '['
	for n, id := range ids {
		if n > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, id, 10)
	}
	return string(append(list, ']'))
}

// Instance returns one instance.
func (v *view) Instance(n int64) (engine.Instance, error) {
	i, ok, err := v.instance(instanceSQL, n)
	return i, found(ok, err, "instance %d", n)
}

// Find returns the instance of that identity.
func (v *view) Find(job int64, key string, planTime time.Time) (engine.Instance, error) {
	i, ok, err := v.instance(findSQL, job, planTime.UnixMilli(), key)
	return i, found(ok, err, "instance of job %d, key %q, at %s", job, key, planTime.Format(time.RFC3339))
}

// FindKey returns the instance of the job with that non-empty key, the one with the latest plan time when there are several.
func (v *view) FindKey(job int64, key string) (engine.Instance, error) {
	i, ok, err := v.instance(findKeySQL, job, key)
	return i, found(ok, err, "instance of job %d with the key %q", job, key)
}

const (
	waitingSQL = instanceColumns + `WHERE i.job = ? AND i.ended_at IS NULL AND i.state = 'waiting'` + isReal + `
		ORDER BY +i.plan_time, +i.id` // the + keeps the order from being a reason to walk through all that ever was
	waitingPlannedSQL = instanceColumns + `WHERE i.job = ? AND i.key = '' AND i.ended_at IS NULL AND i.state = 'waiting'
		ORDER BY +i.plan_time, +i.id`
	waitingKeyedSQL = `SELECT (SELECT count(*) FROM instance WHERE job = ? AND key > '' AND ended_at IS NULL` + realKey + `)
		- (SELECT count(*) FROM instance WHERE job = ? AND state IN ('running', 'lost') AND key > '')`
	dueSQL    = instanceColumns + `WHERE i.state = 'waiting' AND i.wake IS NOT NULL AND i.wake <= ? ORDER BY i.wake, i.id LIMIT CAST(? AS INTEGER)`
	queuedSQL = instanceColumns + `WHERE i.state = 'waiting' AND i.gate = 'slot' AND i.kind <> 'backfill' AND i.pool = ?
		ORDER BY i.priority DESC, i.plan_time, i.id LIMIT CAST(? AS INTEGER)`
	nextPoolSQL    = `SELECT pool FROM instance WHERE state = 'waiting' AND gate = 'slot' AND kind <> 'backfill' AND pool > ? ORDER BY pool LIMIT 1`
	activeSQL      = instanceColumns + `WHERE i.job = ? AND i.state IN ('running', 'lost') AND i.state = 'running' ORDER BY i.started_at, i.id`
	activeCountSQL = `SELECT count(*) FROM instance WHERE job = ? AND state IN ('running', 'lost') AND state = 'running'`
	runningSQL     = instanceColumns + `WHERE i.state IN ('running', 'lost') ORDER BY +i.id`
	durationsSQL   = `SELECT plan_time, ended_at - started_at FROM instance INDEXED BY instance_satisfied WHERE state = 'succeeded' AND job = ? AND key = ?
		AND fence <= run ORDER BY plan_time DESC LIMIT CAST(? AS INTEGER)`
	earlierDurationsSQL = `SELECT plan_time, ended_at - started_at FROM run INDEXED BY run_succeeded WHERE state = 'succeeded' AND job = ? AND key = ?
		AND fence <= number ORDER BY plan_time DESC, instance DESC, number DESC LIMIT CAST(? AS INTEGER)`
	// Of one key the latest stand together, of the keys any comes first.
	keyedDurationsSQL = `SELECT plan_time, id, ended_at - started_at, ended_at
		FROM instance INDEXED BY instance_satisfied WHERE state = 'succeeded' AND job = ? AND key > ''
		AND fence <= run ORDER BY key DESC, plan_time DESC LIMIT CAST(? AS INTEGER)`
	laterDueSQL = `SELECT 1 WHERE EXISTS (SELECT 1 FROM instance WHERE job = ? AND key = '' AND frozen = 0 AND plan_time > ? AND plan_time <= ?
		AND ended_at IS NULL AND state = 'waiting')
		OR EXISTS (SELECT 1 FROM instance WHERE job = ? AND key = '' AND frozen = 1 AND plan_time > ? AND plan_time <= ?
		AND ended_at IS NULL AND state = 'waiting')`
)

// Waiting lists the waiting instances of the job by plan time.
func (v *view) Waiting(job int64) ([]engine.Instance, error) { return v.instances(waitingSQL, job) }

// WaitingPlanned lists the waiting scheduled instances of the job by plan time.
func (v *view) WaitingPlanned(job int64) ([]engine.Instance, error) {
	return v.instances(waitingPlannedSQL, job)
}

// WaitingKeyed counts the waiting instances of the job that are not scheduled.
func (v *view) WaitingKeyed(job int64) (n int, err error) {
	_, err = v.s.one(waitingKeyedSQL, func(c *columns) error {
		n = int(c.int())
		return nil
	}, job, job)
	return n, err
}

// Due lists waiting instances whose wake has come by now, earliest first.
func (v *view) Due(now time.Time, limit int) ([]engine.Instance, error) {
	return v.instances(dueSQL, now.UnixMilli(), limit)
}

// Queued lists waiting instances of the pool that only lack a slot, by priority, plan time, id.
func (v *view) Queued(pool string, limit int) ([]engine.Instance, error) {
	return v.instances(queuedSQL, pool, limit)
}

// Active lists the instances of the job in state running, by start.
func (v *view) Active(job int64) ([]engine.Instance, error) { return v.instances(activeSQL, job) }

// ActiveCount counts them.
func (v *view) ActiveCount(job int64) (n int, err error) {
	_, err = v.s.one(activeCountSQL, func(c *columns) error {
		n = int(c.int())
		return nil
	}, job)
	return n, err
}

// Durations lists how long the latest runs of the job with that key took that succeeded in one go.
func (v *view) Durations(job int64, key string, limit int) (took []time.Duration, err error) {
	type run struct {
		planTime int64
		took     time.Duration
	}
	var runs []run
	for _, text := range []string{durationsSQL, earlierDurationsSQL} {
		err = v.s.query(text, func(c *columns) error {
			runs = append(runs, run{c.int(), time.Duration(c.int()) * time.Millisecond})
			return nil
		}, job, key, limit)
		if err != nil {
			return nil, err
		}
	}
	// The current run of an instance is the latest of its plan time, and the list has it first.
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(b.planTime, a.planTime) })
	for _, r := range runs[:min(limit, len(runs))] {
		took = append(took, r.took)
	}
	return took, nil
}

// keyedLookedAt is how many of the instances that were not scheduled the latest are looked for among.
const keyedLookedAt = 300

// KeyedDurations lists how long instances took that were backfilled or triggered.
func (v *view) KeyedDurations(job int64, by time.Time, limit int) (took []time.Duration, err error) {
	type one struct{ planTime, id, took int64 }
	var done []one
	err = v.s.query(keyedDurationsSQL, func(c *columns) error {
		d := one{c.int(), c.int(), c.int()}
		if ended := c.int(); by.IsZero() || ended <= by.UnixMilli() {
			done = append(done, d)
		}
		return nil
	}, job, max(limit, keyedLookedAt))
	slices.SortFunc(done, func(a, b one) int {
		return cmp.Or(cmp.Compare(b.planTime, a.planTime), cmp.Compare(b.id, a.id))
	})
	for _, d := range done[:min(limit, len(done))] {
		took = append(took, time.Duration(d.took)*time.Millisecond)
	}
	return took, err
}

// Running lists all instances in state running or lost, by id.
func (v *view) Running() ([]engine.Instance, error) { return v.instances(runningSQL) }

// LaterDue reports whether a scheduled waiting instance of the same job exists with a later plan time ≤ now.
func (v *view) LaterDue(i *engine.Instance, now time.Time) (bool, error) {
	from, to := i.PlanTime.UnixMilli(), now.UnixMilli()
	return v.s.one(laterDueSQL, func(*columns) error { return nil }, i.Job, from, to, i.Job, from, to)
}
