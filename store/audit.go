package store

import (
	"math"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	// The lines between two ids that somebody is named in, or that are about definitions, newest first: all of them have an index of their own.
	acts     = `INDEXED BY event_act WHERE (actor <> '' OR kind = 'load' OR kind = 'define') AND id < ?1 AND id >= ?2 `
	auditSQL = eventList + acts + `AND (?3 = '' OR instr(lower(actor), ?3) > 0)
		AND (?4 = '' OR instr(?4, ' ' || kind || ' ') > 0) AND at >= ?5 AND at < ?6 ORDER BY id DESC LIMIT CAST(?7 AS INTEGER)`
	auditFarSQL    = `SELECT id FROM event ` + acts + `ORDER BY id DESC LIMIT 1 OFFSET CAST(?3 AS INTEGER)`
	eventBoundsSQL = `SELECT (SELECT min(id) FROM event), (SELECT max(id) FROM event)`
	eventAtSQL     = `SELECT at FROM event WHERE id = ?`
	leasesSQL      = `SELECT name, holder, epoch, expires_at FROM lease WHERE name >= ? AND name < ? ORDER BY name`
	firstEndedSQL  = `SELECT min(ended_at) FROM instance WHERE ended_at IS NOT NULL`
	endedBeforeSQL = `SELECT count(*) FROM (SELECT 1 FROM instance WHERE ended_at < ? LIMIT CAST(? AS INTEGER))`
)

// Audit lists what somebody did, newest first.
func (v *view) Audit(f engine.AuditFilter, before int64, limit int) (lines []engine.AuditLine, next int64, err error) {
	first, last, err := v.eventBounds()
	if err != nil || last == 0 {
		return nil, 0, err
	}
	if !f.From.IsZero() {
		if first, err = v.eventFrom(first, last, f.From.UnixMilli()); err != nil {
			return nil, 0, err
		}
	}
	end := last + 1
	if !f.To.IsZero() {
		if end, err = v.eventFrom(first, last, f.To.UnixMilli()); err != nil {
			return nil, 0, err
		}
	}
	if before != 0 {
		end = min(end, before)
	}
	begin := first
	if _, err = v.s.one(auditFarSQL, func(c *columns) error {
		begin = c.int()
		return nil
	}, end, first, engine.AuditLooked-1); err != nil {
		return nil, 0, err
	}
	kinds := ""
	if len(f.Kinds) > 0 {
		kinds = " " + strings.Join(f.Kinds, " ") + " "
	}
	err = v.s.query(auditSQL, func(c *columns) error {
		row := scanEvent(c)
		e, err := row.event()
		lines = append(lines, engine.AuditLine{ID: e.ID, EventRow: e.EventRow})
		return err
	}, end, begin, strings.ToLower(f.Actor), kinds, bound(f.From, math.MinInt64), bound(f.To, math.MaxInt64), limit)
	switch {
	case err != nil:
		return nil, 0, err
	case len(lines) == limit && lines[limit-1].ID > first:
		next = lines[limit-1].ID
	case len(lines) < limit && begin > first:
		next = begin
	}
	return lines, next, nil
}

// bound is a time in milliseconds, none for the zero time.
func bound(t time.Time, none int64) int64 {
	if t.IsZero() {
		return none
	}
	return t.UnixMilli()
}

// eventBounds are the ids of the oldest event that is kept and of the newest; zeros when there is none.
func (v *view) eventBounds() (first, last int64, err error) {
	_, err = v.s.one(eventBoundsSQL, func(c *columns) error {
		first, last = c.int(), c.int()
		return nil
	})
	return first, last, err
}

// eventFrom finds, by halving, the first event in [first, last] that is not before a time; last + 1 when each is. Ids have no gaps, and times grow
// with them but where a clock was set back.
func (v *view) eventFrom(first, last, at int64) (int64, error) {
	low, high := first, last+1
	for low < high {
		middle := low + (high-low)/2
		var here int64
		if _, err := v.s.one(eventAtSQL, func(c *columns) error {
			here = c.int()
			return nil
		}, middle); err != nil {
			return 0, err
		}
		if here < at {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// Leases lists the leases whose names begin with prefix, by name.
func (v *view) Leases(prefix string) (list []engine.NamedLease, err error) {
	err = v.s.query(leasesSQL, func(c *columns) error {
		list = append(list, engine.NamedLease{Name: c.text(), LeaseRow: engine.LeaseRow{Holder: c.text(), Epoch: c.int(), Until: c.utc()}})
		return nil
	}, prefix, prefix+"\U0010ffff")
	return list, err
}

// Kept tells how far back the rows go.
func (v *view) Kept(before time.Time, limit int) (k engine.Kept, err error) {
	if k.FirstEvent, k.LastEvent, err = v.eventBounds(); err != nil {
		return k, err
	}
	if k.FirstEvent > 0 {
		if _, err = v.s.one(eventAtSQL, func(c *columns) error {
			k.FirstAt = c.utc()
			return nil
		}, k.FirstEvent); err != nil {
			return k, err
		}
	}
	if _, err = v.s.one(firstEndedSQL, func(c *columns) error {
		k.Oldest = c.utc()
		return nil
	}); err != nil {
		return k, err
	}
	_, err = v.s.one(endedBeforeSQL, func(c *columns) error {
		k.Due = int(c.int())
		return nil
	}, before.UnixMilli(), limit)
	return k, err
}
