package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A server is `almanac serve --dev` on a port of its own.
type server struct {
	cmd  *exec.Cmd
	url  string
	data string
	log  *bytes.Buffer
}

// readyWithin is how long a server may take to be ready, also on a machine that has other things to do.
const readyWithin = 2 * time.Minute

// serve starts the server on the folder and returns when it is ready, with how long that took.
func (s setting) serve(ctx context.Context, folder, data string, args ...string) (*server, time.Duration, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, 0, err
	}
	address := listener.Addr().String()
	listener.Close()
	sv := &server{url: "http://" + address, data: data, log: &bytes.Buffer{}}
	sv.cmd = exec.CommandContext(ctx, s.bin, append([]string{"serve", folder, "--dev", "--data", data, "--listen", address}, args...)...)
	sv.cmd.Stdout, sv.cmd.Stderr = sv.log, sv.log
	began := time.Now()
	if err := sv.cmd.Start(); err != nil {
		return nil, 0, err
	}
	for time.Since(began) < readyWithin {
		if response, err := http.Get(sv.url + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return sv, time.Since(began), nil
			}
		}
		pause(ctx, 2*time.Millisecond)
	}
	sv.stop()
	return nil, 0, fmt.Errorf("the server is not ready in time:\n%s", tail(sv.log.Bytes()))
}

func (sv *server) stop() {
	_ = sv.cmd.Process.Signal(syscall.SIGTERM)
	_ = sv.cmd.Wait()
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// get decodes an answer of the API.
func (sv *server) get(path string, into any) error {
	response, err := http.Get(sv.url + path)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s: %s", path, response.Status, tail(body))
	}
	return json.Unmarshal(body, into)
}

// writeJobs writes a folder with one workflow of n jobs; each gets the line that job gives for it.
func writeJobs(folder string, n int, defaults string, job func(i int) string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "workflow: bench\ndefaults: %s\njobs:\n", defaults)
	for i := range n {
		fmt.Fprintf(&b, "  j%04d: %s\n", i, job(i))
	}
	return os.WriteFile(filepath.Join(folder, "bench.yaml"), []byte(b.String()), 0o600)
}

// benchMinute has 1,000 jobs due in the same minute, `true` each, and measures how long after the minute each process started.
func benchMinute(ctx context.Context, s setting) ([]figure, error) {
	const jobs = 1000
	folder := filepath.Join(s.dir, "jobs")
	if err := writeJobs(folder, jobs, `{cron: "* * * * *", action: {type: shell, command: "true"}}`, func(int) string { return "{}" }); err != nil {
		return nil, err
	}
	sv, _, err := s.serve(ctx, folder, filepath.Join(s.dir, "data"), "--quiet")
	if err != nil {
		return nil, err
	}
	defer sv.stop()
	minute := time.Now().Truncate(time.Minute).Add(time.Minute)
	pause(ctx, time.Until(minute.Add(20*time.Second)))
	lags, err := sv.startLags(minute, jobs)
	if err != nil {
		return nil, err
	}
	p50, p99 := quantile(lags, 0.5), quantile(lags, 0.99)
	return []figure{{
		work: "1,000 jobs due in the same minute, `true` each: start lag", bar: "p50 ≤ 0.7 s, p99 ≤ 1.5 s",
		result: fmt.Sprintf("p50 %.2f s, p99 %.2f s", p50.Seconds(), p99.Seconds()), met: p50 <= 700*time.Millisecond && p99 <= 1500*time.Millisecond,
	}}, nil
}

// startLags returns when the attempts of the instances due at the minute started, relative to it.
func (sv *server) startLags(minute time.Time, want int) ([]time.Duration, error) {
	var lags []time.Duration
	cursor := ""
	for {
		var page struct {
			Items []struct {
				ID string `json:"id"`
			} `json:"items"`
			Next string `json:"next"`
		}
		path := fmt.Sprintf("/api/v1/instances?from=%s&to=%s&limit=500&cursor=%s", minute.UTC().Format(time.RFC3339), minute.Add(time.Second).UTC().Format(time.RFC3339), cursor)
		if err := sv.get(path, &page); err != nil {
			return nil, err
		}
		for _, i := range page.Items {
			var attempts struct {
				Items []struct {
					StartedAt time.Time `json:"startedAt"`
				} `json:"items"`
			}
			if err := sv.get("/api/v1/instances/"+i.ID+"/attempts", &attempts); err != nil {
				return nil, err
			}
			if len(attempts.Items) > 0 {
				lags = append(lags, attempts.Items[0].StartedAt.Sub(minute))
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if len(lags) != want {
		return nil, fmt.Errorf("%d of %d instances have started", len(lags), want)
	}
	return lags, nil
}

// benchTrigger triggers a job on an idle server and measures how long its process takes to start, by what the process itself notes.
func benchTrigger(ctx context.Context, s setting) ([]figure, error) {
	const triggers = 50
	folder, witness := filepath.Join(s.dir, "jobs"), filepath.Join(s.dir, "witness")
	line := fmt.Sprintf(`{trigger: manual, concurrency: 100, action: {type: shell, command: "date +%%s%%N >> %s"}}`, witness)
	if err := writeJobs(folder, 1, "{}", func(int) string { return line }); err != nil {
		return nil, err
	}
	sv, _, err := s.serve(ctx, folder, filepath.Join(s.dir, "data"), "--quiet")
	if err != nil {
		return nil, err
	}
	defer sv.stop()
	var lags []time.Duration
	for n := range triggers {
		began := time.Now()
		response, err := http.Post(sv.url+"/api/v1/jobs/bench/j0000/trigger", "application/json", strings.NewReader("{}"))
		if err != nil {
			return nil, err
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusCreated {
			return nil, fmt.Errorf("trigger: %s: %s", response.Status, tail(body))
		}
		noted, err := awaitLine(ctx, witness, n+1)
		if err != nil {
			return nil, err
		}
		lags = append(lags, noted.Sub(began))
		pause(ctx, 50*time.Millisecond)
	}
	p50, p99 := quantile(lags, 0.5), quantile(lags, 0.99)
	return []figure{{
		work: "trigger by API to process start, idle server", bar: "p50 ≤ 10 ms",
		result: fmt.Sprintf("p50 %.1f ms, p99 %.1f ms (sh and date included)", ms(p50), ms(p99)), met: p50 <= 10*time.Millisecond,
	}}, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// awaitLine waits for the n-th line of the witness and reads it as nanoseconds.
func awaitLine(ctx context.Context, path string, n int) (time.Time, error) {
	for began := time.Now(); time.Since(began) < 10*time.Second; pause(ctx, time.Millisecond) {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return time.Time{}, err
		}
		if lines := strings.Fields(string(text)); len(lines) >= n {
			ns, err := strconv.ParseInt(lines[n-1], 10, 64)
			return time.Unix(0, ns), err
		}
	}
	return time.Time{}, errors.New("the process has not started after 10 s")
}

// benchIdle starts a server with 1,000 jobs and lets it idle.
func benchIdle(ctx context.Context, s setting) ([]figure, error) {
	const jobs, idle = 1000, 20 * time.Second
	folder := filepath.Join(s.dir, "jobs")
	// Daily jobs at 04:00 of the day that has just begun somewhere: planned, and nothing due while it is measured.
	err := writeJobs(folder, jobs, `{startTime: "2026-01-01T00:00:00", action: {type: shell, command: "true"}}`, func(i int) string {
		hour := (time.Now().UTC().Hour() + 2 + i%20) % 24
		return fmt.Sprintf("{recurrence: {frequency: day, schedule: {hours: [%d], minutes: [%d]}}}", hour, i%60)
	})
	if err != nil {
		return nil, err
	}
	var rss, cpu float64
	ready, err := median(s.n, func(i int) (time.Duration, error) {
		sv, ready, err := s.serve(ctx, folder, filepath.Join(s.dir, fmt.Sprintf("data%d", i)), "--quiet")
		if err != nil {
			return 0, err
		}
		defer sv.stop()
		if i == 0 {
			pause(ctx, 3*time.Second)
			before, err := cpuTime(sv.cmd.Process.Pid)
			if err != nil {
				return 0, err
			}
			pause(ctx, idle)
			after, err := cpuTime(sv.cmd.Process.Pid)
			if err != nil {
				return 0, err
			}
			cpu = (after - before).Seconds() / idle.Seconds() * 100
			if rss, err = rssOf(sv.cmd.Process.Pid); err != nil {
				return 0, err
			}
		}
		return ready, nil
	})
	if err != nil {
		return nil, err
	}
	return []figure{
		{work: "`serve` with 1,000 jobs, a new data directory: start to ready", bar: "≤ 0.3 s", result: fmt.Sprintf("%.2f s", ready.Seconds()), met: ready <= 300*time.Millisecond},
		{work: "the same, idle", bar: "≤ 60 MB RSS, < 1 % of a core", result: fmt.Sprintf("%.0f MB, %.2f %%", rss, cpu), met: rss <= 60 && cpu < 1},
	}, nil
}

// cpuTime is the processor time that the process has used.
func cpuTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, err
}

// cpuOf is how long a process has worked so far, in the steps of 10 ms in which Linux tells it.
func cpuOf(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // behind the name, which may hold spaces
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("read /proc/%d/stat: %q", pid, stat)
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, err
}

// rssOf is the resident memory of the process in MB.
func rssOf(pid int) (float64, error) { return memoryOf(pid, "VmRSS:") }

// memoryOf is one of the measures that the system keeps of a process's memory, in MB.
func memoryOf(pid int, measure string) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, measure); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb * 1024 / 1e6, err
		}
	}
	return 0, errors.New("no " + measure)
}
