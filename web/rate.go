package web

import (
	"math"
	"strconv"
	"sync"
	"time"
)

// A rateLimit is a token bucket a principal. Only principals whose token was found have one, so that strangers cannot fill the table.
type rateLimit struct {
	perSecond, burst float64

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	left float64
	at   time.Time
}

func newRateLimit(l Limits) *rateLimit {
	return &rateLimit{perSecond: l.PerSecond, burst: float64(l.Burst), buckets: map[string]bucket{}}
}

// take counts one request of a principal. When it is one too many, it returns how long to wait, and false.
func (l *rateLimit) take(name string, now time.Time) (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, known := l.buckets[name]
	if !known {
		b.left = l.burst
	} else if passed := now.Sub(b.at); passed > 0 {
		b.left = min(l.burst, b.left+passed.Seconds()*l.perSecond)
	}
	b.at = now
	if b.left < 1 {
		l.buckets[name] = b
		return time.Duration((1 - b.left) / l.perSecond * float64(time.Second)), false
	}
	b.left--
	l.buckets[name] = b
	return 0, true
}

// retryAfter is a wait in whole seconds, rounded up, as the header has it.
func retryAfter(wait time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(wait.Seconds()))))
}
