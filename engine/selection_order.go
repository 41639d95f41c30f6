package engine

import (
	"cmp"
	"slices"
)

// SortByPlanTime puts instances in the order in which lists of them stand: by plan time and id.
func SortByPlanTime(list []Instance) {
	slices.SortFunc(list, func(a, b Instance) int { return cmp.Or(a.PlanTime.Compare(b.PlanTime), cmp.Compare(a.ID, b.ID)) })
}
