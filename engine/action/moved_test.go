package action_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func TestLogsAreMadeAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	s := newSink(t, status(200))
	logs := filepath.Join(b.dir, "logs")
	for _, take := range []func(){
		func() { require.NoError(t, os.RemoveAll(logs)) },
		func() { require.NoError(t, os.Rename(logs, filepath.Join(b.folder, "aside"))) },
		func() {
			require.NoError(t, os.RemoveAll(logs))
			require.NoError(t, os.Mkdir(logs, 0o755))
		},
	} {
		for _, a := range []engine.Attempt{b.shell("echo hello"), b.http(engine.HTTP{URI: engine.Text(s.URL)})} {
			require.Equal(t, engine.OutcomeSucceeded, b.run(a).Outcome)
			take()
			a.ID = b.next.Add(1)
			require.Equal(t, engine.OutcomeSucceeded, b.run(a).Outcome)
			require.NotEmpty(t, b.log(a.ID))
			require.NoError(t, os.MkdirAll(logs, 0o700))
			_ = os.RemoveAll(filepath.Join(b.folder, "aside"))
		}
	}
}

// A data directory that is gone is not made again, empty.
func TestADirectoryThatIsGoneIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	s := newSink(t, status(200))
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.http(engine.HTTP{URI: engine.Text(s.URL)})).Outcome)
	aside := b.dir + ".aside"
	require.NoError(t, os.Rename(b.dir, aside))
	require.Error(t, b.runner.Held())
	require.Equal(t, engine.OutcomeFailed, b.run(b.http(engine.HTTP{URI: engine.Text(s.URL)})).Outcome)
	require.Equal(t, engine.OutcomeFailed, b.run(b.shell("true")).Outcome)
	require.EqualValues(t, 1, s.count.Load(), "nothing is sent whose log nobody could read")
	require.NoDirExists(t, b.dir)
	require.NoError(t, os.Rename(aside, b.dir))
	require.NoError(t, b.runner.Held())
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
}

// leave ends the runner as the death of its server does: nobody waits for what runs.
func (b *bench) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	require.NoError(b.t, b.runner.Close(ctx))
}

// The next server finds a supervisor whose socket was deleted.
func TestASupervisorWhoseSocketIsGoneIsReached(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.shell("echo $$ > pid; while [ ! -e go ]; do sleep 0.1; done; echo done > end")
	b.start(a)
	pid := b.pidIn("pid")
	b.leave()
	require.NoError(t, os.Remove(filepath.Join(b.dir, "run", "supervisor.sock")))
	b.open()
	results := make(chan engine.Result, 1)
	unknown, unbegun := b.runner.Adopt([]int64{a.ID}, func(r engine.Result) { results <- r })
	require.Empty(t, append(unknown, unbegun...), "it runs")
	require.True(t, alive(pid))
	other := b.shell("true")
	require.Equal(t, engine.OutcomeSucceeded, b.run(other).Outcome, "and others start beside it")
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "go"), nil, 0o600))
	require.Equal(t, engine.OutcomeSucceeded, await(t, results).Outcome)
}

// Where the supervisor's records are gone with their folder, what it runs is ended before anybody is told that nothing is known of it.
func TestWhatRunsWithoutRecordsIsEndedFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.shell("echo $$ > pid; sleep 300")
	b.start(a)
	pid := b.pidIn("pid")
	require.NoError(t, b.runner.Held())
	require.NoError(t, b.runner.Trouble())
	require.NoError(t, os.Rename(filepath.Join(b.dir, "run"), filepath.Join(b.folder, "aside")))
	require.ErrorContains(t, b.runner.Held(), "put it back")
	require.ErrorContains(t, b.runner.Trouble(), "put it back")
	require.NoError(t, os.Rename(filepath.Join(b.folder, "aside"), filepath.Join(b.dir, "run")))
	require.NoError(t, b.runner.Held())

	require.NoError(t, os.RemoveAll(filepath.Join(b.dir, "run")))
	require.Error(t, b.runner.Held())
	b.leave()
	b.open()
	require.True(t, alive(pid))
	unknown, _ := b.runner.Adopt([]int64{a.ID}, func(engine.Result) {})
	require.Equal(t, []int64{a.ID}, unknown)
	require.False(t, alive(pid), "it is retried only when it has ended")
	require.NoError(t, b.runner.Held())
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
}
