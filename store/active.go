package store

import "github.com/almanac-sched/almanac/engine"

// mostActive bounds how many jobs a transaction remembers the running instances of.
const mostActive = 10_000

// ActiveCount counts the instances of the job in state running. A transaction asks the rows once for each job, at the cost of what runs of it, and keeps the
// answer in step with its own transitions, which nothing else can come between: ten thousand instances that begin together count ten thousand rows, and not
// each of them all that have begun before.
func (t *tx) ActiveCount(job int64) (int, error) {
	if n, known := t.active[job]; known && t.s.broken == nil {
		return n, nil
	}
	n, err := t.view.ActiveCount(job)
	if err != nil {
		return 0, err
	}
	if t.active == nil || len(t.active) >= mostActive {
		t.active = map[int64]int{}
	}
	t.active[job] = n
	return n, nil
}

// moved keeps the count in step with a transition that was made.
func (t *tx) moved(job int64, from, to engine.State) {
	n, known := t.active[job]
	switch {
	case !known || from == to:
	case to == engine.Running:
		t.active[job] = n + 1
	case from == engine.Running:
		t.active[job] = n - 1
	}
}
