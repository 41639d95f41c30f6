package action

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// sleeper is a process that nobody but the test should end.
func sleeper(t *testing.T, env ...string) (pid int, ended <-chan error) {
	cmd := exec.Command("/bin/sleep", "600")
	cmd.Env = env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	c := make(chan error, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		c <- cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-over
	})
	return cmd.Process.Pid, c
}

// birthOf is what a supervisor would have noted of a process that is its own.
func birthOf(t *testing.T, pid int) birth {
	st, ok := statOf(pid)
	require.True(t, ok)
	return birth{Attempt: 1, Pid: pid, Boot: bootID(), From: st.start, To: st.start}
}

// A process number says nothing by itself: another process may have it by now, or had it under an earlier start of the machine.
func TestAStrangerWithAKnownNumberIsNeverKilled(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(b *birth)
	}{
		{"another boot", func(b *birth) { b.Boot = "an earlier start of the machine" }},
		{"a boot that could not be told", func(b *birth) { b.Boot = "" }},
		{"the number came round", func(b *birth) { b.From, b.To = b.From-200, b.To-100 }},
		{"nobody", func(b *birth) { b.Pid = 1 << 30 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var words bytes.Buffer
			pid, ended := sleeper(t)
			b := birthOf(t, pid)
			c.change(&b)
			for _, boot := range []string{bootID(), ""} {
				s := &supervisor{log: logTo(&words), boot: boot, outMark: outputVariable + "/nowhere/"}
				s.endSurvivors([]birth{b})
			}
			require.NoError(t, syscall.Kill(pid, 0))
			require.Empty(t, ended)
			require.Empty(t, words.String())
		})
	}
}

func TestASurvivorIsKnownByItsBirthOrItsMark(t *testing.T) {
	var words bytes.Buffer
	s := &supervisor{log: logTo(&words), boot: bootID(), outMark: outputVariable + "/data/run/out/"}
	born, ended := sleeper(t)
	markedPid, marked := sleeper(t, outputVariable+"/data/run/out/7")
	other, stays := sleeper(t, outputVariable+"/data2/run/out/7")
	s.endSurvivors([]birth{birthOf(t, born)})
	for _, c := range []<-chan error{ended, marked} {
		require.EqualError(t, <-c, "signal: killed")
	}
	require.NoError(t, syscall.Kill(other, 0))
	require.Empty(t, stays, "another directory's")
	told := map[string]bool{} // more than once, when one takes its time to die
	for _, m := range regexp.MustCompile(`survivor killed.* pid=(\d+)`).FindAllStringSubmatch(words.String(), -1) {
		told[m[1]] = true
	}
	require.Equal(t, map[string]bool{strconv.Itoa(born): true, strconv.Itoa(markedPid): true}, told)
}

func TestWhatChangesBeforeTheSignalIsNotKilled(t *testing.T) {
	pid, ended := sleeper(t)
	require.False(t, killIf(pid, func() bool { return false }))
	require.False(t, killIf(1<<30, func() bool { return true }))
	require.NoError(t, syscall.Kill(pid, 0))
	require.True(t, killIf(pid, func() bool { return true }))
	require.EqualError(t, <-ended, "signal: killed")
}

// A journal of an earlier start of the machine: what has ended is known for ever, what had only begun is unknown, and whoever has its number
// now is left alone.
func TestAfterARestartOfTheMachine(t *testing.T) {
	t.Parallel()
	r, run := strangers(t)
	pid, ended := sleeper(t)
	began := birthOf(t, pid)
	began.Boot = "an earlier start of the machine"
	began.Attempt = 2
	known := exitOf(1, 42)
	known.EndedAt = time.Now()
	text := appendLine(appendLine(nil, entry{Ended: known}), entry{Begun: &began})
	require.NoError(t, os.WriteFile(filepath.Join(run, journalFile), text, 0o600))

	results := make(chan engine.Result, 4)
	unknown, unbegun := r.Adopt([]int64{1, 2}, func(x engine.Result) { results <- x })
	require.Equal(t, []int64{2}, unknown)
	require.Empty(t, unbegun)
	require.Equal(t, 42, *receive(t, results).Exit)
	require.NoError(t, syscall.Kill(pid, 0))
	require.Empty(t, ended)
}
