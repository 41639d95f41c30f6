package engine

import (
	"slices"
	"strings"
	"time"
)

// A PlanPart is a part of the list of a plan's instances: of those that its conditions leave, Most behind the first Skip.
type PlanPart struct {
	Skip, Most int
	Show       PlanShow
	Why        string   // a word of BackfillWhy; "" is every reason
	Job        string   // workflow/job; "" is every job
	Find       []string // each stands in the job, the plan time or the text, whatever their case
}

// PlanShow is which instances of a plan are looked at: those that are in it, those that are not, or with "" both.
type PlanShow string

// The values of PlanShow.
const (
	PlanIn  PlanShow = "in"
	PlanOut PlanShow = "out"
)

// whole reports whether the part has no conditions.
func (p *PlanPart) whole() bool {
	return p.Show == "" && p.Why == "" && p.Job == "" && len(p.Find) == 0
}

// takes reports whether the conditions leave an instance.
func (p *PlanPart) takes(i spot, text func() string) bool {
	if p.whole() {
		return true
	}
	mark := i.mark()
	if p.Show != "" && mark.in() != (p.Show == PlanIn) || p.Why != "" && mark.word() != p.Why {
		return false
	}
	if p.Job != "" && i.part.row.Ref.String() != p.Job {
		return false
	}
	if len(p.Find) == 0 {
		return true
	}
	words := []string{i.part.row.Ref.String(), i.at().Format(time.RFC3339), text()}
	all := strings.ToLower(strings.Join(words, " "))
	return !slices.ContainsFunc(p.Find, func(word string) bool {
		return !strings.Contains(all, strings.ToLower(word))
	})
}
