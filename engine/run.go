package engine

import (
	"cmp"
	"container/heap"
	"time"
)

// A run is one running instance in the loop's working set.
type run struct {
	instance Instance
	job      *Job
	progress *Progress
	attempts map[int64]int  // live attempts: id → step
	numbers  map[string]int // attempts so far, of each step that had one in an earlier run of the instance
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

// compareTurn orders what waits for a slot: priority (9 first), plan time, id, order of definition.
func compareTurn(a, b readyStep) int {
	x, y := &a.run.instance, &b.run.instance
	return cmp.Or(cmp.Compare(y.Priority, x.Priority), x.PlanTime.Compare(y.PlanTime), cmp.Compare(x.ID, y.ID), cmp.Compare(a.step, b.step))
}

// A stepQueue is a heap of ready steps by turn.
type stepQueue []readyStep

func (q stepQueue) Len() int           { return len(q) }
func (q stepQueue) Less(i, j int) bool { return compareTurn(q[i], q[j]) < 0 }
func (q stepQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *stepQueue) Push(x any)        { *q = append(*q, x.(readyStep)) }
func (q *stepQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = readyStep{}
	*q = old[:len(old)-1]
	return last
}

func (q *stepQueue) add(s readyStep) { heap.Push(q, s) }

// A delayedStep is a step whose next attempt is not due yet.
type delayedStep struct {
	at   time.Time
	step readyStep
}

// A delayQueue is a heap of delayed steps by time.
type delayQueue []delayedStep

func (q *delayQueue) add(d delayedStep) { heap.Push(q, d) }

func (q delayQueue) Len() int           { return len(q) }
func (q delayQueue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q delayQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *delayQueue) Push(x any)        { *q = append(*q, x.(delayedStep)) }
func (q *delayQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = delayedStep{}
	*q = old[:len(old)-1]
	return last
}

// takeDue returns the steps whose time has come by now.
func (q *delayQueue) takeDue(now time.Time) []readyStep {
	var due []readyStep
	for q.Len() > 0 && !(*q)[0].at.After(now) {
		due = append(due, heap.Pop(q).(delayedStep).step)
	}
	return due
}
