package web_test

import (
	"database/sql"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// Every door through which a plan time or a day enters refuses one that is out of range, and nothing is written.
func TestPlanTimesOutOfRangeAreRefused(t *testing.T) {
	f := newFixture(t)
	before := get[web.InstancePage](f, "/api/v1/instances?limit=500")
	for _, at := range []string{"0001-01-01T00:00:00Z", "1899-12-31T12:00:00Z", "2201-01-01T00:00:00Z", "9999-12-31T23:30:00Z"} {
		w := f.as("operator", http.MethodPost, triggerOrders, `{"planTime":"`+at+`"}`)
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, "%s: %s", at, w.Body)
		require.Contains(t, w.Body.String(), "out of range; allowed is 1900 to 2200")
	}
	for _, path := range []string{
		"/api/v1/days/9999-12-31", "/api/v1/days/1899-01-01", "/api/v1/jobs/retail/orders/days?from=9999-12-31", "/api/v1/jobs/retail/orders/days?to=0001-01-01",
		"/api/v1/instances?selector=date:9999-12-31", "/api/v1/instances?selector=time:9999-12-31T02:00..9999-12-31T05:30", "/api/v1/explain?instance=retail/orders@9999-12-31T23:30:00Z",
	} {
		w := f.as("viewer", http.MethodGet, path, "")
		require.Contains(t, []int{400, 422}, w.Code, "%s: %s", path, w.Body)
		require.Contains(t, w.Body.String(), "1900 to 2200", path)
	}
	require.Equal(t, before, get[web.InstancePage](f, "/api/v1/instances?limit=500"))
}

// A row of an earlier version with a plan time that cannot be written is told as broken, and the others are shown beside it.
func TestARowThatCannotBeToldBreaksNoList(t *testing.T) {
	f := newFixture(t)
	i := decode[web.Instance](f, f.as("operator", http.MethodPost, triggerOrders, ""), 201)
	before := get[web.InstancePage](f, "/api/v1/instances?limit=500")
	raw, err := sql.Open("sqlite", "file:"+filepath.Join(f.dir, "almanac.db")+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	_, err = raw.Exec(`UPDATE instance SET plan_time = 253402299000000, plan_offset = 28800 WHERE id = ?`, int64(i.ID))
	require.NoError(t, err)
	require.NoError(t, raw.Close())

	after := get[web.InstancePage](f, "/api/v1/instances?limit=500")
	require.Len(t, after.Items, len(before.Items))
	found := 0
	for _, one := range after.Items {
		if one.ID == i.ID {
			found++
			require.Equal(t, engine.ReasonBroken, one.Reason.Code)
			require.Contains(t, one.Reason.Text, "almanac cancel "+i.ID.String())
		}
	}
	require.Equal(t, 1, found)
	for _, path := range []string{"/api/v1/instances/" + i.ID.String(), "/api/v1/instances?selector=id:" + i.ID.String(), "/api/v1/instances/" + i.ID.String() + "/explain"} {
		w := f.as("viewer", http.MethodGet, path, "")
		require.Equal(t, 200, w.Code, "%s: %s", path, w.Body)
	}
	w := f.as("operator", http.MethodPost, "/api/v1/operations", `{"operation":"cancel","selector":"id:`+i.ID.String()+`"}`)
	require.Equal(t, 200, w.Code, w.Body.String())
	require.Equal(t, engine.Cancelled, get[web.Instance](f, "/api/v1/instances/"+i.ID.String()).State)
}
