package store

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// An InstanceFilter says which instances a list holds. Zero fields do not filter.
type InstanceFilter struct {
	Workflow string
	Job      string // of Workflow
	States   []engine.State
	Kind     engine.Kind
	From, To time.Time // plan times in [From, To)
}

// How much a page may cost, whatever the history holds: rows that do not pass the filter are skipped up to pageScan, and a workflow of up to
// mergedJobs jobs is read job by job.
const (
	pageScan   = 2500
	mergedJobs = 64
	pageMost   = 1000
)

// Sources of a list, each an index range in the order of plan time, newest first. The placeholders are the plan time and the id of the cursor
// and the earliest plan time.
const (
	listColumns = `SELECT id, job, kind, state, plan_time FROM instance WHERE `
	listRange   = real + ` AND (plan_time, id) < (?, ?) AND plan_time >= ? ORDER BY plan_time DESC, id DESC LIMIT CAST(? AS INTEGER)`
	listOpen    = listColumns + `ended_at IS NULL` + listRange
	listEnded   = listColumns + `ended_at IS NOT NULL` + listRange
	listState   = listColumns + `state <> 'waiting' AND state <> 'succeeded' AND state = ?` + listRange
	listJob     = listColumns + `job = ?` + listRange
	listKind    = listColumns + `kind <> 'scheduled' AND kind = ?` + listRange
	listRare    = `SELECT id, job, kind, state, plan_time FROM instance INDEXED BY instance_list_job
		WHERE state <> 'waiting' AND state <> 'running' AND state <> 'succeeded'
		AND job = ? AND state = ?` + listRange
)

// listed is a row of a list before the rest of it is read.
type listed struct {
	id, job  int64
	kind     engine.Kind
	state    engine.State
	planTime int64
}

// older orders by plan time and id, newest first.
func older(a, b listed) int {
	return cmp.Or(cmp.Compare(b.planTime, a.planTime), cmp.Compare(b.id, a.id))
}

// Instances lists instances, newest plan time first, at most limit (and at most 1,000). next is the cursor of the following page, "" when this
// was the last. A page costs the same however long the history is; so when few of many rows pass the filter it may hold fewer than limit, or
// none, with a next to go on.
func (db *DB) Instances(ctx context.Context, f InstanceFilter, cursor string, limit int) (page []engine.Instance, next string, err error) {
	if limit < 1 || limit > pageMost {
		limit = pageMost
	}
	at := listed{planTime: 1<<63 - 1, id: 1<<63 - 1}
	if !f.To.IsZero() {
		at = listed{planTime: f.To.UnixMilli(), id: -1} // ids are positive: everything before that time
	}
	if cursor != "" {
		c, err := decodeCursor(cursor)
		if err != nil {
			return nil, "", err
		}
		if older(at, c) < 0 {
			at = c
		}
	}
	f.States = slices.Compact(slices.Sorted(slices.Values(f.States))) // each has a source of its own
	err = db.read(ctx, func(v *view) error {
		page, next, err = v.page(f, at, limit)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list instances: %w", err)
	}
	return page, next, nil
}

func (v *view) page(f InstanceFilter, at listed, limit int) (page []engine.Instance, next string, err error) {
	sources, jobs, err := v.sources(f)
	if err != nil || len(sources) == 0 {
		return nil, "", err
	}
	earliest := int64(-1 << 62)
	if !f.From.IsZero() {
		earliest = f.From.UnixMilli()
	}
	var ids []int64
	chunk := max(limit, 100)
	for scanned := 0; scanned < pageScan && len(ids) < limit; {
		rows, horizon, err := v.merge(sources, at, earliest, chunk)
		if err != nil {
			return nil, "", err
		}
		for _, r := range rows {
			if len(ids) == limit {
				return v.load(ids, encodeCursor(at))
			}
			at = r
			scanned++
			if (len(f.States) == 0 || slices.Contains(f.States, r.state)) && (f.Kind == "" || r.kind == f.Kind) && (jobs == nil || jobs[r.job]) {
				ids = append(ids, r.id)
			}
		}
		if horizon == nil {
			return v.load(ids, "")
		}
		at = *horizon
	}
	return v.load(ids, encodeCursor(at))
}

// A source is one statement of a list with its first arguments.
type source struct {
	text string
	args []any
}

// sources chooses the index ranges that hold all that the filter wants. jobs is what to filter by job afterwards, nil for nothing.
func (v *view) sources(f InstanceFilter) (sources []source, jobs map[int64]bool, err error) {
	for _, s := range f.States {
		if !slices.Contains(engine.States, s) {
			return nil, nil, fmt.Errorf("%w: there is no state %q", engine.ErrInvalid, s)
		}
	}
	if f.Job != "" {
		job, err := v.JobByRef(engine.JobRef{Workflow: f.Workflow, Job: f.Job})
		if err != nil {
			return nil, nil, err
		}
		return ofJobs([]int64{job.ID}, f.States), nil, nil
	}
	if f.Workflow != "" {
		jobs = map[int64]bool{}
		var ids []int64
		err := v.s.query(`SELECT id FROM job WHERE workflow = ? ORDER BY name`, func(c *columns) error {
			n := c.int()
			jobs[n] = true
			ids = append(ids, n)
			return nil
		}, f.Workflow)
		if sources = ofJobs(ids, f.States); err != nil || len(sources) <= mergedJobs {
			return sources, nil, err
		}
		sources = nil
	}
	if f.Kind != "" && f.Kind != engine.Scheduled && !rare(f.States) {
		return []source{{listKind, []any{string(f.Kind)}}}, jobs, nil
	}
	open, ended := len(f.States) == 0, len(f.States) == 0
	for _, s := range f.States {
		switch s {
		case engine.Waiting:
			open = true
		case engine.Succeeded:
			ended = true
		}
	}
	if open {
		sources = append(sources, source{listOpen, nil})
	}
	if ended {
		sources = append(sources, source{listEnded, nil})
	}
	for _, s := range f.States {
		covered := open && !s.Ended() || ended && s.Ended()
		if !covered {
			sources = append(sources, source{listState, []any{string(s)}})
		}
	}
	return sources, jobs, nil
}

// rare reports whether the filter is for states alone that few instances of a long history are in,
// and that they stay in.
func rare(states []engine.State) bool {
	return len(states) > 0 && !slices.ContainsFunc(states, func(s engine.State) bool {
		return s == engine.Waiting || s == engine.Running || s == engine.Succeeded
	})
}

// ofJobs are the sources of some jobs: one for each, or one for each state of each where the states
// are rare.
func ofJobs(jobs []int64, states []engine.State) (sources []source) {
	for _, job := range jobs {
		if !rare(states) {
			sources = append(sources, source{listJob, []any{job}})
			continue
		}
		for _, state := range states {
			sources = append(sources, source{listRare, []any{job, string(state)}})
		}
	}
	return sources
}

// merge reads the next rows of all sources in one order. horizon is how far the result is complete, nil when all sources are at their end.
func (v *view) merge(sources []source, at listed, earliest int64, chunk int) (rows []listed, horizon *listed, err error) {
	each := max(chunk/len(sources), 20)
	for _, s := range sources {
		n := 0
		var last listed
		err := v.s.query(s.text, func(c *columns) error {
			last = listed{id: c.int(), job: c.int(), kind: engine.Kind(c.text()), state: engine.State(c.text()), planTime: c.int()}
			rows = append(rows, last)
			n++
			return nil
		}, append(slices.Clone(s.args), at.planTime, at.id, earliest, each)...)
		if err != nil {
			return nil, nil, err
		}
		// This source may hold more behind its last row: beyond that row the order is not known yet.
		if n == each && (horizon == nil || older(last, *horizon) < 0) {
			horizon = &last
		}
	}
	slices.SortFunc(rows, older)
	if horizon != nil {
		rows = rows[:1+slices.IndexFunc(rows, func(r listed) bool { return r.id == horizon.id })]
	}
	return rows, horizon, nil
}

func (v *view) load(ids []int64, next string) ([]engine.Instance, string, error) {
	page, err := v.instances(listedSQL, idList(ids))
	if err != nil {
		return nil, "", err
	}
	if len(page) != len(ids) {
		return nil, "", fmt.Errorf("stuck, this is a bug: %d of %d instances are there", len(page), len(ids))
	}
	place := make(map[int64]int, len(ids))
	for n, id := range ids {
		place[id] = n
	}
	slices.SortFunc(page, func(a, b engine.Instance) int {
		return cmp.Compare(place[a.ID], place[b.ID])
	})
	return page, next, nil
}

func encodeCursor(at listed) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", at.planTime, at.id))
}

func decodeCursor(cursor string) (at listed, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		_, err = fmt.Fscanf(strings.NewReader(string(text)), "%d.%d", &at.planTime, &at.id)
	}
	if err != nil {
		return at, fmt.Errorf("%w: that is no cursor of this list", engine.ErrInvalid)
	}
	return at, nil
}

// InstanceByID returns one instance; engine.ErrNotFound when there is none.
func (db *DB) InstanceByID(ctx context.Context, n int64) (i engine.Instance, err error) {
	err = db.read(ctx, func(v *view) error {
		i, err = v.Instance(n)
		return err
	})
	return i, err
}

// FindByName returns the instance of that job, key and plan time; engine.ErrNotFound when there is none.
func (db *DB) FindByName(ctx context.Context, ref engine.JobRef, key string, planTime time.Time) (i engine.Instance, err error) {
	err = db.read(ctx, func(v *view) error {
		job, err := v.JobByRef(ref)
		if err != nil {
			return err
		}
		i, err = v.Find(job.ID, key, planTime)
		return err
	})
	return i, err
}

// Waits lists what an instance waits for, by N.
func (db *DB) Waits(ctx context.Context, instance int64) (waits []engine.Wait, err error) {
	err = db.read(ctx, func(v *view) error {
		waits, err = v.Waits(instance)
		return err
	})
	return waits, err
}

// Attempts lists the attempts of an instance by id.
func (db *DB) Attempts(ctx context.Context, instance int64) (attempts []engine.AttemptRow, err error) {
	err = db.read(ctx, func(v *view) error {
		attempts, err = v.Attempts(instance)
		return err
	})
	return attempts, err
}

// AttemptByID returns one attempt; engine.ErrNotFound when there is none.
func (db *DB) AttemptByID(ctx context.Context, n int64) (a engine.AttemptRow, err error) {
	err = db.read(ctx, func(v *view) error {
		list, err := v.attempts(attemptSQL, n)
		if err := found(len(list) > 0, err, "attempt %d", n); err != nil {
			return err
		}
		a = list[0]
		return nil
	})
	return a, err
}

// Counts says how many instances there are.
type Counts struct {
	States map[engine.State]int // open ones, and those that ended since
	Gates  map[engine.Gate]int  // of the waiting ones
	Live   int                  // attempts that run
}

const (
	countOpenSQL    = `SELECT (SELECT count(*) FROM instance WHERE ended_at IS NULL) - (SELECT coalesce(sum(written), 0) FROM backfill WHERE applying <> '')`
	countRunningSQL = `SELECT state, count(*) FROM instance WHERE state IN ('running', 'lost') GROUP BY state`
	countGatesSQL   = `SELECT gate, count(*) FROM instance WHERE state = 'waiting' AND gate <> 'time' GROUP BY gate`
	countLiveSQL    = `SELECT count(*) FROM attempt WHERE outcome IS NULL`
	countEndedSQL   = `SELECT state, count(*) FROM instance WHERE ended_at IS NOT NULL AND ended_at >= ? GROUP BY state`
)

// Count counts the open instances, and those that ended at or after since.
func (db *DB) Count(ctx context.Context, since time.Time) (Counts, error) {
	n := Counts{States: map[engine.State]int{}, Gates: map[engine.Gate]int{}}
	err := db.read(ctx, func(v *view) error {
		open := 0
		if _, err := v.s.one(countOpenSQL, func(c *columns) error { open = int(c.int()); return nil }); err != nil {
			return err
		}
		if _, err := v.s.one(countLiveSQL, func(c *columns) error { n.Live = int(c.int()); return nil }); err != nil {
			return err
		}
		states := func(c *columns) error {
			n.States[engine.State(c.text())] = int(c.int())
			return nil
		}
		if err := v.s.query(countRunningSQL, states); err != nil {
			return err
		}
		n.States[engine.Waiting] = open - n.States[engine.Running] - n.States[engine.Lost]
		timed := n.States[engine.Waiting]
		if err := v.s.query(countGatesSQL, func(c *columns) error {
			gate, count := engine.Gate(c.text()), int(c.int())
			n.Gates[gate] = count
			timed -= count
			return nil
		}); err != nil {
			return err
		}
		n.Gates[engine.GateTime] = timed
		return v.s.query(countEndedSQL, states, since.UnixMilli())
	})
	if err != nil {
		return Counts{}, fmt.Errorf("count instances: %w", err)
	}
	return n, nil
}
