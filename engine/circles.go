package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/almanac-sched/almanac/deps"
)

// circle returns which circle of jobs that wait for one another the job belongs to, 0 for none: by all that ever waited, since instances of several
// versions may be open at once. A job that waits for its own earlier instances alone is in none.
func (c *catalog) circle(v View, job int64) (int, error) {
	c.mu.RLock()
	circles := c.circles
	c.mu.RUnlock()
	if circles == nil {
		pairs, err := v.Upstreams()
		if err != nil {
			return 0, fmt.Errorf("list which jobs wait for which: %w", err)
		}
		circles = findCircles(pairs)
		c.mu.Lock()
		c.circles = circles
		c.mu.Unlock()
	}
	return circles[job], nil
}

// rethink forgets the circles when a job may close one. The caller holds the lock.
func (c *catalog) rethink(job *Job) {
	if len(job.DependsOn) > 0 {
		c.circles = nil
	}
}

// findCircles numbers the sets of jobs that wait for one another.
func findCircles(pairs []JobPair) map[int64]int {
	names, ups := map[string]int64{}, map[string][]string{}
	for _, p := range pairs {
		job, up := strconv.FormatInt(p.Job, 10), strconv.FormatInt(p.Upstream, 10)
		names[job], names[up] = p.Job, p.Upstream
		ups[job] = append(ups[job], up)
	}
	found, err := deps.Circles(slices.Sorted(maps.Keys(names)), func(name string) []string { return ups[name] })
	if err != nil {
		panic("stuck, this is a bug: " + err.Error()) // the graph is directed, which is all that is asked of it
	}
	circles := map[int64]int{}
	for n, circle := range found {
		for _, name := range circle {
			circles[names[name]] = n + 1
		}
	}
	return circles
}
