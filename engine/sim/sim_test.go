package sim_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/fault/effort"
	"github.com/almanac-sched/almanac/engine/sim"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // worlds are small and short-lived
	os.Exit(m.Run())
}

// report fails the test with what is needed to find out why.
func report(t *testing.T, r sim.Report) {
	t.Helper()
	t.Errorf("seed %d: %s\n%s\nreplay: go run ./bench/sim -seeds %d -v", r.Seed, r.Violation, r.Tail(40), r.Seed)
}

// Seeds that failed once, with the reason, are run first; where few cases are drawn it is each third.
func TestSeedsThatFailedOnce(t *testing.T) {
	text, err := os.ReadFile("testdata/seeds.txt")
	require.NoError(t, err)
	var seeds []uint64
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			seed, err := strconv.ParseUint(line, 10, 64)
			require.NoError(t, err)
			seeds = append(seeds, seed)
		}
	}
	require.NotEmpty(t, seeds)
	if !effort.Long() {
		for n := range (len(seeds) + 2) / 3 {
			seeds[n] = seeds[3*n]
		}
		seeds = seeds[:(len(seeds)+2)/3]
	}
	for _, r := range (sim.Batch{Options: sim.Options{Quiet: true}, Workers: runtime.GOMAXPROCS(0)}).Run(seeds).Violations {
		report(t, r)
	}
}

// The first seeds.
func firstSeeds(n int) []uint64 {
	seeds := make([]uint64, n)
	for n := range seeds {
		seeds[n] = uint64(n) + 1
	}
	return seeds
}

// Five hundred worlds keep every promise, and have seen everything that a chaos must see. Where few
// cases are drawn it is the first forty of them.
func TestSeeds(t *testing.T) {
	seeds := firstSeeds(effort.Of(40, 500))
	failed := 0
	tally := sim.Batch{Options: sim.Options{Quiet: true}, Workers: runtime.GOMAXPROCS(0), Each: func(r sim.Report) bool {
		if r.Violation != nil {
			report(t, r)
			failed++
		}
		return failed < 5
	}}.Run(seeds)
	t.Logf("%d seeds, %.0f simulated days, %d instances, %d executions, %d commits", tally.Seeds, tally.Days, tally.Instances, tally.Children, tally.Commits)
	if failed == 0 && effort.Long() {
		require.Empty(t, tally.Unseen(), "never seen: the batch has tested less than it says")
	}
}

// The same worlds on the rows of the real store: what the model does right and the store does not
// is seen by the same promises.
func TestSeedsOnTheRealStore(t *testing.T) {
	options := sim.Options{Quiet: true, Store: "sqlite", Dir: shm(t), NoRestore: true}
	if !effort.Long() {
		options.Days = 1
	}
	failed := 0
	tally := sim.Batch{Options: options, Workers: runtime.GOMAXPROCS(0), Each: func(r sim.Report) bool {
		if r.Violation != nil {
			report(t, r)
			failed++
		}
		return failed < 5
	}}.Run(firstSeeds(effort.Of(3, 10)))
	t.Logf("%d seeds, %.0f simulated days, %d instances, %d commits", tally.Seeds, tally.Days, tally.Instances, tally.Commits)
}

// The same seed is the same world, byte for byte.
func TestReplay(t *testing.T) {
	for seed := uint64(1); seed <= uint64(effort.Of(6, 12)); seed++ {
		first, second := sim.Run(seed, sim.Options{Days: 1}), sim.Run(seed, sim.Options{Days: 1})
		require.Equal(t, first.Journal, second.Journal, "seed %d", seed)
		require.NotEmpty(t, first.Journal)
	}
}

// A world on the real store goes the way of the world on the model.
func TestBothStoresAreOne(t *testing.T) {
	for seed := uint64(1); seed <= uint64(effort.Of(2, 4)); seed++ {
		onModel := sim.Run(seed, sim.Options{Days: 1, NoRestore: true})
		onSQLite := sim.Run(seed, sim.Options{Days: 1, NoRestore: true, Store: "sqlite", Dir: shm(t)})
		if onSQLite.Violation != nil {
			report(t, onSQLite)
		}
		a, b := strings.Split(onModel.Journal, "\n"), strings.Split(onSQLite.Journal, "\n")
		for n := range min(len(a), len(b)) {
			require.Equal(t, a[n], b[n], "seed %d, line %d", seed, n)
		}
		require.Equal(t, len(a), len(b), "seed %d", seed)
	}
}

// shm is a folder in memory where there is one: what is tested is not the disk.
func shm(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "almanac-sim-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Each scenario survives a crash at every second of its writes, or at every twentieth where few cases are
// drawn, in each of three ways, and comes to rest.
func TestCrashAtEveryWrite(t *testing.T) {
	crashAtEveryWrite(t, sim.Options{Quiet: true}, effort.Of(20, 2))
}

// On the real store the crashes are a sample.
func TestCrashAtWritesOfTheRealStore(t *testing.T) {
	crashAtEveryWrite(t, sim.Options{Quiet: true, Store: "sqlite", Dir: shm(t)}, effort.Of(80, 32))
}

func crashAtEveryWrite(t *testing.T, opts sim.Options, every int) {
	var mu sync.Mutex
	total := 0
	t.Run("scenarios", func(t *testing.T) {
		for _, scenario := range sim.Scenarios {
			t.Run(scenario.Name, func(t *testing.T) {
				t.Parallel()
				crashes, failed, where := scenario.CrashEverywhere(sim.Crashes, every, opts)
				if failed != nil {
					t.Errorf("%s: %s\n%s", where, failed.Violation, failed.Tail(60))
				}
				require.Greater(t, crashes, 2, "the scenario has hardly a write: it proves too little")
				mu.Lock()
				defer mu.Unlock()
				total += crashes
				t.Logf("%d crashes", crashes)
			})
		}
	})
	t.Logf("%d crashes in all", total)
}
