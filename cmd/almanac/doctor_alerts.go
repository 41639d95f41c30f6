package main

import (
	"context"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// alerts looks for messages that nobody got: a sink that fails is noticed by nobody who waits for it to speak.
func (d *diagnosis) alerts(ctx context.Context, db *store.DB) {
	var n engine.AlertCounts
	var failed []engine.DeliveryRow
	err := db.Read(ctx, func(v engine.View) (err error) {
		since := now().Add(-24 * time.Hour)
		if n, err = v.AlertCounts(since); err == nil {
			failed, err = v.FailedDeliveries(since, 1)
		}
		return err
	})
	switch {
	case err != nil:
		d.wrong("alerts", "try again", "%v", err)
	case n.Failed > 0:
		d.doubt("alerts", "mend the sink "+failed[0].Sink+", then: almanac alerts test "+failed[0].Sink,
			"%s failed for good within a day, the latest for %s: %s", count(n.Failed, "message"), failed[0].Sink, failed[0].Reason)
	default:
		d.well("alerts", "%s open, %s to be sent", count(n.Open, "incident"), count(n.Pending, "message"))
	}
}
