package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func TestConcernsAreIncidentsAndWhatWaitsForAPerson(t *testing.T) {
	f := newFixture(t)
	require.Equal(t, web.ConcernList{Concerns: []web.Concern{}}, get[web.ConcernList](f, "/api/v1/concerns"), "what waits for its time is no concern")

	// A frozen one whose time has come.
	frozen := f.at("stores", 5)
	require.NoError(t, f.db.Write(t.Context(), func(tx engine.Tx) error {
		reason := engine.Reason{Code: engine.ReasonFrozen}
		if _, err := tx.SetFrozen(frozen.ID, true, reason, start); err != nil {
			return err
		}
		_, err := tx.Hold(engine.Hold{Instance: frozen.ID, Gate: engine.GateFrozen, Reason: reason, At: start})
		return err
	}))
	list := get[web.ConcernList](f, "/api/v1/concerns")
	require.Equal(t, 1, list.All)
	require.Nil(t, list.Concerns[0].Incident)
	require.True(t, list.Concerns[0].Needs)
	require.Equal(t, "almanac unfreeze retail/stores@2026-11-21T05:00:00+01:00", list.Concerns[0].Help)
	require.NotEmpty(t, list.Concerns[0].Holds, "orders wait for it")

	// An incident of a root that runs again needs nobody; it stands last although it holds up more.
	id, _ := f.incident(8, "job/1")
	f.run(f.at("orders", 8), "", "")
	list = get[web.ConcernList](f, "/api/v1/concerns")
	require.Equal(t, 2, list.All)
	require.Equal(t, web.ID(frozen.ID), list.Concerns[0].Root.ID)
	require.EqualValues(t, id, *list.Concerns[1].Incident)
	require.Equal(t, engine.Running, list.Concerns[1].State)
	require.False(t, list.Concerns[1].Needs)
	require.Empty(t, list.Concerns[1].Help)
	require.Equal(t, 2, list.Concerns[1].Blocked)

	one := get[web.ConcernList](f, "/api/v1/concerns?limit=1")
	require.Len(t, one.Concerns, 1)
	require.Equal(t, 2, one.All)
	refused(f, f.as("viewer", "GET", "/api/v1/concerns?limit=51", ""), 422, "invalid")
}

func TestUpcomingIsTheSoonestOfEachJob(t *testing.T) {
	f := newFixture(t)
	next := get[web.Upcoming](f, "/api/v1/upcoming")
	require.Len(t, next.Instances, 1, "stores were due at 05:00")
	require.Equal(t, "2026-11-21T11:00:00+01:00", next.Instances[0].PlanTime.Format(time.RFC3339))
	require.Equal(t, 1, next.Together)
}

func TestABadFolderIsAConcern(t *testing.T) {
	var trouble *web.FolderTrouble
	f := newFixture(t, func(cfg *web.Config) { cfg.FolderTrouble = func() *web.FolderTrouble { return trouble } })
	require.Nil(t, get[web.ConcernList](f, "/api/v1/concerns").Definitions)

	problems := []web.DefinitionProblem{{File: "/etc/pipelines/two.yaml", Line: 3, Column: 9, Severity: "warning", Message: "a second look"}}
	for n := range 60 {
		problems = append(problems, web.DefinitionProblem{File: "/etc/pipelines/two.yaml", Line: 4 + n, Column: 9, Severity: "error", Message: "unknown member"})
	}
	trouble = web.NewFolderTrouble("60 errors", start, []string{"two"}, problems)
	told := get[web.ConcernList](f, "/api/v1/concerns").Definitions
	require.NotNil(t, told)
	require.Equal(t, []string{"two"}, told.Kept)
	require.Equal(t, 60, told.Errors, "a warning keeps nothing from running")
	require.Len(t, told.Mistakes, 50)
	require.Equal(t, "/etc/pipelines/two.yaml:4:9", fmt.Sprintf("%s:%d:%d", told.Mistakes[0].File, told.Mistakes[0].Line, told.Mistakes[0].Column))
	require.Equal(t, start.UTC(), told.Since)
}
