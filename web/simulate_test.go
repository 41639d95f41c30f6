package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func TestSimulateAnswersWithADayOrWithEveryMistake(t *testing.T) {
	f := newFixture(t)
	w := f.as("operator", http.MethodPost, "/api/v1/simulate", `{"date": "2026-11-22", "limit": 1, "slots": 1, "durations": {"retail/*": "PT2M"}, "assert": ["slots below 1"]}`)
	require.Equal(t, 200, w.Code, w.Body)
	var day web.Simulation
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &day))
	require.Len(t, day.Instances, 1)
	require.Equal(t, day.Counts.Instances-1, day.More)
	require.Equal(t, day.Counts.Instances, day.Counts.Succeeded)
	require.False(t, day.Holds)
	require.Equal(t, []string{"1 at once"}, day.Assertions[0].Why)

	w = f.as("operator", http.MethodPost, "/api/v1/simulate", `{"date": "2026-11-22", "pools": {"none": 1}, "fail": ["nothing"], "delay": ["retail/orders=soon"], "assert": ["it is fine"]}`)
	var problem web.Problem
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &problem))
	refused(f, w, 422, "invalid")
	require.Len(t, problem.Errors, 4)

	refused(f, f.as("operator", http.MethodPost, "/api/v1/simulate", `{"days": 32}`), 422, "invalid")
	refused(f, f.as("operator", http.MethodPost, "/api/v1/simulate", `{"day": "2026-11-22"}`), 422, "invalid")
}

func TestSimulateAnswersInColumns(t *testing.T) {
	f := newFixture(t)
	ask := `{"date": "2026-11-22", "slots": 1, "durations": {"retail/*": "PT2M"}, "delay": ["retail/stores@05:00=PT2H"], "path": ["retail/orders@06:00"]`
	var list, columns web.Simulation
	w := f.as("operator", http.MethodPost, "/api/v1/simulate", ask+`}`)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &list))
	require.Nil(t, list.Columns)
	w = f.as("operator", http.MethodPost, "/api/v1/simulate", ask+`, "columns": true}`)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &columns))
	require.Empty(t, columns.Instances)
	require.Zero(t, columns.More)
	require.Equal(t, list.Counts, columns.Counts)
	require.Equal(t, list.Attention, columns.Attention)
	c := columns.Columns
	require.Len(t, c.Job, list.Counts.Instances)
	names := map[string]int{}
	for i := range list.Instances {
		x := &list.Instances[i]
		names[x.Name] = i
		job := c.Jobs[c.Job[i]]
		require.Equal(t, x.Workflow+"/"+x.Job, job.Workflow+"/"+job.Job)
		require.Equal(t, x.PlanTime.UnixMilli(), c.Base.UnixMilli()+c.PlanTime[i])
		require.Equal(t, x.StartedAt.UnixMilli(), c.Base.UnixMilli()+c.StartedAt[i])
		require.Equal(t, x.EndedAt.UnixMilli(), c.Base.UnixMilli()+c.EndedAt[i])
		require.Equal(t, x.State, c.States[c.State[i]])
		held := int64(0)
		for _, h := range x.Held {
			held += h.TookMS
		}
		require.Equal(t, held, c.HeldMS[i], x.Name)
	}
	// The path that the answer tells of one instance is the one that before leads along.
	path := list.Paths[0]
	require.Greater(t, len(path.Steps), 1)
	at := names[path.Of]
	for n := len(path.Steps) - 1; n >= 0; n-- {
		require.Equal(t, path.Steps[n].Name, list.Instances[at].Name)
		if n > 0 {
			at = c.Before[at]
		}
	}
	require.Equal(t, -1, c.Before[at])
}

func TestSimulateTakesAsManyInstancesOfABackfillAsItSays(t *testing.T) {
	f := newFixture(t)
	refs := strings.Repeat(`{"job": "retail/orders", "planTime": "2026-11-20T06:00:00+01:00", "reason": "it is missing"},`, 19_999)
	w := f.as("operator", http.MethodPost, "/api/v1/simulate", `{"withBackfill": [`+refs+`{"job": "retail/nothing", "planTime": "2026-11-20T06:00:00+01:00"}]}`)
	require.Contains(t, w.Body.String(), "there is no job retail/nothing")
	refused(f, w, 422, "invalid")
	refused(f, f.as("viewer", http.MethodPost, "/api/v1/simulate", `{}`), 403, "forbidden")
}

// A slow control plays until it is told to go on, or the request is given up.
type slow struct {
	*engine.Engine
	begun, end chan struct{}
}

func (s slow) Simulate(ctx context.Context, r engine.SimulationRequest, most int, now time.Time) (*engine.Foresight, error) {
	s.begun <- struct{}{}
	select {
	case <-s.end:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.Engine.Simulate(ctx, r, most, now)
}

func TestOneSimulationIsPlayedAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var control slow
		f := newFixture(t, func(cfg *web.Config) {
			control = slow{cfg.Control.(*engine.Engine), make(chan struct{}), make(chan struct{})}
			cfg.Control = control
		})
		ask := func(ctx context.Context) <-chan int {
			answer := make(chan int, 1)
			go func() {
				r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://example.com/api/v1/simulate", strings.NewReader(`{"date": "2026-11-22"}`))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+f.tokens["operator"])
				w := httptest.NewRecorder()
				f.handler.ServeHTTP(w, r)
				answer <- w.Code
			}()
			return answer
		}
		first := ask(t.Context())
		<-control.begun
		begun := time.Now()
		require.Equal(t, 503, <-ask(t.Context()))
		require.Equal(t, 5*time.Second, time.Since(begun))

		// Who waits when it ends has the next turn; one that is given up makes room at once.
		second, giveUp := context.WithCancel(t.Context())
		waiting := ask(second)
		synctest.Wait()
		control.end <- struct{}{}
		require.Equal(t, 200, <-first)
		<-control.begun
		third := ask(t.Context())
		synctest.Wait()
		giveUp()
		<-waiting
		<-control.begun
		control.end <- struct{}{}
		require.Equal(t, 200, <-third)
	})
}

func TestADayThatIsHeldAgainstAnotherTakesTheSameTime(t *testing.T) {
	f := newFixture(t)
	play := func(known []web.SimulatedDuration, more string) (day web.Simulation) {
		t.Helper()
		list, err := json.Marshal(known)
		require.NoError(t, err)
		w := f.as("operator", http.MethodPost, "/api/v1/simulate", `{"date": "2026-11-22", "known": `+string(list)+more+`}`)
		require.Equal(t, 200, w.Code, w.Body)
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &day))
		return day
	}
	f.run(f.at("orders", 6), "", engine.OutcomeSucceeded)
	before := play([]web.SimulatedDuration{}, "")

	// Meanwhile an instance of each job ends, of one of which nothing was known.
	f.run(f.at("stores", 5), "", engine.OutcomeSucceeded)
	after := play([]web.SimulatedDuration{}, "")
	require.NotEqual(t, before.Instances, after.Instances, "history has moved what nobody has changed")
	held := play(before.Durations, "")
	require.Equal(t, before.Durations, held.Durations)
	require.Equal(t, before.Instances, held.Instances)

	given := play(before.Durations, `, "durations": {"retail/stores": "PT5M"}`)
	for _, d := range given.Durations {
		if d.Job == "stores" {
			require.Equal(t, engine.DurationGiven, d.Source)
			require.EqualValues(t, 300_000, d.DurationMS)
		}
	}
}
