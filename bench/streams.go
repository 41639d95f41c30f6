package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

// benchStreams opens many streams of changes and measures what they cost, and how soon all of them know what happened.
func benchStreams(ctx context.Context, s setting) ([]figure, error) {
	const streams = 1000
	folder := filepath.Join(s.dir, "jobs")
	if err := writeJobs(folder, 1, "{}", func(int) string { return "{trigger: manual, action: {type: none}}" }); err != nil {
		return nil, err
	}
	sv, _, err := s.serve(ctx, folder, filepath.Join(s.dir, "data"), "--quiet")
	if err != nil {
		return nil, err
	}
	defer sv.stop()
	pause(ctx, time.Second)
	before, err := rssOf(sv.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	seen := make(chan time.Time, streams*(s.n+1))
	fast := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 0}}
	for range streams {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, sv.url+"/api/v1/stream?kinds=trigger", nil)
		if err != nil {
			return nil, err
		}
		response, err := fast.Do(r) //nolint:bodyclose // it is, at the end
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("open a stream: %s", response.Status)
		}
		go func() {
			lines := bufio.NewScanner(response.Body)
			for lines.Scan() {
				if strings.HasPrefix(lines.Text(), "data: ") {
					seen <- time.Now()
				}
			}
		}()
	}
	last, err := median(s.n, func(int) (time.Duration, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, sv.url+"/api/v1/jobs/bench/j0000/trigger", http.NoBody)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		response, err := fast.Do(r)
		if err != nil {
			return 0, err
		}
		response.Body.Close()
		if response.StatusCode != http.StatusCreated {
			return 0, fmt.Errorf("trigger: %s", response.Status)
		}
		for range streams {
			select {
			case <-seen:
			case <-time.After(30 * time.Second):
				return 0, fmt.Errorf("a stream has not said for 30 s what happened:\n%s", tail(sv.log.Bytes()))
			}
		}
		return time.Since(began), nil
	})
	if err != nil {
		return nil, err
	}
	after, err := rssOf(sv.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	return []figure{
		{
			work: "1,000 streams of changes: memory", bar: "≤ 100 MB more", met: after-before <= 100,
			result: fmt.Sprintf("%.0f MB more than the %.0f MB without, %.0f kB each", after-before, before, (after-before)*1000/streams),
		},
		{
			work: "the same: from a trigger until all of them have told it", bar: "≤ 0.5 s", met: last <= 500*time.Millisecond,
			result: fmt.Sprintf("%d ms", last.Milliseconds()),
		},
	}, nil
}
