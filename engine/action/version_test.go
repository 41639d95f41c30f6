package action

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// strangers is a runner whose supervisor is this test binary.
func strangers(t *testing.T) (*Runner, string) {
	dir := t.TempDir()
	exe, err := os.Executable()
	require.NoError(t, err)
	r, err := New(Config{Dir: dir, Supervisor: []string{exe, "supervise", dir}, Log: slog.New(slog.DiscardHandler), Version: "2.0"})
	require.NoError(t, err)
	run := filepath.Join(dir, runFolder)
	t.Cleanup(func() {
		h := ask(t, run, hello{Protocol: 99})
		require.NoError(t, r.Close(context.Background()))
		require.NoError(t, syscall.Kill(h.Pid, syscall.SIGKILL))
		require.Eventually(t, func() bool { return syscall.Kill(h.Pid, 0) != nil }, time.Minute, 5*time.Millisecond)
	})
	return r, run
}

// ask greets the supervisor and returns what it answers.
func ask(t *testing.T, run string, mine hello) (theirs hello) {
	conn, err := dial(run)
	require.NoError(t, err)
	defer conn.Close()
	w := newWire(conn)
	require.NoError(t, w.greet(mine))
	require.NoError(t, w.dec.Decode(&theirs))
	return theirs
}

func echo(id int64, dir string) engine.Attempt {
	return engine.Attempt{ID: id, Folder: dir, Action: engine.Action{Type: engine.ActionShell, Shell: &engine.Shell{Command: "echo x"}}}
}

func receive(t *testing.T, c <-chan engine.Result) engine.Result {
	t.Helper()
	select {
	case r := <-c:
		return r
	case <-time.After(time.Minute):
		require.FailNow(t, "no result")
		return engine.Result{}
	}
}

// A supervisor of another version refuses new work politely; what it still watches is not called lost before it has ended and its journal
// has been read.
func TestSupervisorOfAnotherVersion(t *testing.T) {
	t.Parallel()
	r, run := strangers(t)
	j, _ := openAt(t, run, time.Now())
	l, err := listen(run)
	require.NoError(t, err)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			w := newWire(conn)
			var h hello
			if w.dec.Decode(&h) == nil {
				_ = w.greet(hello{Protocol: 7, Version: "9.9", Refused: "the running supervisor (version 9.9) speaks another protocol"})
			}
			conn.Close()
		}
	}()
	results := make(chan engine.Result, 4)
	r.Start(echo(10, run), func(x engine.Result) { results <- x })
	require.Equal(t, "cannot start: the running supervisor (version 9.9) speaks another protocol", receive(t, results).Message)

	done := map[int64]chan engine.Result{1: make(chan engine.Result, 2), 2: make(chan engine.Result, 2)}
	unknown, unbegun := r.Adopt([]int64{1, 2}, func(x engine.Result) { done[x.Attempt] <- x })
	require.Empty(t, append(unknown, unbegun...))
	require.NoError(t, j.end(&report{Attempt: 2, Outcome: engine.OutcomeFailed, Exited: true, Exit: 5, EndedAt: time.Now()}, time.Now()))
	require.Empty(t, done[1])
	require.NoError(t, os.Remove(filepath.Join(run, socketFile))) // it ends
	l.Close()
	require.Equal(t, 5, *receive(t, done[2]).Exit)
	require.Equal(t, engine.OutcomeLost, receive(t, done[1]).Outcome)
}

func TestServerOfAnotherVersionIsRefusedPolitely(t *testing.T) {
	t.Parallel()
	r, run := strangers(t)
	results := make(chan engine.Result, 4)
	r.Start(echo(1, run), func(x engine.Result) { results <- x })
	require.Equal(t, engine.OutcomeSucceeded, receive(t, results).Outcome)

	h := ask(t, run, hello{Protocol: 99, Version: "3.0"})
	require.Equal(t, protocol, h.Protocol)
	require.NotZero(t, h.Pid)
	require.Equal(t, "the running supervisor (version test) speaks protocol 2 and this server (version 3.0) 99; it ends by itself with its last child", h.Refused)

	r.Start(echo(2, run), func(x engine.Result) { results <- x })
	require.Equal(t, engine.OutcomeSucceeded, receive(t, results).Outcome, "the served one is not disturbed")
	require.NoError(t, syscall.Kill(h.Pid, 0))
}

// A request that is repeated, because its first answer was lost with a connection, is answered and not carried out again.
func TestAnAttemptIsNeverStartedTwice(t *testing.T) {
	t.Parallel()
	r, run := strangers(t)
	results := make(chan engine.Result, 4)
	a := echo(1, run)
	a.Action.Shell.Command = "echo once >> witness"
	for range 2 {
		r.Start(a, func(x engine.Result) { results <- x })
		require.Equal(t, engine.OutcomeSucceeded, receive(t, results).Outcome)
	}
	text, err := os.ReadFile(filepath.Join(run, "witness"))
	require.NoError(t, err)
	require.Equal(t, "once\n", string(text))
}
