package web_test

import (
	"fmt"
	"iter"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
	"github.com/almanac-sched/almanac/web"
)

func daysOf(f *fixture, query string) web.JobDays {
	f.t.Helper()
	return get[web.JobDays](f, "/api/v1/jobs/retail/orders/days"+query)
}

func TestDaysOfAJob(t *testing.T) {
	f := newFixture(t)
	f.run(f.at("orders", 0), "", engine.OutcomeSucceeded)
	f.run(f.at("orders", 1), "", engine.OutcomeFailed)
	days := daysOf(f, "")
	require.Equal(t, "Europe/Berlin", days.TimeZone)
	require.Equal(t, "2026-11-21", days.Today)
	require.Len(t, days.Days, 35)
	require.Empty(t, days.Next)
	require.Equal(t, "2026-10-25", days.Days[0].Date)
	require.Equal(t, 25*time.Hour, days.Days[0].To.Sub(days.Days[0].From), "the clocks go back")

	today := days.Days[27]
	require.Equal(t, days.Today, today.Date)
	require.Equal(t, web.InstanceCounts{Succeeded: 1, Failed: 1, Waiting: 22}, today.Instances)
	require.Equal(t, 24, today.Total)
	require.Equal(t, engine.Failed, today.Worst)
	require.Equal(t, 1, today.Timed)
	require.InDelta(t, 1, today.Median, 0.001)
	require.True(t, today.StartedAt.Equal(start))
	require.Zero(t, today.Planned, "it is written down")

	tomorrow := days.Days[28]
	require.Equal(t, 24, tomorrow.Planned)
	require.Len(t, tomorrow.Times, 24)
	require.Zero(t, tomorrow.Total)
	require.Empty(t, tomorrow.Worst)
	require.Zero(t, days.Days[26].Planned, "what is past is not to come")

	decode[web.OperationResult](f, f.as("operator", http.MethodPost, "/api/v1/operations",
		`{"operation":"skip","selector":"job:orders date:2026-11-22 time:05:00..05:30"}`), 200)
	tomorrow = daysOf(f, "").Days[28]
	require.Equal(t, web.InstanceCounts{Skipped: 1}, tomorrow.Instances)
	require.Equal(t, 23, tomorrow.Planned, "what is written down ahead is not to come as well")
}

// A natural day is as long as the clocks make it, and holds the instances of its own hours.
func TestDaysWhereTheClocksChange(t *testing.T) {
	f := newFixture(t)
	days := daysOf(f, "?from=2027-03-27&to=2027-03-30").Days
	require.Equal(t, []int{24, 23, 24}, []int{days[0].Planned, days[1].Planned, days[2].Planned})
	require.Equal(t, 23*time.Hour, days[1].To.Sub(days[1].From))
	days = daysOf(f, "?from=2027-10-30&to=2027-11-02").Days
	require.Equal(t, []string{"2027-10-30", "2027-10-31", "2027-11-01"}, []string{days[0].Date, days[1].Date, days[2].Date})
	require.Equal(t, []int{24, 24, 24}, []int{days[0].Planned, days[1].Planned, days[2].Planned}, "named hours are due once")
	require.Equal(t, 25*time.Hour, days[1].To.Sub(days[1].From))
	for n := 1; n < len(days); n++ {
		require.True(t, days[n-1].To.Equal(days[n].From), "without a hole or an overlap")
	}
	days = daysOf(f, "?from=2028-02-28&to=2028-03-02").Days
	require.Equal(t, []string{"2028-02-28", "2028-02-29", "2028-03-01"}, []string{days[0].Date, days[1].Date, days[2].Date})
}

func TestDaysThatCannotBeAskedFor(t *testing.T) {
	f := newFixture(t)
	for _, query := range []string{
		"?from=2026-02-30", "?from=yesterdy", "?to=2026-13-01", "?from=2026-11-21&to=2026-11-21", "?from=2026-11-21&to=2026-11-01",
		"?from=2026-01-01&to=2027-02-06", "?from=9999-12-31", "?from=1969-12-31", "?from=2026-1-1",
	} {
		refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/orders/days"+query, ""), 422, "invalid")
	}
	require.Len(t, daysOf(f, "?from=2026-01-01&to=2027-02-05").Days, 400)
	require.Len(t, daysOf(f, "?from=2030-01-01").Days, 8)
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/nothing/days", ""), 404, "not-found")
}

// A job with more instances than one answer may cost is counted in several, which together are the whole.
func TestDaysOfABusyJobComeInParts(t *testing.T) {
	f := newFixture(t)
	job, err := f.db.JobByRef(t.Context(), engine.JobRef{Workflow: "retail", Job: "orders"})
	require.NoError(t, err)
	const each = 3_600
	insert := func(id int64) iter.Seq2[*engine.Instance, []engine.Wait] {
		return func(yield func(*engine.Instance, []engine.Wait) bool) {
			for n := range 10 * each {
				at := recurrence.DayStart(recurrence.Date{Year: 2026, Month: 10, Day: 1 + n/each}, berlin).Add(time.Duration(n%each) * time.Second)
				i := engine.Instance{
					ID: id, Job: job.ID, Version: job.Version, Kind: engine.Manual, Key: "k", PlanTime: at, NotBefore: at, State: engine.Waiting, Gate: engine.GateTime,
					Reason: engine.Reason{Code: engine.ReasonPlanned}, Priority: 5,
				}
				if !yield(&i, nil) {
					return
				}
				id++
			}
		}
	}
	require.NoError(t, f.db.Write(t.Context(), func(tx engine.Tx) error {
		id, err := tx.Reserve(10 * each)
		if err != nil {
			return err
		}
		_, err = tx.InsertInstances(insert(id))
		return err
	}))
	var parts []int
	counted := map[string]int{}
	for from := "2026-10-01"; from != ""; {
		days := daysOf(f, fmt.Sprintf("?from=%s&to=2026-10-15", from))
		parts = append(parts, len(days.Days))
		for _, d := range days.Days {
			require.False(t, d.AtLeast)
			counted[d.Date] += d.Total
		}
		from = days.Next
	}
	require.Equal(t, []int{4, 4, 6}, parts)
	require.Len(t, counted, 14)
	require.Equal(t, each, counted["2026-10-05"], "no day is in two parts")
	require.Zero(t, counted["2026-10-11"])
}

func TestStepsBeforeTheyAreWritten(t *testing.T) {
	f := newFixture(t)
	steps := func(i engine.Instance) []web.Step {
		return get[web.StepList](f, fmt.Sprintf("/api/v1/instances/%d/steps", i.ID)).Items
	}
	waiting := steps(f.at("orders", 5))
	require.Equal(t, []web.Step{{State: engine.StepWaiting, Type: engine.ActionShell, OnFailure: engine.StepFail}}, waiting)
	f.run(f.at("stores", 5), "", engine.OutcomeFailed)
	failed := steps(f.at("stores", 5))
	require.Equal(t, engine.StepFailed, failed[0].State)
	require.Equal(t, 1, failed[0].Attempts)

	// The row of a plain action is written when its second attempt is due, and not again when that one ends the instance.
	retried := f.at("orders", 5)
	f.run(retried, "", "")
	require.NoError(t, f.db.Write(t.Context(), func(tx engine.Tx) error {
		if _, err := tx.PutSteps(retried.ID, retried.Fence+1, []engine.StepRow{{State: engine.StepRunning, Attempts: 2}}); err != nil {
			return err
		}
		_, err := tx.Apply(engine.Transition{
			Instance: retried.ID, Event: engine.Fail, From: engine.Running, Fence: retried.Fence + 1, At: start, Reason: engine.Reason{Code: engine.ReasonStepFailed},
		})
		return err
	}))
	failed = steps(retried)
	require.Equal(t, engine.StepFailed, failed[0].State)
	require.Equal(t, 2, failed[0].Attempts)
}

func TestInstancesSayWhatAPersonDid(t *testing.T) {
	f := newFixture(t)
	i := f.at("orders", 20)
	require.NoError(t, f.db.Write(t.Context(), func(tx engine.Tx) error {
		_, err := tx.SetRunNow(i.ID, engine.Reason{Code: engine.ReasonPerson, Actor: "ana"}, start)
		return err
	}))
	shown := get[web.Instance](f, fmt.Sprintf("/api/v1/instances/%d", i.ID))
	require.Equal(t, "ana", shown.RunNow)
	require.True(t, shown.Touched)
}
