package main

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// A rowReader reads tables of one snapshot.
type rowReader struct {
	ctx context.Context
	tx  *sql.Tx
}

// each calls take for each row of a query, with the row's scan.
func (r *rowReader) each(query string, take func(scan func(...any) error) error) error {
	rows, err := r.tx.QueryContext(r.ctx, query)
	if err != nil {
		return fmt.Errorf("query %q: %w", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows.Scan); err != nil {
			return fmt.Errorf("read a row of %q: %w", query, err)
		}
	}
	return rows.Err()
}

// has reports whether a table has a column: later versions of the server add some.
func (r *rowReader) has(table, column string) (found bool, err error) {
	err = r.each("SELECT name FROM pragma_table_info('"+table+"')", func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		found = found || name == column
		return err
	})
	return found, err
}

func (l *ledger) readJobs(r *rowReader) error {
	gone := "0"
	if has, err := r.has("job", "counted_gone"); err != nil {
		return err
	} else if has {
		gone = "j.counted_gone"
	}
	return r.each(`SELECT j.id, j.workflow, j.name, j.version, j.created_at, j.disabled, j.removed, m.planned_to, j.revision, `+gone+`
		FROM job j LEFT JOIN plan_mark m ON m.job = j.id ORDER BY j.workflow, j.name`, func(scan func(...any) error) error {
		j := &job{}
		var created, planned sql.NullInt64
		if err := scan(&j.id, &j.workflow, &j.name, &j.version, &created, &j.disabled, &j.removed, &planned, &j.revision, &j.countedGone); err != nil {
			return err
		}
		j.created, j.hasCreated, j.planned, j.hasPlan = created.Int64, created.Valid, planned.Int64, planned.Valid
		l.jobs[j.id], l.byName[j.String()] = j, j
		l.order = append(l.order, j)
		return nil
	})
}

func (l *ledger) readVersions(r *rowReader) error {
	return r.each(`SELECT id, job, definition, created_at FROM job_version ORDER BY id`, func(scan func(...any) error) error {
		v := &version{}
		var of int64
		var text []byte
		var created sql.NullInt64
		if err := scan(&v.id, &of, &text, &created); err != nil {
			return err
		}
		v.job, v.created = l.jobs[of], created.Int64
		if v.job == nil {
			return fmt.Errorf("version %d belongs to no job", v.id)
		}
		if v.def, v.err = readDefinition(text, v.job); v.err == nil {
			v.when, v.whenErr = newSchedule(v.def, v.job)
		} else {
			v.whenErr = v.err
		}
		v.job.versions = append(v.job.versions, v)
		l.versions[v.id] = v
		return nil
	})
}

func (l *ledger) readInstances(r *rowReader) error {
	err := r.each(`SELECT id, job, version, kind, key, plan_time, plan_offset, state, gate, reason, fence, dry_run, frozen, not_before, pool, confirmed,
		coalesce(cancel, ''), run_now <> '', touched, started_at, ended_at FROM instance ORDER BY id`, func(scan func(...any) error) error {
		i := &instance{}
		var of, version int64
		err := scan(&i.id, &of, &version, &i.kind, &i.key, &i.plan, &i.planOffset, &i.state, &i.gate, &i.reasonText, &i.fence, &i.dryRun, &i.frozen,
			&i.notBefore, &i.pool, &i.confirmed, &i.cancel, &i.runNow, &i.touched, &i.started, &i.ended)
		if err != nil {
			return err
		}
		i.reason = parseReason(i.reasonText)
		if i.job, i.version = l.jobs[of], l.versions[version]; i.job == nil || i.version == nil {
			return fmt.Errorf("instance %d is of job %d, version %d, and there is no such", i.id, of, version)
		}
		l.instances = append(l.instances, i)
		l.byID[i.id] = i
		l.byJob[i.job] = append(l.byJob[i.job], i)
		return nil
	})
	for _, list := range l.byJob {
		slices.SortStableFunc(list, func(a, b *instance) int { return int(min(1, max(-1, a.plan-b.plan))) })
	}
	return err
}

func (l *ledger) readWaits(r *rowReader) error {
	return r.each(`SELECT instance, n, dependency, upstream, key, first_time, last_time, times, selects, on_missing, on_failed, rule, ended, timeout, bound
		FROM wait ORDER BY instance, n`, func(scan func(...any) error) error {
		var of int64
		var w wait
		err := scan(&of, &w.n, &w.dependency, &w.upstream, &w.key, &w.first, &w.last, &w.times, &w.selects, &w.onMissing, &w.onFailed, &w.rule, &w.ended, &w.timeout, &w.bound)
		if i := l.byID[of]; i != nil {
			i.waits = append(i.waits, w)
		}
		return err
	})
}

func (l *ledger) readSteps(r *rowReader) error {
	return r.each(`SELECT instance, step, state, attempts, not_before FROM step ORDER BY instance, n`, func(scan func(...any) error) error {
		var of int64
		var s stepRow
		err := scan(&of, &s.step, &s.state, &s.attempts, &s.notBefore)
		if i := l.byID[of]; i != nil {
			i.steps = append(i.steps, s)
		}
		return err
	})
}

func (l *ledger) readAttempts(r *rowReader) error {
	owner := "''"
	if has, err := r.has("attempt", "owner"); err != nil {
		return err
	} else if has {
		owner = "owner"
	}
	err := r.each(`SELECT id, instance, step, number, action, coalesce(outbox, 0), fence, `+owner+`, pool, started_at, coalesce(outcome, ''), ended_at, exit,
		coalesce(signal, ''), coalesce(status, 0), coalesce(message, ''), coalesce(truncated, 0) FROM attempt ORDER BY id`, func(scan func(...any) error) error {
		a := &attempt{}
		var of int64
		var action string
		err := scan(&a.id, &of, &a.step, &a.number, &action, &a.outbox, &a.fence, &a.owner, &a.pool, &a.started, &a.outcome, &a.ended, &a.exit,
			&a.signal, &a.status, &a.message, &a.truncated)
		if err != nil {
			return err
		}
		a.isError = action == "error"
		if a.instance = l.byID[of]; a.instance == nil {
			l.orphans = append(l.orphans, orphan{a.id, of})
			return nil
		}
		a.instance.attempts = append(a.instance.attempts, a)
		l.attempts = append(l.attempts, a)
		return nil
	})
	for _, i := range l.instances { // each server has numbers of its own to give: the ids tell nothing of the order
		slices.SortStableFunc(i.attempts, func(a, b *attempt) int { return cmp.Compare(a.number, b.number) })
	}
	return err
}

func (l *ledger) readEvents(r *rowReader) error {
	var anchor int64
	err := r.each(`SELECT id FROM event_anchor`, func(scan func(...any) error) error { return scan(&anchor) })
	if err != nil {
		return err
	}
	l.pruned = anchor > 0
	return r.each(`SELECT id, at, kind, coalesce(instance, 0), coalesce(job, 0), from_state, to_state, reason, actor FROM event ORDER BY id`,
		func(scan func(...any) error) error {
			e := &event{}
			var text string
			if err := scan(&e.id, &e.at, &e.kind, &e.instance, &e.job, &e.from, &e.to, &text, &e.actor); err != nil {
				return err
			}
			e.reason = parseReason(text)
			if l.pruned && l.prunedTo == 0 {
				l.prunedTo = e.at
			}
			l.ended, l.latest = max(l.ended, e.at), e.at
			switch {
			case e.kind == "load":
				l.loads = append(l.loads, e)
			case e.kind == "define":
				l.defines[e.job] = append(l.defines[e.job], e)
			case strings.HasPrefix(e.kind, "clock"):
				l.jumps = append(l.jumps, e)
			case e.kind == "disk-low":
				l.noRoom = append(l.noRoom, span{e.at, forever})
			case e.kind == "disk-free" && len(l.noRoom) > 0:
				l.noRoom[len(l.noRoom)-1].to = e.at
			case e.kind == "pause":
				l.pauses = append(l.pauses, e)
			case e.kind == "zone-rules":
				l.rezoned[e.job] = max(l.rezoned[e.job], e.at)
			}
			if e.instance == 0 {
				return nil
			}
			if i := l.byID[e.instance]; i != nil {
				i.events = append(i.events, e)
			} else {
				l.ghosts[e.instance] = append(l.ghosts[e.instance], e)
			}
			return nil
		})
}

func (l *ledger) readOutbox(r *rowReader) error {
	byID := map[int64]*outboxRow{}
	err := r.each(`SELECT id, kind, coalesce(instance, 0), not_before, attempts, state, created_at FROM outbox ORDER BY id`, func(scan func(...any) error) error {
		o := &outboxRow{}
		if err := scan(&o.id, &o.kind, &o.instance, &o.notBefore, &o.attempts, &o.state, &o.created); err != nil {
			return err
		}
		byID[o.id] = o
		l.outbox = append(l.outbox, o)
		if i := l.byID[o.instance]; i != nil {
			i.outbox = append(i.outbox, o)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, a := range l.attempts {
		if o := byID[a.outbox]; o != nil {
			o.deliveries = append(o.deliveries, a)
		}
	}
	return r.each(`SELECT key, state FROM backfill`, func(scan func(...any) error) error {
		var key, stage string
		err := scan(&key, &stage)
		l.backfills[key] = stage
		return err
	})
}

// isEnded reports whether a state is an end that only a person changes.
func isEnded(state string) bool {
	return satisfies(state) || state == "failed" || state == "cancelled"
}

// satisfies reports whether a state lets those go on that wait for it (`dependencies.md` §8).
func satisfies(state string) bool {
	return state == "succeeded" || state == "forced" || state == "skipped"
}
