package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	azureJobs = 10_000
	azurePath = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/almanac/providers/Microsoft.Scheduler/jobCollections/"
	azureEnd  = "?api-version=2016-03-01"
)

// benchAzure measures the face of Azure Scheduler over HTTP on loopback: jobs made and read with 10,000 stored, pages of them, and 1,000 requests that are
// due in the same second.
func benchAzure(ctx context.Context, s setting) ([]figure, error) {
	folder := filepath.Join(s.dir, "empty")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	sv, _, err := s.serve(ctx, folder, filepath.Join(s.dir, "data"), "--quiet")
	if err != nil {
		return nil, err
	}
	defer sv.stop()
	f := &face{url: sv.url + azurePath, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
	for c := range azureJobs / 1000 {
		collection := `{"location": "here", "properties": {"sku": {"name": "P20Premium"}, "quota": {"maxJobCount": 1000, "maxRecurrence": {"frequency": "minute", "interval": 1}}}}`
		if _, err := f.ask(ctx, http.MethodPut, fmt.Sprintf("c%d", c)+azureEnd, collection); err != nil {
			return nil, err
		}
	}
	begin := time.Now().AddDate(0, 6, 0).UTC().Format(time.RFC3339)
	daily := func(n int) string {
		return fmt.Sprintf(`{"properties": {"startTime": %q, "action": {"type": "Http", "request": {"uri": "http://127.0.0.1:9/%d", "method": "GET"}},
			"recurrence": {"frequency": "day", "interval": 1}}}`, begin, n)
	}
	job := func(n int) string { return fmt.Sprintf("c%d/jobs/j%d", n/1000, n%1000) + azureEnd }
	made, err := f.all(ctx, azureJobs, func(n int) (string, string, string) { return http.MethodPut, job(n), daily(n) })
	if err != nil {
		return nil, err
	}
	replaced, err := f.all(ctx, azureJobs, func(n int) (string, string, string) { return http.MethodPut, job(n), daily(n + 1) })
	if err != nil {
		return nil, err
	}
	read, err := f.all(ctx, 4*azureJobs, func(n int) (string, string, string) { return http.MethodGet, job(n % azureJobs), "" })
	if err != nil {
		return nil, err
	}
	var pages []time.Duration
	for n := range 200 {
		took, err := f.ask(ctx, http.MethodGet, fmt.Sprintf("c%d/jobs", n%10)+azureEnd+fmt.Sprintf("&$top=100&$skip=%d", n%9*100), "")
		if err != nil {
			return nil, err
		}
		pages = append(pages, took)
	}
	p95 := quantile(pages, 0.95)
	rate := func(n int, took time.Duration) float64 { return float64(n) / took.Seconds() }
	figures := []figure{
		{work: "10,000 jobs of Azure's API made by PUT, 8 clients", result: fmt.Sprintf("%.0f a second", rate(azureJobs, made)), bar: "≥ 1,000 a second", met: rate(azureJobs, made) >= 1000},
		{work: "the same jobs replaced by PUT", result: fmt.Sprintf("%.0f a second", rate(azureJobs, replaced)), bar: "≥ 1,000 a second", met: rate(azureJobs, replaced) >= 1000},
		{work: "GET of a job, 10,000 stored", result: fmt.Sprintf("%.0f a second", rate(4*azureJobs, read)), bar: "≥ 5,000 a second", met: rate(4*azureJobs, read) >= 5000},
		{work: "GET of a page of 100 jobs", result: fmt.Sprintf("p95 %.1f ms", p95.Seconds()*1000), bar: "p95 ≤ 20 ms", met: p95 <= 20*time.Millisecond},
	}
	burst, err := f.burst(ctx, sv)
	return append(figures, burst), err
}

// A face is a client of the API of Azure Scheduler.
type face struct {
	url    string
	client *http.Client
}

// ask sends one request and reads the answer to its end.
func (f *face) ask(ctx context.Context, method, path, body string) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, method, f.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	if body == "" {
		req.Body = http.NoBody
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	began := time.Now()
	resp, err := f.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: HTTP %d: %s", method, path, resp.StatusCode, tail(answer))
	}
	return time.Since(began), err
}

// all sends n requests from eight clients.
func (f *face) all(ctx context.Context, n int, request func(n int) (method, path, body string)) (time.Duration, error) {
	const clients = 8
	began := time.Now()
	errs := make([]error, clients)
	var group sync.WaitGroup
	for c := range clients {
		group.Go(func() {
			for i := c; i < n && errs[c] == nil; i += clients {
				method, path, body := request(i)
				_, errs[c] = f.ask(ctx, method, path, body)
			}
		})
	}
	group.Wait()
	return time.Since(began), errors.Join(errs...)
}

// burst has 1,000 http jobs due in the same second, against a sink on loopback.
func (f *face) burst(ctx context.Context, sv *server) (figure, error) {
	const jobs = 1000
	var sent, connections atomic.Int64
	var last atomic.Int64 // ns
	sink := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		last.Store(time.Now().UnixNano())
		sent.Add(1)
		w.WriteHeader(http.StatusNoContent)
	}))
	sink.Listener = counted{sink.Listener, &connections}
	sink.Start()
	defer sink.Close()
	due := time.Now().Add(15 * time.Second).Truncate(time.Second)
	_, err := f.all(ctx, jobs, func(n int) (string, string, string) {
		return http.MethodPut, fmt.Sprintf("c0/jobs/j%d", n) + azureEnd, fmt.Sprintf(
			`{"properties": {"startTime": %q, "action": {"type": "Http", "request": {"uri": %q, "method": "POST", "body": "now"}}}}`, due.UTC().Format(time.RFC3339), sink.URL)
	})
	if err != nil {
		return figure{}, err
	}
	if !time.Now().Before(due) {
		return figure{}, errors.New("the jobs were not made before they were due")
	}
	pause(ctx, time.Until(due.Add(10*time.Second)))
	memory, err := memoryOf(sv.cmd.Process.Pid, "VmHWM:")
	if err != nil {
		return figure{}, err
	}
	took := time.Duration(last.Load() - due.UnixNano())
	return figure{
		work: "1,000 http jobs due in the same second, all sent", bar: "≤ 3 s, ≤ 150 MB",
		result: fmt.Sprintf("%d in %.2f s over %d connections; at most %.0f MB", sent.Load(), took.Seconds(), connections.Load(), memory),
		met:    sent.Load() == jobs && took <= 3*time.Second && memory <= 150,
	}, nil
}
