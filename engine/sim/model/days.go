package model

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// Spans lists what days say of the instances of a job with a plan time in [from, to).
func (v *view) Spans(job int64, from, to time.Time, limit int) ([]engine.InstanceSpan, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var spans []engine.InstanceSpan
	for k := range v.s.places.from(place{job: job, at: from.UnixMilli()}) {
		if k.job != job || k.at >= to.UnixMilli() || len(spans) == limit {
			break
		}
		i := v.s.instances[k.id]
		spans = append(spans, engine.InstanceSpan{
			PlanTime: i.PlanTime.UTC(), State: i.State, StartedAt: i.StartedAt, EndedAt: i.EndedAt, Run: i.Run,
			Keyed: i.Key != "", Once: i.Fence > 0 && i.Fence <= int64(i.Run),
		})
	}
	return spans, nil
}
