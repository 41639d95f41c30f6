package sim

import (
	"sync"
	"time"
)

// A Batch is many seeds on several cores.
type Batch struct {
	Options
	Workers int
	// Each is called with every report, one at a time, in no particular order; false ends the batch.
	Each func(Report) bool
}

// A Tally is what a batch came to.
type Tally struct {
	Seeds, Instances, Commits, Children int
	Days                                float64
	Seen                                map[string]int
	Violations                          []Report
	Took                                time.Duration
}

// Run runs the seeds. What is counted does not depend on the number of workers.
func (b Batch) Run(seeds []uint64) Tally {
	tally := Tally{Seen: map[string]int{}}
	var mu sync.Mutex
	var work sync.WaitGroup
	next, stopped := 0, false
	for range max(1, b.Workers) {
		work.Go(func() {
			for {
				mu.Lock()
				if stopped || next == len(seeds) {
					mu.Unlock()
					return
				}
				seed := seeds[next]
				next++
				mu.Unlock()
				r := Run(seed, b.Options)
				if r.Violation != nil && b.Quiet {
					loud := b.Options
					loud.Quiet = false
					r = Run(seed, loud)
				}
				mu.Lock()
				tally.add(r)
				if b.Each != nil && !b.Each(r) {
					stopped = true
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	return tally
}

func (t *Tally) add(r Report) {
	t.Seeds++
	t.Days += r.Days
	t.Instances += r.Instances
	t.Commits += r.Commits
	t.Children += r.Children
	for what, n := range r.Seen {
		t.Seen[what] += n
	}
	if r.Violation != nil {
		t.Violations = append(t.Violations, r)
	}
}

// Unseen lists what must have been seen at least once and was not.
func (t *Tally) Unseen() []string { return unseen(t.Seen) }

// Tail is the last n lines of the journal.
func (r *Report) Tail(n int) string {
	j := journal{text: []byte(r.Journal)}
	return j.tail(n)
}
