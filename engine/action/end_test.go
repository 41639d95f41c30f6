package action_test

import (
	"os"
	"path/filepath"
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

func shortGrace(c *action.Config) { c.Grace = 200 * time.Millisecond }

func TestTimeoutEndsAChildThatIgnoresTERM(t *testing.T) {
	t.Parallel()
	b := setup(t, shortGrace)
	a := b.shell(`trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done`)
	a.Action.Timeout = 2 * time.Second // in which it sets its trap
	r := b.run(a)
	require.Equal(t, engine.OutcomeTimeout, r.Outcome)
	require.Equal(t, "killed after 2s timeout", r.Message)
	require.Equal(t, "killed", r.Signal)
	require.False(t, alive(b.pidIn("pid")))
	took := r.EndedAt.Sub(r.StartedAt)
	require.GreaterOrEqual(t, took, 2200*time.Millisecond)
}

func TestTimeoutSparesAChildThatEndsInTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.shell("exit 3")
	a.Action.Timeout = time.Hour
	require.Equal(t, "exit 3", b.run(a).Message)
}

func TestTheWholeGroupHasTheGraceNotOnlyItsLeader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	// The outer shell dies of TERM at once; the inner one needs a moment to put things in order.
	a := b.shell(`sh -c 'trap "sleep 0.3; echo tidy > tidied; exit 0" TERM; echo $$ > pid; while :; do sleep 0.05; done'; true`)
	c := b.start(a)
	b.pidIn("pid")
	b.runner.Cancel(a.ID)
	r := await(t, c)
	require.Equal(t, engine.OutcomeCancelled, r.Outcome)
	require.Equal(t, "cancelled", r.Message)
	require.Equal(t, "tidy", b.written("tidied"))
}

func TestCancelReachesAStoppedChild(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.shell(`echo $$ > pid; kill -STOP $$; sleep 60`)
	c := b.start(a)
	pid := b.pidIn("pid")
	eventually(t, "stopped", func() bool {
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return strings.Contains(string(text), ") T ")
	})
	b.runner.Cancel(a.ID)
	r := await(t, c)
	require.Equal(t, engine.OutcomeCancelled, r.Outcome)
	require.Equal(t, "terminated", r.Signal, "it went on and took the TERM")
}

func TestCancelOfWhatHasNotBegunAndOfWhatHasEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.runner.Cancel(4711)
	a := b.shell("sleep 60")
	c := b.start(a)
	b.runner.Cancel(a.ID)
	require.Equal(t, engine.OutcomeCancelled, await(t, c).Outcome)
	b.runner.Cancel(a.ID)
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
	require.Empty(t, c, "one result")
}

func TestABackgroundProcessThatHoldsTheOutputHoldsNothingUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.shell(`sleep 600 & echo $! > pid; echo begun`)
	r := b.run(a)
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome)
	require.Less(t, r.EndedAt.Sub(r.StartedAt), patience)
	pid := b.pidIn("pid")
	eventually(t, "background process killed", func() bool { return !alive(pid) })
	require.Equal(t, "begun\n", b.log(a.ID), "with its group, not as a stray")
}

func TestAProcessThatLeavesItsSessionIsFoundAndKilled(t *testing.T) {
	actiontest.Program(t, actiontest.Setsid)
	t.Parallel()
	b := setup(t)
	a := b.shell(`setsid sh -c 'echo $$ > pid; exec sleep 600' & while [ ! -s pid ]; do sleep 0.01; done`)
	require.Equal(t, engine.OutcomeSucceeded, b.run(a).Outcome)
	pid := b.pidIn("pid")
	eventually(t, "stray killed", func() bool { return !alive(pid) })
	eventually(t, "the log says so", func() bool {
		return strings.Contains(b.log(a.ID), "killed process "+strconv.Itoa(pid)+" (sleep), which outlived the attempt")
	})
}

func TestAProcessThatHidesIsKilledWhenNoAttemptCanOwnIt(t *testing.T) {
	actiontest.Program(t, actiontest.Setsid)
	t.Parallel()
	b := setup(t)
	// Another attempt runs: the hidden process could be its own.
	other := b.shell(`echo $$ > other; while [ ! -e go ]; do sleep 0.02; done`)
	c := b.start(other)
	b.pidIn("other")
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell(`setsid env -i /bin/sh -c 'echo $$ > '"$PWD"'/hidden; exec sleep 600' & while [ ! -s hidden ]; do sleep 0.01; done`)).Outcome)
	pid := b.pidIn("hidden")
	require.True(t, alive(pid))
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "go"), nil, 0o600))
	await(t, c)
	eventually(t, "hidden process killed", func() bool { return !alive(pid) })
}

func TestAnOrphanOfARunningAttemptIsLeftAlone(t *testing.T) {
	actiontest.Program(t, actiontest.Setsid)
	t.Parallel()
	b := setup(t)
	a := b.shell(`(setsid sh -c 'echo $$ > pid; exec sleep 600' &) ; while [ ! -e go ]; do sleep 0.02; done; kill -0 $(cat pid) && echo there`)
	c := b.start(a)
	pid := b.pidIn("pid")
	for range 3 { // ends of others make the supervisor look for strays
		require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("sleep 0.5")).Outcome)
	}
	require.True(t, alive(pid))
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "go"), nil, 0o600))
	require.Equal(t, engine.OutcomeSucceeded, await(t, c).Outcome)
	require.Contains(t, b.log(a.ID), "there\n")
	eventually(t, "killed after its attempt", func() bool { return !alive(pid) })
}

// allocated is what a log takes on the disk.
func (b *bench) allocated(attempt int64) int64 {
	var st syscall.Stat_t
	if syscall.Stat(filepath.Join(b.dir, "logs", "0", strconv.FormatInt(attempt, 10)+".log"), &st) != nil {
		return 0
	}
	return st.Blocks * 512
}

func TestAGibibyteOfOutputNeverFillsTheDisk(t *testing.T) {
	t.Parallel()
	const limit = 4 << 20
	b := setup(t, func(c *action.Config) { c.LogLimit = limit })
	a := b.shell(`echo first; i=0; while [ $i -lt 64 ]; do head -c 16777216 /dev/zero; i=$((i+1)); done; echo last`)
	c := b.start(a)
	var most int64
	var r engine.Result
	for ended := false; !ended; {
		select {
		case r = <-c:
			ended = true
		case <-time.After(time.Millisecond):
			most = max(most, b.allocated(a.ID))
		}
	}
	t.Logf("most on disk: %d MiB of 1024", most>>20)
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
	require.Less(t, most, int64(512<<20))
	require.True(t, r.Truncated)
	require.LessOrEqual(t, r.LogBytes, int64(limit+100))
	require.LessOrEqual(t, b.allocated(a.ID), int64(limit+64<<10))
	text := b.log(a.ID)
	require.Len(t, text, int(r.LogBytes))
	require.True(t, strings.HasPrefix(text, "first\n\x00"))
	require.True(t, strings.HasSuffix(text, "\x00last\n"))
	require.Contains(t, text, "\n--- almanac: "+strconv.Itoa(1<<30+11-limit)+" bytes left out here ---\n")
}
