package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"time"
)

// benchBoard asks a server for a day of 100,000 instances that have run, as a page that shows it does with each change: the whole of it, and whether it is another by
// now. What it costs the server is what all of its pages cost together.
func benchBoard(ctx context.Context, s setting) ([]figure, error) {
	const jobs, minutes = 1050, 15 // 100,800 instances
	const day = "2026-10-20"
	folder, data := filepath.Join(s.dir, "jobs"), filepath.Join(s.dir, "data")
	defaults := fmt.Sprintf(`{cron: "*/%d * * * *", startTime: "2026-01-01T00:00:00Z", action: {type: none}}`, minutes)
	if err := writeJobs(folder, jobs, defaults, func(i int) string {
		if i%2 == 0 {
			return "{}"
		}
		return fmt.Sprintf("{dependsOn: [j%04d]}", i-1)
	}); err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, s.bin, "run", folder, "--date", day, "--data", data).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("run %s: %w: %s", day, err, tail(out))
	}
	sv, _, err := s.serve(ctx, folder, data, "--quiet")
	if err != nil {
		return nil, err
	}
	defer sv.stop()
	pause(ctx, 10*time.Second) // until what comes after is planned, which is no part of this
	path := "/api/v1/days/" + day
	tag := ""
	ask := func(known string, want int) (cpu time.Duration, size int64, err error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, sv.url+path, nil)
		if err != nil {
			return 0, 0, err
		}
		if known != "" {
			r.Header.Set("If-None-Match", known)
		}
		before, err := cpuOf(sv.cmd.Process.Pid)
		if err != nil {
			return 0, 0, err
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, 0, err
		}
		defer response.Body.Close()
		if response.StatusCode != want {
			return 0, 0, fmt.Errorf("GET %s: %s, want %d", path, response.Status, want)
		}
		tag = response.Header.Get("ETag")
		if size, err = io.Copy(io.Discard, response.Body); err != nil {
			return 0, 0, err
		}
		after, err := cpuOf(sv.cmd.Process.Pid)
		return after - before, size, err
	}
	var size int64
	whole, err := median(s.n, func(int) (cpu time.Duration, err error) {
		cpu, size, err = ask("", http.StatusOK)
		return cpu, err
	})
	if err != nil {
		return nil, err
	}
	same, err := median(s.n, func(int) (cpu time.Duration, err error) {
		cpu, _, err = ask(tag, http.StatusNotModified)
		return cpu, err
	})
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("a day of %d instances for a page", jobs*24*60/minutes)
	return []figure{
		{work: what + ", CPU of the server", bar: "≤ 1 s", result: fmt.Sprintf("%.2f s, %.1f MB", whole.Seconds(), float64(size)/1e6), met: whole <= time.Second},
		{work: what + " that knows it already", bar: "≤ 0.3 s", result: fmt.Sprintf("%.2f s", same.Seconds()), met: same <= 300*time.Millisecond},
	}, nil
}
