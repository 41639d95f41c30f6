package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func TestHealthTellsTheTruth(t *testing.T) {
	d := newDesk(t)
	rows := &faulty{Store: d.db}
	e, _ := d.server("a", rows, false)
	d.load(e, hourly)
	require.ErrorContains(t, e.Health(d.now), "taken over")
	d.step(e)
	require.NoError(t, e.Health(d.now))
	require.NoError(t, e.Health(d.now.Add(time.Minute)))
	require.ErrorContains(t, e.Health(d.now.Add(61*time.Second)), "the last turn of the loop was 1m1s ago")

	rows.before = fmt.Errorf("locked by another process: %w", engine.ErrUnavailable)
	next, _, err := e.Step(t.Context(), d.now)
	require.NoError(t, err)
	require.ErrorContains(t, e.Health(d.now), "locked by another process")
	d.now = next
	d.step(e)
	require.NoError(t, e.Health(d.now))
}

// A disk that is nearly full stops what is to be started, says so, and lets it go on by itself.
func TestALowDiskHoldsAndLetsGo(t *testing.T) {
	d := newDesk(t)
	low := false
	h := &hand{}
	e, err := engine.New(d.config("a", h, func(c *engine.Config) {
		c.DiskLow = func() (string, bool) { return "3 MiB are free", low }
	}))
	require.NoError(t, err)
	d.load(e, hourly)
	d.step(e)
	low = true
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step(e)
	require.Empty(t, h.started)
	require.Equal(t, "3 MiB are free", e.Held())
	i, _ := d.instance("load", 1)
	require.Equal(t, engine.ReasonDisk, i.Reason.Code)

	low = false
	d.now = d.now.Add(30 * time.Second)
	d.step(e)
	require.Len(t, h.started, 2)
	require.Empty(t, e.Held())
	var kinds []string
	events, err := d.db.Events(t.Context(), 0, 0, 500)
	require.NoError(t, err)
	for _, event := range events {
		if event.Kind == "disk-low" || event.Kind == "disk-free" {
			kinds = append(kinds, event.Kind)
		}
	}
	require.Equal(t, []string{"disk-low", "disk-free"}, kinds)
}

// The clock of the machine is set back by three days: nothing that happened happens again, a retry that was due in a minute does not wait for three
// days, and the jump is in the history.
func TestAClockThatIsSetBack(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z"}
jobs:
  load: {recurrence: {frequency: hour}, action: {type: shell, command: "true", retryPolicy: {retryType: fixed, retryInterval: PT1M, retryCount: 3}}}
`)
	d.step(e)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step(e)
	require.Len(t, h.started, 1)
	id := h.started[0].ID
	h.done[id](engine.Result{Attempt: id, Outcome: engine.OutcomeFailed, Message: "exit 1", StartedAt: d.now, EndedAt: d.now})
	d.step(e)

	d.now = d.now.AddDate(0, 0, -3)
	d.step(e)
	require.Len(t, h.started, 1)
	d.now = d.now.Add(time.Minute)
	d.step(e)
	require.Len(t, h.started, 2, "the retry")
	require.Equal(t, h.started[0].Instance, h.started[1].Instance)
	h.end(h.started[1].ID, d.now)
	for range 60 {
		d.now = d.now.Add(time.Hour)
		d.step(e)
		require.Len(t, h.started, 2, "every hour up to the old time has had its instance")
	}
	events, err := d.db.Events(t.Context(), 0, 0, 500)
	require.NoError(t, err)
	jumps := 0
	for _, event := range events {
		if event.Kind == "clock-jump" {
			require.Contains(t, event.Reason.Detail, "-72h")
			jumps++
		}
	}
	require.Equal(t, 1, jumps)
}

// A record that cannot be read costs the instance that needs it and nothing else: the server starts and runs the others.
func TestADamagedDefinitionStopsOnlyItsOwn(t *testing.T) {
	d := newDesk(t)
	a, _ := d.server("a", d.db, false)
	d.load(a, hourly)
	d.step(a)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step(a)
	damaged, _ := d.instance("load", 1)

	h := &hand{}
	b, err := engine.New(d.config("b", h, func(c *engine.Config) {
		decode := c.Decode
		c.Decode = func(definition []byte, folder string) (*engine.Job, error) {
			if strings.Contains(string(definition), `"load"`) {
				return nil, errors.New("unexpected end of input")
			}
			return decode(definition, folder)
		}
	}))
	require.NoError(t, err)
	d.step(b)
	after, attempts := d.instance("load", 1)
	require.Equal(t, engine.Failed, after.State)
	require.Equal(t, engine.ReasonDefinition, after.Reason.Code)
	require.Equal(t, engine.OutcomeLost, attempts[0].Result.Outcome)
	require.Greater(t, after.Fence, damaged.Fence)
	require.Len(t, h.started, 1, "pair goes on")
}
