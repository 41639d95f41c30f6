package deps_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// network is a few jobs with their schedules and the edges between them, as the
// cases below write them.
type network struct {
	jobs  []string
	links []deps.Link
}

// newNetwork reads schedules ("a: daily 2:00") and edges ("a -> b: previous 1"),
// one a line.
func newNetwork(t require.TestingT, text string) network {
	var n network
	schedules := map[string]*schedule{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		left, right, _ := strings.Cut(strings.TrimSpace(line), ":")
		right = strings.TrimSpace(right)
		down, up, edge := strings.Cut(left, " -> ")
		if !edge {
			s, err := parseSchedule(right, "UTC")
			require.NoError(t, err)
			schedules[left] = s
			n.jobs = append(n.jobs, left)
			continue
		}
		e, err := parseEdge(right)
		require.NoError(t, err)
		n.link(t, down, up, e, schedules[down].job(down), schedules[up].job(up))
	}
	return n
}

func (n *network) link(t require.TestingT, down, up string, e deps.Edge, a, b deps.Job) {
	binder, err := e.Compile(a, b)
	require.NoError(t, err)
	require.Equal(t, e.SameCycle(), binder.SameCycle())
	n.links = append(n.links, deps.Link{Down: down, Up: up, SameCycle: e.SameCycle(), Binder: binder})
}

// monday is where the cases' weeks begin.
var monday = time.Date(2026, 8, 31, 0, 0, 0, 0, time.UTC)

func TestFindCycle(t *testing.T) {
	for _, c := range []struct{ name, network, want string }{
		{"a same-cycle cycle is refused by its path", `
			a: daily 2:00
			b: daily 3:00
			c: hourly
			a -> b:
			b -> c:
			c -> a:`,
			"dependency cycle: a → b → c → a (each waits for the next)"},
		{"even beside a previous edge between the same jobs", `
			a: daily 2:00
			b: daily 3:00
			a -> b: previous 1
			a -> b:
			b -> a:`,
			"dependency cycle: a → b → a (each waits for the next)"},
		{"a same-cycle edge on itself", `
			a: daily 2:00
			a -> a:`,
			"dependency cycle: a → a (each waits for the next)"},
		{"a day and a day, one of them previous, is fine", `
			a: daily 2:00
			b: daily 3:00
			a -> b:
			b -> a: previous 1`,
			""},
		{"self is fine", `
			a: daily 2:00
			a -> a: self`,
			""},
		{"self beside another loop is fine", `
			a: daily 2:00
			b: hourly
			a -> a: self
			a -> b:
			b -> a: previous 1`,
			""},
		{"hours that wait for a later one make a circle with previous hours", `
			a: daily 0:00
			c: every 1h from 1:00
			x: hourly at :30
			a -> c:
			c -> x: previous 1
			x -> a:`,
			// a waits for all of the day's hours, which wait for the half hour before, which waits for a.
			"instance cycle: a@2026-08-31T00:00:00Z → c@2026-08-31T01:00:00Z → x@2026-08-31T00:30:00Z → a@2026-08-31T00:00:00Z (each waits for the next)"},
		{"a one-to-one day makes a circle", `
			a: hours 3 6 8
			b: hours 0 8 16
			a -> b:
			b -> a: window -PT3H -PT1H both`,
			"instance cycle: a@2026-08-31T06:00:00Z → b@2026-08-31T08:00:00Z → a@2026-08-31T06:00:00Z (each waits for the next)"},
		{"the same jobs on days that are not one to one", `
			a: hours 3 6 8
			b: hours 0 8
			a -> b:
			b -> a: window -PT3H -PT1H both`,
			""},
		{"one such day in the week is found", `
			a: hours 3 6 8
			b: hours 0 8 16; off 2026-08-31; off 2026-09-01; off 2026-09-02; off 2026-09-03; off 2026-09-04; off 2026-09-05
			a -> b:
			b -> a: window -PT3H -PT1H both`,
			"instance cycle: a@2026-09-06T06:00:00Z → b@2026-09-06T08:00:00Z → a@2026-09-06T06:00:00Z (each waits for the next)"},
		{"one day in the month is found when a month job takes part", `
			a: daily 0:00
			m: monthly 20 12:00
			a -> m:
			m -> a: window -PT12H PT0S`,
			"instance cycle: a@2026-09-20T00:00:00Z → m@2026-09-20T12:00:00Z → a@2026-09-20T00:00:00Z (each waits for the next)"},
		{"a month job that looks at the day before only", `
			a: daily 0:00
			m: monthly 20 12:00
			a -> m:
			m -> a: previous 1`,
			""},
		{"a window on itself that holds its own plan time", `
			a: daily 2:00
			a -> a: self; window -P1D PT0S right`,
			"instance cycle: a@2026-08-31T02:00:00Z → a@2026-08-31T02:00:00Z (each waits for the next)"},
		{"a window on itself that ends before it", `
			a: daily 2:00
			a -> a: self; window -P1D PT0S`,
			""},
		{"a circle over the end of the week", `
			a: weekly sunday 23:00
			b: weekly monday 2:00
			a -> b: window PT0S PT4H
			b -> a: window -PT4H PT0S`,
			"instance cycle: a@2026-09-06T23:00:00Z → b@2026-09-07T02:00:00Z → a@2026-09-06T23:00:00Z (each waits for the next)"},
		{"the same clock hour can be later", `
			a: hourly at :05
			b: hourly at :12
			a -> b:
			b -> a: window -PT10M -PT1M`,
			"instance cycle: a@2026-08-31T00:05:00Z → b@2026-08-31T00:12:00Z → a@2026-08-31T00:05:00Z (each waits for the next)"},
		{"hours cut the circle open", `
			a: hours 3 6 8
			b: hours 0 8 16
			a -> b: hours 0 16
			b -> a: window -PT3H -PT1H both`,
			""},
		{"hours that cut into ranges still find it", `
			a: daily 0:00
			c: hourly
			x: hourly at :30
			a -> c: hours 2 5 9
			c -> x: previous 1
			x -> a:`,
			"instance cycle: a@2026-08-31T00:00:00Z → c@2026-08-31T02:00:00Z → x@2026-08-31T01:30:00Z → a@2026-08-31T00:00:00Z (each waits for the next)"},
		{"a circle over several days", `
			a: daily 2:00
			b: daily 3:00
			a -> b: window P2D P3D
			b -> a: previous 2`,
			"instance cycle: a@2026-08-31T02:00:00Z → b@2026-09-02T03:00:00Z → a@2026-08-31T02:00:00Z (each waits for the next)"},
		{"forward by less than back", `
			a: daily 2:00
			b: daily 3:00
			a -> b: window P2D P3D
			b -> a: previous 3`,
			""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNetwork(t, c.network)
			err := deps.FindCycle(n.jobs, n.links, monday)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.want)
		})
	}
}

func TestJobsOutsideACircleAreNeverExpanded(t *testing.T) {
	never := func(time.Time, time.Time) []time.Time {
		t.Fatal("asked for plan times")
		return nil
	}
	daily := deps.Job{Period: deps.Period{Class: deps.Day, Every: 24 * time.Hour}, Occurrences: never}
	n := network{jobs: []string{"a", "b", "c", "d"}}
	n.link(t, "a", "b", deps.Edge{}, daily, daily)
	n.link(t, "b", "c", deps.Edge{Previous: 1}, daily, daily)
	// Edges that only look back cannot close a circle either.
	n.link(t, "c", "d", deps.Edge{Previous: 1}, daily, daily)
	n.link(t, "d", "c", deps.Edge{Previous: 2}, daily, daily)
	n.link(t, "a", "a", deps.Edge{Self: true}, daily, daily)
	require.NoError(t, deps.FindCycle(n.jobs, n.links, monday))
}

func TestACircleWithoutABinderIsAnError(t *testing.T) {
	links := []deps.Link{{Down: "a", Up: "b"}, {Down: "b", Up: "a"}}
	require.ErrorContains(t, deps.FindCycle([]string{"a", "b"}, links, monday), "from a to b has no binder")
}

// TestFindCycleAgreesWithFollowingEveryInstance draws small networks and follows
// every wait of one week instance by instance.
func TestFindCycleAgreesWithFollowingEveryInstance(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		if agreesWithFollowing(t) {
			found++
		}
	})
	require.Positive(t, found, "no instance cycle was ever drawn")
}

// agreesWithFollowing reports whether the network that it drew has an instance cycle.
func agreesWithFollowing(t *rapid.T) (found bool) {
	schedules := []string{"daily 0:00", "daily 12:00", "hours 3 6 8", "hours 0 8 16", "every 8h", "every 6h from 1:00", "weekly tuesday 5:00"}
	edges := []string{"", "", "previous 1", "window -PT6H PT0S right", "window -PT3H -PT1H both", "window -PT1H PT4H", "self", "hours 0 6 8 12"}
	count := rapid.IntRange(2, 4).Draw(t, "jobs")
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, "j%d: %s\n", i, rapid.SampledFrom(schedules).Draw(t, "schedule"))
	}
	for range rapid.IntRange(2, 6).Draw(t, "edges") {
		down, up := rapid.IntRange(0, count-1).Draw(t, "down"), rapid.IntRange(0, count-1).Draw(t, "up")
		edge := rapid.SampledFrom(edges).Draw(t, "edge")
		if down == up {
			edge = "self"
		} else if edge == "self" {
			edge = "previous 2"
		}
		fmt.Fprintf(&text, "j%d -> j%d: %s\n", down, up, edge)
	}
	n := newNetwork(t, text.String())
	err := deps.FindCycle(n.jobs, n.links, monday)
	waits := func(i deps.Instance) []deps.Instance {
		var out []deps.Instance
		for _, l := range n.links {
			if l.Down == i.Job {
				for _, u := range all(l.Binder.Bind(i.At)) {
					out = append(out, deps.Instance{Job: l.Up, At: u})
				}
			}
		}
		return out
	}
	switch e := err.(type) {
	case nil:
		require.Empty(t, circle(t, n, text.String(), waits), "%s", text.String())
	case *deps.InstanceCycleError:
		found = true
		require.Equal(t, e.Path[0].String(), e.Path[len(e.Path)-1].String())
		for i, next := range e.Path[1:] {
			require.Contains(t, fmt.Sprint(waits(e.Path[i])), next.String(), "%s", text.String())
		}
	default:
		require.IsType(t, &deps.CycleError{}, err)
	}
	return found
}

// circle removes, again and again, the week's instances that wait for none of
// the others; what is left waits in a circle.
func circle(t require.TestingT, n network, text string, waits func(deps.Instance) []deps.Instance) []string {
	left := map[string]deps.Instance{}
	for _, line := range strings.Split(text, "\n") {
		job, spec, _ := strings.Cut(line, ": ")
		if !strings.Contains(job, "->") && spec != "" {
			s, err := parseSchedule(spec, "UTC")
			require.NoError(t, err)
			for _, at := range s.between(monday, monday.AddDate(0, 0, 7)) {
				i := deps.Instance{Job: job, At: at}
				left[i.String()] = i
			}
		}
	}
	up := map[string][]string{}
	for key, i := range left {
		for _, u := range waits(i) {
			up[key] = append(up[key], u.String())
		}
	}
	for removed := true; removed; {
		removed = false
		for key := range left {
			free := true
			for _, u := range up[key] {
				if _, there := left[u]; there {
					free = false
				}
			}
			if free {
				delete(left, key)
				removed = true
			}
		}
	}
	var out []string
	for key := range left {
		out = append(out, key)
	}
	return out
}
