package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// smallDisk names a directory on which a child of this test mounts a disk of its own.
const smallDisk = "ALMANAC_TEST_SMALL_DISK"

// diskWork is one long command, and one that is due in each of so many seconds.
func diskWork(seconds int) func(from time.Time) string {
	return func(from time.Time) string {
		return fmt.Sprintf(`workflow: work
jobs:
  long: {trigger: manual, action: {type: shell, command: 'touch long.began; while ! [ -e go ]; do sleep 0.05; done; echo the last words; exit 7'}}
  poke: {trigger: manual, action: {type: none}}
  tick: {at: [%s], concurrency: 100, action: {type: shell, command: 'echo $ALMANAC_INSTANCE >> begun'}}
`, eachSecond(from, seconds))
	}
}

// trigger starts the only instance of a job.
func (s *torturedServer) trigger(job string) engine.Instance {
	s.t.Helper()
	out, err := exec.Command(s.binary, "trigger", "work/"+job, "--data", s.data).CombinedOutput()
	require.NoError(s.t, err, string(out))
	return s.one(job)
}

// allBegun waits until each command that is recorded as started has begun, and says how many those are: of the others it is not time yet.
func (s *torturedServer) allBegun() (n int) {
	s.t.Helper()
	poll(s.t, "what was started before", func() bool {
		n = 0
		for _, i := range s.instances() {
			if i.Ref.Job == "tick" && !i.StartedAt.IsZero() {
				n++
			}
		}
		return len(s.lines("begun")) == n
	})
	return n
}

// verified runs verify, which must find nothing.
func (s *torturedServer) verified() {
	s.t.Helper()
	out, err := exec.Command(s.binary, "verify", "--data", s.data).CombinedOutput()
	require.NoError(s.t, err, string(out))
}

// TestAWholeAttemptOnAFullDisk: the disk of the data directory fills to the last byte while a command runs. Its outcome is recorded all the same, nothing
// starts meanwhile, and everybody who asks is told; when there is room again it goes on by itself.
func TestAWholeAttemptOnAFullDisk(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(smallDisk); dir != "" {
		onASmallDisk(t, dir)
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestAWholeAttemptOnAFullDisk$", "-test.v", "-test.timeout=10m")
	c.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	// The mount is the child's own and ends with it; who is not root gets a user space of his own for it.
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
	if os.Getuid() != 0 {
		c.SysProcAttr.Cloneflags = unix.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	err := c.Run()
	if errors.Is(err, unix.EPERM) || strings.Contains(output.String(), "no mount is permitted") {
		t.Log("mounting is not permitted here; TestAServerThatMayNotWriteEnds needs none")
		return
	}
	require.NoError(t, err, output.String())
}

func onASmallDisk(t *testing.T, dir string) {
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=800m"); err != nil {
		t.Fatalf("no mount is permitted: %v", err)
	}
	s := newServerOf(t, builtProgram(t), diskWork(25))
	s.data = filepath.Join(dir, "data")
	s.startBefore()
	long := s.trigger("long")
	poll(t, "the long command", func() bool { return exists(s.file("long.began")) })
	ballast := filepath.Join(s.data, "ballast")
	poll(t, "the ballast", func() bool { return sizeOf(ballast) == diskBallast })

	filler, err := os.Create(filepath.Join(dir, "filler"))
	require.NoError(t, err)
	for _, block := range []int64{64 << 20, 1 << 20, 4096} {
		for end := sizeOf(filler.Name()); unix.Fallocate(int(filler.Fd()), 0, end, block) == nil; end += block {
		}
	}
	poll(t, "the server to say that the disk is full", func() bool {
		f, ok := readServerFile(s.data)
		return ok && strings.Contains(f.notReady(context.Background()), "MiB are free")
	})
	poll(t, "an instance that is held for the disk", func() bool {
		for _, i := range s.instances() {
			if i.State == engine.Waiting && i.Reason.Code == engine.ReasonDisk {
				return true
			}
		}
		return false
	})
	begun := s.allBegun()
	s.release("go")
	poll(t, "the outcome", func() bool { return s.one("long").State == engine.Failed })
	attempts := s.attempts(long.ID)
	require.Len(t, attempts, 1)
	require.NotNil(t, attempts[0].Result.Exit, "%+v", *attempts[0].Result)
	require.Equal(t, 7, *attempts[0].Result.Exit)
	out, err := exec.Command(s.binary, "doctor", "--data", s.data).CombinedOutput()
	require.Error(t, err, "doctor says that something is wrong")
	require.Contains(t, string(out), "free some space")
	require.Len(t, s.lines("begun"), begun, "nothing starts meanwhile")

	// With no room for its row either, a trigger is refused with words, and not acknowledged.
	poll(t, "a trigger to be refused", func() bool {
		for end := sizeOf(filler.Name()); unix.Fallocate(int(filler.Fd()), 0, end, 4096) == nil; end += 4096 {
		}
		f, ok := readServerFile(s.data)
		require.True(t, ok)
		answer, err := http.Post(f.Address+"/api/v1/jobs/work/poke/trigger", "application/json", strings.NewReader("{}"))
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, errors.Join(err, answer.Body.Close()))
		if answer.StatusCode == http.StatusCreated {
			return false // there was room still
		}
		require.Equal(t, http.StatusInsufficientStorage, answer.StatusCode, string(text))
		require.Contains(t, string(text), `"code":"disk-full"`)
		require.Contains(t, string(text), "the disk of the server is full: nothing was changed")
		return true
	})

	require.NoError(t, errors.Join(filler.Close(), os.Remove(filler.Name())))
	poll(t, "every command", func() bool { return len(s.lines("begun")) == 25 })
	poll(t, "the server to be ready", s.ready)
	poll(t, "the ballast again", func() bool { return sizeOf(ballast) == diskBallast })
	var kinds []string
	for _, e := range s.history() {
		kinds = append(kinds, e.Kind)
	}
	require.Contains(t, strings.Join(kinds, " "), "disk-low", "the history says so")
	s.verified()
	s.stop()
}

func exists(path string) bool { return sizeOf(path) >= 0 }

func (s *torturedServer) history() (all []store.Event) {
	db := openRows(s.t, s.data)
	for after := int64(0); ; after = all[len(all)-1].ID {
		page, err := db.Events(context.Background(), after, 0, 1000)
		require.NoError(s.t, err)
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

// TestAServerThatMayNotWriteEnds: an error of the disk is no reason to go on. The server says why and what to do, and ends; the command goes on, and
// the next server records its true outcome.
func TestAServerThatMayNotWriteEnds(t *testing.T) {
	t.Parallel()
	s := newTorturedServer(t, builtProgram(t), diskWork(1)(time.Now()))
	var output bytes.Buffer
	s.cmd = exec.Command(s.binary, "serve", s.folder, "--data", s.data, "--listen", "127.0.0.1:0", "--dev")
	s.cmd.Stdout, s.cmd.Stderr = &output, &output
	require.NoError(t, s.cmd.Start())
	poll(t, "the server", s.ready)
	long := s.trigger("long")
	poll(t, "the long command", func() bool { return exists(s.file("long.began")) })
	limit := unix.Rlimit{Cur: uint64(sizeOf(filepath.Join(s.data, "almanac.db-wal"))), Max: unix.RLIM_INFINITY}
	require.NoError(t, unix.Prlimit(s.cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil))
	out, err := exec.Command(s.binary, "trigger", "work/long", "--data", s.data).CombinedOutput()
	require.Error(t, err, "what cannot be written is not acknowledged: %s", out)
	var exit *exec.ExitError
	require.ErrorAs(t, s.cmd.Wait(), &exit)
	require.Equal(t, exitUnusable, exit.ExitCode())
	require.Contains(t, output.String(), "stopped writing after an error of the disk")
	require.Contains(t, output.String(), "then start again")

	s.release("go")
	s.start()
	poll(t, "the outcome", func() bool { return s.one("long").State == engine.Failed })
	attempts := s.attempts(long.ID)
	require.Len(t, attempts, 1)
	require.Equal(t, 7, *attempts[0].Result.Exit)
	s.verified()
	s.stop()
}

// TestAServerUnderALockOfAnotherProgram: somebody has the database for himself for longer than a write waits. The server goes on, no update is lost,
// and soon after the lock is gone everything has been done once.
func TestAServerUnderALockOfAnotherProgram(t *testing.T) {
	t.Parallel()
	const seconds = 16
	s := newServerOf(t, builtProgram(t), diskWork(seconds))
	s.startBefore()
	poll(t, "the first command", func() bool { return len(s.lines("begun")) > 0 })
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.data, "almanac.db")+"?_pragma=busy_timeout(5000)")
	require.NoError(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec("BEGIN EXCLUSIVE")
	require.NoError(t, err)
	begun := s.allBegun()
	poll(t, "the server to say so", func() bool {
		f, ok := readServerFile(s.data)
		return ok && strings.Contains(f.notReady(context.Background()), "unavailable")
	})
	require.Equal(t, begun, len(s.lines("begun")), "nothing starts that cannot be written down first")
	_, err = db.Exec("ROLLBACK")
	require.NoError(t, err)
	released := time.Now()
	poll(t, "the server to be ready", s.ready)
	require.Less(t, time.Since(released), 10*time.Second, "less than a write waits")
	poll(t, "every command", func() bool { return len(s.lines("begun")) == seconds })
	poll(t, "the end of all", func() bool {
		for _, i := range s.instances() {
			if !i.State.Ended() {
				return false
			}
		}
		return true
	})
	once := map[string]bool{}
	for _, line := range s.lines("begun") {
		require.NotContains(t, once, line, "one instance twice")
		once[line] = true
	}
	s.verified()
	s.stop()
}
