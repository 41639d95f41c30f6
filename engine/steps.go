package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// A Progress is where the steps of one running instance stand: the same plan-and-release as between instances, one scale down. It is pure: no
// clock, no rows. It is rebuilt from rows when a server takes an instance over, so a crash cannot put it out of step.
//
// Its cost is that of the change: ending a step looks only at the steps that need it.
type Progress struct {
	job     *Job
	index   map[string]int
	rows    []StepRow
	needs   []int   // unmet needs of each step
	next    [][]int // the steps that need each step
	live    int     // steps in state running
	waiting int     // steps in state waiting
	stopped bool    // nothing further starts: a step failed for good, or the instance is being cancelled
	paused  string  // the step whose failure paused the instance
	failed  *Reason // why the instance will fail
	lost    *Reason // an outcome that cannot be known, and onLost is hold
	cancel  *Reason // being cancelled
	changed []int   // in order; a step may be in it twice
	ready   []int   // found ready and not taken yet

	fans  map[int]*fan // steps that run once for each item of a list, as soon as the list is known
	items []itemRow    // behind the job's steps, in the order in which their steps were unfolded
	grown bool         // rows were added since it was last asked
}

// A ConditionFunc evaluates a step's `when` over the names that definition.md gives it.
type ConditionFunc func(source string, env map[string]any) (bool, error)

// NewProgress builds the progress of an instance of the job from its stored steps; none for one that starts now.
func NewProgress(job *Job, stored []StepRow) *Progress {
	n := len(job.Steps)
	p := &Progress{
		job: job, index: make(map[string]int, n), rows: make([]StepRow, n), needs: make([]int, n), next: make([][]int, n),
	}
	for i := range job.Steps {
		p.index[job.Steps[i].Name] = i
		p.rows[i] = StepRow{Step: job.Steps[i].Name, State: StepWaiting}
	}
	p.restore(stored)
	for i := range job.Steps {
		for _, need := range job.Steps[i].Needs {
			from := p.index[need]
			p.next[from] = append(p.next[from], i)
			if !p.met(from) {
				p.needs[i]++
			}
		}
	}
	for i := range p.rows {
		switch p.rows[i].State {
		case StepWaiting:
			p.waiting++
			if i < n && p.needs[i] == 0 {
				p.ready = append(p.ready, i)
			}
		case StepRunning:
			if p.fans[i] == nil {
				p.live++
			}
		case StepFailed:
			if i < n {
				p.fail(i, Reason{Code: ReasonStepFailed, Detail: stepText(p.rows[i].Step) + "failed"})
			}
		}
	}
	p.resumeFans()
	return p
}

// Def returns the definition of a step; that of an item is its step's.
func (p *Progress) Def(i int) *Step {
	if n := len(p.job.Steps); i >= n {
		i = p.items[i-n].step
	}
	return &p.job.Steps[i]
}

// met reports whether the step satisfies what needs it.
func (p *Progress) met(i int) bool {
	switch p.rows[i].State {
	case StepSucceeded, StepSkipped:
		return true
	case StepFailed:
		return p.job.Steps[i].OnFailure == StepContinue
	}
	return false
}

// Rows returns every step as it stands, for PutSteps.
func (p *Progress) Rows() []StepRow { return p.rows }

// Step returns one step as it stands.
func (p *Progress) Step(i int) *StepRow { return &p.rows[i] }

// Index returns the ordinal of the step of that name, -1 when there is none.
func (p *Progress) Index(step string) int {
	if i, ok := p.index[step]; ok {
		return i
	}
	return -1
}

// TakeReady returns the steps that have become ready since it was last called, in order of definition for those found at once. Each is given
// out once; Release gives it out again.
func (p *Progress) TakeReady() []int {
	ready := p.ready
	p.ready = nil
	return ready
}

// TakeChanged returns the steps whose rows have changed since it was last called.
func (p *Progress) TakeChanged() []int {
	changed := p.changed
	p.changed = nil
	slices.Sort(changed)
	return slices.Compact(changed)
}

// Startable reports whether a step given out by TakeReady may still start: nothing has stopped the instance since.
func (p *Progress) Startable(i int) bool { return !p.stopped && p.rows[i].State == StepWaiting }

// Started records that an attempt of the step has begun.
func (p *Progress) Started(i int) {
	p.rows[i].State = StepRunning
	p.rows[i].Attempts++
	p.rows[i].NotBefore = time.Time{}
	p.waiting--
	p.live++
	p.changed = append(p.changed, i)
}

// Passed records that a step ended well without an attempt of its own taking time: type none, or a `when` that is false.
func (p *Progress) Passed(i int, state StepState) {
	p.rows[i].State = state
	p.waiting--
	p.changed = append(p.changed, i)
	p.passOn(i)
}

// Broken records that a step cannot even be tried: its `when` does not evaluate.
func (p *Progress) Broken(i int, reason Reason) {
	p.rows[i].State = StepFailed
	p.waiting--
	p.changed = append(p.changed, i)
	p.fail(i, reason)
	if p.Def(i).OnFailure == StepContinue {
		p.release(i)
	}
}

// Ended records the result of the step's attempt: the step has ended, waits for its next attempt, or stands lost.
func (p *Progress) Ended(i int, r Result) {
	row, step := &p.rows[i], p.Def(i)
	p.live--
	p.changed = append(p.changed, i)
	switch {
	case r.Outcome == OutcomeSucceeded:
		row.State, row.Outputs = StepSucceeded, r.Outputs
		p.passOn(i)
	case p.cancel != nil:
		row.State = StepCancelled
	case r.Outcome == OutcomeCancelled:
		// Ended by somebody, and not for the instance: what it was to do is not done, and to do it again was not asked for.
		row.State = StepFailed
		p.giveUp(i, Reason{Code: ReasonStepFailed, Detail: stepText(row.Step) + r.String()})
	case r.Outcome == OutcomeLost && p.job.OnLost == LostHold && !fault.Planted(fault.HoldRetries):
		row.State = StepWaiting
		p.waiting++
		p.lose(i, r)
	case r.Outcome == OutcomeLost:
		// The attempt counts, the retry policy does not: it is about failures that are known.
		row.State, row.NotBefore = StepWaiting, time.Time{}
		p.waiting++
		p.ready = append(p.ready, i)
	default:
		if wait, again := step.Action.Retry.Next(row.Attempts, r); again && !p.stopped {
			row.State, row.NotBefore = StepWaiting, r.EndedAt.Add(wait)
			p.waiting++
			p.ready = append(p.ready, i)
			return
		}
		row.State = StepFailed
		detail := stepText(row.Step) + r.String()
		if step.Action.Type != ActionJob || row.Attempts > 1 { // the job's own words say so
			detail += fmt.Sprintf(" after attempt %d", row.Attempts)
		}
		p.giveUp(i, Reason{Code: ReasonStepFailed, Detail: detail})
	}
}

// heldWords follow what is known of an attempt that is not tried again by itself.
const heldWords = ". onLost is hold, so a person decides: rerun does it again, force takes it as done, cancel as not done"

// lose stops the instance for a person to decide: the step may have done what it was to do, or not.
func (p *Progress) lose(i int, r Result) {
	p.stopped = true
	p.lost = &Reason{Code: ReasonLost, Detail: stepText(p.rows[i].Step) + r.String() + heldWords}
}

// Recall tells a progress that was rebuilt from its rows how the latest attempt of each waiting step ended: that one of them is lost and held stands in
// no other row.
func (p *Progress) Recall(latest map[string]Result) {
	if p.job.OnLost != LostHold {
		return
	}
	for i := range p.rows {
		row := &p.rows[i]
		if r, ok := latest[row.Step]; ok && row.State == StepWaiting && row.Attempts > 0 && r.Outcome == OutcomeLost {
			p.lose(i, r)
		}
	}
}

// fail applies the onFailure of a step that failed for good.
func (p *Progress) fail(i int, reason Reason) {
	switch p.job.Steps[i].OnFailure {
	case StepContinue:
		return
	case StepPause:
		p.paused, p.stopped = p.job.Steps[i].Name, true
	case StepFailSuccessors:
		p.failSuccessors(i)
	default:
		p.stopped = true
	}
	if p.failed == nil {
		p.failed = &reason
	}
}

// failSuccessors fails everything that needs the step, directly or not.
func (p *Progress) failSuccessors(i int) {
	for _, n := range p.next[i] {
		if p.rows[n].State == StepWaiting {
			p.rows[n].State = StepFailed
			p.waiting--
			p.changed = append(p.changed, n)
			p.failSuccessors(n)
		}
	}
}

// release makes ready what needed only this step.
func (p *Progress) release(i int) {
	for _, n := range p.next[i] {
		if p.needs[n]--; p.needs[n] == 0 && p.rows[n].State == StepWaiting {
			p.ready = append(p.ready, n)
		}
	}
}

// Cancel stops the instance: nothing further starts, and when what is live has ended it is cancelled for the reason.
func (p *Progress) Cancel(reason Reason) {
	p.cancel, p.stopped = &reason, true
}

// Outcome returns the event that ends the instance, once nothing of it lives or can still start. A paused instance stays running.
func (p *Progress) Outcome() (Event, Reason, bool) {
	if p.live > 0 {
		return "", Reason{}, false
	}
	switch {
	case p.cancel != nil:
		return Cancel, *p.cancel, true
	case p.lost != nil:
		return Lose, *p.lost, true
	case p.paused != "":
		return "", Reason{}, false
	case p.waiting > 0 && !p.stopped:
		return "", Reason{}, false
	case p.failed != nil:
		return Fail, *p.failed, true
	}
	return Succeed, Reason{Code: ReasonSucceeded}, true
}

// Paused names the step whose failure paused the instance, "" when it is not paused.
func (p *Progress) Paused() string { return p.paused }

// CancelRest marks what never started as cancelled, when the instance ends without it.
func (p *Progress) CancelRest() {
	for i := range p.rows {
		if p.rows[i].State == StepWaiting || p.rows[i].State == StepRunning && p.fans[i] != nil {
			p.rows[i].State = StepCancelled
			p.changed = append(p.changed, i)
		}
	}
	p.waiting = 0
}

// environment is what a step's `when` may name: the outcome and outputs of earlier steps, the parameters and the plan time.
func (p *Progress) environment(params map[string]string, planTime time.Time) map[string]any {
	steps := make(map[string]any, len(p.rows))
	for i := range p.rows {
		steps[p.rows[i].Step] = map[string]any{"outcome": string(p.rows[i].State), "outputs": p.rows[i].Outputs}
	}
	return map[string]any{"steps": steps, "params": params, "planTime": planTime}
}

func stepText(step string) string {
	if step == "" {
		return ""
	}
	return "step " + step + ": "
}
