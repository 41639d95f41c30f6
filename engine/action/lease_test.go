package action_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
)

// shortMargin lets an attempt end within the seconds of a test: TERM 1.5 s before the end of its lease, KILL 300 ms before.
func shortMargin(c *action.Config) { c.Margin = 1500 * time.Millisecond }

const short = 3 * time.Second // a lease

// leased gives an attempt a lease, and returns its end.
func leased(a *engine.Attempt, d time.Duration) time.Time {
	a.Until = time.Now().Add(d)
	return a.Until
}

func TestAChildThatIgnoresTERMIsKilledBeforeItsLeaseEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, shortMargin)
	a := b.shell(`trap 'echo asked > asked' TERM; echo $$ > pid; while :; do sleep 0.02; done`)
	until := leased(&a, short)
	r := b.run(a)
	require.Equal(t, engine.OutcomeLost, r.Outcome)
	require.Equal(t, "ended because its lease was not renewed", r.Message)
	require.Equal(t, "killed", r.Signal)
	require.True(t, r.EndedAt.Before(until), "%s after the end", r.EndedAt.Sub(until))
	require.True(t, time.Now().Before(until), "and it is told before")
	require.False(t, alive(b.pidIn("pid")))
	require.Equal(t, "asked", b.written("asked"), "it had its chance")
}

func TestATidyEndIsLostAllTheSame(t *testing.T) {
	t.Parallel()
	b := setup(t, shortMargin)
	a := b.shell(`trap 'echo tidy > tidied; exit 0' TERM; while :; do sleep 0.02; done`)
	leased(&a, short)
	r := b.run(a)
	require.Equal(t, engine.OutcomeLost, r.Outcome, "whether the work was done is not known")
	require.Zero(t, *r.Exit)
	require.Equal(t, "tidy", b.written("tidied"))
}

func TestWhatLeftItsGroupEndsWithTheLeaseToo(t *testing.T) {
	t.Parallel()
	b := setup(t, shortMargin)
	a := b.shell(`trap '' TERM; setsid sh -c 'echo $$ > one; setsid sh -c "echo \$\$ > two; setsid sleep 600; :"; :' & while :; do sleep 0.02; done`)
	until := leased(&a, short)
	c := b.start(a)
	pids := []int{b.pidIn("one"), b.pidIn("two")}
	require.Equal(t, engine.OutcomeLost, await(t, c).Outcome)
	for _, pid := range pids {
		eventually(t, "ended", func() bool { return !alive(pid) })
	}
	require.True(t, time.Now().Before(until), "%s after the end", time.Since(until))
}

func TestARenewedLeaseLetsAChildGoOn(t *testing.T) {
	t.Parallel()
	b := setup(t, shortMargin)
	a, other := b.shell(untilGo+"exit 7"), b.shell(untilGo)
	leased(&a, short)
	leased(&other, short)
	c, d := b.start(a), b.start(other)
	for range 20 {
		b.runner.Renew([]int64{a.ID, 4711}, time.Now().Add(short))
		time.Sleep(200 * time.Millisecond)
	}
	require.Empty(t, c)
	require.Equal(t, engine.OutcomeLost, await(t, d).Outcome, "the one that was not renewed")
	b.runner.Renew([]int64{a.ID}, time.Now().Add(time.Hour))
	b.release("go")
	require.Equal(t, 7, *await(t, c).Exit)
	b.runner.Renew([]int64{a.ID}, time.Now()) // it has ended
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
}

func TestALeaseCanBeGivenLater(t *testing.T) {
	t.Parallel()
	b := setup(t, shortMargin)
	a := b.shell("echo $$ > pid; exec sleep 600")
	c := b.start(a)
	b.pidIn("pid")
	b.runner.Renew([]int64{a.ID}, time.Now().Add(short))
	require.Equal(t, engine.OutcomeLost, await(t, c).Outcome)
}

func TestNothingBeginsWhenItsLeaseIsAsGoodAsOver(t *testing.T) {
	t.Parallel()
	b := setup(t, shortMargin, loopback)
	s := newSink(t, status(200))
	for _, left := range []time.Duration{-time.Hour, 0, 400 * time.Millisecond} {
		for _, a := range []engine.Attempt{b.shell("touch witness"), b.http(engine.HTTP{URI: engine.Text(s.URL)})} {
			leased(&a, left)
			r := b.run(a)
			require.Equal(t, engine.OutcomeLost, r.Outcome)
			require.Equal(t, "not started: its lease had ended", r.Message)
		}
	}
	require.NoFileExists(t, filepath.Join(b.folder, "witness"))
	require.Zero(t, s.count.Load())
}

// A message may wait for a supervisor that does not run: what counts is when the lease ends, not how long it was when the message was sent.
func TestALeaseThatEndsInASocketStartsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, shortMargin)
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
	supervisor := b.supervisor()
	require.NoError(t, syscall.Kill(supervisor, syscall.SIGSTOP))
	eventually(t, "stopped with all its threads", func() bool { return stopped(t, supervisor) })
	a := b.shell("touch witness")
	until := leased(&a, 1700*time.Millisecond)
	c := b.start(a)
	time.Sleep(time.Until(until))
	require.NoError(t, syscall.Kill(supervisor, syscall.SIGCONT))
	require.Equal(t, "not started: its lease had ended", await(t, c).Message)
	require.NoFileExists(t, filepath.Join(b.folder, "witness"))
}

// stopped reports that no thread of a process runs.
func stopped(t *testing.T, pid int) bool {
	states, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	require.NoError(t, err)
	for _, path := range states {
		text, _ := os.ReadFile(path)
		if !strings.Contains(string(text), ") T ") {
			return false
		}
	}
	return len(states) > 0 || runtime.GOOS != "linux"
}

func TestTheLeaseEndsChildrenOfADeadServer(t *testing.T) {
	t.Parallel()
	b := setup(t, shortMargin)
	a := b.shell("echo $$ > pid; exec sleep 600")
	until := leased(&a, short)
	b.start(a)
	pid := b.pidIn("pid")
	require.NoError(t, b.runner.Close(context.Background()))
	eventually(t, "ended", func() bool { return !alive(pid) })
	require.True(t, time.Now().Before(until))

	b.open(shortMargin)
	results, unknown := b.adopt(a.ID)
	require.Empty(t, unknown)
	require.Equal(t, "ended because its lease was not renewed", await(t, results[a.ID]).Message)
}

func TestAGraceReachesNoFurtherThanTheLease(t *testing.T) {
	t.Parallel()
	b := setup(t, shortMargin, func(c *action.Config) { c.Grace = time.Hour })
	a := b.shell(`trap '' TERM; echo $$ > pid; while :; do sleep 0.02; done`)
	until := leased(&a, short)
	c := b.start(a)
	b.pidIn("pid")
	b.runner.Cancel(a.ID)
	r := await(t, c)
	require.Equal(t, engine.OutcomeCancelled, r.Outcome, "the first reason stays")
	require.True(t, r.EndedAt.Before(until))
}

func TestARequestIsBrokenOffBeforeItsLeaseEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, shortMargin, loopback)
	over := make(chan struct{})
	s := newSink(t, func(_ http.ResponseWriter, r *http.Request) { <-over })
	t.Cleanup(func() { close(over) })
	brief, renewed := b.http(engine.HTTP{URI: engine.Text(s.URL)}), b.http(engine.HTTP{URI: engine.Text(s.URL)})
	until := leased(&brief, short)
	leased(&renewed, short)
	c, d := b.start(brief), b.start(renewed)
	b.runner.Renew([]int64{renewed.ID}, time.Now().Add(time.Hour))
	r := await(t, c)
	require.Equal(t, engine.OutcomeLost, r.Outcome)
	require.Equal(t, "ended because its lease was not renewed", r.Message)
	require.True(t, r.EndedAt.Before(until))
	require.Empty(t, d)
	b.runner.Cancel(renewed.ID)
	require.Equal(t, engine.OutcomeCancelled, await(t, d).Outcome)
}

func TestNoLeaseIsNoLimit(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *action.Config) { c.Margin = time.Hour })
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("sleep 0.1")).Outcome)
}
