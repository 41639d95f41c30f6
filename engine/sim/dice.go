package sim

import (
	"math/rand/v2"
	"time"
)

// dice is a stream of random choices. Each concern of a world has a stream of its own, so that one more choice here does not change all others.
type dice struct{ *rand.Rand }

// The streams of a world.
const (
	streamShape uint64 = iota + 1
	streamJobs
	streamNemesis
	streamNetwork
	streamStore
	streamOperator
	streamBackfills
	streamWatches
	streamAlerts
	streamReviews
	streamRequests
	streamClock
)

func newDice(seed, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} }

// chance is true with the probability p.
func (d dice) chance(p float64) bool { return p > 0 && d.Float64() < p }

// between returns a duration in [low, high], of whole milliseconds.
func (d dice) between(low, high time.Duration) time.Duration {
	if high <= low {
		return low
	}
	return low + time.Duration(d.Int64N(int64((high-low)/time.Millisecond)+1))*time.Millisecond
}

// about returns a duration around mean, exponentially distributed and at most eight times it.
func (d dice) about(mean time.Duration) time.Duration {
	return time.Duration(min(8, d.ExpFloat64())*float64(mean)).Truncate(time.Millisecond) + time.Millisecond
}

// in returns an integer in [low, high].
func (d dice) in(low, high int) int { return low + d.IntN(high-low+1) }

// pick returns one element of a list.
func pick[T any](d dice, list ...T) T { return list[d.IntN(len(list))] }
