package engine_test

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// crowded is what competes with the retail example for two slots: a pool of one, a job that fails and is repeated, one that gives up, one that goes on.
const crowded = `
workflow: crowded
timeZone: Asia/Shanghai
jobs:
  ingest: {cron: "*/20 * * * *", pool: db, slots: 1, priority: 7, action: {type: shell, command: "true"}}
  shaky: {cron: "5 */3 * * *", retryPolicy: {retryType: exponential, retryCount: 2, retryInterval: PT4M}, action: {type: shell, command: "true"}}
  gives-up: {cron: "30 */3 * * *", dependsOn: [{job: shaky, onFailed: cancel}], action: {type: shell, command: "true"}}
  goes-on: {cron: "0 12 * * *", dependsOn: [{job: shaky, onFailed: run}, {job: ingest, select: "30"}], pool: db, slots: 1, action: {type: shell, command: "true"}}
  latest: {cron: "*/10 8-11 * * *", overlap: skipToLatest, priority: 2, action: {type: shell, command: "true"}}
  hurried: {cron: "40 9 * * *", dependsOn: [goes-on], waitTimeout: PT1H, action: {type: shell, command: "true"}}
`

// The real server, on a simulated clock and a real database, lives through the day that it foresaw: the same starts, the same ends, the same states.
func TestServerLivesThroughTheDayThatItForesaw(t *testing.T) {
	retail, err := os.ReadFile("../examples/retail.yaml")
	require.NoError(t, err)
	dir := t.TempDir()
	takes := map[string]time.Duration{
		"orders": 47*time.Minute + 3*time.Millisecond, "clicks": 9*time.Minute + 7*time.Millisecond, "report": 81*time.Minute + 39*time.Millisecond,
		"ingest": 11*time.Minute + 13*time.Millisecond, "shaky": 26*time.Minute + 17*time.Millisecond, "gives-up": 3*time.Minute + 19*time.Millisecond,
		"goes-on": 38*time.Minute + 23*time.Millisecond, "latest": 14*time.Minute + 29*time.Millisecond, "hurried": time.Minute,
	}
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		zone, err := time.LoadLocation("Asia/Shanghai")
		require.NoError(t, err)
		begin := time.Date(2026, 10, 12, 0, 0, 0, 0, zone)
		<-time.After(time.Until(begin))
		db, err := store.Open(ctx, store.Config{Dir: dir, Clock: time.Now})
		require.NoError(t, err)
		defer db.Close()
		e, err := engine.New(engine.Config{Store: db, Runner: livedRunner{takes}, Owner: "server", Slots: 3, Decode: spec.DecodeJob, Condition: spec.EvalWhen})
		require.NoError(t, err)
		var workflows []*engine.Workflow
		for name, text := range map[string]string{"retail.yaml": string(retail), "crowded.yaml": crowded} {
			w, problems := spec.Decode(name, []byte(text), spec.Options{})
			require.False(t, problems.HasErrors(), "%v", problems)
			workflows = append(workflows, w)
		}
		_, err = e.Load(ctx, workflows, begin)
		require.NoError(t, err)

		request := engine.SimulationRequest{Date: "2026-10-12", Durations: map[string]string{}, Fail: []string{"shaky@09:05", "shaky@06:05=2", "orders@05:00=1"}}
		for job, d := range takes {
			request.Durations[job] = isoSeconds(d)
		}
		sight, err := e.Simulate(ctx, request, 1000, begin)
		require.NoError(t, err)

		run, stop := context.WithDeadline(ctx, begin.Add(26*time.Hour))
		defer stop()
		require.NoError(t, e.Run(run))
		synctest.Wait()
		states := map[engine.State]int{}
		for i := range sight.Instances {
			x := &sight.Instances[i].Instance
			states[x.State]++
			real, err := db.FindByName(ctx, x.Ref, "", x.PlanTime)
			require.NoError(t, err)
			if x.EndedAt.After(begin.AddDate(0, 0, 1)) { // then the next day, which was not played, takes its slots
				continue
			}
			require.Equal(t, outcomeText(&real), outcomeText(x), x.Name())
		}
		require.Equal(t, 95+3+1+71+8+8+1+24+1, len(sight.Instances), "the jobs came to be at midnight: what is due then is not theirs")
		for _, state := range []engine.State{engine.Succeeded, engine.Failed, engine.Cancelled} {
			require.Positive(t, states[state], "the day holds nothing that is %s: it proves too little", state)
		}
	})
}

// A livedRunner is a Runner of real attempts that take as long as their job says.
type livedRunner struct{ takes map[string]time.Duration }

func (r livedRunner) Start(a engine.Attempt, done func(engine.Result)) {
	began := time.Now()
	takes := r.takes[a.Ref.Job]
	if a.Ref.Job == "report" {
		takes /= 3 // its longest chain of steps that take time: aggregate, check, publish
	}
	clock := a.PlanTime.Format("15:04")
	result := engine.Result{Attempt: a.ID, Outcome: engine.OutcomeSucceeded, StartedAt: began, Outputs: map[string]string{"rows": "1280"}}
	switch {
	case a.Ref.Job == "shaky" && clock == "09:05", a.Ref.Job == "shaky" && clock == "06:05" && a.Number <= 2, a.Ref.Job == "orders" && clock == "05:00" && a.Number == 1:
		one := 1
		result.Outcome, result.Exit, result.Message = engine.OutcomeFailed, &one, "made to fail"
	}
	time.AfterFunc(takes, func() {
		result.EndedAt = time.Now()
		done(result)
	})
}

func (livedRunner) Cancel(int64)             {}
func (livedRunner) Renew([]int64, time.Time) {}
func (livedRunner) Adopt(attempts []int64, _ func(engine.Result)) (unknown, unbegun []int64) {
	return attempts, nil
}
