package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// eachSecond lists so many seconds from a time on, as a definition has them.
func eachSecond(from time.Time, seconds int) string {
	var at []string
	for n := range seconds {
		at = append(at, fmt.Sprintf("%q", from.Add(time.Duration(n)*time.Second).Format(time.RFC3339)))
	}
	return strings.Join(at, ", ")
}

// pausedWork is jobs of which each instance takes a moment, due in each of so many seconds from the time on.
func pausedWork(seconds int) func(from time.Time) string {
	return func(from time.Time) string {
		return fmt.Sprintf(`workflow: work
defaults: {at: [%s], concurrency: 20}
jobs:
  load: {action: {type: shell, command: 'echo $ALMANAC_INSTANCE.$ALMANAC_ATTEMPT >> begun; sleep 0.7; echo $ALMANAC_INSTANCE.$ALMANAC_ATTEMPT >> ended'}}
  check: {dependsOn: [{job: load, window: {from: PT0S, to: PT0S, closed: both}}], action: {type: shell, command: 'exit 3'}}
  join: {action: {type: none}}
`, eachSecond(from, seconds))
	}
}

// holdPausedWork waits for the end of every instance and holds it against what the commands did: each ran once, in one attempt, with its true exit.
func (s *torturedServer) holdPausedWork(seconds int) {
	s.t.Helper()
	poll(s.t, "the end of all", func() bool {
		all := s.instances()
		for _, i := range all {
			if !i.State.Ended() {
				return false
			}
		}
		return len(all) == 3*seconds
	})
	for name, i := range s.instances() {
		attempts := s.attempts(i.ID)
		require.Len(s.t, attempts, 1, "attempts of %s", name)
		switch i.Ref.Job {
		case "check":
			require.Equal(s.t, engine.Failed, i.State, name)
			require.Equal(s.t, 3, *attempts[0].Result.Exit, name)
		default:
			require.Equal(s.t, engine.Succeeded, i.State, "%s: %s", name, i.Reason.Describe())
		}
	}
	for _, name := range []string{"begun", "ended"} {
		once := map[string]bool{}
		for _, line := range s.lines(name) {
			require.NotContains(s.t, once, line, "%s twice", name)
			once[line] = true
		}
		require.Len(s.t, once, seconds, name)
	}
}

// TestAServerPausedBeyondItsLease stops the server while commands run and due times pass, for longer than its lease by every clock, and lets it go on.
func TestAServerPausedBeyondItsLease(t *testing.T) {
	t.Parallel()
	const seconds = 8
	binary := faultyProgram(t)
	clock := newClockFile(t)
	s := newServerOf(t, binary, pausedWork(seconds), clock.env())
	s.startBefore()
	poll(t, "a command", func() bool { return len(s.lines("begun")) > 0 })
	s.signal(syscall.SIGSTOP)
	poll(t, "the server to stop", func() bool { return stateOf(s.cmd.Process.Pid) == 'T' })
	clock.set(3 * time.Minute)
	poll(t, "the commands to end while it is paused", func() bool { return len(s.marked()) == 0 })
	s.signal(syscall.SIGCONT)
	s.holdPausedWork(seconds)
	require.NotEmpty(t, s.recorded("clock-jump"), "the history says that time passed unseen")
	s.stop()
}

// recorded lists the events of a kind.
func (s *torturedServer) recorded(kind string) (found []store.Event) {
	s.t.Helper()
	db, err := store.Open(context.Background(), store.Config{Dir: s.data, ReadOnly: true})
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, db.Close()) }()
	for after := int64(0); ; {
		page, err := db.Events(context.Background(), after, 0, 500)
		require.NoError(s.t, err)
		if len(page) == 0 {
			return found
		}
		for _, e := range page {
			if after = e.ID; e.Kind == kind {
				found = append(found, e)
			}
		}
	}
}

// TestASupervisorPausedHoldsUpNothingElse stops the supervisor while commands run: what needs no process goes on, the API answers, nothing is called lost,
// and when it goes on so does everything.
func TestASupervisorPausedHoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	const seconds = 4
	binary := builtProgram(t)
	s := newServerOf(t, binary, pausedWork(seconds))
	s.startBefore()
	poll(t, "a command", func() bool { return len(s.lines("begun")) > 0 })
	supervisor := s.supervisor()
	require.NotZero(t, supervisor)
	require.NoError(t, syscall.Kill(supervisor, syscall.SIGSTOP))
	poll(t, "what needs no process", func() bool {
		n := 0
		for _, i := range s.instances() {
			if i.Ref.Job == "join" && i.State == engine.Succeeded {
				n++
			}
		}
		return n == seconds
	})
	require.True(t, s.ready())
	require.NoError(t, syscall.Kill(supervisor, syscall.SIGCONT))
	s.holdPausedWork(seconds)
	s.stop()
}

// TestAServerStartsBesideAPausedSupervisor kills the server while its supervisor is stopped. The next one cannot know how the commands ended, and does not
// say that they are lost: it waits until the supervisor goes on.
func TestAServerStartsBesideAPausedSupervisor(t *testing.T) {
	t.Parallel()
	const seconds = 3
	binary := builtProgram(t)
	s := newServerOf(t, binary, pausedWork(seconds))
	s.startBefore()
	poll(t, "a command", func() bool { return len(s.lines("begun")) > 0 })
	supervisor := s.supervisor()
	require.NotZero(t, supervisor)
	require.NoError(t, syscall.Kill(supervisor, syscall.SIGSTOP))
	s.kill()
	s.launch()
	<-time.After(3 * time.Second)
	require.NoError(t, syscall.Kill(supervisor, syscall.SIGCONT))
	s.holdPausedWork(seconds)
	s.stop()
}

// A clockFile moves the clock of a server that was built with the tag faults.
type clockFile struct {
	t    *testing.T
	path string
}

func newClockFile(t *testing.T) clockFile {
	return clockFile{t: t, path: filepath.Join(t.TempDir(), "clock")}
}

func (c clockFile) env() string { return "ALMANAC_CLOCK_FILE=" + c.path }

// set moves the server's clock so far from this machine's.
func (c clockFile) set(offset time.Duration) {
	c.t.Helper()
	require.NoError(c.t, os.WriteFile(c.path+".next", []byte(offset.String()), 0o600))
	require.NoError(c.t, os.Rename(c.path+".next", c.path))
}
