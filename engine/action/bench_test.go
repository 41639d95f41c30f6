package action_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// BenchmarkAttempts measures `/bin/sh -c true` from Start to the result, with so many in flight, beside the same child started by os/exec
// alone: own process group, output to a file of its own. One operation is one attempt.
func BenchmarkAttempts(b *testing.B) {
	for _, flights := range []int{2, 4, 64} {
		b.Run(fmt.Sprintf("runner/%d", flights), func(b *testing.B) {
			w := setup(b)
			require.Equal(b, engine.OutcomeSucceeded, w.run(w.shell("true")).Outcome)
			before := own(b, w.supervisor())
			b.ResetTimer()
			slots := make(chan struct{}, flights)
			var all sync.WaitGroup
			for range b.N {
				slots <- struct{}{}
				all.Add(1)
				w.runner.Start(w.shell("true"), func(r engine.Result) {
					if r.Outcome != engine.OutcomeSucceeded {
						b.Error(r)
					}
					<-slots
					all.Done()
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "attempts/s")
			b.StopTimer()
			b.ReportMetric(float64((own(b, w.supervisor())-before).Microseconds())/float64(b.N), "own-µs/attempt")
		})
		b.Run(fmt.Sprintf("os-exec/%d", flights), func(b *testing.B) {
			dir := b.TempDir()
			before := own(b, 0)
			var all sync.WaitGroup
			jobs := make(chan int)
			for range flights {
				all.Add(1)
				go func() {
					defer all.Done()
					for n := range jobs {
						plain(b, filepath.Join(dir, strconv.Itoa(n)))
					}
				}()
			}
			for n := range b.N {
				jobs <- n
			}
			close(jobs)
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "attempts/s")
			b.ReportMetric(float64((own(b, 0)-before).Microseconds())/float64(b.N), "own-µs/attempt")
		})
	}
}

// own is the processor time that this process and the supervisor have used, without that of their children.
func own(b *testing.B, supervisor int) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	sum := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	if supervisor != 0 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", supervisor))
		require.NoError(b, err)
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		for _, f := range fields[11:13] { // user and system time in 1/100 s
			ticks, err := strconv.Atoi(f)
			require.NoError(b, err)
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return sum
}

func plain(b *testing.B, log string) {
	f, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		b.Error(err)
		return
	}
	defer f.Close()
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", "true", "sh")
	cmd.Stdout, cmd.Stderr = f, f
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Run(); err != nil {
		b.Error(err)
	}
}
