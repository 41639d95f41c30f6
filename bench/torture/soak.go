package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	sampleEvery = 10 * time.Second
	rssBar      = 1.0  // MiB an hour
	flatBar     = 2.0  // file descriptors or goroutines an hour: less than one leaked by a thousandth of the instances
	soakJobs    = 100  // each due once a minute
	soakWorkers = 8    // slots
	mebibyte    = 1024 // KiB
)

// soakCommand lets the server run at 100 instances a minute and says whether it grows.
func soakCommand(ctx context.Context, args []string) error {
	f, dir, binary := flags("soak")
	minutes := f.Float64("minutes", 60, "how long")
	warmup := f.Float64("warmup", 15, "minutes whose samples are left out; a quarter of shorter runs")
	csv := f.String("csv", "", "the samples as CSV into this `file`; by default soak.csv in the scratch folder")
	if err := f.Parse(args); err != nil {
		return flag.ErrHelp
	}
	// Goroutines are told by the build with the tag faults alone, which is otherwise the same program.
	p, err := settle(ctx, *dir, *binary, "faults")
	if err != nil {
		return err
	}
	if *csv == "" {
		*csv = filepath.Join(p.dir, "soak.csv")
		p.kept = true
		fmt.Println("samples:", *csv)
	}
	length, skip := time.Duration(*minutes*float64(time.Minute)), time.Duration(*warmup*float64(time.Minute))
	samples, err := p.soak(ctx, length, *csv)
	if err != nil {
		p.leave(true)
		return err
	}
	p.leave(false)
	return judgeSoak(samples, min(skip, length/4))
}

// A sample is what one process is like at a moment; a figure is negative when it could not be had.
type sample struct {
	after                   time.Duration // since the start
	who                     string
	pid                     int
	rss                     float64 // KiB
	fds, threads, goroutine float64
	heap                    float64 // KiB
}

const csvHead = "seconds,process,pid,rss_kib,fds,threads,goroutines,heap_kib"

func (s sample) csv() string {
	return fmt.Sprintf("%.0f,%s,%d,%.0f,%.0f,%.0f,%.0f,%.0f", s.after.Seconds(), s.who, s.pid, s.rss, s.fds, s.threads, s.goroutine, s.heap)
}

// take samples a process.
func take(after time.Duration, who string, pid int, gauges string) (sample, error) {
	s := sample{after: after, who: who, pid: pid, goroutine: -1, heap: -1}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		words := strings.Fields(rest)
		switch {
		case len(words) == 0:
		case name == "VmRSS":
			s.rss, err = strconv.ParseFloat(words[0], 64)
		case name == "Threads":
			s.threads, err = strconv.ParseFloat(words[0], 64)
		}
		if err != nil {
			return s, err
		}
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return s, err
	}
	s.fds = float64(len(fds))
	if text, err := os.ReadFile(filepath.Join(gauges, strconv.Itoa(pid))); err == nil {
		if _, err := fmt.Sscan(string(text), &s.goroutine, &s.heap); err != nil {
			return s, err
		}
		s.heap /= mebibyte
	}
	return s, nil
}

// writeSoak writes jobs of every kind, each due once a minute, spread over it.
func writeSoak(folder, sink string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("workflow: soak\ndefaults: {cron: \"* * * * *\", spread: PT55S, concurrency: 4}\njobs:\n")
	for i := range soakJobs {
		body := `{action: {type: shell, command: "echo line; sleep 0.1"}}`
		switch i % 10 {
		case 1:
			body = `{action: {type: none}}`
		case 2:
			body = fmt.Sprintf(`{dependsOn: [{job: j%03d, window: {from: -PT1M, to: PT0S, closed: both}}], action: {type: shell, command: "true"}}`, i-1)
		case 3:
			body = `{retryPolicy: {retryType: fixed, retryInterval: PT1S, retryCount: 2}, action: {type: shell, command: "exit $((ALMANAC_ATTEMPT % 2))"}}`
		case 4:
			body = `{action: {type: shell, command: "exit 3"}, errorAction: {type: shell, command: "echo $ALMANAC_ERROR"}}`
		case 5:
			body = `{steps: {a: {type: shell, command: "echo x=1 >> $ALMANAC_OUTPUT"}, b: {needs: [a], type: none}, c: {needs: [b], type: shell, command: "true"}}}`
		case 6:
			body = fmt.Sprintf(`{action: {type: http, request: {method: POST, uri: "%s/soak"}}}`, sink)
		case 7:
			body = `{timeout: PT1S, action: {type: shell, command: "sleep 30"}}`
		case 8:
			body = `{action: {type: shell, command: "(setsid sleep 30 &); head -c 100000 /dev/zero"}}`
		}
		fmt.Fprintf(&b, "  j%03d: %s\n", i, body)
	}
	return os.WriteFile(filepath.Join(folder, "soak.yaml"), []byte(b.String()), 0o600)
}

// soak runs the server for so long and returns the samples, which are written as they are taken.
func (p *place) soak(ctx context.Context, length time.Duration, csv string) (samples []sample, err error) {
	folder, data, gauges := filepath.Join(p.dir, "pipelines"), filepath.Join(p.dir, "data"), filepath.Join(p.dir, "gauges")
	if err := os.MkdirAll(gauges, 0o700); err != nil {
		return nil, err
	}
	far, err := newSink()
	if err != nil {
		return nil, err
	}
	defer far.close()
	if err := writeSoak(folder, far.url); err != nil {
		return nil, err
	}
	out, err := openLines(csv)
	if err != nil {
		return nil, err
	}
	out.add(csvHead)
	s, err := startServer(p.binary, folder, data, filepath.Join(p.dir, "server.log"), []string{"ALMANAC_GAUGES_DIR=" + gauges}, "--slots", strconv.Itoa(soakWorkers))
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, s.interrupt(15*time.Second))
		for _, pid := range leftBehind(data) { // an interrupted attempt runs on, but nobody waits for it here
			killProcess(context.Background(), pid)
		}
	}()
	if _, err := s.awaitReady(ctx, startPatience); err != nil {
		return nil, err
	}
	began := time.Now()
	for next := began; time.Since(began) < length && ctx.Err() == nil; pause(ctx, time.Until(next)) {
		next = next.Add(sampleEvery)
		for who, pid := range map[string]int{"server": s.cmd.Process.Pid, "supervisor": supervisorOf(data)} {
			if pid == 0 {
				continue // nothing has run yet
			}
			one, err := take(time.Since(began), who, pid, gauges)
			if err != nil {
				return samples, fmt.Errorf("the %s is gone after %s: %w", who, one.after.Round(time.Second), err)
			}
			samples = append(samples, one)
			out.add(one.csv())
		}
	}
	var status struct {
		Instances map[string]int `json:"instances"`
	}
	if _, err := s.call("GET", "/status", nil, nil, &status); err != nil {
		return samples, err
	}
	fmt.Printf("%.0f minutes, instances: %v\n", time.Since(began).Minutes(), status.Instances)
	if status.Instances["succeeded"] == 0 || status.Instances["lost"] > 0 {
		return samples, errors.New("the instances did not end as they should have")
	}
	return samples, nil
}

// judgeSoak prints how each figure of each process changes by the hour.
func judgeSoak(samples []sample, skip time.Duration) error {
	figures := []struct {
		name string
		bar  float64 // per hour
		of   func(sample) float64
	}{
		{"RSS, MiB", rssBar, func(s sample) float64 { return s.rss / mebibyte }},
		{"file descriptors", flatBar, func(s sample) float64 { return s.fds }},
		{"goroutines", flatBar, func(s sample) float64 { return s.goroutine }},
		{"threads", 0, func(s sample) float64 { return s.threads }},
		{"heap, MiB", 0, func(s sample) float64 { return s.heap / mebibyte }},
	}
	fmt.Printf("\n| process | figure | mean | slope an hour, after %s | bar | met |\n|---|---|---|---|---|---|\n", skip)
	good := true
	for _, who := range []string{"server", "supervisor"} {
		var of []sample
		pids := map[int]bool{}
		for _, s := range samples {
			if s.who == who && s.after >= skip {
				of = append(of, s)
				pids[s.pid] = true
			}
		}
		if len(of) < 3 || len(pids) != 1 {
			fmt.Printf("| %s | %d samples of %d processes | | | one process | **no** |\n", who, len(of), len(pids))
			good = false
			continue
		}
		for _, f := range figures {
			mean, slope := line(of, f.of)
			bar, met := "", ""
			if f.bar > 0 {
				bar, met = fmt.Sprintf("< %.0f", f.bar), "yes"
				if slope >= f.bar || mean < 0 {
					met, good = "**no**", false
				}
			}
			fmt.Printf("| %s | %s | %.1f | %+.2f | %s | %s |\n", who, f.name, mean, slope, bar, met)
		}
	}
	if !good {
		return errViolated
	}
	return nil
}

// line fits a straight line by least squares and returns the mean of the figure and its change by the hour.
func line(samples []sample, of func(sample) float64) (mean, slope float64) {
	n := float64(len(samples))
	var meanX float64
	for _, s := range samples {
		meanX += s.after.Hours() / n
		mean += of(s) / n
	}
	var xy, xx float64
	for _, s := range samples {
		dx := s.after.Hours() - meanX
		xy += dx * (of(s) - mean)
		xx += dx * dx
	}
	return mean, xy / xx
}
