package invariant

import (
	"cmp"
	"slices"

	"github.com/almanac-sched/almanac/engine"
)

// fences holds I3: who may write what runs.
func (c *check) fences(f *facts) {
	i := f.i
	if i.State == engine.Running {
		c.must(i.Owner != "" && i.Fence > 0 && !i.Lease.IsZero(), "I3", i, "it runs with the owner %q, the fence %d and a lease up to %s", i.Owner, i.Fence,
			i.Lease.Format(form))
	} else {
		c.must(i.Owner == "" && i.Lease.IsZero(), "I3", i, "it is %s and has the owner %q and a lease up to %s", i.State, i.Owner, i.Lease.Format(form))
	}
	if f.whole {
		starts := int64(f.count(engine.Start))
		c.must(i.Fence >= starts && (starts > 0 || i.Fence == 0), "I3", i, "its fence is %d after %d starts", i.Fence, starts)
	}
	for step, list := range f.bySteps() {
		fence := int64(0)
		for n, a := range list {
			c.must(a.Fence > 0 && a.Fence <= i.Fence, "I3", i, "attempt %d has the fence %d, and the instance %d", a.ID, a.Fence, i.Fence)
			c.must(a.Fence >= fence, "I3", i, "attempt %d of step %q has the fence %d after one with %d", a.ID, step, a.Fence, fence)
			c.must(n == 0 || a.Number > list[n-1].Number, "I3", i, "attempts %d and %d of step %q are both number %d", list[max(0, n-1)].ID, a.ID, step, a.Number)
			if a.Result == nil && i.State == engine.Running {
				c.must(a.Fence == i.Fence, "I3", i, "attempt %d lives under the fence %d, and the instance has %d", a.ID, a.Fence, i.Fence)
			}
			fence = a.Fence
		}
	}
}

// bySteps returns the attempts of each step by number, without those of the error action.
func (f *facts) bySteps() map[string][]*engine.AttemptRow {
	steps := map[string][]*engine.AttemptRow{}
	for n := range f.attempts {
		if a := &f.attempts[n]; !a.Error {
			steps[a.Step] = append(steps[a.Step], a)
		}
	}
	for _, list := range steps {
		slices.SortStableFunc(list, func(a, b *engine.AttemptRow) int { return cmp.Compare(a.Number, b.Number) })
	}
	return steps
}

// outcomes holds I6: how often a step was tried, and that success was one.
func (c *check) outcomes(f *facts) {
	if f.job == nil {
		c.skipped("I6")
		return
	}
	i, steps := f.i, f.bySteps()
	if f.job.OnLost == engine.LostHold && f.whole {
		for step, list := range steps {
			again := 0
			for n := 1; n < len(list); n++ {
				if r := list[n-1].Result; r != nil && r.Outcome == engine.OutcomeLost {
					again++
				}
			}
			c.must(again <= f.reruns(), "I6", i, "onLost is hold, and step %q was tried again %d times after a lost attempt; a person asked %d times", step, again, f.reruns())
		}
	}
	if i.State != engine.Succeeded {
		return
	}
	succeeded := func(step string) bool {
		list := steps[step]
		if len(list) == 0 {
			return false
		}
		r := list[len(list)-1].Result
		return r != nil && r.Outcome == engine.OutcomeSucceeded
	}
	if len(f.steps) == 0 && len(f.job.Steps) == 1 {
		c.must(succeeded(f.job.Steps[0].Name), "I6", i, "it succeeded, and its last attempt did not")
		return
	}
	for n := range f.steps {
		row := &f.steps[n]
		step := f.job.StepOf(row.Step)
		if step == nil {
			continue // I13
		}
		switch row.State {
		case engine.StepSucceeded:
			if step.ForEach != nil && step.Name == row.Step {
				c.looked("I6") // its items tell
				continue
			}
			c.must(succeeded(row.Step), "I6", i, "step %q succeeded, and its last attempt did not", row.Step)
		case engine.StepSkipped:
			c.looked("I6")
		case engine.StepFailed:
			c.must(step.OnFailure == engine.StepContinue, "I6", i, "it succeeded although step %q failed", row.Step)
		default:
			// One action without a row of its own until there is something to remember: its attempts tell.
			c.must(len(f.job.Steps) == 1 && succeeded(row.Step), "I6", i, "it succeeded, and step %q is %s", row.Step, row.State)
		}
	}
}

// deliveries holds I8: a failure and its error action.
func (c *check) deliveries(f *facts) {
	i := f.i
	carried := map[int64][]*engine.AttemptRow{}
	for n := range f.attempts {
		if a := &f.attempts[n]; a.Error {
			carried[a.Outbox] = append(carried[a.Outbox], a)
		}
	}
	if f.whole && f.job != nil && f.reruns() == 0 {
		failed, rows := 0, 0
		for _, change := range f.past {
			if change.event == engine.Fail && change.from == engine.Running {
				failed++
			}
		}
		for n := range f.outbox {
			if f.outbox[n].Kind == "errorAction" {
				rows++
			}
		}
		if f.job.ErrorAction == nil {
			failed = 0
		}
		c.must(rows == failed, "I8", i, "it has %d rows of its error action for %d failures", rows, failed)
	}
	for n := range f.outbox {
		row := &f.outbox[n]
		ended, live, succeeded := 0, 0, 0
		for _, a := range carried[row.ID] {
			switch {
			case a.Result == nil:
				live++
			case a.Result.Outcome == engine.OutcomeSucceeded:
				succeeded++
				fallthrough
			default:
				ended++
			}
		}
		delete(carried, row.ID)
		c.must(row.Attempts == ended, "I8", i, "outbox row %d counts %d attempts, and %d have ended", row.ID, row.Attempts, ended)
		c.must((row.State == engine.OutboxPending) == row.EndedAt.IsZero(), "I8", i, "outbox row %d is %s, and its end is %s", row.ID, row.State, row.EndedAt.Format(form))
		c.must((row.State == engine.OutboxDelivered) == (succeeded > 0), "I8", i, "outbox row %d is %s, and %d of its attempts succeeded", row.ID, row.State, succeeded)
		c.must(live <= 1 && (live == 0 || row.State == engine.OutboxPending), "I8", i, "outbox row %d is %s and has %d live attempts", row.ID, row.State, live)
	}
	for id := range carried {
		c.must(false, "I8", i, "attempts deliver the outbox row %d, which it does not have", id)
	}
}

// recovery holds I15: what a server finds that takes the instance over. The working set is made of these rows and nothing else, so what is
// settled in them stays settled, however often it is made.
func (c *check) recovery(f *facts) {
	i := f.i
	if i.State != engine.Running {
		c.must(len(f.watches) == 0, "I15", i, "it is %s, and %d of its steps wait for something", i.State, len(f.watches))
	}
	if i.State != engine.Running || f.job == nil {
		return
	}
	live := map[string]int{}
	for n := range f.attempts {
		if a := &f.attempts[n]; !a.Error && a.Result == nil {
			live[a.Step]++
		}
	}
	for n := range f.watches {
		live[f.watches[n].Step]++
	}
	for step, n := range live {
		c.must(n == 1, "I15", i, "step %q has %d live attempts", step, n)
		c.must(f.job.StepOf(step) != nil, "I15", i, "a live attempt is of step %q, which the job does not have", step)
	}
	steps := slices.Clone(f.steps)
	for n := range steps {
		running := steps[n].State == engine.StepRunning
		if s := f.job.StepOf(steps[n].Step); running && s != nil && s.ForEach != nil && s.Name == steps[n].Step {
			continue // its items are
		}
		c.must(running == (live[steps[n].Step] > 0), "I15", i, "step %q is %s and has %d live attempts", steps[n].Step, steps[n].State, live[steps[n].Step])
	}
	if len(steps) == 0 && len(f.job.Steps) == 1 && live[f.job.Steps[0].Name] > 0 {
		steps = []engine.StepRow{{Step: f.job.Steps[0].Name, State: engine.StepRunning, Attempts: 1}}
	}
	if i.Cancel != nil {
		return // ends when the loop has heard of it
	}
	event, _, ended := engine.NewProgress(f.job, steps).Outcome()
	c.must(!ended, "I15", i, "nothing of it lives or can start: it should have taken the event %q with its last attempt", event)
}
