package engine

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// An Ordered is an order ahead of one due time of a job.
type Ordered struct {
	Ref   JobRef
	Order OverrideRow
}

// lostOrders lists the orders ahead, from a time on, whose due time the loaded jobs have and the others do not.
func lostOrders(v View, loaded, jobs []*Job, known map[JobRef]JobRow, from time.Time) (lost []Ordered, err error) {
	list, err := v.Overrides(0, from, time.Time{}, mostOverrides)
	if err != nil || len(list) == 0 {
		return nil, wrap(err, "read what is ordered ahead")
	}
	refs := make(map[int64]JobRef, len(known))
	for ref, row := range known {
		refs[row.ID] = ref
	}
	due := func(jobs []*Job) func(ref JobRef, at time.Time) (bool, error) {
		of := map[JobRef]*Job{}
		for _, j := range jobs {
			of[j.Ref()] = j
		}
		tables := map[JobRef]*recurrence.Timetable{}
		return func(ref JobRef, at time.Time) (bool, error) {
			j := of[ref]
			if j == nil || j.Disabled || j.When.Manual {
				return false, nil
			}
			if tables[ref] == nil {
				row := known[ref]
				table, err := j.When.Compile(row.Origin())
				if err != nil {
					return false, fmt.Errorf("compile the recurrence of %s: %w", ref, err)
				}
				tables[ref] = table
			}
			next, some := tables[ref].Next(at.Add(-time.Millisecond))
			return some && next.Equal(at), nil
		}
	}
	before, after := due(loaded), due(jobs)
	for n := range list {
		o := &list[n]
		ref := refs[o.Job]
		was, err := before(ref, o.PlanTime)
		if err != nil {
			return nil, err
		}
		is, err := after(ref, o.PlanTime)
		if err != nil {
			return nil, err
		}
		if was && !is && known[ref].Source == "" {
			lost = append(lost, Ordered{ref, *o})
		}
	}
	return lost, nil
}

// An Order is what is ordered of one due time ahead, with its instance.
type Order struct {
	Ref      JobRef
	Order    OverrideRow
	Instance Instance // without an id when no definition has the due time
}

// ordersOf lists what is ordered ahead from a time on, at most limit, with the instance of each, which
// has not ended.
func ordersOf(v View, from time.Time, limit int) (orders []Order, err error) {
	list, err := v.Overrides(0, from, time.Time{}, limit)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	rows, err := v.Jobs()
	if err != nil {
		return nil, err
	}
	refs := make(map[int64]JobRef, len(rows))
	for n := range rows {
		refs[rows[n].ID] = rows[n].Ref
	}
	for n := range list {
		o := Order{Ref: refs[list[n].Job], Order: list[n]}
		if o.Instance, err = v.Find(list[n].Job, "", list[n].PlanTime); err != nil && !isNotFound(err) {
			return nil, err
		}
		if o.Instance.State.Ended() {
			continue // it ran at once, or was ended by a person: nothing is ordered of it any more
		}
		orders = append(orders, o)
	}
	return orders, nil
}
