package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/almanac-sched/almanac/engine/fault"
	"github.com/almanac-sched/almanac/engine/sim"
)

// plant looks for one planted bug, or for all, and prints the table of bench/planted.md.
func plant(name string, seeds []uint64, opts sim.Options, workers int) error {
	if !fault.Enabled {
		return errors.New("no bug is planted in this program: go run -tags planted ./bench/sim -planted " + name)
	}
	bugs := make([]fault.Bug, 0, fault.Count)
	for b := fault.None + 1; b < fault.Count; b++ {
		if name == "all" || name == b.String() {
			bugs = append(bugs, b)
		}
	}
	if len(bugs) == 0 {
		return fmt.Errorf("there is no bug %q", name)
	}
	fmt.Println("| bug | what is wrong | taken from | seeds needed | found by | in what words |")
	fmt.Println("|---|---|---|---:|---|---|")
	missed, unsound := 0, 0
	onModel := opts
	for _, bug := range bugs {
		if bug.BySuite() {
			fmt.Printf("| %s | %s | %s | – | the conformance suite | go test -tags planted ./store |\n",
				bug, bug.What(), bug.From())
			continue
		}
		if opts = onModel; bug.OfStore() {
			opts.Store, opts.NoRestore = "sqlite", true
		}
		fault.Use(bug)
		found := sim.Report{}
		batch := sim.Batch{Options: opts, Workers: workers, Each: func(r sim.Report) bool {
			if r.Violation != nil && (found.Violation == nil || r.Seed < found.Seed) {
				found = r
			}
			return r.Violation == nil // what runs beside it may be an earlier seed, and is waited for
		}}
		batch.Run(seeds)
		if found.Violation == nil && bug.OfStore() {
			found = differs(seeds, opts)
		}
		if found.Violation == nil {
			missed++
			fmt.Printf("| %s | %s | %s | – | not found in %d seeds | |\n", bug, bug.What(), bug.From(), len(seeds))
			continue
		}
		fault.Use(fault.None)
		if clean := sim.Run(found.Seed, opts); clean.Violation != nil {
			unsound++
			fmt.Printf("| %s | %s | %s | %d | nothing: the seed fails without it | %s |\n", bug, bug.What(), bug.From(), found.Seed, words(clean.Violation.Words))
			continue
		}
		fmt.Printf("| %s | %s | %s | %d | %s | %s |\n", bug, bug.What(), bug.From(), found.Seed-seeds[0]+1, found.Violation.Invariant, words(found.Violation.Words))
	}
	fault.Use(fault.None)
	if missed+unsound > 0 {
		return fmt.Errorf("%d of %d bugs were not found", missed+unsound, len(bugs))
	}
	return nil
}

// differs looks for a seed that goes another way on the real store than on the model.
func differs(seeds []uint64, opts sim.Options) sim.Report {
	opts.Quiet, opts.Days = false, 1
	for _, seed := range seeds[:min(len(seeds), 10)] {
		onModel := opts
		onModel.Store = "model"
		a, b := strings.Split(sim.Run(seed, onModel).Journal, "\n"), strings.Split(sim.Run(seed, opts).Journal, "\n")
		for n := range min(len(a), len(b)) {
			if a[n] != b[n] {
				words := fmt.Sprintf("line %d of the journal is %q, and on the model %q", n+1, b[n], a[n])
				return sim.Report{Seed: seed, Violation: &sim.Violation{Invariant: "the model", Words: words}}
			}
		}
	}
	return sim.Report{}
}

// words shortens a violation to a cell of a table.
func words(text string) string {
	const most = 150
	cell := []rune{}
	for _, c := range text {
		if c == '|' || c == '\n' {
			c = ' '
		}
		cell = append(cell, c)
	}
	if len(cell) > most {
		cell = append(cell[:most], '…')
	}
	return string(cell)
}
