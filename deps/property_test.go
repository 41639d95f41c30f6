package deps_test

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestMain draws more cases than rapid does by itself, unless it is told how many.
func TestMain(m *testing.M) {
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set("400"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// cached gives the schedule of an ascending list, as a planner's cache would.
func cached(times []time.Time) deps.Occurrences {
	return func(from, to time.Time) []time.Time {
		lo := sort.Search(len(times), func(i int) bool { return !times[i].Before(from) })
		hi := sort.Search(len(times), func(i int) bool { return !times[i].Before(to) })
		return times[lo:max(lo, hi)]
	}
}

// changes are zones with a local date near which their clocks change, and some
// where they never do. The middle day is what the properties look at.
var changes = []struct{ zone, date string }{
	{"UTC", "2026-09-01"}, {"Asia/Shanghai", "2026-02-28"}, {"Asia/Kolkata", "2028-02-29"},
	{"Asia/Kathmandu", "2026-12-31"}, {"America/New_York", "2026-03-08"}, {"America/New_York", "2026-11-01"},
	{"America/Santiago", "2026-09-06"}, {"America/Santiago", "2026-04-05"}, {"Australia/Lord_Howe", "2026-10-04"},
	{"Australia/Lord_Howe", "2026-04-05"}, {"Europe/Berlin", "2026-10-25"}, {"Antarctica/Troll", "2026-03-29"},
	{"Antarctica/Troll", "2026-10-25"}, {"Africa/Cairo", "2026-04-24"}, {"America/Havana", "2026-11-01"},
	{"Asia/Shanghai", "1990-09-16"}, {"Atlantic/Azores", "2026-03-29"},
}

// pairOfJobs is a drawn edge's two jobs with what they were drawn from.
type pairOfJobs struct {
	down, up deps.Job
	noon     time.Time // of the day looked at, in the downstream's zone
}

// drawJobs draws two jobs with plan times at random five minutes of the days
// around a day on which the downstream's clocks may change.
func drawJobs(t *rapid.T, downClass, upClass deps.Class) pairOfJobs {
	change := rapid.SampledFrom(changes).Draw(t, "day")
	down, err := time.LoadLocation(change.zone)
	require.NoError(t, err)
	up := down
	if rapid.Bool().Draw(t, "another zone upstream") {
		up, err = time.LoadLocation(rapid.SampledFrom(changes).Draw(t, "upstream zone").zone)
		require.NoError(t, err)
	}
	noon, err := time.ParseInLocation("2006-01-02 15", change.date+" 12", down)
	require.NoError(t, err)
	return pairOfJobs{
		down: drawJob(t, "down", downClass, down, noon),
		up:   drawJob(t, "up", upClass, up, noon),
		noon: noon,
	}
}

func drawJob(t *rapid.T, name string, class deps.Class, loc *time.Location, noon time.Time) deps.Job {
	every := map[deps.Class][]int{deps.Minute: {5, 10, 15, 90}, deps.Hour: {60, 120, 480}, deps.Discrete: {30, 60, 180}}[class]
	p := deps.Period{Class: class, Every: 24 * time.Hour}
	if every != nil {
		p.Every = time.Duration(rapid.SampledFrom(every).Draw(t, name+" every")) * time.Minute
	}
	dense := rapid.SampledFrom([]int{1, 3, 8, 40}).Draw(t, name+" per day")
	steps := make([]int, rapid.SampledFrom([]int{0, 3, 6, 6, 6}).Draw(t, name+" days")*dense)
	// Spread evenly: rapid's own numbers crowd around zero.
	spread := rand.New(rand.NewSource(rapid.Int64().Draw(t, name+" times")))
	for i := range steps {
		steps[i] = spread.Intn(6*288) - 4*288
	}
	slices.Sort(steps)
	var times []time.Time
	for _, s := range slices.Compact(steps) {
		times = append(times, noon.Add(time.Duration(s)*5*time.Minute).In(loc))
	}
	return deps.Job{Name: name, Period: p, Location: loc, Occurrences: cached(times)}
}

// dueThatDay gives the downstream's plan times of the day looked at.
func (p pairOfJobs) dueThatDay() []time.Time {
	from, to := walkDay(p.noon)
	return p.down.Occurrences(from, to)
}

// literalPairing is dependencies.md §3 read word by word, with sets instead of
// ranges and days walked minute by minute.
func literalPairing(p pairOfJobs, back int, at time.Time) ([]time.Time, string) {
	from, to := walkDay(p.noon)
	V := p.down.Occurrences(from, to)
	U, answer := p.up.Occurrences(from, to), map[int]time.Time{}
	if back > 0 {
		before := p.noon.AddDate(0, 0, -back)
		U = nil
		// Each u of D - n at the same local clock time on D: the first minute of D whose
		// clock shows that time or later; never earlier than the one before it.
		for i, u := range p.up.Occurrences(walkDay(before)) {
			moved := from
			clock := func(t time.Time) int { l := t.In(p.noon.Location()); return l.Hour()*60 + l.Minute() }
			for clock(moved) < clock(u) {
				moved = moved.Add(time.Minute)
			}
			if i > 0 && moved.Before(U[i-1]) {
				moved = U[i-1]
			}
			U = append(U, moved)
			answer[i] = u
		}
	} else {
		for i, u := range U {
			answer[i] = u
		}
	}
	i := slices.IndexFunc(V, at.Equal)
	if len(U) == len(V) && len(U) > 0 {
		return []time.Time{answer[i]}, "one-to-one"
	}
	var W []time.Time
	for k, u := range U {
		after := !u.Before(from)
		if i > 0 {
			after = u.After(V[i-1])
		}
		if after && !u.After(at) {
			W = append(W, answer[k])
		}
	}
	if len(W) > 0 {
		return W, "interval-back"
	}
	for k := len(U) - 1; k >= 0; k-- {
		if !U[k].After(at) {
			return []time.Time{answer[k]}, "nearest-back"
		}
	}
	if len(U) > 0 {
		return []time.Time{answer[0]}, "nearest-forward"
	}
	return nil, "none-in-window"
}

func TestPairingIsTheLiteralReadingOfTheRule(t *testing.T) { rapid.Check(t, pairsLiterally) }

func pairsLiterally(t *rapid.T) {
	classes := rapid.SampledFrom([][2]deps.Class{
		{deps.Discrete, deps.Discrete}, {deps.Discrete, deps.Hour}, {deps.Discrete, deps.Minute},
		{deps.Hour, deps.Discrete}, {deps.Minute, deps.Discrete},
	}).Draw(t, "classes")
	p := drawJobs(t, classes[0], classes[1])
	back := rapid.IntRange(0, 3).Draw(t, "previous")
	if rapid.Bool().Draw(t, "as many as downstream") {
		p.up.Occurrences = cached(sameCount(t, p, back))
	}
	binder, err := deps.Edge{Previous: back}.Compile(p.down, p.up)
	require.NoError(t, err)
	for _, at := range p.dueThatDay() {
		want, reason := literalPairing(p, back, at)
		got := binder.Bind(at)
		require.Equal(t, human(want), human(all(got)), "at %s", at)
		require.Equal(t, reason, got.Reason.String(), "at %s", at)
	}
}

// sameCount draws as many upstream times on the day paired with as the
// downstream has on its own, so that rule 1 is met often.
func sameCount(t *rapid.T, p pairOfJobs, back int) []time.Time {
	from, to := walkDay(p.noon.AddDate(0, 0, -back))
	var out []time.Time
	minutes := rapid.Permutation(minutesOf(from, to)).Draw(t, "minutes")
	for i := range p.dueThatDay() {
		if i < len(minutes) {
			out = append(out, from.Add(time.Duration(minutes[i])*time.Minute))
		}
	}
	slices.SortFunc(out, time.Time.Compare)
	return out
}

func minutesOf(from, to time.Time) []int {
	var out []int
	for m := 0; m < int(to.Sub(from).Minutes()); m += 15 {
		out = append(out, m)
	}
	return out
}

// drawEdge draws any edge and classes that Compile accepts.
func drawEdge(t *rapid.T) (deps.Edge, pairOfJobs, *deps.Binder) {
	classes := rapid.SampledFrom([]deps.Class{ // the finer ones have more rules
		deps.Minute, deps.Minute, deps.Hour, deps.Hour, deps.Discrete, deps.Discrete, deps.Day, deps.Week, deps.Month, deps.Year,
	})
	down, up := classes.Draw(t, "down class"), classes.Draw(t, "up class")
	var e deps.Edge
	switch rapid.IntRange(0, 5).Draw(t, "form") {
	case 0:
	case 1:
		e.Previous = rapid.IntRange(1, 3).Draw(t, "previous")
	case 2:
		e.Policy = deps.Traditional
	case 3:
		e.Nearest = true
		if down = deps.Day; rapid.Bool().Draw(t, "hour") {
			down = deps.Hour
		}
		up = deps.Minute
	case 4:
		e.Window = &deps.ExplicitWindow{
			From:   deps.Offset{Months: rapid.IntRange(-2, 0).Draw(t, "months"), Days: rapid.IntRange(-2, 0).Draw(t, "from"), Duration: -time.Hour},
			To:     deps.Offset{Duration: time.Duration(rapid.IntRange(0, 12).Draw(t, "to")) * time.Hour},
			Closed: deps.Closed(rapid.IntRange(0, 2).Draw(t, "closed")),
		}
	case 5:
		e.Self, e.Previous = true, rapid.IntRange(0, 3).Draw(t, "previous")
	}
	p := drawJobs(t, down, up)
	binder, err := e.Compile(p.down, p.up)
	if err != nil {
		var refused *deps.RefusedError
		require.ErrorAs(t, err, &refused)
		e.Policy = deps.Natural
		binder, err = e.Compile(p.down, p.up)
		require.NoError(t, err)
	}
	return e, p, binder
}

func TestEveryEdgeLiesInTheWindowItsReasonNames(t *testing.T) { rapid.Check(t, liesInItsWindow) }

func liesInItsWindow(t *rapid.T) {
	e, p, binder := drawEdge(t)
	from, to := walkDay(p.noon)
	up := p.up
	if e.Self {
		up = p.down
	}
	for _, at := range p.dueThatDay() {
		got := binder.Bind(at)
		require.Equal(t, got.Empty(), got.Reason == deps.NoneInWindow, "%s", got.Reason)
		there := slices.DeleteFunc(slices.Clone(up.Occurrences(got.Window.From, got.Window.To.Add(1))), func(u time.Time) bool {
			return !got.Window.Contains(u)
		})
		for _, u := range all(got) {
			require.True(t, got.Window.Contains(u), "%s not in %s", u, got.Window)
			require.True(t, slices.ContainsFunc(there, u.Equal), "%s is no plan time of the upstream", u)
		}
		switch got.Reason {
		case deps.NaturalDay:
			require.True(t, got.Window.From.Equal(from) && got.Window.To.Equal(to), "%s", got.Window)
			require.Equal(t, human(there), human(all(got)), "a whole window")
		case deps.NaturalHour, deps.Rolling, deps.TraditionalBack, deps.ExplicitRange:
			require.Equal(t, human(there), human(all(got)), "a whole window")
		case deps.SelfPrevious:
			require.True(t, got.Times[0].Before(at))
			require.Len(t, there, max(1, e.Previous))
		case deps.Nearest:
			require.Equal(t, human(there[len(there)-1:]), human(got.Times))
		case deps.NoneInWindow:
			if e.Self {
				require.Less(t, len(there), max(1, e.Previous))
			} else {
				require.Empty(t, there)
			}
		}
	}
}

func TestSelectedAndNearestAreSubsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, p, binder := drawEdge(t)
		e.Select = deps.Select{Kind: deps.SelectAll}
		whole, err := e.Compile(p.down, p.up)
		if err != nil {
			e.Policy = deps.Natural
			whole, err = e.Compile(p.down, p.up)
			require.NoError(t, err)
		}
		for _, kind := range []deps.SelectKind{deps.SelectFirst, deps.SelectLast} {
			e.Select.Kind = kind
			one, err := e.Compile(p.down, p.up)
			require.NoError(t, err)
			for _, at := range p.dueThatDay() {
				set, got := human(all(whole.Bind(at))), human(all(one.Bind(at)))
				require.Subset(t, set, got)
				require.Len(t, got, min(1, len(set)))
				require.Subset(t, set, human(all(binder.Bind(at))), "the default is a part of all")
			}
		}
		if e.Nearest && p.down.Period.Class == deps.Day {
			natural, err := deps.Edge{}.Compile(p.down, p.up)
			require.NoError(t, err)
			for _, at := range p.dueThatDay() {
				require.Subset(t, human(all(natural.Bind(at))), human(all(binder.Bind(at))))
			}
		}
	})
}

func TestLaterPlanTimesOfADayNeverWaitForEarlierEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawJobs(t, deps.Discrete, rapid.SampledFrom([]deps.Class{deps.Minute, deps.Hour, deps.Discrete}).Draw(t, "up class"))
		binder, err := deps.Edge{Previous: rapid.IntRange(0, 2).Draw(t, "previous")}.Compile(p.down, p.up)
		require.NoError(t, err)
		var latest time.Time
		for _, at := range p.dueThatDay() {
			if got := binder.Bind(at); !got.Empty() {
				end := got.Times[len(got.Times)-1]
				require.False(t, end.Before(latest), "%s after %s", end, latest)
				latest = end
			}
		}
	})
}

func TestTheUnionOfADayCoversTheUpstreamExceptOrphans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, p, binder := drawEdge(t)
		from, to := walkDay(p.noon)
		up := p.up
		if e.Self {
			up = p.down
		}
		waited := map[string]bool{}
		for _, at := range p.down.Occurrences(p.noon.AddDate(0, 0, -120), p.noon.AddDate(0, 0, 120)) {
			for _, u := range human(all(binder.Bind(at))) {
				waited[u] = true
			}
		}
		var want []time.Time
		for _, u := range up.Occurrences(from, to) {
			if !waited[human([]time.Time{u})[0]] {
				want = append(want, u)
			}
		}
		require.Equal(t, human(want), human(binder.Orphans(from, to)))
	})
}

func TestAfterTheLastDownstreamOfADayUpstreamIsOrphaned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawJobs(t, deps.Discrete, deps.Minute)
		binder, err := deps.Edge{}.Compile(p.down, p.up)
		require.NoError(t, err)
		from, to := walkDay(p.noon)
		due, up := p.dueThatDay(), p.up.Occurrences(from, to)
		if len(due) == 0 || len(due) == len(up) || len(up) == 0 || binder.Bind(due[0]).Reason == deps.NearestForward {
			return
		}
		var want []time.Time
		for _, u := range up {
			if u.After(due[len(due)-1]) {
				want = append(want, u)
			}
		}
		require.Equal(t, human(want), human(binder.Orphans(from, to)))
	})
}

func TestPlanningInAnyOrderGivesTheSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, p, binder := drawEdge(t)
		e.Hours = rapid.SliceOfN(rapid.IntRange(0, 23), 0, 6).Draw(t, "hours")
		if again, err := e.Compile(p.down, p.up); err == nil {
			binder = again
		}
		due := p.down.Occurrences(p.noon.AddDate(0, 0, -2), p.noon.AddDate(0, 0, 2))
		plan := func() map[time.Time]string {
			out := map[time.Time]string{}
			for _, at := range due {
				out[at] = fmt.Sprintf("%+v", binder.Bind(at))
			}
			return out
		}
		first := plan()
		mixed := slices.Clone(due)
		seed := rapid.Int64().Draw(t, "order")
		rand.New(rand.NewSource(seed)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		for _, at := range mixed {
			require.Equal(t, first[at], fmt.Sprintf("%+v", binder.Bind(at)))
		}
		require.Equal(t, first, plan())
	})
}

func TestHoursKeepExactlyTheirTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, p, _ := drawEdge(t)
		if e.Nearest {
			return // its set is picked after the cut
		}
		e.Policy, e.Select = deps.Natural, deps.Select{Kind: deps.SelectAll}
		whole, err := e.Compile(p.down, p.up)
		require.NoError(t, err)
		e.Hours = rapid.SliceOfN(rapid.IntRange(0, 23), 1, 12).Draw(t, "hours")
		cut, err := e.Compile(p.down, p.up)
		require.NoError(t, err)
		for _, at := range p.dueThatDay() {
			var want []time.Time
			for _, u := range all(whole.Bind(at)) {
				if slices.Contains(e.Hours, u.In(p.noon.Location()).Hour()) {
					want = append(want, u)
				}
			}
			got := cut.Bind(at)
			require.Equal(t, human(want), human(all(got)))
			require.Equal(t, len(want), got.Len())
			require.NotEqual(t, 1, len(got.Ranges), "one range is Times")
			require.False(t, len(got.Times) > 0 && len(got.Ranges) > 0)
		}
	})
}

func TestBindAsksNoFartherThanItsReach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, p, _ := drawEdge(t)
		var at time.Time
		var back, forward time.Duration
		watch := func(occurrences deps.Occurrences) deps.Occurrences {
			return func(from, to time.Time) []time.Time {
				if !at.IsZero() && !e.Self {
					require.False(t, from.Before(at.Add(-back)), "%s back from %s", at.Sub(from), at)
					require.False(t, to.After(at.Add(forward)), "%s forward from %s", to.Sub(at), at)
				}
				return occurrences(from, to)
			}
		}
		due := p.dueThatDay()
		p.down.Occurrences, p.up.Occurrences = watch(p.down.Occurrences), watch(p.up.Occurrences)
		binder, err := e.Compile(p.down, p.up)
		if err != nil {
			return
		}
		back, forward = binder.Reach()
		require.False(t, back < 0 || forward < 0)
		for _, at = range due {
			binder.Bind(at)
		}
	})
}
