package web_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// The names of days mean days of the zone of most jobs, or of the zone that is given, wherever a request takes a time or a day.
func TestDaysHaveNames(t *testing.T) {
	f := newFixture(t)
	today := readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/today", ""))
	for word, path := range map[string]string{"yesterday": "", "tomorrow": ""} {
		d := readDay(t, f.as("viewer", http.MethodGet, "/api/v1/days/"+word+path, ""))
		require.NotEqual(t, today.Date, d.Date)
		require.Equal(t, today.Zone, d.Zone)
	}
	list := as[web.InstancePage](f, "viewer", "/api/v1/instances?from=today&to=tomorrow&limit=500")
	require.NotEmpty(t, list.Items)
	for _, i := range list.Items {
		require.Equal(t, today.Date, i.PlanTime.Format("2006-01-02"), i.Name)
	}
	same := as[web.InstancePage](f, "viewer", "/api/v1/instances?from="+today.Date+"&to=tomorrow&limit=500")
	require.Equal(t, list.Items, same.Items)
	there := as[web.InstancePage](f, "viewer", "/api/v1/instances?from=today&to=tomorrow&limit=500&zone=Pacific/Kiritimati")
	require.NotEqual(t, list.Items, there.Items, "it is another day there")
	for _, path := range []string{
		"instances?from=tomorow", "instances?from=today&zone=Mars", "instances?from=tomorrow&to=today", "audit?from=2026-02-30", "changes?from=soon", "days/never",
	} {
		require.Equal(t, http.StatusUnprocessableEntity, f.as("viewer", http.MethodGet, "/api/v1/"+path, "").Code, path)
	}
	for _, path := range []string{"audit?from=yesterday&to=tomorrow", "changes?from=today", "audit?from=2026-11-20T06:00%2B01:00"} {
		require.Equal(t, http.StatusOK, f.as("viewer", http.MethodGet, "/api/v1/"+path, "").Code, path)
	}
}

// Each kind of error is one status and one code, and a full disk is said in words.
func TestAFullDiskIsSaidSo(t *testing.T) {
	full := fmt.Errorf("trigger: %w: %w: database or disk is full (13)", engine.ErrUnavailable, engine.ErrFull)
	f := newFixture(t, func(c *web.Config) { c.Control = fullDisk{c.Control, full} })
	w := f.as("operator", http.MethodPost, "/api/v1/jobs/retail/orders/trigger", `{}`)
	require.Equal(t, http.StatusInsufficientStorage, w.Code, w.Body.String())
	require.Contains(t, w.Body.String(), `"code":"disk-full"`)
	require.Contains(t, w.Body.String(), "the disk of the server is full: nothing was changed")
	require.Contains(t, w.Body.String(), "free some space")
}

// fullDisk is a control whose rows have no room.
type fullDisk struct {
	web.Control
	err error
}

func (d fullDisk) Trigger(context.Context, engine.TriggerRequest, time.Time) (engine.Instance, bool, error) {
	return engine.Instance{}, false, d.err
}
