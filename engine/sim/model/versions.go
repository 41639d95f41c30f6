package model

import (
	"cmp"
	"slices"

	"github.com/almanac-sched/almanac/engine"
)

func (v *view) Versions(job, before int64, limit int) ([]engine.VersionRow, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var rows []engine.VersionRow
	for id, row := range v.s.versions {
		if row.Job == job && (before == 0 || id < before) {
			rows = append(rows, ownVersion(row))
		}
	}
	slices.SortFunc(rows, func(a, b engine.VersionRow) int { return cmp.Compare(b.ID, a.ID) })
	return rows[:min(limit, len(rows))], nil
}
