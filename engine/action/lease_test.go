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
	"github.com/almanac-sched/almanac/engine/action/actiontest"
)

// margin makes an attempt end so long before the end of its lease that a machine with much to do is in time: KILL comes 5 s before it. Tests wait until an
// attempt has got where they want it, and only then move the end of its lease close, so that it has all the time that it needs to begin.
const margin = 25 * time.Second

const (
	almostOver = margin + time.Second     // TERM in a second
	over       = margin/5 + 5*time.Second // TERM at once, KILL in five seconds
)

func withMargin(c *action.Config) { c.Margin = margin }

// leased gives an attempt a lease.
func leased(a *engine.Attempt, d time.Duration) { a.Until = time.Now().Add(d) }

// lease moves the end of the leases of attempts that have begun, and returns it.
func (b *bench) lease(d time.Duration, attempts ...engine.Attempt) (until time.Time) {
	until = time.Now().Add(d)
	var ids []int64
	for _, a := range attempts {
		ids = append(ids, a.ID)
	}
	b.runner.Renew(ids, until)
	return until
}

func TestAChildThatIgnoresTERMIsKilledBeforeItsLeaseEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, withMargin)
	a := b.shell(`trap 'echo asked > asked' TERM; echo $$ > pid; while :; do sleep 0.02; done`)
	leased(&a, time.Hour)
	c := b.start(a)
	pid := b.pidIn("pid")
	until := b.lease(over, a)
	r := await(t, c)
	require.Equal(t, engine.OutcomeLost, r.Outcome)
	require.Equal(t, "ended because its lease was not renewed", r.Message)
	require.Equal(t, "killed", r.Signal)
	require.True(t, r.EndedAt.Before(until), "%s after the end", r.EndedAt.Sub(until))
	require.True(t, time.Now().Before(until), "and it is told before")
	require.False(t, alive(pid))
	require.Equal(t, "asked", b.written("asked"), "it had its chance")
}

func TestATidyEndIsLostAllTheSame(t *testing.T) {
	t.Parallel()
	b := setup(t, withMargin)
	a := b.shell(`trap 'echo tidy > tidied; exit 0' TERM; echo $$ > pid; while :; do sleep 0.02; done`)
	leased(&a, time.Hour)
	c := b.start(a)
	b.pidIn("pid")
	b.lease(almostOver, a)
	r := await(t, c)
	require.Equal(t, engine.OutcomeLost, r.Outcome, "whether the work was done is not known")
	require.Zero(t, *r.Exit)
	require.Equal(t, "tidy", b.written("tidied"))
}

func TestWhatLeftItsGroupEndsWithTheLeaseToo(t *testing.T) {
	actiontest.Program(t, actiontest.Setsid)
	t.Parallel()
	b := setup(t, withMargin)
	a := b.shell(`trap '' TERM; setsid sh -c 'echo $$ > one; setsid sh -c "echo \$\$ > two; setsid sleep 600; :"; :' & while :; do sleep 0.02; done`)
	leased(&a, time.Hour)
	c := b.start(a)
	pids := []int{b.pidIn("one"), b.pidIn("two")}
	until := b.lease(over, a)
	require.Equal(t, engine.OutcomeLost, await(t, c).Outcome)
	for _, pid := range pids {
		eventually(t, "ended", func() bool { return !alive(pid) })
	}
	require.True(t, time.Now().Before(until), "%s after the end", time.Since(until))
}

// Each renewal is held against an attempt that had the same lease and was not renewed again.
func TestARenewedLeaseLetsAChildGoOn(t *testing.T) {
	t.Parallel()
	b := setup(t, withMargin)
	a, first, second := b.shell("echo $$ > pid; "+untilGo+"exit 7"), b.shell("echo $$ > first; "+untilGo), b.shell("echo $$ > second; "+untilGo)
	var results []<-chan engine.Result
	for _, x := range []*engine.Attempt{&a, &first, &second} {
		leased(x, time.Hour)
		results = append(results, b.start(*x))
	}
	for _, file := range []string{"pid", "first", "second"} {
		b.pidIn(file)
	}
	b.lease(margin+4*time.Second, a, first)
	b.lease(margin+9*time.Second, a, second)
	require.Equal(t, engine.OutcomeLost, await(t, results[1]).Outcome, "the one that was not renewed")
	require.Empty(t, results[0])
	b.lease(time.Hour, a, engine.Attempt{ID: 4711})
	require.Equal(t, engine.OutcomeLost, await(t, results[2]).Outcome, "the one that was renewed once")
	require.Empty(t, results[0])
	b.release("go")
	require.Equal(t, 7, *await(t, results[0]).Exit)
	b.lease(0, a) // it has ended
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
}

func TestALeaseCanBeGivenLater(t *testing.T) {
	t.Parallel()
	b := setup(t, withMargin)
	a := b.shell("echo $$ > pid; exec sleep 600")
	c := b.start(a)
	b.pidIn("pid")
	b.lease(almostOver, a)
	require.Equal(t, engine.OutcomeLost, await(t, c).Outcome)
}

func TestNothingBeginsWhenItsLeaseIsAsGoodAsOver(t *testing.T) {
	t.Parallel()
	b := setup(t, withMargin, loopback)
	s := newSink(t, status(200))
	for _, left := range []time.Duration{-time.Hour, 0, margin} {
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
	b := setup(t, withMargin)
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
	supervisor := b.supervisor()
	require.NoError(t, syscall.Kill(supervisor, syscall.SIGSTOP))
	eventually(t, "stopped with all its threads", func() bool { return stopped(t, supervisor) })
	a := b.shell("touch witness")
	leased(&a, almostOver)
	c := b.start(a)
	time.Sleep(time.Until(a.Until.Add(-margin)))
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
	b := setup(t, withMargin)
	a := b.shell("echo $$ > pid; exec sleep 600")
	leased(&a, time.Hour)
	b.start(a)
	pid := b.pidIn("pid")
	until := b.lease(margin+3*time.Second, a)
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome, "the supervisor has heard what was said before")
	require.NoError(t, b.runner.Close(context.Background()))
	eventually(t, "ended", func() bool { return !alive(pid) })
	require.True(t, time.Now().Before(until))

	b.open(withMargin)
	results, unknown := b.adopt(a.ID)
	require.Empty(t, unknown)
	require.Equal(t, "ended because its lease was not renewed", await(t, results[a.ID]).Message)
}

func TestAGraceReachesNoFurtherThanTheLease(t *testing.T) {
	t.Parallel()
	const margin = 10 * time.Second // KILL comes two seconds before the end
	b := setup(t, func(c *action.Config) { c.Margin, c.Grace = margin, time.Hour })
	a := b.shell(`trap '' TERM; echo $$ > pid; while :; do sleep 0.02; done`)
	leased(&a, time.Hour)
	c := b.start(a)
	b.pidIn("pid")
	until := b.lease(margin+3*time.Second, a)
	b.runner.Cancel(a.ID)
	r := await(t, c)
	require.Equal(t, engine.OutcomeCancelled, r.Outcome, "the first reason stays")
	require.True(t, r.EndedAt.Before(until))
}

func TestARequestIsBrokenOffBeforeItsLeaseEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, withMargin, loopback)
	done := make(chan struct{})
	arrived := make(chan struct{}, 2)
	s := newSink(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-done
	})
	t.Cleanup(func() { close(done) })
	brief, renewed := b.http(engine.HTTP{URI: engine.Text(s.URL)}), b.http(engine.HTTP{URI: engine.Text(s.URL)})
	leased(&brief, time.Hour)
	leased(&renewed, time.Hour)
	c, d := b.start(brief), b.start(renewed)
	<-arrived
	<-arrived
	until := b.lease(over, brief, renewed)
	b.lease(time.Hour, renewed)
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
