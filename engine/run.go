package engine

import (
	"cmp"
	"time"
)

// A run is one running instance in the loop's working set.
type run struct {
	instance Instance
	job      *Job
	progress *Progress
	attempts map[int64]int  // live attempts: id → step
	numbers  map[string]int // attempts so far, of each step that had one in an earlier run of the instance
	again    map[string]int // how often each step succeeded in earlier runs
	ended    bool

	lists map[int][]string // the items of steps that run once for each, as far as they were asked for
}

// A liveAttempt is what the loop remembers of an attempt that it started or adopted.
type liveAttempt struct {
	run    *run
	step   int
	fence  int64  // under which its end is recorded
	action string // its type
	watch  *watch // of a step that holds no slot: it is no attempt yet

	outbox OutboxRow      // of an error action; run is nil then
	retry  RetryPolicy    // of an error action
	errand *startedErrand // of an error action
}

// number is the next attempt number of the step.
func (r *run) number(i int) int {
	row := r.progress.Step(i)
	return r.numbers[row.Step] + row.Attempts + 1
}

// stored reports whether the instance's steps are rows: a job with one plain action has no step row until there is something to remember
// that its attempts do not tell.
func (r *run) stored() bool {
	return len(r.job.Steps) > 1 || r.job.Steps[0].Name != "" || r.job.Steps[0].Action.Slotless()
}

// A readyStep is a step that can start as soon as there is a slot.
type readyStep struct {
	run  *run
	step int
}

// compareTurn orders what waits for a slot: priority (9 first), plan time, id.
func compareTurn(x, y *Instance) int {
	return cmp.Or(cmp.Compare(y.Priority, x.Priority), x.PlanTime.Compare(y.PlanTime), cmp.Compare(x.ID, y.ID))
}

// Before orders by turn, and steps of one instance by their order of definition.
func (s readyStep) Before(other readyStep) bool {
	by := compareTurn(&s.run.instance, &other.run.instance)
	return cmp.Or(by, cmp.Compare(s.step, other.step)) < 0
}

// A stepQueue is ready steps by turn.
type stepQueue = queue[readyStep]

// A delayedStep is a step whose next attempt is not due yet.
type delayedStep struct {
	at   time.Time
	step readyStep
}

// Before orders by time.
func (d delayedStep) Before(other delayedStep) bool { return d.at.Before(other.at) }

// A delayQueue is delayed steps by time.
type delayQueue = queue[delayedStep]

// takeDue returns the steps whose time has come by now.
func takeDue(q *delayQueue, now time.Time) []readyStep {
	var due []readyStep
	for q.Len() > 0 && !(*q)[0].at.After(now) {
		due = append(due, q.take().step)
	}
	return due
}
