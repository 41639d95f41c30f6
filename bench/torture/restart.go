package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The bars of a restart after kill -9 (`reliability.md` §6, G9).
const (
	readyBar   = 2 * time.Second
	overdueBar = 3 * time.Second

	overdueJobs  = 20
	runningJobs  = 10
	restartSlots = "64"            // more than all of them, so that nothing waits for a slot
	overdueDelay = 6 * time.Second // from the loading of overdue jobs to their plan time
)

// restartCommand measures, with a long history, how long after a kill -9 a new server is ready, and how long until what was due meanwhile runs.
func restartCommand(ctx context.Context, args []string) error {
	f, dir, binary := flags("restart")
	rows := f.Int("rows", 1_000_000, "ended instances in the history, each with an attempt and two events")
	n := f.Int("n", 5, "restarts")
	if err := f.Parse(args); err != nil {
		return flag.ErrHelp
	}
	p, err := settle(ctx, *dir, *binary)
	if err != nil {
		return err
	}
	readies, overdues, err := p.restarts(ctx, *rows, *n)
	if err != nil {
		p.leave(true)
		return err
	}
	p.leave(false)
	met := slices.Max(readies) <= readyBar && slices.Max(overdues) <= overdueBar
	fmt.Printf("%d ended instances, %d restarts after kill -9, %d attempts adopted at each\n", *rows, *n, runningJobs)
	fmt.Printf("ready:               %s (bar %s)\n", spread(readies), readyBar)
	fmt.Printf("first overdue start: %s (bar %s)\n", spread(overdues), overdueBar)
	if !met {
		fmt.Println("not met")
		return errViolated
	}
	return nil
}

func (p *place) restarts(ctx context.Context, rows, n int) (readies, overdues []time.Duration, err error) {
	folder, data, log := filepath.Join(p.dir, "pipelines"), filepath.Join(p.dir, "data"), filepath.Join(p.dir, "server.log")
	if err := writeLong(folder); err != nil {
		return nil, nil, err
	}
	made := filepath.Join(p.dir, "history")
	if text, err := os.ReadFile(made); err != nil || string(text) != strconv.Itoa(rows) {
		s, err := startServer(p.binary, folder, data, log, nil)
		if err != nil {
			return nil, nil, err
		}
		if _, err := s.awaitReady(ctx, startPatience); err != nil {
			s.kill()
			return nil, nil, err
		}
		if err := s.interrupt(startPatience); err != nil {
			return nil, nil, err
		}
		began := time.Now()
		if err := writeHistory(ctx, data, rows, began.Add(-time.Hour)); err != nil {
			return nil, nil, fmt.Errorf("write the history: %w", err)
		}
		fmt.Printf("history written in %.0f s\n", time.Since(began).Seconds())
		if err := os.WriteFile(made, []byte(strconv.Itoa(rows)), 0o600); err != nil {
			return nil, nil, err
		}
	}
	s, err := startServer(p.binary, folder, data, log, nil, "--slots", restartSlots)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		s.kill()
		if pid := supervisorOf(data); pid != 0 {
			killProcess(context.Background(), pid)
		}
	}()
	if _, err := s.awaitReady(ctx, startPatience); err != nil {
		return nil, nil, err
	}
	for i := range n {
		witness := filepath.Join(p.dir, fmt.Sprintf("overdue-%d", i))
		_ = os.Remove(witness)
		due := time.Now().UTC().Truncate(time.Second).Add(overdueDelay)
		if err := writeOverdue(folder, due, witness); err != nil {
			return nil, nil, err
		}
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			return nil, nil, err
		}
		pause(ctx, time.Until(due.Add(-time.Second)))
		s.kill()
		pause(ctx, time.Until(due.Add(2*time.Second)))
		if s, err = startServer(p.binary, folder, data, log, nil, "--slots", restartSlots); err != nil {
			return nil, nil, err
		}
		ready, err := s.awaitReady(ctx, startPatience)
		if err != nil {
			return nil, nil, err
		}
		first, err := firstLine(ctx, witness, startPatience)
		if err != nil {
			return nil, nil, err
		}
		readies, overdues = append(readies, ready), append(overdues, first.Sub(s.began))
		fmt.Printf("restart %d: ready after %.2f s, first overdue start after %.2f s\n", i+1, ready.Seconds(), first.Sub(s.began).Seconds())
	}
	return readies, overdues, nil
}

// writeOverdue writes a workflow of jobs that are due while no server runs, and of some that run when it is killed.
func writeOverdue(folder string, due time.Time, witness string) error {
	var b strings.Builder
	b.WriteString("workflow: overdue\njobs:\n")
	for i := range overdueJobs {
		fmt.Fprintf(&b, "  o%02d: {at: [%q], action: {type: shell, command: 'date +%%s%%N >> %s'}}\n", i, due.Format(time.RFC3339), witness)
	}
	for i := range runningJobs {
		fmt.Fprintf(&b, "  r%02d: {at: [%q], concurrency: 100, action: {type: shell, command: 'sleep 7'}}\n", i, due.Add(-3*time.Second).Format(time.RFC3339))
	}
	return os.WriteFile(filepath.Join(folder, "overdue.yaml"), []byte(b.String()), 0o600)
}

// firstLine waits for the first line of a file and reads it as nanoseconds.
func firstLine(ctx context.Context, path string, patience time.Duration) (time.Time, error) {
	for began := time.Now(); time.Since(began) < patience && ctx.Err() == nil; pause(ctx, 5*time.Millisecond) {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "\n") {
			ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
			return time.Unix(0, ns), err
		}
	}
	return time.Time{}, errors.Join(ctx.Err(), fmt.Errorf("nothing overdue has started after %s", patience))
}
