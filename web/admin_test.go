package web_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func TestWhatWasDoneIsListed(t *testing.T) {
	f := newFixture(t)
	id := f.at("orders", 23).ID
	w := f.as("operator", http.MethodPost, "/api/v1/operations", fmt.Sprintf(`{"operation":"freeze","ids":["%d"],"note":"<b>late</b>"}`, id))
	require.Equal(t, 200, w.Code, w.Body)
	page := as[web.AuditPage](f, "viewer", "/api/v1/audit?actor=OPER")
	require.Len(t, page.Items, 1)
	line := page.Items[0]
	require.Equal(t, "operator", line.Actor)
	require.Equal(t, "freeze", line.Action)
	require.Contains(t, line.Text, "<b>late</b>")
	require.Equal(t, "retail/orders@2026-11-21T23:00:00+01:00", line.Name)
	require.Equal(t, web.ID(id), line.Instance)
	require.Empty(t, page.Next)

	all := as[web.AuditPage](f, "viewer", "/api/v1/audit?limit=1")
	require.NotEmpty(t, all.Next)
	require.False(t, all.LookedTo.IsZero())
	require.Equal(t, "load", as[web.AuditPage](f, "viewer", "/api/v1/audit?limit=1&cursor="+all.Next).Items[0].Action)
	require.Empty(t, as[web.AuditPage](f, "viewer", "/api/v1/audit?to=2020-01-01T00:00:00Z").Items)
	for _, bad := range []string{"action=Rerun", "action=a%20b", "from=x", "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "limit=501", "cursor=-1", "who=x", "actor=" + strings.Repeat("x", 101)} {
		refused(f, f.as("viewer", http.MethodGet, "/api/v1/audit?"+bad, ""), 422, "invalid")
	}
}

func TestWhatChangedIsOneDeedEach(t *testing.T) {
	f := newFixture(t)
	w := f.as("operator", http.MethodPost, "/api/v1/operations", fmt.Sprintf(`{"operation":"freeze","ids":["%d","%d"]}`, f.at("orders", 22).ID, f.at("orders", 23).ID))
	require.Equal(t, 200, w.Code, w.Body)
	f.now = f.now.Add(time.Second)
	w = f.as("operator", http.MethodPost, "/api/v1/operations", fmt.Sprintf(`{"operation":"boost","ids":["%d"],"options":{"priority":9}}`, f.at("orders", 23).ID))
	require.Equal(t, 200, w.Code, w.Body)
	page := as[web.DeedPage](f, "viewer", "/api/v1/changes")
	require.Len(t, page.Items, 3)
	boost, freeze, load := page.Items[0], page.Items[1], page.Items[2]
	require.Equal(t, "retail/orders@2026-11-21T23:00:00+01:00", boost.Within.Name)
	require.Equal(t, "operation", freeze.Kind)
	require.Equal(t, "freeze of 2 instances", freeze.Text)
	require.Equal(t, []web.DeedCount{{Action: "operation", Count: 1}, {Action: "freeze", Count: 2}}, freeze.Counts)
	require.Equal(t, []web.JobRef{{Workflow: "retail", Job: "orders"}}, freeze.Jobs)
	require.Zero(t, freeze.Within)
	require.Equal(t, "definitions", load.Kind)
	require.Equal(t, "load", load.Action)
	require.Len(t, load.Jobs, 2)

	first := as[web.DeedPage](f, "viewer", "/api/v1/changes?limit=1")
	require.Equal(t, boost, first.Items[0])
	second := as[web.DeedPage](f, "viewer", "/api/v1/changes?limit=1&cursor="+first.Next)
	require.Equal(t, freeze, second.Items[0])
	require.Empty(t, as[web.DeedPage](f, "viewer", "/api/v1/changes?from=2026-11-21T11:00:00%2B01:00").Items)
}

func TestHealthSaysWhatIsKnown(t *testing.T) {
	f := newFixture(t)
	h := as[web.Health](f, "viewer", "/api/v1/health")
	require.True(t, h.Ready)
	require.Nil(t, h.Loop, "nobody knows")
	require.Nil(t, h.Disk)
	require.InDelta(t, 60*86400, h.Retention.Seconds, 1)
	require.Zero(t, h.Retention.Oldest)
	f.run(f.at("stores", 5), "", engine.OutcomeSucceeded)

	site := web.Site{
		Look: func(_ context.Context, at time.Time) engine.Sighting {
			return engine.Sighting{At: at, Ready: "x", ReadySince: at, Pools: []engine.PoolUse{{Pool: "w", Used: 1, Size: 4}}}
		},
		Turn:  func() (time.Time, time.Duration) { return start, 3 * time.Millisecond },
		Files: func() (int64, int64) { return 4096, 512 },
		Disk:  func() (uint64, uint64, bool) { return 10, 100, true },
		Chain: func(context.Context) (web.ChainProgress, error) {
			return web.ChainProgress{First: 1, Last: 2, VerifiedTo: 2}, nil
		},
	}
	f = newFixture(t, func(c *web.Config) { c.Site = site })
	f.run(f.at("stores", 5), "", engine.OutcomeSucceeded)
	h = as[web.Health](f, "viewer", "/api/v1/health")
	require.Equal(t, 0.003, h.Loop.Took)
	require.Equal(t, "x", h.Loop.Ready)
	require.Equal(t, int64(4096), h.Store.Database)
	require.Equal(t, uint64(10), h.Disk.Free)
	require.True(t, start.Add(time.Second).Equal(h.Retention.Oldest))
	require.True(t, start.Add(time.Second+60*24*time.Hour).Equal(h.Retention.Goes))
	f.now = start.AddDate(0, 0, 60)
	require.Equal(t, 1, as[web.Health](f, "viewer", "/api/v1/health").Retention.Due)

	require.Equal(t, web.ID(2), as[web.ChainProgress](f, "viewer", "/api/v1/audit/chain").VerifiedTo)
	f.now = start
	require.Equal(t, []web.WorkerPool{{Name: "w", Used: 1, Size: 4}}, as[web.Workers](f, "viewer", "/api/v1/workers").Pools)
}

func TestTheHistoryIsVerifiedAsItGrows(t *testing.T) {
	f := newFixture(t)
	p := as[web.ChainProgress](f, "viewer", "/api/v1/audit/chain")
	require.Equal(t, web.ID(1), p.First)
	require.Equal(t, p.Last, p.VerifiedTo)
	require.True(t, start.Equal(p.VerifiedAt))
	f.run(f.at("stores", 5), "", engine.OutcomeSucceeded)
	again := as[web.ChainProgress](f, "viewer", "/api/v1/audit/chain")
	require.Greater(t, again.VerifiedTo, p.VerifiedTo)
	require.Equal(t, again.Last, again.VerifiedTo)
	require.Empty(t, again.Broken)
}

func TestWorkersAreTheServersOfTheRows(t *testing.T) {
	f := newFixture(t, func(c *web.Config) {
		c.Site.Look = func(context.Context, time.Time) engine.Sighting { return engine.Sighting{} }
	})
	f.run(f.at("orders", 1), "", "")
	require.NoError(t, f.db.Write(t.Context(), func(tx engine.Tx) error {
		for name, until := range map[string]time.Time{"test": start.Add(time.Hour), "gone": start.Add(-time.Hour)} {
			if _, _, err := tx.Acquire(engine.ServerLeases+name, name, start.AddDate(0, 0, -1), until); err != nil {
				return err
			}
		}
		return nil
	}))
	w := as[web.Workers](f, "viewer", "/api/v1/workers")
	require.Len(t, w.Servers, 2)
	require.Equal(t, "gone", w.Servers[0].Name)
	require.False(t, w.Servers[0].Alive)
	require.True(t, w.Servers[1].This && w.Servers[1].Alive)
	require.Equal(t, 2, w.Servers[1].Slots)
	require.Len(t, w.Attempts, 1)
	require.Equal(t, "retail/orders@2026-11-21T01:00:00+01:00", w.Attempts[0].Name)
	require.Zero(t, w.More)
}

func TestDeadlinesAtRisk(t *testing.T) {
	f := newFixture(t)
	f.jobs["orders"].Deadline = time.Hour
	i := f.at("orders", 8)
	require.NoError(t, f.db.Write(t.Context(), func(tx engine.Tx) error {
		id, err := tx.Reserve(1)
		if err != nil {
			return err
		}
		if err := tx.PutIncident(engine.IncidentRow{ID: id, Cause: "job/x", Instance: i.ID, Job: i.Job, PlanTime: i.PlanTime, Kind: engine.AlertNeverStarted, Opened: start, Look: start}); err != nil {
			return err
		}
		for n, kind := range map[int]engine.AlertKind{8: engine.AlertNeverStarted, 9: engine.AlertWillBeLate, 7: engine.AlertBlocked, 20: engine.AlertBlocked} {
			if err := tx.PutMember(engine.MemberRow{Incident: id, Instance: f.at("orders", n).ID, Job: i.Job, PlanTime: f.at("orders", n).PlanTime, Kind: kind, Since: start}); err != nil {
				return err
			}
		}
		return nil
	}))
	list := as[web.LateList](f, "viewer", "/api/v1/deadlines")
	require.Equal(t, 3, list.All, "what is held up and will be in time is not among them")
	require.Equal(t, "retail/orders@2026-11-21T07:00:00+01:00", list.Items[0].Name)
	require.Equal(t, engine.AlertNeverStarted, list.Items[0].Kind)
	require.Equal(t, "retail/orders@2026-11-21T08:00:00+01:00", list.Items[1].Name)
	require.True(t, day.Add(9*time.Hour).Equal(list.Items[1].Deadline))
	require.InDelta(t, 90*60, list.Items[1].Late, 1, "it is half past ten, and nothing like it ran before")
	require.Len(t, as[web.LateList](f, "viewer", "/api/v1/deadlines?limit=1").Items, 1)
}
