package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A graph is steps with the steps that each needs.
type graph struct {
	name  string
	needs [][]int
}

func chain(n int) graph {
	g := graph{name: "chain", needs: make([][]int, n)}
	for i := 1; i < n; i++ {
		g.needs[i] = []int{i - 1}
	}
	return g
}

func fanOut(n int) graph { return graph{name: "fan-out", needs: make([][]int, n)} }

// layers is n/100 layers of 100: each step needs one of the layer before, the first of each layer all 100.
func layers(n int) graph {
	g := graph{name: "layers of 100", needs: make([][]int, n)}
	for i := 100; i < n; i++ {
		if i%100 != 0 {
			g.needs[i] = []int{i - 100}
			continue
		}
		for k := i - 100; k < i; k++ {
			g.needs[i] = append(g.needs[i], k)
		}
	}
	return g
}

// benchGraphs runs graphs of `true` with almanac, everything recorded durably, and with ninja -j2.
func benchGraphs(ctx context.Context, s setting) ([]figure, error) {
	if _, err := exec.LookPath("ninja"); err != nil {
		return nil, errors.New("ninja is needed for comparison: apt-get install ninja-build")
	}
	var figures []figure
	for _, shape := range []func(int) graph{chain, fanOut, layers} {
		small, large := shape(1000), shape(10_000)
		// One run of each in turn, so that whatever else the machine does meets both.
		var all, peers []time.Duration
		var lean footprint
		ratio, err := median(s.n, func(i int) (float64, error) {
			took, most, err := s.runGraph(ctx, small, i)
			if err != nil {
				return 0, err
			}
			peer, err := s.runNinja(ctx, small)
			all, peers, lean = append(all, took), append(peers, peer), lean.most(most)
			return took.Seconds() / peer.Seconds(), err
		})
		if err != nil {
			return nil, err
		}
		ours, theirs := quantile(all, 0.5), quantile(peers, 0.5)
		figures = append(figures, figure{
			work: "1,000 `true` steps, " + small.name, bar: "≤ 2 × ninja -j2", met: ratio <= 2,
			result: fmt.Sprintf("%.2f s; ninja %.2f s; **%.2f ×**", ours.Seconds(), theirs.Seconds(), ratio),
		})
		var full footprint
		many, err := median(max(1, s.n/2), func(i int) (time.Duration, error) {
			took, most, err := s.runGraph(ctx, large, i)
			full = full.most(most)
			return took, err
		})
		if err != nil {
			return nil, err
		}
		growth := many.Seconds() / ours.Seconds()
		figures = append(figures, figure{
			work: "10,000 `true` steps, " + large.name, bar: "≤ 11 × the 1,000", met: growth <= 11,
			result: fmt.Sprintf("%.2f s; **%.1f ×**", many.Seconds(), growth),
		}, figure{
			work: "the same, most memory of the server and of its supervisor", bar: "≤ 11 × the 1,000", met: full.server <= 11*lean.server && full.supervisor <= 11*lean.supervisor,
			result: fmt.Sprintf("%.0f and %.0f MB; 1,000 steps: %.0f and %.0f MB", full.server, full.supervisor, lean.server, lean.supervisor),
		})
	}
	return figures, nil
}

// footprint is the most memory that the two processes have had, in MB.
type footprint struct{ server, supervisor float64 }

func (f footprint) most(other footprint) footprint {
	return footprint{max(f.server, other.server), max(f.supervisor, other.supervisor)}
}

// runGraph is the time of `almanac run` on the graph as the steps of one job, in a new data directory, and the most memory that it took.
func (s setting) runGraph(ctx context.Context, g graph, i int) (took time.Duration, most footprint, err error) {
	folder := filepath.Join(s.dir, fmt.Sprintf("%s-%d", g.name, len(g.needs)))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, most, err
	}
	var b strings.Builder
	b.WriteString("workflow: bench\njobs:\n  graph:\n    at: [2026-08-03T00:00:00Z]\n    steps:\n")
	for i, needs := range g.needs {
		fmt.Fprintf(&b, "      s%d: {type: shell, command: \"true\"", i)
		if len(needs) > 0 {
			names := make([]string, len(needs))
			for k, need := range needs {
				names[k] = fmt.Sprintf("s%d", need)
			}
			fmt.Fprintf(&b, ", needs: [%s]", strings.Join(names, ", "))
		}
		b.WriteString("}\n")
	}
	if err := os.WriteFile(filepath.Join(folder, "graph.yaml"), []byte(b.String()), 0o600); err != nil {
		return 0, most, err
	}
	data := filepath.Join(s.dir, fmt.Sprintf("data-%s-%d-%d", g.name, len(g.needs), i))
	cmd := exec.CommandContext(ctx, s.bin, "run", folder, "--date", "2026-08-03", "--data", data)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took = time.Since(began)
	if err != nil {
		return 0, most, fmt.Errorf("run %s: %w\n%s", g.name, err, tail(out))
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		most.server = float64(usage.Maxrss) * 1024 / 1e6
	}
	most.supervisor, err = supervisorPeak(data)
	return took, most, err
}

var supervisorPid = regexp.MustCompile(`supervisor listens.* pid=(\d+)`)

// supervisorPeak is the most memory, in MB, that the supervisor of a data directory has had. It stays for two seconds after its last server.
func supervisorPeak(data string) (float64, error) {
	words, err := os.ReadFile(filepath.Join(data, "run", "supervisor.log"))
	if err != nil {
		return 0, err
	}
	found := supervisorPid.FindSubmatch(words)
	if found == nil {
		return 0, errors.New("the supervisor did not name its process")
	}
	pid, err := strconv.Atoi(string(found[1]))
	if err != nil {
		return 0, err
	}
	return memoryOf(pid, "VmHWM:")
}

// runNinja is the time of ninja -j2 on the same graph.
func (s setting) runNinja(ctx context.Context, g graph) (time.Duration, error) {
	folder := filepath.Join(s.dir, "ninja-"+g.name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, err
	}
	var b strings.Builder
	b.WriteString("rule run\n  command = true\n")
	for i, needs := range g.needs {
		fmt.Fprintf(&b, "build s%d: run", i)
		for _, need := range needs {
			fmt.Fprintf(&b, " s%d", need)
		}
		b.WriteString("\n")
	}
	if err := os.WriteFile(filepath.Join(folder, "build.ninja"), []byte(b.String()), 0o600); err != nil {
		return 0, err
	}
	if err := os.RemoveAll(filepath.Join(folder, ".ninja_log")); err != nil {
		return 0, err
	}
	began := time.Now()
	err := command(ctx, folder, "ninja", "-j2", "--quiet")
	return time.Since(began), err
}
