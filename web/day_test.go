package web_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/web"
)

func readDay(t *testing.T, w *httptest.ResponseRecorder) (d web.Day) {
	t.Helper()
	require.Equal(t, 200, w.Code, w.Body)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &d))
	return d
}

func readEdges(t *testing.T, w *httptest.ResponseRecorder) (d web.DayEdges) {
	t.Helper()
	require.Equal(t, 200, w.Code, w.Body)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &d))
	return d
}

func TestADayIsWhatIsRecordedInColumns(t *testing.T) {
	f := newFixture(t)
	d := readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21", ""))
	require.Equal(t, "Europe/Berlin", d.Zone, "the zone of most jobs")
	require.Equal(t, "2026-11-21", d.Date)
	require.Equal(t, 2, d.Slots)
	require.Len(t, d.Jobs, 2)
	c := d.Instances
	require.Len(t, c.ID, 25, "24 orders and one stores")
	for _, n := range []int{len(c.Job), len(c.Plan), len(c.Started), len(c.Ended), len(c.State), len(c.Gate), len(c.Flags)} {
		require.Equal(t, 25, n)
	}
	require.IsNonDecreasing(t, c.Plan)
	require.Zero(t, c.Plan[0])
	require.NotZero(t, c.ID[0])
	require.Equal(t, "waiting", d.States[c.State[0]])
	require.Equal(t, "time", d.Gates[c.Gate[0]])
	require.Equal(t, 1, c.Flags[0]&1, "it is half past ten, and it waits")
	require.Zero(t, c.Flags[24]&1, "its time has not come")
	require.Nil(t, c.Started[0])
}

func TestADayThatIsNotPlannedIsWhatTheDefinitionsWouldPlan(t *testing.T) {
	f := newFixture(t)
	d := readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2027-03-28", ""))
	require.Len(t, d.Instances.ID, 24, "23 hours, and one stores: the clock is put forward")
	for _, id := range d.Instances.ID {
		require.Zero(t, id)
	}
	require.Equal(t, 23*3600.0, d.To.Sub(d.From).Seconds())
	require.Len(t, readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2027-10-31", "")).Instances.ID, 25)

	e := readEdges(t, f.as("viewer", http.MethodGet, "/api/v1/days/2027-03-28/edges", ""))
	require.Equal(t, d.Plan, e.Plan)
	require.Len(t, e.Edges.To, 23)
	stores := d.Instances.Job[e.Edges.From[0]]
	require.Equal(t, "stores", d.Jobs[stores].Job)
}

func TestADayOfAnotherZoneIsItsWindow(t *testing.T) {
	f := newFixture(t)
	d := readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-22?zone=Asia/Tokyo", ""))
	require.Equal(t, "Asia/Tokyo", d.Zone)
	recorded := 0
	for _, id := range d.Instances.ID {
		if id != 0 {
			recorded++
		}
	}
	require.Equal(t, 8, recorded, "from 16:00 to 24:00 in Berlin")
	require.Len(t, d.Instances.ID, 25, "and the rest is of a day that is not planned")
	e := readEdges(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-22/edges?zone=Asia/Tokyo", ""))
	require.Equal(t, -1, e.Edges.From[0], "what it waits for is of the day before")
	require.Equal(t, 1, e.Edges.Count[0])
	require.Zero(t, e.Edges.On[0])
	require.Negative(t, e.Edges.First[0])
}

func TestEdgesPointAtTheRowsOfTheDay(t *testing.T) {
	f := newFixture(t)
	d := readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21", ""))
	e := readEdges(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21/edges", ""))
	require.Equal(t, d.Plan, e.Plan)
	require.Len(t, e.Edges.To, 24)
	for n, to := range e.Edges.To {
		require.Equal(t, "orders", d.Jobs[d.Instances.Job[to]].Job)
		require.Equal(t, "stores", d.Jobs[d.Instances.Job[e.Edges.From[n]]].Job)
		require.Equal(t, 1, e.Edges.On[n])
	}
	require.Len(t, e.Rules, 1)
	require.Equal(t, "stores", e.Rules[0].Upstream)
	require.NotEmpty(t, e.Rules[0].Words)
	require.NotNil(t, e.Edges.WinFrom[0])
}

// What a page keeps of the edges counts while they are the same: not longer, where one is detached, and not shorter, where anything else happens.
func TestADayTellsWhenItsEdgesAreOthers(t *testing.T) {
	f := newFixture(t)
	ask := func() web.Day { return readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21", "")) }
	edges := func() int {
		return len(readEdges(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21/edges", "")).Edges.To)
	}
	operate := func(operation, id, options string) {
		body := fmt.Sprintf(`{"operation":%q,"ids":[%q],"options":{%s}}`, operation, id, options)
		require.Equal(t, 200, f.as("operator", http.MethodPost, "/api/v1/operations", body).Code)
	}
	before := ask()
	orders, stores := "", ""
	for n, job := range before.Instances.Job {
		if before.Jobs[job].Job == "orders" {
			orders = before.Instances.ID[n].String()
		} else {
			stores = before.Instances.ID[n].String()
		}
	}
	require.Equal(t, 24, edges())
	operate("freeze", orders, "")
	require.Equal(t, before.Waits, ask().Waits)
	operate("detach", orders, fmt.Sprintf(`"upstream":%q`, stores))
	after := ask()
	require.Equal(t, before.Plan, after.Plan)
	require.NotEqual(t, before.Waits, after.Waits)
	require.Equal(t, 23, edges())
	require.NotEqual(t, before.Waits, readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-22", "")).Waits)
}

// The tag of a day is another with each of its columns.
func TestTheTagOfADayIsOfAllOfIt(t *testing.T) {
	f := newFixture(t)
	tags := map[string]string{}
	note := func(what string) {
		tag := f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21", "").Header().Get("ETag")
		require.NotContains(t, tags, tag, "%s is seen, as %s was", what, tags[tag])
		tags[tag] = what
	}
	id := readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21", "")).Instances.ID[0].String()
	note("the beginning")
	for _, operation := range []string{"freeze", "unfreeze", "skip"} {
		body := fmt.Sprintf(`{"operation":%q,"ids":[%q]}`, operation, id)
		require.Equal(t, 200, f.as("operator", http.MethodPost, "/api/v1/operations", body).Code)
		if operation != "unfreeze" {
			note(operation)
		}
	}
}

func TestADayIsNarrowedByASelector(t *testing.T) {
	f := newFixture(t)
	d := readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21?selector=job:stores", ""))
	require.Len(t, d.Instances.ID, 1)
	all := readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21", ""))
	require.NotEqual(t, all.Plan, d.Plan)
	require.Len(t, readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21?selector=state:waiting+-job:stores", "")).Instances.ID, 24)
	id := d.Instances.ID[0].String()
	require.Len(t, readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21?selector=id:"+id, "")).Instances.ID, 1)
	wide := readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21?selector=id:"+id+"+%2B1", ""))
	require.Len(t, wide.Instances.ID, 25, "it, and what waits for it")

	refused(f, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21?selector=state:failed", ""), 404, "not-found")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-22?selector=id:"+id, ""), 404, "not-found")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21?selector=jbo:stores", ""), 422, "invalid")
}

func TestWhatIsNoDayIsRefused(t *testing.T) {
	f := newFixture(t)
	for _, path := range []string{"2026-02-30", "2026-11-21?zone=Mars/Base", "2026-11-21?zone=Local", "tomorow", "2026-11-21?slots=3"} {
		refused(f, f.as("viewer", http.MethodGet, "/api/v1/days/"+path, ""), 422, "invalid")
		refused(f, f.as("viewer", http.MethodGet, "/api/v1/days/"+strings.Replace(path+"?", "?", "/edges?", 1), ""), 422, "invalid")
	}
	require.Equal(t, "2026-11-21", readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/today", "")).Date)
}

func TestADayIsSentOnceAndPacked(t *testing.T) {
	f := newFixture(t)
	for _, path := range []string{"/api/v1/days/2026-11-21", "/api/v1/days/2026-11-21/edges"} {
		plain := f.as("viewer", http.MethodGet, path, "")
		tag := plain.Header().Get("ETag")
		require.NotEmpty(t, tag)
		require.Equal(t, 304, f.as("viewer", http.MethodGet, path, "", header("If-None-Match", tag)).Code)

		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Authorization", "Bearer "+f.tokens["viewer"])
		r.Header.Set("Accept-Encoding", "br, gzip")
		w := httptest.NewRecorder()
		f.handler.ServeHTTP(w, r)
		require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
		require.Contains(t, w.Header().Values("Vary"), "Accept-Encoding")
		unpacked, err := gzip.NewReader(w.Body)
		require.NoError(t, err)
		var got, want any
		require.NoError(t, json.NewDecoder(unpacked).Decode(&got))
		require.NoError(t, json.Unmarshal(plain.Body.Bytes(), &want))
		require.Equal(t, want, got)

		r.Header.Set("If-None-Match", tag)
		w = httptest.NewRecorder()
		f.handler.ServeHTTP(w, r)
		require.Equal(t, 304, w.Code)
		require.Empty(t, w.Header().Get("Content-Encoding"))
		require.Zero(t, w.Body.Len())
	}
	require.Empty(t, f.as("viewer", http.MethodGet, "/api/v1/days/2026-11-21", "", header("Accept-Encoding", "gzip;q=0")).Header().Get("Content-Encoding"))
}
