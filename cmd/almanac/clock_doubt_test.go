package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault/effort"
	"github.com/almanac-sched/almanac/web"
)

const (
	doubted      = 61 * 24 * time.Hour
	doubtfulWork = `workflow: work
jobs:
  beat: {cron: "* * * * *", action: {type: none}}
  poke: {trigger: manual, action: {type: none}}
`
)

// A doubtful server is the real program with a clock that a file moves, and witnesses that another file tells.
type doubtful struct {
	*torturedServer
	clock   clockFile
	witness string
}

func newDoubtful(t *testing.T) *doubtful {
	d := &doubtful{clock: newClockFile(t), witness: filepath.Join(t.TempDir(), "witness")}
	d.torturedServer = newTorturedServer(t, faultyProgram(t), doubtfulWork, d.clock.env(), "ALMANAC_CLOCK_WITNESS="+d.witness)
	d.clock.set(0)
	return d
}

func (d *doubtful) says(words string) {
	d.t.Helper()
	next := d.witness + ".new"
	require.NoError(d.t, os.WriteFile(next, []byte(words), 0o600))
	require.NoError(d.t, os.Rename(next, d.witness))
}

func (d *doubtful) status() (s web.Status) {
	d.t.Helper()
	require.NoError(d.t, d.client().get(context.Background(), "status", nil, &s))
	return s
}

// answering reports whether the server answers, ready or not.
func (d *doubtful) answering() bool {
	f, ok := readServerFile(d.data)
	return ok && f.PID == d.cmd.Process.Pid && answers(f.Address+"/livez")
}

// held waits until the server says that it does not believe its clock, everywhere where it says how it is.
func (d *doubtful) held() {
	d.t.Helper()
	poll(d.t, "the doubt", func() bool { return d.answering() && !d.status().Ready })
	status := d.status()
	require.Contains(d.t, status.NotReady, "almanac clock confirm")
	clock := ""
	for _, a := range status.Aspects {
		if a.Aspect == "clock" {
			require.False(d.t, a.OK)
			clock = a.Detail
		}
	}
	require.Contains(d.t, clock, "nothing is planned or started")
	f, ok := readServerFile(d.data)
	require.True(d.t, ok)
	r, err := http.Get(f.Address + "/readyz")
	require.NoError(d.t, err)
	defer r.Body.Close()
	require.Equal(d.t, http.StatusServiceUnavailable, r.StatusCode)
	poll(d.t, "the line in the history", func() bool { return len(d.recorded("clock-held")) > 0 })
	require.Less(d.t, time.Since(status.Now).Abs(), time.Hour, "the server goes by the time that it knows")
}

// untouched demands that nothing is planned, cancelled or started by the wrong time.
func (d *doubtful) untouched() {
	d.t.Helper()
	for name, i := range d.instances() {
		require.Less(d.t, time.Until(i.PlanTime), 60*time.Hour, "%s is planned too early", name)
		require.NotEqual(d.t, engine.ReasonMisfire, i.Reason.Code, "%s was cancelled by a clock that lies", name)
	}
}

func (d *doubtful) works() {
	d.t.Helper()
	poll(d.t, "the work to go on", d.ready)
	require.NoError(d.t, d.client().post(context.Background(), path("jobs", "work", "poke", "trigger"), nil, web.TriggerRequest{}, nil))
	poll(d.t, "what is triggered", func() bool {
		open := false
		for _, i := range d.instances() {
			open = open || i.Ref.Job == "poke" && !i.State.Ended()
		}
		return !open
	})
}

// TestAClockThatLies moves the clock of a running server two months on, and back: it silenced the schedule for two months.
func TestAClockThatLies(t *testing.T) {
	t.Parallel()
	d := newDoubtful(t)
	d.start()
	d.works()
	d.clock.set(doubted)
	d.held()
	d.untouched()
	d.clock.set(0)
	d.works()
	d.untouched()
	require.Len(t, d.recorded("clock-believed"), 1)
	d.stop()
	require.NoError(t, openRows(t, d.data).VerifyChain(context.Background()))
}

// TestAClockThatATimeServerVouchesFor needs nobody.
func TestAClockThatATimeServerVouchesFor(t *testing.T) {
	t.Parallel()
	d := newDoubtful(t)
	d.start()
	d.clock.set(3 * 24 * time.Hour)
	d.held()
	d.says("synced")
	d.works()
	require.Greater(t, time.Until(d.status().Now), 70*time.Hour)
	d.stop()
}

// TestAClockThatAPersonConfirms is believed from then on; when it turns out wrong and comes back, what it had cancelled is open again, and what it had
// planned is withdrawn.
func TestAClockThatAPersonConfirms(t *testing.T) {
	t.Parallel()
	d := newDoubtful(t)
	d.start()
	days := effort.Of(2, 5)
	d.clock.set(time.Duration(days) * 24 * time.Hour)
	d.held()
	var confirmed web.ClockConfirmed
	require.NoError(t, d.client().post(context.Background(), path("clock", "confirm"), nil, web.NoteRequest{Note: "it is right"}, &confirmed))
	d.works()
	events := d.recorded("clock-confirm")
	require.Len(t, events, 1)
	require.Contains(t, events[0].Reason.Detail, "it is right")
	require.NotEmpty(t, events[0].Actor)
	require.Error(t, d.client().post(context.Background(), path("clock", "confirm"), nil, web.NoteRequest{}, nil), "it is believed")
	missed := func() (n int) {
		for _, i := range d.instances() {
			if i.Reason.Code == engine.ReasonMisfire {
				n++
			}
		}
		return n
	}
	poll(t, "what a clock does that is believed", func() bool { return missed() > (days-1)*24*60-100 })

	d.clock.set(0) // it was wrong
	soon := time.Now().Add(26 * time.Hour)
	poll(t, "all that is near to be open again", func() bool {
		for _, i := range d.instances() {
			if i.Reason.Code == engine.ReasonMisfire && i.PlanTime.Before(time.Now().Add(2*time.Hour)) {
				return false
			}
		}
		return true
	})
	for name, i := range d.instances() {
		require.False(t, i.State == engine.Waiting && i.PlanTime.After(soon.Add(54*time.Hour)), "%s is planned too early", name)
	}
	require.NotEmpty(t, d.recorded("clock-reopened"))
	require.NotEmpty(t, d.recorded("clock-withdrawn"))
	d.works()
	d.stop()
	a := &app{stdout: os.Stderr, stderr: os.Stderr}
	r, err := a.verify(context.Background(), d.data, 0)
	require.NoError(t, err)
	require.Empty(t, r.Examples)
}

// TestAServerThatWasOff is the hard case: what was recorded last is days old, and that alone proves nothing.
func TestAServerThatWasOff(t *testing.T) {
	t.Parallel()
	const off = 3 * 24 * time.Hour
	for _, c := range []struct {
		name    string
		witness string
		held    bool
	}{
		{"on the same boot, whose clock disagrees", "", true},
		{"on another boot, and nobody vouches", "boot-2", true},
		{"on another boot, and a time server vouches", "boot-2 synced", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDoubtful(t)
			d.start()
			d.works()
			d.kill()
			d.clock.set(off)
			d.says(c.witness)
			require.NoError(t, os.WriteFile(d.file("work.yaml"), []byte(doubtfulWork+"  new: {cron: \"* * * * *\", action: {type: none}}\n"), 0o644))
			d.launch()
			added := func() bool {
				for _, i := range d.instances() {
					if i.Ref.Job == "new" {
						return true
					}
				}
				return false
			}
			if c.held {
				d.held()
				d.untouched()
				require.False(t, added(), "a definition that is new counts from a time that is believed")
				require.NoError(t, d.client().post(context.Background(), path("clock", "confirm"), nil, web.NoteRequest{}, nil))
			}
			d.works()
			poll(t, "the new definition", added)
			for name, i := range d.instances() {
				if i.Ref.Job == "new" {
					require.Greater(t, time.Until(i.PlanTime), off-time.Hour, "%s was never due", name)
				}
			}
			d.stop()
		})
	}
}

// TestTheMachineOfThisTest reads the real clocks: whatever they say, a server that begins now believes them.
func TestTheMachineOfThisTest(t *testing.T) {
	t.Parallel()
	first := readMachine()
	second := readMachine()
	require.NotEmpty(t, first.Boot)
	require.Equal(t, first.Boot, second.Boot)
	require.GreaterOrEqual(t, second.Up, first.Up)
	text, err := json.Marshal(engine.ClockMark{At: first.Wall.UTC(), Boot: first.Boot, Up: first.Up})
	require.NoError(t, err)
	require.Contains(t, string(text), fmt.Sprintf("%q", first.Boot))
}
