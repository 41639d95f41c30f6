package action_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// What a server recorded and could not hand over any more has never begun, and the supervisor knows it, of whatever life it is. Of what it may have begun
// it does not say so, nor when its record is gone, damaged or of an earlier start of the machine.
func TestWhatNeverBeganIsToldApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	skipped := b.next.Add(1) // an id before that of an attempt which began
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
	never := b.next.Add(10)
	ask := func(id int64) (unknown, unbegun []int64) {
		t.Helper()
		b.leave()
		b.open()
		return b.runner.Adopt([]int64{id}, func(engine.Result) {})
	}
	record := filepath.Join(b.dir, "run", "asked")
	check := func(certain bool) {
		t.Helper()
		unknown, unbegun := ask(never)
		if certain {
			require.Equal(t, []int64{never}, unbegun)
			require.Empty(t, unknown)
		} else {
			require.Equal(t, []int64{never}, unknown)
			require.Empty(t, unbegun)
		}
		unknown, unbegun = ask(skipped)
		require.Equal(t, []int64{skipped}, unknown)
		require.Empty(t, unbegun)
	}
	check(true)
	b.endSupervisor()
	check(true)

	line, err := os.ReadFile(record)
	require.NoError(t, err)
	for _, text := range [][]byte{nil, line[:len(line)/2], append([]byte("almanac-asked 1 other"), line[20:]...), []byte("garbage")} {
		b.endSupervisor()
		require.NoError(t, os.WriteFile(record, text, 0o600))
		check(false)
	}
	a := b.shell("true")
	require.Equal(t, engine.OutcomeSucceeded, b.run(a).Outcome)
	never = a.ID + 1
	check(true) // from here on it is certain again
}

// An order that was on its way to a supervisor which was killed is given to the next one; nothing is begun twice.
func TestOrdersOnTheirWayWhenTheSupervisorDies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
	for range 10 {
		pid := b.supervisor()
		require.NotZero(t, pid)
		require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
		eventually(t, "it reads no more", func() bool { return halted(pid) })
		a := b.shell("echo begun >> begun-$ALMANAC_ATTEMPT")
		a.Number = int(a.ID)
		c := b.start(a)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		r := await(t, c)
		require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
	}
	begun, err := filepath.Glob(filepath.Join(b.folder, "begun-*"))
	require.NoError(t, err)
	require.Len(t, begun, 10)
	for _, name := range begun {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, "begun\n", string(text))
	}
}

// halted reports whether every thread of a process has come to a stop: a signal is sent before it is obeyed.
func halted(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	return len(threads) > 0 && !slices.ContainsFunc(threads, func(stat string) bool {
		text, err := os.ReadFile(stat)
		_, after, _ := strings.Cut(string(text), ") ")
		return err == nil && !strings.HasPrefix(after, "T")
	})
}
