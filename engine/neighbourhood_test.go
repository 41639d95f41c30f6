package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

const quarters = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", action: {type: none}}
jobs:
  source: {cron: "1 0 * * *"}
  quarter: {recurrence: {frequency: minute, interval: 15}, concurrency: 200, dependsOn: [source]}
  sums: {cron: "0 23 * * *", dependsOn: [quarter]}
  report: {cron: "30 23 * * *", dependsOn: [sums]}
  mail: {cron: "40 23 * * *", dependsOn: [report]}
`

func (x *explaining) neighbours(r engine.NeighbourRequest) (n engine.Neighbourhood, byJob map[string]*engine.Neighbour) {
	x.Helper()
	n, err := x.e.Neighbourhood(x.Context(), r, x.now)
	require.NoError(x, err)
	byJob = map[string]*engine.Neighbour{}
	for k := range n.Nodes {
		byJob[n.Nodes[k].Instance.Ref.Job] = &n.Nodes[k]
	}
	return n, byJob
}

func TestARangeTellsHowManyOfItAreNotDone(t *testing.T) {
	x := explains(t, quarters)
	x.at("04 00:46")
	sums := x.explain("sums", "04 23:00")
	n, _ := x.neighbours(engine.NeighbourRequest{ExplainRequest: engine.ExplainRequest{ID: sums.Instance.ID}, Up: 1})
	require.Len(t, n.Edges, 1, "a range is one edge")
	e := n.Edges[0]
	require.Equal(t, 96, e.Wait.Count)
	require.Equal(t, 92, e.Open, "four are done")
	require.Less(t, len(e.From), 20, "of a long range only what is in the way is drawn")
	require.Contains(t, e.Pair, "natural day", "the rule is told in words")
	require.Equal(t, sums.Dependencies[0].Pair, e.Pair, "by the same words as in the explanation")
}

func TestWhatIsNotPlannedYetIsNotDone(t *testing.T) {
	x := explains(t, `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", action: {type: none}}
jobs:
  orders: {recurrence: {frequency: day, schedule: {hours: [2, 5, 15], minutes: [0]}}}
  report: {cron: "0 18 * * *", dependsOn: [orders]}
  daily: {recurrence: {frequency: day, schedule: {hours: [0], minutes: [1]}}}
  closing:
    cron: "0 23 31 * *"
    dependsOn: [{job: daily, window: {from: -P1M, to: PT0S, closed: right}}]
`)
	x.at("05 00:05")
	open := func(job, at string) (of, open int) {
		n, _ := x.neighbours(engine.NeighbourRequest{Up: 1, ExplainRequest: engine.ExplainRequest{
			Ref: engine.JobRef{Workflow: "w", Job: job}, PlanTime: clock(at),
		}})
		require.Len(t, n.Edges, 1)
		require.False(t, n.Edges[0].Satisfied)
		return n.Edges[0].Wait.Count, n.Edges[0].Open
	}
	of, left := open("report", "20 18:00")
	require.Equal(t, 3, of)
	require.Equal(t, 3, left, "none of it is planned")

	of, left = open("closing", "31 23:00")
	require.Equal(t, 28, of, "from 4 August on: the job is known since the 3rd")
	require.Equal(t, engine.Succeeded, x.explain("daily", "05 00:01").Instance.State)
	require.Equal(t, 28-1, left, "5 August is done; the others wait or are not planned")
}

func TestTheEndsOfANeighbourhoodTellWhatLiesBeyond(t *testing.T) {
	x := explains(t, quarters)
	x.at("04 00:05")
	sums := x.explain("sums", "04 23:00")
	request := engine.NeighbourRequest{ExplainRequest: engine.ExplainRequest{ID: sums.Instance.ID}, Up: 1, Down: 1}
	_, plain := x.neighbours(request)
	require.Zero(t, plain["report"].MoreDown)
	require.Zero(t, plain["quarter"].MoreUp)

	request.Ends = true
	_, told := x.neighbours(request)
	require.Equal(t, 1, told["report"].MoreDown, "mail")
	require.Equal(t, 0, told["report"].MoreUp, "it waits for sums alone, which is shown")
	require.Equal(t, 1, told["quarter"].MoreUp, "source")
	require.Equal(t, 0, told["quarter"].MoreDown, "nothing waits for it but sums")

	request.Up, request.Down = 2, 2
	n, all := x.neighbours(request)
	require.Zero(t, all["report"].MoreDown)
	require.Zero(t, all["mail"].MoreDown)
	require.Zero(t, all["source"].MoreUp)
	require.Positive(t, all["source"].MoreDown, "the quarters of the day that are not drawn")
	require.False(t, n.Cut)
}

func TestWhatIsNotPlannedHasANeighbourhood(t *testing.T) {
	x := explains(t, quarters)
	x.at("04 00:05")
	_, nodes := x.neighbours(engine.NeighbourRequest{ExplainRequest: engine.ExplainRequest{Ref: engine.JobRef{Workflow: "w", Job: "report"}, PlanTime: clock("20 23:30")}, Up: 2, Down: 1, Ends: true})
	require.False(t, nodes["report"].Planned)
	require.Contains(t, nodes, "sums")
	_, err := x.e.Neighbourhood(t.Context(), engine.NeighbourRequest{ExplainRequest: engine.ExplainRequest{Ref: engine.JobRef{Workflow: "w", Job: "report"}, PlanTime: clock("20 23:31")}}, x.now)
	require.ErrorIs(t, err, engine.ErrNotFound)
}
