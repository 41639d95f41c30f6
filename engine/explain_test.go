package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// A case is a desk with a server on a day that is written down.
type explaining struct {
	*desk
	e    *engine.Engine
	hand *hand
}

func explains(t *testing.T, text string) *explaining {
	x := &explaining{desk: newDesk(t)}
	x.e, x.hand = x.server("one", x.db, false)
	x.load(x.e, text)
	x.step(x.e)
	return x
}

// at moves the clock to a time of the day, such as "02:30", or of another one, such as "04 02:30".
func (x *explaining) at(text string) {
	x.Helper()
	if len(text) == 5 {
		text = "03 " + text
	}
	x.now = clock(text)
	x.step(x.e)
}

// ends ends what runs of a job, with an exit code.
func (x *explaining) ends(job string, exit int) {
	x.Helper()
	n := slices.IndexFunc(x.hand.started, func(a engine.Attempt) bool { return a.Ref.Job == job })
	require.GreaterOrEqual(x, n, 0, "%s does not run", job)
	a := x.hand.started[n]
	x.hand.started = slices.Delete(x.hand.started, n, n+1)
	r := engine.Result{Attempt: a.ID, Outcome: engine.OutcomeSucceeded, StartedAt: a.StartedAt, EndedAt: x.now}
	if exit != 0 {
		r.Outcome, r.Exit = engine.OutcomeFailed, &exit
	}
	x.hand.done[a.ID](r)
	x.step(x.e)
}

func (x *explaining) explain(job, at string) engine.Explanation {
	x.Helper()
	if len(at) == 5 {
		at = "03 " + at
	}
	found, err := x.e.ExplainInstance(x.Context(), engine.ExplainRequest{Ref: engine.JobRef{Workflow: "w", Job: job}, PlanTime: clock(at)}, x.now)
	require.NoError(x, err)
	return found
}

// lines draws the tree: a line for each instance, with what is said of it.
func lines(x *engine.Explanation) (drawn []string) {
	var draw func(list []*engine.Cause, more int, indent string)
	draw = func(list []*engine.Cause, more int, indent string) {
		for _, c := range list {
			line := fmt.Sprintf("%s%s@%s", indent, c.Ref.Job, c.PlanTime.Format("02T15:04"))
			switch {
			case c.Instance == nil:
				line += " not planned"
			case c.Instance.State == engine.Waiting:
				line += " " + string(c.Gate)
			default:
				line += " " + string(c.Instance.State)
			}
			for _, word := range []struct {
				is   bool
				text string
			}{{c.Root, " root"}, {c.Again, " again"}, {c.Circle, " circle"}} {
				if word.is {
					line += word.text
				}
			}
			drawn = append(drawn, line)
			for n := range c.Dependencies {
				draw(c.Dependencies[n].Causes, c.Dependencies[n].More, indent+"  ")
			}
		}
		if more > 0 {
			drawn = append(drawn, fmt.Sprintf("%s%d more", indent, more))
		}
	}
	for n := range x.Dependencies {
		draw(x.Dependencies[n].Causes, x.Dependencies[n].More, "")
	}
	return drawn
}

func roots(x *engine.Explanation) (helped []string) {
	for _, r := range x.Roots {
		helped = append(helped, fmt.Sprintf("%s: %s", r.Ref.Job, r.Help))
	}
	return helped
}

const diamond = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", action: {type: shell, command: "true"}}
jobs:
  a: {cron: "0 1 * * *"}
  b: {cron: "0 2 * * *", dependsOn: [a]}
  c: {cron: "0 2 * * *", dependsOn: [a], confirm: true}
  d: {cron: "0 3 * * *", dependsOn: [b, c]}
  e: {cron: "0 4 * * *", dependsOn: [d, f]}
  f: {cron: "0 6 * * *"}
`

func TestTheTreeGoesDownToEveryRoot(t *testing.T) {
	x := explains(t, diamond)
	x.at("05:00")
	e := x.explain("e", "04:00")
	require.Equal(t, []string{
		"d@03T03:00 dependency", "  b@03T02:00 dependency", "    a@03T01:00 running root", "  c@03T02:00 dependency root", "    a@03T01:00 running again",
		"f@03T06:00 time root",
	}, lines(&e))
	require.Equal(t, []string{"a: ", "c: ", "f: "}, roots(&e), "c waits for a person besides")

	x.ends("a", 1)
	e = x.explain("e", "04:00")
	require.Equal(t, []string{"a: almanac rerun w/a@2026-08-03T01:00:00Z", "c: ", "f: "}, roots(&e))
	require.Equal(t, "w/a@2026-08-03T01:00:00Z has failed: somebody has to rerun it", e.Forecast.Unknown)
	require.Equal(t, clock("03 06:00"), e.Forecast.Earliest, "no earlier than f is due")
	require.Equal(t, engine.GateDependency, e.Holding)

	// The failed one itself: it is its own root, and its history says what has happened.
	a := x.explain("a", "01:00")
	require.Equal(t, []string{"a: almanac rerun w/a@2026-08-03T01:00:00Z"}, roots(&a))
	require.Len(t, a.Attempts, 1)
	require.Equal(t, []string{"start", "fail"}, []string{a.Events[0].Kind, a.Events[1].Kind})
}

func TestAPersonIsToldWhatToConfirm(t *testing.T) {
	x := explains(t, diamond)
	x.at("05:00")
	x.ends("a", 0)
	c := x.explain("c", "02:00")
	require.Equal(t, []string{"c: almanac confirm w/c@2026-08-03T02:00:00Z"}, roots(&c))
	require.Equal(t, "w/c@2026-08-03T02:00:00Z waits for a person to confirm it", c.Forecast.Unknown)
	require.Equal(t, engine.GateConfirm, c.Holding)
	texts := map[engine.Gate]string{}
	var order []engine.Gate
	for _, g := range c.Gates {
		texts[g.Gate] = g.Text
		order = append(order, g.Gate)
	}
	require.Equal(t, []engine.Gate{"time", "calendar", "dependency", "confirm", "frozen", "concurrency", "slot", "worker", "disk"}, order)
	require.Equal(t, "was due at 2026-08-03 02:00:00 +00:00", texts[engine.GateTime])
	require.Equal(t, "the dependency is satisfied", texts[engine.GateDependency])
	require.Equal(t, "waits for confirmation: waits for a person to confirm it", texts[engine.GateConfirm])
	require.Equal(t, "1 of 8 slots are taken", texts[engine.GateSlot])
	require.Equal(t, "0 of 1 run", texts[engine.GateConcurrency])
}

// Three days of durations: a takes 10 minutes, b 20, d 5; then what is to come follows along the dependencies.
func TestEstimatesFollowTheDependencies(t *testing.T) {
	const chain = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", action: {type: shell, command: "true"}}
jobs:
  a: {cron: "0 1 * * *"}
  b: {cron: "0 1 * * *", dependsOn: [a]}
  d: {cron: "0 1 * * *", dependsOn: [b]}
  new: {cron: "0 5 * * *", dependsOn: [d]}
  end: {cron: "30 1 * * *", dependsOn: [new]}
`
	x := explains(t, chain)
	for day := 3; day <= 5; day++ {
		for _, step := range []struct{ at, job string }{{"01:10", "a"}, {"01:30", "b"}, {"01:35", "d"}} {
			x.at(fmt.Sprintf("%02d 01:00", day))
			x.at(fmt.Sprintf("%02d %s", day, step.at))
			x.ends(step.job, 0)
		}
	}
	x.at("06 01:04")
	d := x.explain("d", "06 01:00")
	require.Equal(t, "06 01:34", d.Forecast.Start.Format("02 15:04"), "a began at 01:04, and takes 10, b 20 minutes")
	require.Equal(t, "06 01:39", d.Forecast.End.Format("02 15:04"))
	require.Equal(t, engine.Estimate{Median: 5 * time.Minute, High: 5 * time.Minute, Of: 3}, d.Forecast.Took)
	require.Equal(t, x.now, d.Forecast.Earliest, "nothing but durations is in the way")

	x.at("06 01:50") // a takes longer than ever
	d = x.explain("d", "06 01:00")
	require.Equal(t, "06 02:10", d.Forecast.Start.Format("02 15:04"), "now at the earliest, and 20 minutes of b")

	end := x.explain("end", "06 01:30")
	require.Equal(t, "no earlier instance of w/new says how long it takes", end.Forecast.Unknown)
	require.True(t, end.Forecast.Start.IsZero())
	require.Equal(t, clock("06 05:00"), end.Forecast.Earliest)
}

func TestWhatIsNotPlannedYetIsExplainedByTheDefinitions(t *testing.T) {
	x := explains(t, diamond)
	x.at("05:00")
	d := x.explain("d", "20 03:00")
	require.False(t, d.Planned)
	require.Equal(t, []string{
		"b@20T02:00 not planned", "  a@20T01:00 not planned root", "c@20T02:00 not planned root", "  a@20T01:00 not planned again",
	}, lines(&d))
	require.Equal(t, clock("20 03:00"), d.Forecast.Earliest)
	require.Equal(t, "daily on daily: all of the same natural day", d.Dependencies[0].Pair)

	_, err := x.e.ExplainInstance(t.Context(), engine.ExplainRequest{Ref: engine.JobRef{Workflow: "w", Job: "d"}, PlanTime: clock("20 03:01")}, x.now)
	require.ErrorIs(t, err, engine.ErrNotFound)
	require.ErrorContains(t, err, "is not due at")
	_, err = x.e.ExplainInstance(t.Context(), engine.ExplainRequest{Ref: engine.JobRef{Workflow: "w", Job: "x"}, PlanTime: clock("20 03:01")}, x.now)
	require.ErrorIs(t, err, engine.ErrUnknownJob)
}

func TestCandidatesSayWhyTheyAreInOrOut(t *testing.T) {
	x := explains(t, `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", action: {type: none}}
jobs:
  up: {cron: "0 * * * *"}
  three: {recurrence: {frequency: day, schedule: {hours: [2, 5, 15]}}, dependsOn: [up]}
  night: {cron: "30 4 * * *", dependsOn: [{job: up, hours: [2, 3]}]}
`)
	x.at("02:00")
	at := func(c *engine.Candidates) (list []string) {
		for _, one := range c.List {
			line := one.PlanTime.Format("15:04") + " " + string(one.State)
			if !one.In {
				line = one.PlanTime.Format("15:04") + " out: " + one.Why
			}
			list = append(list, line)
		}
		return list
	}
	c := x.explain("three", "05:00").Dependencies[0].Candidates
	require.Equal(t, 3, c.In)
	require.Equal(t, 21, c.Out, "those of the day since the definition counts, and the first after it")
	require.Equal(t, []string{
		"01:00 out: not between the plan time before and this one", "02:00 out: not between the plan time before and this one", "03:00 waiting", "04:00 waiting", "05:00 waiting",
	}, at(c)[:5])
	require.Len(t, c.List, 20)
	require.Equal(t, 4, c.Left)
	c = x.explain("night", "04:30").Dependencies[0].Candidates
	require.Equal(t, []string{"01:00 out: hours: another hour than those", "02:00 succeeded", "03:00 waiting", "04:00 out: hours: another hour than those"}, at(c)[:4])
}

// What waits in a circle names it, and ends.
func TestACircleIsNamed(t *testing.T) {
	x := explains(t, `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", action: {type: none}}
jobs:
  a: {cron: "0 2 * * *", dependsOn: [{job: b, cycle: previous}]}
  b: {cron: "0 1 * * *"}
`)
	require.NoError(t, x.db.Write(t.Context(), func(tx engine.Tx) error {
		a, err := tx.JobByRef(engine.JobRef{Workflow: "w", Job: "a"})
		if err != nil {
			return err
		}
		revision, err := tx.Revision()
		if err != nil {
			return err
		}
		id, err := tx.Reserve(2)
		if err != nil {
			return err
		}
		_, err = tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
			for n, other := range []int{1, 0} {
				at := func(n int) time.Time { return clock("03 02:00").Add(time.Duration(n+1) * time.Minute) }
				i := engine.Instance{
					ID: id + int64(n), Job: a.ID, Version: a.Version, Kind: engine.Scheduled, PlanTime: at(n), NotBefore: at(n),
					State: engine.Waiting, Gate: engine.GateTime, Reason: engine.Reason{Code: engine.ReasonPlanned}, Priority: 5,
				}
				w := engine.Wait{
					Instance: i.ID, Upstream: a.ID, First: at(other), Last: at(other), Count: 1, Rule: "window", Select: "all", WindowFrom: at(0), WindowTo: at(1), Closed: "both",
					OnMissing: engine.MissingRun, OnFailed: engine.FailedWait, Bound: revision,
				}
				if !yield(&i, []engine.Wait{w}) {
					return
				}
			}
		})
		return err
	}))
	x.at("03:00")
	a := x.explain("a", "02:01")
	require.Equal(t, []string{"a@03T02:02 dependency", "  a@03T02:01 dependency root circle"}, lines(&a))
	require.Contains(t, a.Forecast.Unknown, "in a circle")
}

func TestWideAndDeepTreesAreCutAndCounted(t *testing.T) {
	text := "workflow: w\ndefaults: {startTime: \"2026-08-01T00:00:00Z\", action: {type: shell, command: \"true\"}}\njobs:\n  minute: {cron: \"* * * * *\"}\n  day: {cron: \"0 23 * * *\", dependsOn: [minute]}\n"
	x := explains(t, text)
	d := x.explain("day", "23:00")
	require.Len(t, d.Dependencies[0].Causes, 10)
	require.Equal(t, engine.MoreThan-10, d.Dependencies[0].More)
	require.Equal(t, "minute@03T00:31 time root", lines(&d)[0], "the first")
	require.Equal(t, "minute@03T23:59 time root", lines(&d)[9], "and the last")
	require.True(t, d.Beyond)
	require.True(t, d.Forecast.AtLeast)
	require.Equal(t, "23:59", d.Forecast.Earliest.Format("15:04"), "it waits for the last of the day")
}

func TestTheFutureHasNoHistory(t *testing.T) {
	x := explains(t, diamond)
	_, err := x.e.ExplainInstance(t.Context(), engine.ExplainRequest{
		Ref: engine.JobRef{Workflow: "w", Job: "a"}, PlanTime: clock("03 01:00"), At: x.now.Add(time.Minute),
	}, x.now)
	require.ErrorIs(t, err, engine.ErrInvalid)
	require.ErrorContains(t, err, "yet to come")
	_, err = x.e.ExplainInstance(t.Context(), engine.ExplainRequest{
		Ref: engine.JobRef{Workflow: "w", Job: "a"}, PlanTime: clock("03 01:00"), At: x.now.Add(-time.Hour),
	}, x.now)
	require.ErrorIs(t, err, engine.ErrInvalid)
	require.ErrorContains(t, err, "the history that is kept begins at")
}

func TestANeighbourhoodHasOneEdgeForEachWait(t *testing.T) {
	x := explains(t, diamond)
	x.at("05:00")
	d := x.explain("d", "03:00")
	n, err := x.e.Neighbourhood(t.Context(), engine.NeighbourRequest{ExplainRequest: engine.ExplainRequest{ID: d.Instance.ID}, Up: 2, Down: 1}, x.now)
	require.NoError(t, err)
	name := func(k int) string { return n.Nodes[k].Instance.Ref.Job }
	var nodes, edges []string
	for k := range n.Nodes {
		nodes = append(nodes, fmt.Sprintf("%s %d", name(k), n.Nodes[k].Hop))
	}
	for _, e := range n.Edges {
		for _, from := range e.From {
			edges = append(edges, fmt.Sprintf("%s → %s %s %t", name(from), name(e.To), e.Wait.Rule, e.Satisfied))
		}
	}
	require.Equal(t, []string{"d 0", "b -1", "c -1", "a -2", "e 1"}, nodes)
	require.Equal(t, []string{
		"b → d natural-day false", "c → d natural-day false", "a → b natural-day false", "a → c natural-day false", "d → e natural-day false",
	}, edges)
	require.False(t, n.Cut)

	n, err = x.e.Neighbourhood(t.Context(), engine.NeighbourRequest{ExplainRequest: engine.ExplainRequest{ID: d.Instance.ID}, Up: 2, Down: 1, Limit: 2}, x.now)
	require.NoError(t, err)
	require.Len(t, n.Nodes, 2)
	require.True(t, n.Cut)
	require.Equal(t, 1, n.Nodes[0].MoreUp)
	require.Equal(t, 1, n.Nodes[0].MoreDown)
}

// The day of 25 October 2026 begins in summer time in Berlin and ends in winter time: everything about an instance of it is shown by the clocks of then.
func TestExplainFollowsTheClocksOfTheZone(t *testing.T) {
	x := &explaining{desk: newDesk(t)}
	x.e, x.hand = x.server("one", x.db, false)
	x.now = time.Date(2026, 10, 24, 22, 30, 0, 0, time.UTC)
	x.load(x.e, `workflow: w
timeZone: Europe/Berlin
defaults: {startTime: "2026-08-01T00:00:00", action: {type: shell, command: "true"}}
jobs:
  hourly: {cron: "0 * * * *"}
  daily: {cron: "30 6 * * *", dependsOn: [hourly], confirm: true}`)
	x.step(x.e)
	found, err := x.e.ExplainInstance(t.Context(), engine.ExplainRequest{
		Ref: engine.JobRef{Workflow: "w", Job: "daily"}, PlanTime: time.Date(2026, 10, 25, 5, 30, 0, 0, time.UTC),
	}, x.now)
	require.NoError(t, err)
	require.NotZero(t, found.Instance.ID, "it is planned, and comes of its row")
	require.Equal(t, "2026-10-25T06:30:00+01:00", found.Instance.PlanTime.Format(time.RFC3339))
	from := found.Dependencies[0].Wait.WindowFrom.In(found.Instance.PlanTime.Location())
	require.Equal(t, "2026-10-25T00:00:00+02:00", from.Format(time.RFC3339), "the zone in which the answer is shown")
	var times []string
	for _, c := range found.Dependencies[0].Candidates.List {
		times = append(times, c.PlanTime.Format("02T15:04Z07:00"))
	}
	require.Subset(t, times, []string{"25T01:00+02:00", "25T02:00+02:00", "25T02:00+01:00", "25T03:00+01:00"})
}
