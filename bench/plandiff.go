package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// benchPlanDiff compares two folders of 10,000 jobs, whose instances of a day each wait for others, by the command that a pull request runs: reading both
// folders is part of it. In the second, one job in a hundred is due later, so that those that wait for it are re-linked.
func benchPlanDiff(ctx context.Context, s setting) ([]figure, error) {
	const jobs, workflows = 10_000, 100
	folders := [2]string{filepath.Join(s.dir, "old"), filepath.Join(s.dir, "new")}
	for side, folder := range folders {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, err
		}
		for w := range workflows {
			var b strings.Builder
			fmt.Fprintf(&b, "workflow: w%02d\ndefaults: {startTime: \"2026-01-01T00:00:00Z\"}\njobs:\n", w)
			for j := range jobs / workflows {
				hour := 1 + j%5
				if side == 1 && j == 50 {
					hour = 7
				}
				fmt.Fprintf(&b, "  j%02d: {recurrence: {frequency: day, schedule: {hours: [%d], minutes: [%d]}}, action: {type: shell, command: \"true\"}", j, hour, j%60)
				if j > 0 {
					fmt.Fprintf(&b, ", dependsOn: [j%02d", j-1)
					if j > 50 {
						b.WriteString(", {job: j50, cycle: previous}")
					}
					b.WriteString("]")
				}
				b.WriteString("}\n")
			}
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("w%02d.yaml", w)), []byte(b.String()), 0o600); err != nil {
				return nil, err
			}
		}
	}
	took, err := median(s.n, func(int) (time.Duration, error) {
		began := time.Now()
		err := command(ctx, s.dir, s.bin, "plan", "diff", folders[1], "--against", folders[0], "--from", "2026-08-03T00:00:00Z", "--days", "1", "-o", "json")
		return time.Since(began), err
	})
	if err != nil {
		return nil, err
	}
	const bar = 10 * time.Second
	return []figure{{
		work: "plan diff of two folders of 10,000 jobs, a day, with the reading of both", bar: "≤ 10 s (no peer has one)",
		result: fmt.Sprintf("**%.2f s**", took.Seconds()), met: took <= bar,
	}}, nil
}
