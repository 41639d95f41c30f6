package history_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/bench/history"
)

// The table of routes is the list: a route that answers GET and has no worst request is not measured, and fails here.
func TestEveryReadIsMeasured(t *testing.T) {
	f := history.Facts{Day: "2026-11-21", First: 1, Late: 2, Failed: 3, Attempt: 1, Incident: 4, Delivery: 5, At: time.Unix(0, 0).UTC(), LateName: "w/d000@2026-11-21T00:00:00Z"}
	requests := history.Requests(f)
	require.Empty(t, history.Missing(requests))

	delete(requests, "listBackfills")
	requests["none"] = nil
	requests["status"] = []history.Request{{Path: "/api/v1/jobs"}}
	require.Equal(t, "/api/v1/jobs is no request of GET /api/v1/status (status); the route GET /api/v1/backfills (listBackfills) has no worst request in requests.go; "+
		"there is no route none", history.Missing(requests))
}
