package model

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

func (v *view) Audit(f engine.AuditFilter, before int64, limit int) (lines []engine.AuditLine, next int64, err error) {
	h := &v.s.history
	first, end := h.first, h.last()+1
	for ; !f.From.IsZero() && first < end && h.at(first).At.Before(f.From); first++ {
	}
	for ; !f.To.IsZero() && end > first && !h.at(end-1).At.Before(f.To); end-- {
	}
	if before != 0 {
		end = min(end, before)
	}
	looked := 0
	for id := end - 1; id >= first && v.broken == nil; id-- {
		e := h.at(id)
		if e.Actor == "" && e.Kind != "load" && e.Kind != "define" {
			continue
		}
		if looked++; looked > engine.AuditLooked {
			return lines, id + 1, nil
		}
		if !strings.Contains(strings.ToLower(e.Actor), strings.ToLower(f.Actor)) ||
			len(f.Kinds) > 0 && !slices.Contains(f.Kinds, e.Kind) {
			continue
		}
		row := *e
		row.Reason = ownReason(e.Reason)
		if lines = append(lines, engine.AuditLine{ID: id, EventRow: row}); len(lines) == limit {
			if id > first {
				next = id
			}
			return lines, next, nil
		}
	}
	return lines, 0, v.broken
}

func (v *view) Leases(prefix string) (list []engine.NamedLease, err error) {
	for name, row := range v.s.leases {
		if strings.HasPrefix(name, prefix) && v.broken == nil {
			list = append(list, engine.NamedLease{Name: name, LeaseRow: *row})
		}
	}
	slices.SortFunc(list, func(a, b engine.NamedLease) int { return cmp.Compare(a.Name, b.Name) })
	return list, v.broken
}

func (v *view) Kept(before time.Time, limit int) (k engine.Kept, err error) {
	if h := &v.s.history; h.last() >= h.first {
		k.FirstEvent, k.LastEvent, k.FirstAt = h.first, h.last(), h.at(h.first).At
	}
	for _, i := range v.s.instances {
		if i.EndedAt.IsZero() {
			continue
		}
		if k.Oldest.IsZero() || i.EndedAt.Before(k.Oldest) {
			k.Oldest = i.EndedAt
		}
		if i.EndedAt.Before(before) && k.Due < limit {
			k.Due++
		}
	}
	return k, v.broken
}
