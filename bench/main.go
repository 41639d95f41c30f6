// Command bench measures what bench/README.md states, each figure with its peer, its limit or its bar beside it in the same run.
//
//	go run ./bench [-bin bin/almanac] [-n 5] [-instances 5000000] [name …]
//
// Without names it runs everything, which takes about half an hour. The graphs need ninja (Debian: ninja-build).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A figure is one line of the result.
type figure struct {
	work   string
	result string
	bar    string
	met    bool
}

// A setting is what the benchmarks share.
type setting struct {
	bin string // the almanac binary
	dir string // scratch
	n   int    // runs that a median is taken of

	instances int // that have ended, of a long history
	bulk      int // instances of the backfill of the benchmark bulk
	planned   int // instances of the plans of the benchmark plansize
}

type benchmark struct {
	name string
	run  func(context.Context, setting) ([]figure, error)
}

// Those of processes come first: a process begins with the peak of memory of the one that started it.
var benchmarks = []benchmark{
	{"graphs", benchGraphs},
	{"minute", benchMinute},
	{"trigger", benchTrigger},
	{"idle", benchIdle},
	{"azure", benchAzure},
	{"streams", benchStreams},
	{"board", benchBoard},
	{"plansize", benchPlanSize},
	{"next", benchNext},
	{"plan", benchPlan},
	{"plandiff", benchPlanDiff},
	{"insert", benchInsert},
	{"transitions", benchTransitions},
	{"pass", benchPass},
	{"active", benchActive},
	{"none", benchNone},
	{"explain", benchExplain},
	{"operations", benchOperations},
	{"backfill", benchBackfill},
	{"bulk", benchBulk},
	{"simulate", benchSimulate},
	{"history", benchHistory},
}

func main() {
	bin := flag.String("bin", "bin/almanac", "the almanac binary")
	n := flag.Int("n", 5, "runs that each median is taken of")
	instances := flag.Int("instances", 5_000_000, "ended instances of the history")
	bulk := flag.Int("bulk", 854_100, "instances of the backfill of the benchmark bulk")
	planned := flag.Int("planned", 1_000_000, "instances of the plans of the benchmark plansize")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, setting{bin: *bin, n: *n, instances: *instances, bulk: *bulk, planned: *planned}, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s setting, names []string) error {
	path, err := filepath.Abs(s.bin)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("%w (make build makes it)", err)
	}
	dir, err := os.MkdirTemp("", "almanac-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Printf("%s, %d CPUs, %s\n\n", cpu(), runtime.NumCPU(), runtime.Version())
	fmt.Println("| work | figure | bar | met |")
	fmt.Println("|---|---|---|---|")
	for _, b := range benchmarks {
		if len(names) > 0 && !slices.Contains(names, b.name) {
			continue
		}
		scratch := filepath.Join(dir, b.name)
		if err := os.Mkdir(scratch, 0o700); err != nil {
			return err
		}
		figures, err := b.run(ctx, setting{
			bin: path, dir: scratch, n: s.n, instances: s.instances, bulk: s.bulk, planned: s.planned,
		})
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		for _, f := range figures {
			met := "yes"
			if !f.met {
				met = "**no**"
			}
			fmt.Printf("| %s | %s | %s | %s |\n", f.work, f.result, f.bar, met)
		}
	}
	return nil
}

// cpu names the processor, as far as the system tells.
func cpu() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return runtime.GOARCH
}

// median runs f n times and returns the middle of what it returns.
func median[T interface{ ~int64 | ~float64 }](n int, f func(i int) (T, error)) (T, error) {
	results := make([]T, 0, n)
	for i := range n {
		r, err := f(i)
		if err != nil {
			return 0, err
		}
		results = append(results, r)
	}
	slices.Sort(results)
	return results[len(results)/2], nil
}

// quantile returns the q-quantile of the durations.
func quantile(d []time.Duration, q float64) time.Duration {
	sorted := slices.Clone(d)
	slices.Sort(sorted)
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// command runs a program and returns its error with what it printed.
func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, tail(out))
	}
	return nil
}

func tail(out []byte) []byte { return out[max(0, len(out)-2000):] }
