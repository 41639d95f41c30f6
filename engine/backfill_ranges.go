package engine

import "time"

// A BackfillPlanRange is instances of one job that follow one another, of all of which the plan says the same.
type BackfillPlanRange struct {
	From, To  time.Time // plan times of the first and the last
	Instances int
	In        bool
	Why       string // a word of BackfillWhy
}

// PlanListed is how many instances of a plan are listed one by one unless a part of the list is asked for; the ranges of its jobs hold all.
const PlanListed = 10_000

// ranges cuts the instances of a job into those that follow one another and are in, or out, for the same reason.
func (p *draftPart) ranges() (list []BackfillPlanRange) {
	for n := range p.items {
		i := &p.items[n]
		if k := len(list) - 1; k >= 0 && list[k].In == i.in && list[k].Why == i.why {
			list[k].To = i.at()
			list[k].Instances++
			continue
		}
		list = append(list, BackfillPlanRange{From: i.at(), To: i.at(), Instances: 1, In: i.in, Why: i.why})
	}
	return list
}
