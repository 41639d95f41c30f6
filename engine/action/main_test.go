package action_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
)

// TestMain lets the test binary be the supervisor, as the real binary is its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "supervise":
			if err := action.Supervise(context.Background(), os.Args[2], "test", slog.New(slog.NewTextHandler(os.Stderr, nil))); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		case "serve":
			serveUntilKilled(os.Args[2], os.Args[3:])
			return
		}
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for something that must happen before it says that it did not.
const patience = time.Minute

// bench is a data directory with a runner on it.
type bench struct {
	t      testing.TB
	dir    string // the data directory
	folder string // the workflow's
	runner *action.Runner
	next   *atomic.Int64
}

func setup(t testing.TB, change ...func(*action.Config)) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), folder: t.TempDir(), next: new(atomic.Int64)}
	b.open(change...)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, b.runner.Close(ctx))
		b.endSupervisor()
		words, err := os.ReadFile(filepath.Join(b.dir, "run", "supervisor.log"))
		if !os.IsNotExist(err) {
			require.NoError(t, err)
			require.NotRegexp(t, "DATA RACE|panic|fatal error|level=ERROR", string(words), "what the supervisor itself says")
		}
	})
	return b
}

// open puts a new runner on the same data directory.
func (b *bench) open(change ...func(*action.Config)) {
	b.t.Helper()
	exe, err := os.Executable()
	require.NoError(b.t, err)
	config := action.Config{Dir: b.dir, Supervisor: []string{exe, "supervise", b.dir}, Log: slog.New(slog.DiscardHandler), Version: "test"}
	for _, f := range change {
		f(&config)
	}
	b.runner, err = action.New(config)
	require.NoError(b.t, err)
}

// shell is an attempt at a command.
func (b *bench) shell(command string, args ...string) engine.Attempt {
	sh := &engine.Shell{Command: engine.Text(command)}
	for _, a := range args {
		sh.Args = append(sh.Args, engine.Text(a))
	}
	return b.attempt(engine.Action{Type: engine.ActionShell, Shell: sh})
}

func (b *bench) attempt(a engine.Action) engine.Attempt {
	return engine.Attempt{
		ID: b.next.Add(1), Instance: 77, Ref: engine.JobRef{Workflow: "retail", Job: "orders"}, Number: 2, Fence: 5, Action: a, Folder: b.folder,
		PlanTime: time.Date(2026, 3, 1, 2, 0, 0, 0, time.FixedZone("", 8*3600)),
	}
}

// start begins an attempt; its result comes on the channel.
func (b *bench) start(a engine.Attempt) <-chan engine.Result {
	c := make(chan engine.Result, 2)
	b.runner.Start(a, func(r engine.Result) { c <- r })
	return c
}

func (b *bench) run(a engine.Attempt) engine.Result {
	b.t.Helper()
	return await(b.t, b.start(a))
}

func await(t testing.TB, c <-chan engine.Result) engine.Result {
	t.Helper()
	select {
	case r := <-c:
		return r
	case <-time.After(patience):
		require.FailNow(t, "no result")
		return engine.Result{}
	}
}

// eventually waits for the thing itself.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, patience, 5*time.Millisecond, what)
}

// log returns what an attempt wrote.
func (b *bench) log(attempt int64) string {
	b.t.Helper()
	text, err := os.ReadFile(b.logPath(attempt))
	require.NoError(b.t, err)
	return string(text)
}

// written waits until a command has written a whole line to a file of the workflow's folder, and returns it.
func (b *bench) written(name string) string {
	b.t.Helper()
	var text []byte
	eventually(b.t, name+" written", func() bool {
		text, _ = os.ReadFile(filepath.Join(b.folder, name))
		return strings.HasSuffix(string(text), "\n")
	})
	return strings.TrimSpace(string(text))
}

// pidIn is the process whose number a command has written to a file.
func (b *bench) pidIn(name string) int {
	b.t.Helper()
	pid, err := strconv.Atoi(b.written(name))
	require.NoError(b.t, err)
	return pid
}

// alive reports that a process exists and is not merely waiting to be reaped.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !os.IsNotExist(err) // no /proc here: the signal is all there is to know
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// supervisor returns the pid of the supervisor at work, 0 when there is none.
func (b *bench) supervisor() int {
	words, err := os.ReadFile(filepath.Join(b.dir, "run", "supervisor.log"))
	if err != nil {
		return 0
	}
	pid := 0
	for _, line := range strings.Split(string(words), "\n") {
		if strings.Contains(line, "supervisor listens") {
			_, after, _ := strings.Cut(line, " pid=")
			field, _, _ := strings.Cut(after, " ")
			pid, _ = strconv.Atoi(field)
		}
	}
	if pid != 0 && alive(pid) {
		return pid
	}
	return 0
}

// endSupervisor leaves no process behind.
func (b *bench) endSupervisor() {
	pid := b.supervisor()
	if pid == 0 {
		return
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	eventually(b.t, "supervisor gone", func() bool { return !alive(pid) })
}

// logPath is where an attempt's log lies.
func (b *bench) logPath(attempt int64) string {
	return filepath.Join(b.dir, "logs", strconv.FormatInt(attempt/1000, 10), strconv.FormatInt(attempt, 10)+".log")
}
