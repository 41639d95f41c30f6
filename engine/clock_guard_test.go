package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func TestAClockIsBelievedByASecondSource(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	const hour, day = time.Hour, 24 * time.Hour
	mark := engine.ClockMark{At: start, Boot: "a", Up: 5 * hour}
	for _, c := range []struct {
		name    string
		mark    engine.ClockMark
		reading engine.ClockReading
		held    bool
		now     time.Time
	}{
		{"a directory without a past", engine.ClockMark{}, engine.ClockReading{Wall: start.Add(900 * day), Boot: "z"}, false, start.Add(900 * day)},
		{"time goes on", mark, engine.ClockReading{Wall: start.Add(time.Minute), Boot: "a", Up: 5*hour + time.Minute}, false, start.Add(time.Minute)},
		{"a laptop was asleep for a weekend", mark, engine.ClockReading{Wall: start.Add(2 * day), Boot: "a", Up: 5*hour + 2*day}, false, start.Add(2 * day)},
		{"the server was off for a weekend, the machine not", mark, engine.ClockReading{Wall: start.Add(3 * day), Boot: "a", Up: 5*hour + 3*day - time.Minute}, false, start.Add(3 * day)},
		{"a jump within the limit", mark, engine.ClockReading{Wall: start.Add(hour), Boot: "a", Up: 5 * hour}, false, start.Add(hour)},
		{"a jump beyond it", mark, engine.ClockReading{Wall: start.Add(61 * day), Boot: "a", Up: 5*hour + time.Second}, true, start.Add(time.Second)},
		{"the same, and a time server vouches", mark, engine.ClockReading{Wall: start.Add(61 * day), Boot: "a", Up: 5*hour + time.Second, Synced: true}, false, start.Add(61 * day)},
		{"the machine was off for a weekend", mark, engine.ClockReading{Wall: start.Add(3 * day), Boot: "b", Up: time.Minute}, true, start},
		{"the same, and a time server vouches", mark, engine.ClockReading{Wall: start.Add(3 * day), Boot: "b", Up: time.Minute, Synced: true}, false, start.Add(3 * day)},
		{"a quick start of the machine", mark, engine.ClockReading{Wall: start.Add(10 * time.Minute), Boot: "b", Up: time.Minute}, false, start.Add(10 * time.Minute)},
		{"a clock that goes back", mark, engine.ClockReading{Wall: start.Add(-61 * day), Boot: "a", Up: 5 * hour}, false, start.Add(-61 * day)},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := engine.NewClockGuard(hour, func() engine.ClockReading { return c.reading })
			g.Begin(c.mark)
			require.Equal(t, c.now, g.Now().UTC())
			require.Equal(t, c.held, g.Held() != nil)
			_, believed := g.Mark()
			require.Equal(t, !c.held, believed)
			every := engine.NewClockGuard(0, func() engine.ClockReading { return c.reading })
			every.Begin(c.mark)
			require.Equal(t, c.reading.Wall, every.Now(), "a limit of 0 believes every clock")
		})
	}
}

// A clock that is not believed goes on by the other clock, and is believed when it has come back.
func TestTimeGoesOnWhileAClockIsNotBelieved(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	r := engine.ClockReading{Wall: start, Boot: "a"}
	g := engine.NewClockGuard(time.Hour, func() engine.ClockReading { return r })
	require.Equal(t, start, g.Now())
	pass := func(d time.Duration) { r.Wall, r.Up = r.Wall.Add(d), r.Up+d }
	pass(time.Minute)
	r.Wall = r.Wall.AddDate(0, 2, 0)
	require.Equal(t, start.Add(time.Minute), g.Now())
	pass(5 * time.Hour)
	require.Equal(t, start.Add(time.Minute+5*time.Hour), g.Now())
	require.True(t, g.Held().Known)
	require.Contains(t, g.Held().String(), engine.ClockRemedy)
	r.Boot, r.Up = "b", 0 // the machine is started again, in doubt: nobody knows how long it was off
	require.Equal(t, start.Add(time.Minute+5*time.Hour), g.Now())
	pass(time.Minute)
	require.Equal(t, start.Add(2*time.Minute+5*time.Hour), g.Now())
	require.False(t, g.Held().Known)
	r.Wall = start.Add(6 * time.Hour)
	require.Equal(t, r.Wall, g.Now())
	require.Nil(t, g.Held())
}
