package engine

import (
	"cmp"
	"time"
)

// stepShare is how the duration of an instance is shared out among its steps: each on the longest chain of needs takes the same, so that an instance that
// gets its slots at once takes as long as it is said to.
type stepShare struct{ chain int }

func shareOf(j *Job) stepShare {
	index := make(map[string]int, len(j.Steps))
	for i := range j.Steps {
		index[j.Steps[i].Name] = i
	}
	depth := make([]int, len(j.Steps)) // 0 is not known
	var measure func(i int) int
	measure = func(i int) int {
		if depth[i] > 0 {
			return depth[i] - 1
		}
		most := 0
		for _, need := range j.Steps[i].Needs {
			most = max(most, measure(index[need]))
		}
		if j.Steps[i].Action.Type != ActionNone {
			most++
		}
		depth[i] = most + 1
		return most
	}
	longest := 1
	for i := range j.Steps {
		longest = max(longest, measure(i))
	}
	return stepShare{longest}
}

// perform takes an attempt for done when its time is up.
func (p *play) perform(now time.Time, s startedStep) {
	i := &s.run.instance
	at := playPlace{i.Ref, i.PlanTime.UnixMilli()}
	share := time.Duration(p.steps[i.Ref].chain)
	takes := p.takes(i.Ref) / share
	if by, ok := of(p.delays, at); ok {
		takes += by / share
	}
	action := &s.run.progress.Def(s.step).Action
	result := Result{Attempt: s.attempt, Outcome: OutcomeSucceeded, StartedAt: now}
	if first, ok := of(p.fails, at); ok && (first == 0 || s.number <= first) {
		code := 1
		if len(action.Retry.On) > 0 {
			code = action.Retry.On[0] // a failure that is worth another attempt
		}
		result.Outcome, result.Exit, result.Message = OutcomeFailed, &code, "made to fail"
	}
	if action.Timeout > 0 && takes > action.Timeout {
		takes, result.Outcome, result.Exit, result.Message = action.Timeout, OutcomeTimeout, nil, "timeout"
	}
	p.ends.add(end(now, takes, result))
}

// takes is how long an instance of the job runs. One that does nothing runs for no time, unless it is said to.
func (p *play) takes(ref JobRef) time.Duration {
	d := p.Duration(ref)
	if n, _ := p.Planner.find(ref); d.Source != DurationGiven && p.Planner.Jobs()[n].Instantaneous() {
		return 0
	}
	return d.Duration
}

func end(now time.Time, takes time.Duration, r Result) attemptEnd {
	r.EndedAt = now.Add(takes.Truncate(time.Millisecond))
	return attemptEnd{r.EndedAt, r}
}

// Start takes an error action for delivered when its time is up; of all other attempts perform is asked.
func (p *play) Start(a Attempt, _ func(Result)) {
	p.ends.add(end(p.now, p.Errand, Result{Attempt: a.ID, Outcome: OutcomeSucceeded, StartedAt: p.now}))
}

// Cancel ends an attempt at once.
func (p *play) Cancel(attempt int64) {
	for i := range p.ends {
		if e := &p.ends[i]; e.result.Attempt == attempt {
			e.at, e.result.EndedAt, e.result.Outcome, e.result.Exit, e.result.Message = p.now, p.now, OutcomeCancelled, nil, ""
			p.ends.moved(i)
			return
		}
	}
}

// Renew has nothing to keep alive.
func (p *play) Renew([]int64, time.Time) {}

// Adopt knows of nothing.
func (p *play) Adopt(attempts []int64, _ func(Result)) (unknown, unbegun []int64) {
	return attempts, nil
}

// attemptEnd is when an attempt will have ended, and how.
type attemptEnd struct {
	at     time.Time
	result Result
}

// Before orders by time, then by attempt.
func (e attemptEnd) Before(other attemptEnd) bool {
	return cmp.Or(e.at.Compare(other.at), cmp.Compare(e.result.Attempt, other.result.Attempt)) < 0
}

// An endQueue is ends by time, and at one time by attempt.
type endQueue = queue[attemptEnd]
