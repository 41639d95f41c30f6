package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
		ours, err := s.runGraph(ctx, small, s.n)
		if err != nil {
			return nil, err
		}
		theirs, err := s.runNinja(ctx, small, s.n)
		if err != nil {
			return nil, err
		}
		ratio := ours.Seconds() / theirs.Seconds()
		figures = append(figures, figure{
			work: "1,000 `true` steps, " + small.name, bar: "≤ 2 × ninja -j2", met: ratio <= 2,
			result: fmt.Sprintf("%.2f s; ninja %.2f s; **%.2f ×**", ours.Seconds(), theirs.Seconds(), ratio),
		})
		many, err := s.runGraph(ctx, large, max(1, s.n/2))
		if err != nil {
			return nil, err
		}
		growth := many.Seconds() / ours.Seconds()
		figures = append(figures, figure{
			work: "10,000 `true` steps, " + large.name, bar: "≤ 11 × the 1,000", met: growth <= 11,
			result: fmt.Sprintf("%.2f s; **%.1f ×**", many.Seconds(), growth),
		})
	}
	return figures, nil
}

// runGraph is the median time of `almanac run` on the graph as the steps of one job.
func (s setting) runGraph(ctx context.Context, g graph, n int) (time.Duration, error) {
	folder := filepath.Join(s.dir, fmt.Sprintf("%s-%d", g.name, len(g.needs)))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, err
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
		return 0, err
	}
	return median(n, func(i int) (time.Duration, error) {
		data := filepath.Join(s.dir, fmt.Sprintf("data-%s-%d-%d", g.name, len(g.needs), i))
		began := time.Now()
		err := command(ctx, s.dir, s.bin, "run", folder, "--date", "2026-08-03", "--data", data)
		return time.Since(began), err
	})
}

// runNinja is the median time of ninja -j2 on the same graph.
func (s setting) runNinja(ctx context.Context, g graph, n int) (time.Duration, error) {
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
	return median(n, func(int) (time.Duration, error) {
		if err := os.RemoveAll(filepath.Join(folder, ".ninja_log")); err != nil {
			return 0, err
		}
		began := time.Now()
		err := command(ctx, folder, "ninja", "-j2", "--quiet")
		return time.Since(began), err
	})
}
