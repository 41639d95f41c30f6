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

	// KeyedDurations lists the same of instances that were not scheduled: of backfills, and of what
	// was triggered. Of many it may list others than the latest. Those that ended after by are left
	// out; the zero time leaves out none.
	KeyedDurations(job int64, by time.Time, limit int) ([]time.Duration, error)
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

// EstimateDuration estimates by what was scheduled of the job and, where that is less than an
// estimate is made of, by what was backfilled and triggered. Whoever says how long an instance
// takes asks here: explanations, simulations, days, calendars and alerts say the same.
func EstimateDuration(v DurationView, job int64) (Estimate, error) {
	past, err := scheduledAndKeyed(v, job, nil)
	return EstimateOf(past), wrap(err, "read how long job %d took", job)
}

// EstimateInBackfill estimates by what the backfill itself has run of the job and, where that is less than an estimate is made of, as outside of one:
// it may be the first that runs the job at all.
func EstimateInBackfill(v DurationView, job int64, key string) (Estimate, error) {
	past, err := v.Durations(job, key, durationsLookedAt)
	if err == nil {
		past, err = scheduledAndKeyed(v, job, past)
	}
	return EstimateOf(past), wrap(err, "read how long job %d took", job)
}

// scheduledAndKeyed adds to what is known as many as are missing. Of a backfill that is known
// nothing is counted twice: then only what was scheduled is added.
func scheduledAndKeyed(v DurationView, job int64, known []time.Duration) ([]time.Duration, error) {
	past := known
	if left := durationsLookedAt - len(past); left > 0 {
		scheduled, err := v.Durations(job, "", left)
		if err != nil {
			return nil, err
		}
		past = append(past, scheduled...)
	}
	if left := durationsLookedAt - len(past); left > 0 && len(known) == 0 {
		keyed, err := v.KeyedDurations(job, time.Time{}, left)
		if err != nil {
			return nil, err
		}
		past = append(past, keyed...)
	}
	return past, nil
}
