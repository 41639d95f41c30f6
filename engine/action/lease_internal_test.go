package action

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnInstantIsADateAsItIsNow(t *testing.T) {
	require.Zero(t, instantOf(time.Time{}))
	require.Equal(t, instant(1), instantOf(time.Unix(0, 1)), "before the machine started is long ago, and still a time")
	date := time.Now().Add(time.Minute).Round(0) // as it comes from a database: without a monotonic reading
	require.InDelta(t, time.Minute, instantOf(date).left(), float64(time.Second))
}

func TestTheTermsOfALease(t *testing.T) {
	require.Zero(t, lease{}.trusted())
	require.Zero(t, lease{}.last())
	require.False(t, lease{}.over())
	l := lease{Until: machineClock().plus(time.Minute), Margin: DefaultMargin}
	require.Equal(t, 10*time.Second, time.Duration(l.Until-l.trusted()))
	require.Equal(t, 2*time.Second, time.Duration(l.Until-l.last()))
	require.False(t, l.over())
	l.Until = machineClock().plus(DefaultMargin)
	require.True(t, l.over())
	l.Until = 1
	require.True(t, l.over(), "a margin that reaches before the machine's start")
	require.NotZero(t, l.trusted())
}

func TestAnAlarmThatIsMoved(t *testing.T) {
	rang := make(chan instant, 4)
	ring := func() { rang <- machineClock() }
	now := machineClock()
	a := newAlarm(now.plus(time.Hour), ring)
	a.move(now.plus(10 * time.Millisecond))
	require.GreaterOrEqual(t, <-rang, now.plus(10*time.Millisecond))
	a.move(machineClock())

	// An alarm that is silenced too late may ring: then it is another one that must not.
	silenced := func(silence func(*alarm)) <-chan instant {
		for {
			mine := make(chan instant, 1)
			at := machineClock().plus(20 * time.Millisecond)
			silence(newAlarm(at, func() { mine <- machineClock() }))
			if machineClock() < at {
				return mine
			}
		}
	}
	moved := silenced(func(a *alarm) { a.move(0) })
	stopped := silenced(func(a *alarm) { a.stop() })
	(*alarm)(nil).stop()

	// Longer than one nap: it looks in between.
	began := machineClock()
	newAlarm(began.plus(longestNap+50*time.Millisecond), ring)
	require.GreaterOrEqual(t, <-rang, began.plus(longestNap+50*time.Millisecond))
	require.Empty(t, rang, "each rings once")
	require.Empty(t, moved, "and only if it is meant to")
	require.Empty(t, stopped, "and only if it is meant to")
}
