package engine

import (
	"slices"
	"time"
)

// DurationView tells how long instances took.
type DurationView interface {
	// Durations lists how long the latest runs of the job with that key took that succeeded in one go, from start to end, newest plan time first, then the
	// latest run, at most limit: with "" those that were scheduled. An earlier run of an instance counts as its last one does. A run that another server
	// took over is left out: that takes time that the job does not.
	Durations(job int64, key string, limit int) ([]time.Duration, error)
}

// durationsLookedAt is how many past instances an estimate is made of: a month of a daily job.
const durationsLookedAt = 30

// An Estimate is how long an instance of a job will probably take.
type Estimate struct {
	Median time.Duration
	High   time.Duration // nine of ten took no longer
	Of     int           // past instances that it is made of; 0 is none, and nothing is known
}

// EstimateOf makes an estimate of past durations, in any order.
func EstimateOf(past []time.Duration) Estimate {
	if len(past) == 0 {
		return Estimate{}
	}
	sorted := slices.Sorted(slices.Values(past))
	last := len(sorted) - 1
	return Estimate{Median: sorted[last/2], High: sorted[last*9/10], Of: len(sorted)}
}

// EstimateDuration estimates by what was scheduled of the job.
func EstimateDuration(v DurationView, job int64) (Estimate, error) {
	past, err := v.Durations(job, "", durationsLookedAt)
	return EstimateOf(past), wrap(err, "read how long job %d took", job)
}

// EstimateInBackfill estimates by what the backfill itself has run of the job and, where that is less than an estimate is made of, by what was scheduled:
// it may be the first that runs the job at all.
func EstimateInBackfill(v DurationView, job int64, key string) (Estimate, error) {
	past, err := v.Durations(job, key, durationsLookedAt)
	if err == nil && len(past) < durationsLookedAt {
		var scheduled []time.Duration
		scheduled, err = v.Durations(job, "", durationsLookedAt-len(past))
		past = append(past, scheduled...)
	}
	return EstimateOf(past), wrap(err, "read how long job %d took", job)
}
