package model

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault"
)

// PutReach is a longer reach of a pair, or nothing.
func (t *tx) PutReach(upstream, job int64, back time.Duration) error {
	if t.broken != nil {
		return t.broken
	}
	of, reach := pair{upstream, job}, max(0, back).Milliseconds()
	if known := t.s.reaches[of]; known == nil || *known < reach {
		set(t, (*state).putReach, of, &reach)
	}
	return nil
}

func (t *tx) InsertInstances(rows iter.Seq2[*engine.Instance, []engine.Wait]) (int, error) {
	if t.broken != nil {
		return 0, t.broken
	}
	inserted := 0
	reaches := map[pair]int64{}
	for i, waits := range rows {
		row, err := planned(i)
		if err != nil {
			return 0, t.refuse(err)
		}
		for n := range waits {
			widen(reaches, i.Job, i.PlanTime, &waits[n])
		}
		if _, exists := t.s.identified(row.identity()); exists && !fault.Planted(fault.UniqueKey) || t.s.instances[row.ID] != nil || t.s.unreal[row.ID] != nil {
			continue
		}
		own, err := ownWaits(i.ID, waits)
		if err != nil {
			return 0, t.refuse(err)
		}
		t.bulk++
		if t.s.applying(i.Kind, i.Key) {
			set(t, (*state).putUnreal, row.ID, &unreal{row, own})
			inserted++
			continue
		}
		if len(own) > 0 {
			set(t, (*state).putWaits, row.ID, own)
		}
		set(t, (*state).putInstance, row.ID, row)
		inserted++
	}
	t.recordReach(reaches)
	return inserted, nil
}

// widen makes the reach of a job no shorter than one wait of an instance of that plan time.
func widen(reaches map[pair]int64, job int64, at time.Time, w *engine.Wait) {
	of := pair{w.Upstream, job}
	reaches[of] = max(reaches[of], 0)
	if w.Count > 0 {
		reaches[of] = max(reaches[of], at.UnixMilli()-w.First.UnixMilli())
	}
}

func (t *tx) recordReach(reaches map[pair]int64) {
	for of, reach := range reaches {
		if known := t.s.reaches[of]; known == nil || *known < reach {
			set(t, (*state).putReach, of, &reach)
		}
	}
}

// planned returns the row of an instance that is planned, or an error when it cannot be stored.
func planned(i *engine.Instance) (*instance, error) {
	row := &instance{Instance: engine.Instance{
		ID: i.ID, Job: i.Job, Version: i.Version, Kind: i.Kind, Key: i.Key, PlanTime: zoned(i.PlanTime), State: engine.Waiting, Gate: i.Gate, Run: 1,
		Reason: ownReason(i.Reason), Fence: i.Fence, DryRun: i.DryRun, Frozen: i.Frozen, NotBefore: i.NotBefore, Priority: i.Priority, Pool: i.Pool,
		Params: ownMap(i.Params), Confirmed: i.Confirmed,
	}}
	if row.Gate == "" {
		row.Gate = engine.GateTime
	}
	if row.NotBefore.IsZero() {
		row.NotBefore = i.PlanTime
	}
	_, offset := i.PlanTime.Zone()
	row.NotBefore = inZone(utc(row.NotBefore), offset)
	if row.wake = row.NotBefore.UnixMilli(); i.Kind == engine.Backfill {
		row.wake = never // its lane looks at it
	}
	switch {
	case i.Kind != engine.Scheduled && i.Kind != engine.Manual && i.Kind != engine.Backfill:
		return nil, fmt.Errorf("instance %d: %w: there is no kind %q", i.ID, ErrConstraint, i.Kind)
	case (i.Kind == engine.Scheduled) != (i.Key == ""):
		return nil, fmt.Errorf("instance %d: %w: %s with the key %q", i.ID, ErrConstraint, i.Kind, i.Key)
	case !slices.Contains(engine.Gates, row.Gate):
		return nil, fmt.Errorf("instance %d: %w: there is no gate %q", i.ID, ErrConstraint, i.Gate)
	case i.Fence < 0:
		return nil, fmt.Errorf("instance %d: %w: fence %d", i.ID, ErrConstraint, i.Fence)
	case i.Priority < 0 || i.Priority > highest:
		return nil, fmt.Errorf("instance %d: %w: priority %d", i.ID, ErrConstraint, i.Priority)
	}
	return row, nil
}

// ownWaits returns the waits of an instance as they come back, by N, or an error when they cannot be stored.
func ownWaits(instance int64, waits []engine.Wait) ([]engine.Wait, error) {
	own := slices.Clone(waits)
	for n := range own {
		w := &own[n]
		w.Instance, w.Ref = instance, engine.JobRef{} // the job is named when they are read
		if w.Count == 0 {
			w.First, w.Last = time.Time{}, time.Time{}
		}
		if err := allowed(w); err != nil {
			return nil, fmt.Errorf("wait %d of instance %d: %w: %w", w.N, instance, ErrConstraint, err)
		}
		w.First, w.Last, w.WindowFrom, w.WindowTo = zoned(w.First), zoned(w.Last), zoned(w.WindowFrom), zoned(w.WindowTo)
		w.Timeout = w.Timeout.Truncate(time.Millisecond)
	}
	slices.SortFunc(own, func(a, b engine.Wait) int { return a.N - b.N })
	for n := 1; n < len(own); n++ {
		if own[n].N == own[n-1].N {
			return nil, fmt.Errorf("wait %d of instance %d: %w: it exists", own[n].N, instance, ErrConstraint)
		}
	}
	return own, nil
}

// allowed says what of a wait the schema does not allow.
func allowed(w *engine.Wait) error {
	switch {
	case w.Count < 0:
		return fmt.Errorf("%d plan times", w.Count)
	case w.First.UnixMilli() > w.Last.UnixMilli():
		return fmt.Errorf("from %s to %s", w.First, w.Last)
	case !slices.Contains([]string{"all", "any", "first", "last"}, w.Select) && leadingNumber(w.Select) <= 0:
		return fmt.Errorf("select %q", w.Select)
	case !slices.Contains([]string{"left", "right", "both", ""}, w.Closed):
		return fmt.Errorf("closed %q", w.Closed)
	case !slices.Contains([]engine.OnMissing{engine.MissingRun, engine.MissingWait, engine.MissingCancel, ""}, w.OnMissing):
		return fmt.Errorf("onMissing %q", w.OnMissing)
	case !slices.Contains([]engine.OnFailed{engine.FailedWait, engine.FailedRun, engine.FailedCancel, ""}, w.OnFailed):
		return fmt.Errorf("onFailed %q", w.OnFailed)
	case w.Timeout <= -time.Millisecond:
		return fmt.Errorf("timeout %s", w.Timeout)
	}
	return nil
}

// leadingNumber is the number that a text begins with, 0 when it begins with none.
func leadingNumber(text string) int {
	var n int
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil {
		return 0
	}
	return n
}

func (t *tx) DeleteUnstarted(job int64, from time.Time) (int, error) {
	if t.broken != nil {
		return 0, t.broken
	}
	var ids []int64
	for id := range idsInJob(t.s.waiting, job, from.UnixMilli()) {
		if i := t.s.instances[id]; i.Kind == engine.Scheduled && i.Gate == engine.GateTime && i.Confirmed == "" && !i.Touched {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if len(t.s.steps[id]) > 0 || len(t.s.attemptsOf(id)) > 0 || len(t.s.outboxOf(id)) > 0 {
			return 0, t.refuse(fmt.Errorf("delete instance %d: %w: steps, attempts or outbox rows belong to it", id, ErrConstraint))
		}
	}
	for _, id := range ids {
		t.drop(id)
	}
	return len(ids), nil
}

// drop takes an instance and its waits out.
func (t *tx) drop(id int64) {
	set(t, (*state).putInstance, id, nil)
	if len(t.s.waits[id]) > 0 {
		set(t, (*state).putWaits, id, nil)
	}
	if len(t.s.former[id]) > 0 {
		set(t, (*state).putFormer, id, nil)
	}
}
