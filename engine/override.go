package engine

import (
	"fmt"
	"iter"
	"strings"
	"time"
)

// An OverrideRow is what a person ordered of one due time of a job ahead of it. The planner obeys it when it writes the instance down, and again whenever
// it writes the instance anew. While no definition has the due time it is kept, and is without an instance.
type OverrideRow struct {
	Job       int64
	PlanTime  time.Time
	Frozen    bool
	Priority  int       // 0 is as the job says
	NotBefore time.Time // it starts then at the earliest; zero is as its plan time says
	Actor     string    // who ordered last, when and why
	Note      string
	At        time.Time
}

// Empty reports whether nothing is ordered any more.
func (o *OverrideRow) Empty() bool { return !o.Frozen && o.Priority == 0 && o.NotBefore.IsZero() }

// Text says what is ordered.
func (o *OverrideRow) Text() string {
	var words []string
	if o.Frozen {
		words = append(words, "frozen")
	}
	if o.Priority != 0 {
		words = append(words, fmt.Sprintf("priority %d", o.Priority))
	}
	if !o.NotBefore.IsZero() {
		words = append(words, "starts from "+o.NotBefore.In(o.PlanTime.Location()).Format("2006-01-02 15:04:05 -07:00")+" on")
	}
	return strings.Join(words, ", ")
}

// obey makes an instance that is being planned as the override says.
func (o *OverrideRow) obey(i *Instance) {
	i.Frozen = o.Frozen
	if o.Priority != 0 {
		i.Priority = o.Priority
	}
	if !o.NotBefore.IsZero() {
		i.NotBefore = o.NotBefore.In(i.PlanTime.Location())
	}
}

// mostOverrides bounds how many orders one look-up reads. People make them one by one, or some thousand at once.
const mostOverrides = 100_000

// A dueTime is one due time of a job, by row id and millisecond.
type dueTime struct{ job, at int64 }

// overridesIn reads what is ordered of the due times in [from, to), of all jobs.
func overridesIn(v View, from, to time.Time) (map[dueTime]*OverrideRow, error) {
	list, err := v.Overrides(0, from, to, mostOverrides)
	if err != nil {
		return nil, fmt.Errorf("read what is ordered ahead: %w", err)
	}
	found := make(map[dueTime]*OverrideRow, len(list))
	for n := range list {
		found[dueTime{list[n].Job, list[n].PlanTime.UnixMilli()}] = &list[n]
	}
	return found, nil
}

// obeyed yields the rows of a plan as what was ordered of them ahead says.
func obeyed(tx Tx, plan *Plan, rows iter.Seq2[*Instance, []Wait]) (iter.Seq2[*Instance, []Wait], error) {
	var from, to time.Time
	for n := range plan.Jobs {
		from, to = earliest(from, plan.Jobs[n].From), latest(to, plan.Jobs[n].To)
	}
	ordered, err := overridesIn(tx, from, to)
	if err != nil || len(ordered) == 0 {
		return rows, err
	}
	return func(yield func(*Instance, []Wait) bool) {
		rows(func(i *Instance, waits []Wait) bool {
			if o := ordered[dueTime{i.Job, i.PlanTime.UnixMilli()}]; o != nil && i.Kind == Scheduled {
				one := *i
				o.obey(&one)
				i = &one
			}
			return yield(i, waits)
		})
	}, nil
}
