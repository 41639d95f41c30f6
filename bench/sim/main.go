// Command sim runs the simulator over a range of seeds and prints what it found: `go run ./bench/sim -seeds 1..2000`.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine/sim"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "sim:", err)
		os.Exit(1)
	}
}

func run() error {
	seeds := flag.String("seeds", "1..200", "a seed, or a range of them")
	days := flag.Int("days", 0, "days of chaos; 0: each seed says")
	store := flag.String("store", "model", "model or sqlite")
	workers := flag.Int("workers", runtime.NumCPU(), "seeds at once")
	most := flag.Int("fail", 10, "stop after so many violations")
	lines := flag.Int("tail", 40, "lines of the journal of a seed that fails")
	verbose := flag.Bool("v", false, "print the journal of each seed")
	keep := flag.String("keep", "", "an empty `folder` for the rows and the witness of one seed on sqlite, for chronocheck")
	calm := flag.Bool("calm", false, "no faults")
	planted := flag.String("planted", "", "a bug, or all: how many seeds find it; needs go run -tags planted")
	profile := flag.String("cpuprofile", "", "file for a profile")
	flag.Parse()

	debug.SetGCPercent(400) // worlds are small and short-lived
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	list, err := seedRange(*seeds)
	if err != nil {
		return err
	}
	if *planted != "" {
		return plant(*planted, list, sim.Options{Days: *days, Store: *store, Quiet: true}, *workers)
	}
	b := sim.Batch{Options: sim.Options{Days: *days, Store: *store, Calm: *calm, Keep: *keep, NoRestore: *keep != "", Quiet: !*verbose}, Workers: *workers}
	failed := 0
	b.Each = func(r sim.Report) bool {
		if *verbose {
			fmt.Print(r.Journal)
		}
		if r.Violation != nil {
			failed++
			fmt.Printf("seed %d: %s\n%s\nreplay: go run ./bench/sim -seeds %d -days %d -store %s -v\n\n", r.Seed, r.Violation, r.Tail(*lines), r.Seed, *days, *store)
		}
		return failed < *most
	}
	began := time.Now()
	tally := b.Run(list)
	took := time.Since(began)
	fmt.Printf("%d seeds, %.0f simulated days, %d instances, %d executions, %d commits in %s: %.0f days/s, %d violations\n", tally.Seeds, tally.Days, tally.Instances,
		tally.Children, tally.Commits, took.Round(time.Millisecond), tally.Days/took.Seconds(), len(tally.Violations))
	names := make([]string, 0, len(tally.Seen))
	for name := range tally.Seen {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Printf("  %8d  %s\n", tally.Seen[name], name)
	}
	if unseen := tally.Unseen(); len(unseen) > 0 {
		fmt.Printf("never seen: %s\n", strings.Join(unseen, "; "))
	}
	if len(tally.Violations) > 0 {
		return fmt.Errorf("%d of %d seeds failed", len(tally.Violations), tally.Seeds)
	}
	return nil
}

// seedRange reads 7 or 1..2000.
func seedRange(text string) ([]uint64, error) {
	first, last, ranged := strings.Cut(text, "..")
	low, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("-seeds %q: %w", text, err)
	}
	high := low
	if ranged {
		if high, err = strconv.ParseUint(last, 10, 64); err != nil {
			return nil, fmt.Errorf("-seeds %q: %w", text, err)
		}
	}
	if high < low {
		return nil, fmt.Errorf("-seeds %q is empty", text)
	}
	list := make([]uint64, 0, high-low+1)
	for s := low; s <= high; s++ {
		list = append(list, s)
	}
	return list, nil
}
