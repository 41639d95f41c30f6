package action_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"

	"github.com/almanac-sched/almanac/engine/action/actiontest"
)

// server starts the commands in a server process of its own.
func (b *bench) server(commands ...string) *exec.Cmd {
	b.t.Helper()
	exe, err := os.Executable()
	require.NoError(b.t, err)
	cmd := exec.Command(exe, append([]string{"serve", b.dir, b.folder}, commands...)...)
	require.NoError(b.t, cmd.Start())
	b.next.Store(int64(len(commands)))
	return cmd
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
}

// adopt lets the runner take attempts over; results are sorted in by attempt.
func (b *bench) adopt(ids ...int64) (results map[int64]chan engine.Result, unknown []int64) {
	results = map[int64]chan engine.Result{}
	for _, id := range ids {
		results[id] = make(chan engine.Result, 2)
	}
	unknown, unbegun := b.runner.Adopt(ids, func(r engine.Result) { results[r.Attempt] <- r })
	return results, append(unknown, unbegun...)
}

func (b *bench) release(name string) {
	b.t.Helper()
	require.NoError(b.t, os.WriteFile(filepath.Join(b.folder, name), nil, 0o600))
}

const untilGo = `while [ ! -e go ]; do sleep 0.02; done; `

func TestAServerKilledAndItsSuccessorLearnsEveryTrueOutcome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.server(
		`echo $$ > one; `+untilGo+`echo late >> "$ALMANAC_OUTPUT"; echo x=1 >> "$ALMANAC_OUTPUT"; exit 41`,
		`echo $$ > two; while [ ! -e early ]; do sleep 0.02; done; exit 42`,
		`echo $$ > three; `+untilGo+`kill -SEGV $$`,
		`echo $$ > four; sleep 600`,
	)
	one, two := b.pidIn("one"), b.pidIn("two")
	b.pidIn("three")
	four := b.pidIn("four")
	supervisor := b.supervisor()
	require.NotZero(t, supervisor)
	kill(t, first)
	require.True(t, alive(one), "the children run on")

	b.release("early")
	eventually(t, "two ended while nobody looked", func() bool { return !alive(two) })

	results, unknown := b.adopt(1, 2, 3, 4, 99)
	require.Equal(t, []int64{99}, unknown)
	require.Equal(t, 42, *await(t, results[2]).Exit)
	b.release("go")
	r := await(t, results[1])
	require.Equal(t, 41, *r.Exit)
	require.Equal(t, map[string]string{"x": "1"}, r.Outputs)
	require.Equal(t, "segmentation fault", await(t, results[3]).Signal)
	b.runner.Cancel(4)
	require.Equal(t, engine.OutcomeCancelled, await(t, results[4]).Outcome)
	require.False(t, alive(four))
	require.Equal(t, supervisor, b.supervisor(), "the same supervisor all the time")
}

func TestServerAndSupervisorKilledTheJournalStillKnows(t *testing.T) {
	actiontest.Program(t, actiontest.Setsid)
	t.Parallel()
	b := setup(t)
	first := b.server(
		`echo $$ > one; while [ ! -e early ]; do sleep 0.02; done; exit 42`,
		`setsid sh -c 'echo $$ > away; exec sleep 600' & sh -c 'echo $$ > inner; exec sleep 600' & echo $$ > two; while :; do sleep 0.05; done`,
		`exec env -i /bin/sh -c 'echo $$ > '"$PWD"'/hidden; sleep 600; :'`,
	)
	one := b.pidIn("one")
	pids := []int{b.pidIn("two"), b.pidIn("away"), b.pidIn("inner"), b.pidIn("hidden")}
	kill(t, first)
	b.release("early")
	eventually(t, "one ended", func() bool { return !alive(one) })
	eventually(t, "one recorded", func() bool {
		text, err := os.ReadFile(filepath.Join(b.dir, "run", "journal"))
		return err == nil && containsExit(text, 42)
	})
	b.endSupervisor()

	results, unknown := b.adopt(1, 2, 3)
	require.Equal(t, []int64{2, 3}, unknown, "what nobody saw end is unknown")
	for _, pid := range pids {
		require.False(t, alive(pid), "and dead before it is called so")
	}
	require.Equal(t, 42, *await(t, results[1]).Exit)
}

func containsExit(journal []byte, code int) bool {
	return bytes.Contains(journal, []byte(`"exit":`+strconv.Itoa(code)))
}

func TestSupervisorKilledUnderARunningServer(t *testing.T) {
	actiontest.Program(t, actiontest.Setsid)
	t.Parallel()
	b := setup(t)
	a, other := b.shell(`echo $$ > pid; (setsid sh -c 'echo $$ > away; exec sleep 600' &); sleep 600; :`), b.shell("sleep 600")
	c, d := b.start(a), b.start(other)
	pids := []int{b.pidIn("pid"), b.pidIn("away")}
	require.NoError(t, syscall.Kill(b.supervisor(), syscall.SIGKILL))
	for _, r := range []engine.Result{await(t, c), await(t, d)} {
		require.Equal(t, engine.OutcomeLost, r.Outcome)
		require.Equal(t, "the supervisor ended, and the outcome with it", r.Message)
	}
	for _, pid := range pids {
		require.False(t, alive(pid))
	}
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome, "a new one does the work")
}

func TestSupervisorToldToEndTakesItsChildrenWithIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tidy, rough := b.shell(`trap 'exit 0' TERM; echo $$ > tidy; while :; do sleep 0.02; done`), b.shell(`echo $$ > rough; exec sleep 600`)
	c, d := b.start(tidy), b.start(rough)
	b.pidIn("tidy")
	pid := b.pidIn("rough")
	require.NoError(t, syscall.Kill(b.supervisor(), syscall.SIGTERM))
	require.Equal(t, engine.OutcomeSucceeded, await(t, c).Outcome)
	require.Equal(t, engine.OutcomeLost, await(t, d).Outcome, "nobody asked it to end: whether to repeat it is the job's decision")
	require.False(t, alive(pid))
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
}

func TestNothingToAdoptStartsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, unknown := b.adopt(1, 2)
	require.Equal(t, []int64{1, 2}, unknown)
	require.Zero(t, b.supervisor())
}

func TestCloseLeavesTheChildrenRunning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.shell(`echo $$ > pid; ` + untilGo + `exit 9`)
	c := b.start(a)
	pid := b.pidIn("pid")
	require.NoError(t, b.runner.Close(context.Background()))
	require.True(t, alive(pid))
	r := await(t, b.start(b.shell("true")))
	require.Equal(t, "cannot start: the server is closing", r.Message)

	b.open()
	results, unknown := b.adopt(a.ID)
	require.Empty(t, unknown)
	b.release("go")
	require.Equal(t, 9, *await(t, results[a.ID]).Exit)
	require.Empty(t, c, "a closed runner reports nothing")
}

// A server asks a supervisor that does not run just now for a child, and ends. The next one, which asks about it, is not told that it is unknown because it
// is heard first: the attempt would run, and another one of its instance beside it.
func TestWhatAServerAskedForBeforeItEndedIsKnownToTheNext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
	supervisor := b.supervisor()
	for range 10 {
		require.NoError(t, syscall.Kill(supervisor, syscall.SIGSTOP))
		eventually(t, "stopped with all its threads", func() bool { return stopped(t, supervisor) })
		var ids []int64
		for range 50 {
			a := b.shell("true")
			b.start(a)
			ids = append(ids, a.ID)
		}
		require.NoError(t, b.runner.Close(context.Background()))
		b.open()
		time.AfterFunc(100*time.Millisecond, func() { _ = syscall.Kill(supervisor, syscall.SIGCONT) })
		results, unknown := b.adopt(ids...)
		require.Empty(t, unknown)
		for _, id := range ids {
			require.Equal(t, engine.OutcomeSucceeded, await(t, results[id]).Outcome)
		}
	}
}

func TestASecondServerTakesOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.shell(`echo $$ > pid; ` + untilGo + `exit 9`)
	c := b.start(a)
	b.pidIn("pid")
	old := b.runner
	b.open()
	results, unknown := b.adopt(a.ID)
	require.Empty(t, unknown)
	// What the old one sent before it noticed is the new one's to hear of; what it starts afterwards fails.
	words := make(chan string, 10_000)
	eventually(t, "the first one refuses work", func() bool {
		old.Start(b.shell("true"), func(r engine.Result) { words <- r.Message })
		select {
		case w := <-words:
			return w == "cannot start: another server has taken over the supervisor of this data directory"
		default:
			return false
		}
	})
	b.release("go")
	require.Equal(t, 9, *await(t, results[a.ID]).Exit)
	require.Empty(t, c)
	require.NoError(t, old.Close(context.Background()))
}

func TestSupervisorEndsByItselfWhenNothingIsLeftToDo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
	pid := b.supervisor()
	require.NotZero(t, pid)
	require.NoError(t, b.runner.Close(context.Background()))
	eventually(t, "supervisor ended", func() bool { return !alive(pid) })
	require.NoFileExists(t, filepath.Join(b.dir, "run", "supervisor.sock"))
	b.open()
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
}
