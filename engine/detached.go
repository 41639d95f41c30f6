package engine

import (
	"fmt"
	"slices"
	"time"
)

// The rules of waits that are open although they hold no plan time.
const (
	RuleDetached  = "detached"  // a person has taken an instance out of the set: that of the window, which is one plan time
	RuleRetention = "retention" // of a rerun: what it waited for had ended, and retention has removed it
)

// detachedMark says that a person has taken the instance of a plan time out of the set of a dependency, so that it stays out when the set is found anew.
func detachedMark(w Wait, at time.Time) Wait {
	w.First, w.Last, w.Count, w.Rule = time.Time{}, time.Time{}, 0, RuleDetached
	w.WindowFrom, w.WindowTo, w.Closed = at, at, "both"
	return w
}

// detachedAt reports whether the wait is such a mark.
func (w *Wait) detachedAt() bool {
	return w.Rule == RuleDetached && w.Count == 0 && !w.WindowFrom.IsZero() && w.WindowFrom.Equal(w.WindowTo)
}

// detachedTimes lists what a person has taken out of a dependency.
func detachedTimes(waits []Wait) (times []time.Time) {
	for n := range waits {
		if waits[n].detachedAt() && waits[n].Key == "" {
			times = append(times, waits[n].WindowFrom)
		}
	}
	return times
}

// detachedFrom puts the rows of a dependency together: what is left of its set, and behind it what was taken out. It asks for as many as there still are.
func detachedFrom(left, marks []Wait) []Wait {
	count := countOf(left)
	if count == 0 {
		left = slices.DeleteFunc(left, func(w Wait) bool { return w.Rule != RuleDetached })
	}
	for n := range left {
		if k := wantedOf(left[n].Select); k > count && count > 0 {
			left[n].Select = fmt.Sprint(count)
		}
	}
	return append(left, marks...)
}
