package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/spec"
)

func TestASeedDecidesTheKills(t *testing.T) {
	draw := func(seed int64) []blow {
		blows, total := (&killing{seed: seed, kills: 300}).blows()
		var sum time.Duration
		whom := map[string]int{}
		for _, b := range blows {
			require.Less(t, b.after, 5*time.Second)
			sum += b.after + b.down
			whom[b.whom]++
		}
		require.Equal(t, total, sum)
		require.InDelta(t, 150, whom["server"], 40)
		require.InDelta(t, 75, whom["supervisor"], 30)
		require.InDelta(t, 75, whom["both"], 30)
		return blows
	}
	require.Equal(t, draw(7), draw(7))
	require.NotEqual(t, draw(7), draw(8))
}

func TestTheTorturedFolderIsValidAndPlansWhatItSays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pipelines")
	begin := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	f, err := writeFolder(dir, begin, 40, 2, "http://127.0.0.1:1")
	require.NoError(t, err)
	require.NoError(t, f.edit())
	require.NoError(t, writeLong(dir))
	require.NoError(t, writeSoak(dir, "http://127.0.0.1:1"))
	require.NoError(t, writeOverdue(dir, begin, "overdue"))
	workflows, problems := spec.Load(os.DirFS(dir), dir)
	for _, p := range problems {
		require.Equal(t, spec.Warning, p.Severity, p.String())
	}
	jobs := 0
	for _, w := range workflows {
		jobs += len(w.Jobs)
	}
	require.Equal(t, 2*len(kinds)+1+2+longJobs+soakJobs+overdueJobs+runningJobs, jobs)
	require.Equal(t, 10*(2*len(kinds)+2), f.instances())
}

func TestTheSlopeIsThatOfTheLine(t *testing.T) {
	var samples []sample
	for n := range 60 {
		samples = append(samples, sample{after: time.Duration(n) * time.Minute, rss: 40*mebibyte + float64(n)*mebibyte/30, fds: 20})
	}
	mean, slope := line(samples, func(s sample) float64 { return s.rss / mebibyte })
	require.InDelta(t, 2, slope, 1e-9)
	require.InDelta(t, 40+59.0/60, mean, 1e-9)
	_, slope = line(samples, func(s sample) float64 { return s.fds })
	require.InDelta(t, 0, slope, 1e-9)
}
