package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault/effort"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web"
)

// faults builds the real binary once more, with a clock that a file moves.
var faults = sync.OnceValues(func() (string, error) { return buildProgram("almanac-faults", "-tags", "faults") })

func faultyProgram(t *testing.T) string {
	t.Helper()
	path, err := faults()
	require.NoError(t, err)
	return path
}

func TestTheClockThatAFileMovesIsInNoOtherBuild(t *testing.T) {
	t.Parallel()
	for binary, has := range map[string]bool{builtProgram(t): false, faultyProgram(t): true} {
		text, err := os.ReadFile(binary)
		require.NoError(t, err)
		for _, name := range []string{"ALMANAC_CLOCK_FILE", "ALMANAC_GAUGES_DIR"} {
			require.Equal(t, has, bytes.Contains(text, []byte(name)), "%s in %s", name, filepath.Base(binary))
		}
	}
}

// TestAClockThatRunsAtAnotherRate holds the other half of the clock file: from its modification on the server's clock drifts.
func TestAClockThatRunsAtAnotherRate(t *testing.T) {
	t.Parallel()
	binary := faultyProgram(t)
	clock := newClockFile(t)
	earliest := time.Now()
	require.NoError(t, os.WriteFile(clock.path, []byte("24h 60"), 0o600))
	latest := time.Now()
	s := newTorturedServer(t, binary, "workflow: work\njobs:\n  one: {trigger: manual, action: {type: none}}\n", clock.env())
	s.start()
	before := time.Since(latest)
	var status web.Status
	require.NoError(t, s.client().get(context.Background(), "status", nil, &status))
	after := time.Since(earliest)
	const blur = time.Second // the file's time is that of the kernel's last tick, sixty times as far away
	require.GreaterOrEqual(t, status.Now.Sub(latest.Add(24*time.Hour)), 60*before-blur)
	require.LessOrEqual(t, status.Now.Sub(earliest.Add(24*time.Hour)), 60*after+blur)
	s.stop()
}

// TestJumpsOfTheClock moves the clock of a running server, and of one that is killed and started again, across everything that makes days uneven. After each
// jump the jobs' due times are those of a walk over the clock that knows nothing of the server: each has one instance, none has two, and one that was
// missed by more than the misfire window is cancelled and says so.
func TestJumpsOfTheClock(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, c := range []struct {
		name  string
		zone  string
		begin string // RFC 3339
		jumps []time.Duration
	}{
		{"an hour on and back", "UTC", "2026-11-20T09:58:00Z", []time.Duration{time.Hour, -time.Hour, 2 * time.Hour}},
		{"three days on", "UTC", "2026-11-20T09:58:00Z", []time.Duration{3 * day, time.Hour}},
		{"three days back", "UTC", "2026-11-20T09:58:00Z", []time.Duration{-3 * day, 3*day + 2*time.Hour}},
		{"the hour that is missing in spring", "Europe/Berlin", "2027-03-28T01:20:00+01:00", []time.Duration{time.Hour, 3 * time.Hour}},
		{"the hour that comes twice in autumn, and back over it", "Europe/Berlin", "2026-10-25T01:20:00+02:00", []time.Duration{time.Hour, time.Hour, -2 * time.Hour, 4 * time.Hour}},
		{"a leap day", "America/New_York", "2028-02-28T23:20:00-05:00", []time.Duration{time.Hour, day, day}},
	} {
		for _, restarted := range []bool{false, true} {
			if !effort.Long() && restarted != (len(c.jumps)%2 == 0) {
				continue // each in one way
			}
			t.Run(fmt.Sprintf("%s, restarted %t", c.name, restarted), func(t *testing.T) {
				t.Parallel()
				begin, err := time.Parse(time.RFC3339, c.begin)
				require.NoError(t, err)
				jumpClock(t, c.zone, begin, c.jumps, restarted)
			})
		}
	}
}

const jumpWorkflow = `workflow: work
timeZone: %s
jobs:
  quarter: {cron: "*/15 * * * *", action: {type: none}, concurrency: 1000}
  shell: {cron: "30 * * * *", action: {type: shell, command: 'echo $ALMANAC_INSTANCE >> ran'}, concurrency: 1000}
  night: {cron: "30 2 * * *", action: {type: none}}
  latest: {cron: "10,40 * * * *", misfire: runLatest, action: {type: none}}
  prompt: {cron: "20 * * * *", misfire: skip, action: {type: none}}
  poke: {trigger: manual, action: {type: none}}
`

func jumpClock(t *testing.T, zone string, begin time.Time, jumps []time.Duration, restarted bool) {
	t.Helper()
	binary := faultyProgram(t)
	location, err := time.LoadLocation(zone)
	require.NoError(t, err)
	clock := newClockFile(t)
	offset := time.Until(begin)
	clock.set(offset)
	s := newTorturedServer(t, binary, fmt.Sprintf(jumpWorkflow, zone), clock.env())
	s.args = []string{"--clock-limit", "0"} // what a clock does that is believed
	s.start()
	created := s.created()
	latest, now := begin, begin
	for n, jump := range jumps {
		if restarted {
			s.kill()
		}
		offset += jump
		clock.set(offset)
		if restarted {
			s.start()
		} else {
			require.NoError(t, s.client().post(context.Background(), path("jobs", "work", "poke", "trigger"), nil, web.TriggerRequest{}, nil))
			poll(t, "the server to see the jump", func() bool { return len(s.recorded("clock-jump")) > n })
		}
		at := time.Now().Add(offset)
		now = at
		if at.After(latest) {
			latest = at
		}
		// What was due before the jump is not due again, and what is due by now ends.
		poll(t, fmt.Sprintf("everything that is due by %s", at.In(location)), func() bool {
			due := 0
			for _, i := range s.instances() {
				if !i.PlanTime.After(latest) {
					due++
					if !i.State.Ended() && !i.PlanTime.After(at) { // what was missed by a clock that was ahead is open again until its time comes
						return false
					}
				}
			}
			return due == len(walk(location, created, latest))
		})
	}
	all := s.instances()
	for name, want := range walk(location, created, latest) {
		i, ok := all[name]
		require.True(t, ok, "%s is lost", name)
		switch {
		case i.State == engine.Succeeded, i.State == engine.Waiting && want.After(now):
		case i.State == engine.Cancelled && i.Reason.Code == engine.ReasonMisfire:
			require.True(t, i.Ref.Job == "latest" || i.Ref.Job == "prompt" || latest.Sub(want) > 24*time.Hour, "%s was missed by less than its misfire window", name)
		default:
			t.Errorf("%s is %s: %s", name, i.State, i.Reason.Describe())
		}
		delete(all, name)
	}
	for name, i := range all {
		require.True(t, i.PlanTime.After(latest), "%s was never due", name)
	}
	ran := map[string]bool{}
	for _, instance := range s.lines("ran") {
		require.NotContains(t, ran, instance, "instance %s ran twice", instance)
		ran[instance] = true
	}
	for _, i := range s.instances() {
		if i.Ref.Job == "shell" && i.State == engine.Succeeded {
			require.Contains(t, ran, fmt.Sprint(i.ID), "%s has succeeded and never ran", i.Name())
		}
	}
	if !restarted {
		require.Len(t, s.recorded("clock-jump"), len(jumps))
	}
	s.stop()
	require.NoError(t, openRows(t, s.data).VerifyChain(context.Background()))
	nemesis := filepath.Join(t.TempDir(), "nemesis")
	require.NoError(t, os.WriteFile(nemesis, fmt.Appendf(nil, "%d clock\n", begin.UnixNano()), 0o600))
	out, err := exec.Command(checkerProgram(t), "--data", s.data, "--nemesis", nemesis, "--now", latest.UTC().Format(time.RFC3339)).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// checker builds the stand-alone checker once.
var checker = sync.OnceValues(func() (string, error) {
	plain, err := program()
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(plain), "chronocheck")
	if out, err := exec.Command("go", "build", "-o", path, "../chronocheck").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build chronocheck: %w\n%s", err, out)
	}
	return path, nil
})

func checkerProgram(t *testing.T) string {
	t.Helper()
	path, err := checker()
	require.NoError(t, err)
	return path
}

// created is when the jobs were recorded, by the server's clock.
func (s *torturedServer) created() time.Time {
	s.t.Helper()
	return createdIn(s.t, s.data)
}

func createdIn(t *testing.T, data string) (at time.Time) {
	t.Helper()
	db, err := store.Open(context.Background(), store.Config{Dir: data, ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.NoError(t, db.Read(context.Background(), func(v engine.View) error {
		jobs, err := v.Jobs()
		if err == nil {
			at = jobs[0].CreatedAt
		}
		return err
	}))
	return at
}

// walk goes through the minutes after from up to to, and returns what is due, by name. A named time that the clock jumps over is due where it lands, one that
// it shows twice is due the first time (`recurrence.md`); minutes of each hour are due in each hour that passes.
func walk(location *time.Location, from, to time.Time) map[string]time.Time {
	due := map[string]time.Time{}
	nights := map[string]bool{}
	// It begins more than a day earlier, so that it knows which named times have been.
	for at := from.Add(-26 * time.Hour).Truncate(time.Minute); !at.After(to); at = at.Add(time.Minute) {
		local := at.In(location)
		add := func(job string) {
			if !at.Before(from) {
				due[fmt.Sprintf("work/%s@%s", job, local.Format(time.RFC3339))] = at
			}
		}
		if date := local.Format(time.DateOnly); local.Hour()*60+local.Minute() >= 2*60+30 && !nights[date] {
			nights[date] = true
			add("night")
		}
		switch minute := local.Minute(); {
		case minute == 30:
			add("quarter")
			add("shell")
		case minute%15 == 0:
			add("quarter")
		case minute == 10 || minute == 40:
			add("latest")
		case minute == 20:
			add("prompt")
		}
	}
	return due
}
