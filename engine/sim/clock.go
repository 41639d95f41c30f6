package sim

import "time"

// A clock is what one node believes about time. The world's own time is the truth, which nobody sees.
type clock struct {
	epoch  time.Time     // the wall time at the beginning of the world
	offset time.Duration // of the wall clock; jumps change it
	rate   float64       // nanoseconds of the node in one true nanosecond, beyond 1: the drift
	base   time.Duration // true time when the rate was last set
	mono   time.Duration // the node's monotonic clock then
}

// monotonic is the node's monotonic clock at a true time. It drifts and never jumps.
func (c *clock) monotonic(t time.Duration) time.Duration {
	d := t - c.base
	return c.mono + d + time.Duration(float64(d)*c.rate)
}

// wall is the node's wall clock at a true time.
func (c *clock) wall(t time.Duration) time.Time {
	return c.epoch.Add(c.monotonic(t) + c.offset).Truncate(time.Microsecond)
}

// real is how long, in truth, the node takes to count d.
func (c *clock) real(d time.Duration) time.Duration {
	if c.rate == 0 {
		return d
	}
	return time.Duration(float64(d) / (1 + c.rate))
}

// drift sets the rate from a true time on.
func (c *clock) drift(t time.Duration, rate float64) {
	c.mono = c.monotonic(t)
	c.base, c.rate = t, rate
}
