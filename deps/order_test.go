package deps_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sched/almanac/deps"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// waits reads "a: b c; b: c" as a waits for b and c, b for c.
func waits(text string) func(string) []string {
	up := map[string][]string{}
	for _, part := range strings.Split(text, ";") {
		if job, ups, ok := strings.Cut(part, ":"); ok {
			up[strings.TrimSpace(job)] = strings.Fields(ups)
		}
	}
	return func(job string) []string { return up[job] }
}

func TestOrder(t *testing.T) {
	for _, c := range []struct{ name, jobs, waits, want string }{
		{"no edges keep the list", "c a b", "", "c a b"},
		{"already in order", "a b c d", "d: a; c: b", "a b c d"},
		{"upstream first", "a b c", "a: b; b: c", "c b a"},
		{"of those that could come next, the first listed", "z y x w", "z: w", "y x w z"},
		{"as soon as it can", "report load extract clean", "report: load; load: clean extract; clean: extract", "extract clean load report"},
		{"an unknown upstream is passed over", "a b", "a: elsewhere/x b", "b a"},
		{"named twice counts once", "a b", "a: b b", "b a"},
		{"a job listed twice", "a b a", "a: b", "b a"},
		{"nothing", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := deps.Order(strings.Fields(c.jobs), waits(c.waits))
			require.NoError(t, err)
			require.Equal(t, c.want, strings.Join(got, " "))
		})
	}
}

func TestOrderNamesTheCycle(t *testing.T) {
	for _, c := range []struct{ name, jobs, waits, want string }{
		{"itself", "a b", "a: b; b: b", "b → b"},
		{"two", "a b", "a: b; b: a", "a → b → a"},
		{"the shortest through its first job", "a b c d", "a: b d; b: c; c: a; d: a", "a → d → a"},
		{"jobs before and after it are not named", "x c b a y", "x: a; a: b; b: c; c: a y", "c → a → b → c"},
		{"of two cycles the one listed first", "p q a b", "a: b; b: a; p: q; q: p", "p → q → p"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 20 { // whatever the order of any map
				_, err := deps.Order(strings.Fields(c.jobs), waits(c.waits))
				var cycle *deps.CycleError
				require.ErrorAs(t, err, &cycle)
				require.Equal(t, c.want, strings.Join(cycle.Path, " → "))
				require.Equal(t, "dependency cycle: "+c.want+" (each waits for the next)", err.Error())
			}
		})
	}
}

func TestOrderOfTenThousand(t *testing.T) {
	const n = 10_000
	var jobs []string
	up := map[string][]string{}
	for i := range n {
		job := fmt.Sprint("job", i)
		jobs = append(jobs, job)
		if i+1 < n { // one chain, listed backwards
			up[job] = []string{fmt.Sprint("job", i+1)}
		}
	}
	got, err := deps.Order(jobs, func(job string) []string { return up[job] })
	require.NoError(t, err)
	slices.Reverse(got)
	require.Equal(t, jobs, got)

	up["job9999"] = []string{"job0"}
	_, err = deps.Order(jobs, func(job string) []string { return up[job] })
	var cycle *deps.CycleError
	require.ErrorAs(t, err, &cycle)
	require.Len(t, cycle.Path, n+1)
}

func TestOrderPutsEveryUpstreamFirstOrNamesARealCycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "jobs")
		var jobs []string
		up := map[string][]string{}
		for i := range n {
			jobs = append(jobs, fmt.Sprint("j", i))
		}
		edges := rapid.SliceOfN(rapid.IntRange(0, n*n-1), 0, 2*n).Draw(t, "edges")
		for _, e := range edges {
			up[jobs[e/n]] = append(up[jobs[e/n]], jobs[e%n])
		}
		got, err := deps.Order(jobs, func(job string) []string { return up[job] })
		if err == nil {
			require.ElementsMatch(t, jobs, got)
			for i, job := range got {
				require.Subset(t, got[:i], up[job], "%s before what it waits for", job)
			}
			return
		}
		var cycle *deps.CycleError
		require.ErrorAs(t, err, &cycle)
		require.Equal(t, cycle.Path[0], cycle.Path[len(cycle.Path)-1])
		for i, job := range cycle.Path[1:] {
			require.Contains(t, up[cycle.Path[i]], job)
		}
	})
}
