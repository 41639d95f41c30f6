package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// situation is a scheduled instance of 3 August 08:00 of a job with nothing special, looked at for the first time.
func situation(change ...func(*engine.Situation)) *engine.Situation {
	at := clock("03 08:00")
	s := &engine.Situation{
		Instance: &engine.Instance{
			ID: 1, Job: 1, Ref: engine.JobRef{Workflow: "w", Job: "a"}, Kind: engine.Scheduled, PlanTime: at, NotBefore: at,
			State: engine.Waiting, Gate: engine.GateTime,
		},
		Job: &engine.Job{
			Workflow: "w", Name: "a", Concurrency: 1, Overlap: engine.OverlapQueue, Misfire: engine.MisfireRunAll,
			MisfireWindow: 24 * time.Hour, WaitTimeout: 60 * 24 * time.Hour, DependsOn: make([]engine.Dependency, 3),
		},
	}
	for _, c := range change {
		c(s)
	}
	return s
}

type change = func(*engine.Situation)

// on adds a dependency of the instance on one plan time of b, in some state of facts.
func on(w engine.Wait, f engine.Facts) change {
	return func(s *engine.Situation) {
		base := engine.Wait{
			Upstream: 7, Ref: engine.JobRef{Workflow: "w", Job: "b"}, First: clock("03 07:00"), Last: clock("03 07:00"), Count: 1,
			Rule: "natural-day", Select: "all", Closed: "left", OnMissing: engine.MissingRun, OnFailed: engine.FailedWait,
		}
		base.N = len(s.Waits)
		base.Dependency = w.Dependency
		base.Ended, base.Timeout = w.Ended, w.Timeout
		if w.Select != "" {
			base.Select = w.Select
		}
		if w.Count > 0 {
			base.Count = w.Count
		}
		if w.OnMissing != "" {
			base.OnMissing = w.OnMissing
		}
		if w.OnFailed != "" {
			base.OnFailed = w.OnFailed
		}
		if w.Count < 0 {
			base.Count, base.First, base.Last = 0, time.Time{}, time.Time{}
		}
		if !w.Last.IsZero() {
			base.Last = w.Last
		}
		s.Waits, s.Facts = append(s.Waits, base), append(s.Facts, f)
	}
}

func upstream(at string, state engine.State) *engine.UpstreamInstance {
	return &engine.UpstreamInstance{ID: 9, PlanTime: clock(at), State: state}
}

// What an instance of a backfill waits for lies partly in its own backfill and partly in others: the one that is watched is of its own piece's key.
func TestTheWatchedOneHasItsOwnKey(t *testing.T) {
	b := engine.JobRef{Workflow: "w", Job: "b"}
	piece := func(key, first, last string, count int) engine.Wait {
		return engine.Wait{
			Upstream: 7, Ref: b, Key: key, First: clock(first), Last: clock(last), Count: count, Rule: "natural-day", Select: "all", Closed: "left",
			OnMissing: engine.MissingRun, OnFailed: engine.FailedWait,
		}
	}
	s := situation(func(s *engine.Situation) {
		s.Instance.Gate = engine.GateDependency
		s.Waits = []engine.Wait{piece("bf-1", "03 01:00", "03 05:00", 3), piece("bf-2", "03 06:00", "03 08:00", 2), piece("bf-1", "03 07:00", "03 07:00", 1)}
		s.Facts = []engine.Facts{{Planned: true}, {Planned: true, Unsatisfied: upstream("03 08:00", engine.Waiting)}, {Planned: true}}
	})
	v := engine.Evaluate(clock("03 09:00"), s)
	require.Equal(t, engine.GateDependency, v.Gate)
	require.Equal(t, "bf-2", v.WatchKey)
	require.Equal(t, clock("03 08:00"), v.WatchTime)
	s.Facts[1] = engine.Facts{Planned: true}
	s.Facts[2].Unsatisfied = upstream("03 07:00", engine.Waiting)
	require.Equal(t, "bf-1", engine.Evaluate(clock("03 09:00"), s).WatchKey)
	s.Facts[2] = engine.Facts{}
	v = engine.Evaluate(clock("03 09:00"), s)
	require.Equal(t, "bf-2", v.WatchKey, "the last of the set")
	require.Equal(t, clock("03 08:00"), v.WatchTime)
}

func TestEvaluate(t *testing.T) {
	satisfied := engine.Facts{Planned: true, Satisfied: 1}
	waiting := engine.Facts{Planned: true, Unsatisfied: upstream("03 07:00", engine.Waiting), Open: upstream("03 07:00", engine.Waiting)}
	failed := engine.Facts{Planned: true, Unsatisfied: upstream("03 07:00", engine.Failed), Failed: upstream("03 07:00", engine.Failed)}
	looked := func(s *engine.Situation) { s.Instance.Gate = engine.GateDependency }

	for name, c := range map[string]struct {
		now    string
		s      *engine.Situation
		gate   engine.Gate
		event  engine.Event
		reason engine.ReasonCode
		wake   string
		watch  string
	}{
		"a minute before its time":       {now: "03 07:59", s: situation(), gate: "time", reason: "not-due", wake: "03 08:00"},
		"at its time":                    {now: "03 08:00", s: situation(), gate: "slot", reason: "released"},
		"the spread moves the start":     {now: "03 08:00", s: situation(func(s *engine.Situation) { s.Instance.NotBefore = clock("03 08:07") }), gate: "time", reason: "not-due", wake: "03 08:07"},
		"an unclocked run does not wait": {now: "01 00:00", s: situation(func(s *engine.Situation) { s.Unclocked = true }), gate: "slot", reason: "released"},

		"off-calendar day":                {now: "03 08:00", s: situation(func(s *engine.Situation) { s.Instance.DryRun = true }), gate: "time", event: "skip", reason: "off-calendar"},
		"missed by two hours, runAll":     {now: "03 10:00", s: situation(), gate: "slot", reason: "released"},
		"missed by two hours, skip":       {now: "03 10:00", s: situation(func(s *engine.Situation) { s.Job.Misfire = engine.MisfireSkip }), gate: "time", event: "cancel", reason: "misfire"},
		"missed by two days, runAll":      {now: "05 10:00", s: situation(), gate: "time", event: "cancel", reason: "misfire"},
		"latest of the missed, runLatest": {now: "03 10:00", s: situation(func(s *engine.Situation) { s.Job.Misfire = engine.MisfireRunLatest }), gate: "slot", reason: "released"},
		"earlier of the missed, runLatest": {now: "03 10:00", s: situation(func(s *engine.Situation) {
			s.Job.Misfire, s.LaterDue = engine.MisfireRunLatest, true
		}), gate: "time", event: "cancel", reason: "misfire"},
		"half a minute late is not missed":  {now: "03 08:00", s: situation(func(s *engine.Situation) { s.Job.Misfire = engine.MisfireSkip }), gate: "slot", reason: "released"},
		"waiting for days is not a misfire": {now: "06 08:00", s: situation(looked), gate: "slot", reason: "released"},
		"a trigger is never missed":         {now: "06 08:00", s: situation(func(s *engine.Situation) { s.Instance.Kind = engine.Manual }), gate: "slot", reason: "released"},
		"its upstream waits":                {now: "03 08:00", s: situation(on(engine.Wait{}, waiting)), gate: "dependency", reason: "upstream", wake: "+60d", watch: "03 07:00"},
		"its upstream succeeded":            {now: "03 08:00", s: situation(on(engine.Wait{}, satisfied)), gate: "slot", reason: "released"},
		"its upstream is not planned yet":   {now: "03 08:00", s: situation(on(engine.Wait{Last: clock("03 09:00")}, engine.Facts{})), gate: "dependency", reason: "upstream", wake: "+60d", watch: "03 09:00"},
		"its upstream failed: suspended":    {now: "03 08:00", s: situation(on(engine.Wait{}, failed)), gate: "dependency", reason: "upstream-failed", wake: "+60d", watch: "03 07:00"},
		"its upstream failed: cancel":       {now: "03 08:00", s: situation(on(engine.Wait{OnFailed: "cancel"}, failed)), gate: "dependency", event: "cancel", reason: "upstream-failed"},
		"its upstream failed: run":          {now: "03 08:00", s: situation(on(engine.Wait{OnFailed: "run"}, failed)), gate: "slot", reason: "released"},
		"onFailed run waits for all to end": {now: "03 08:00", s: situation(on(engine.Wait{OnFailed: "run"}, waiting)), gate: "dependency", reason: "upstream", wake: "+60d", watch: "03 07:00"},
		"waitPreviousEnd and it failed":     {now: "03 08:00", s: situation(on(engine.Wait{Ended: true}, failed)), gate: "slot", reason: "released"},
		"nothing in the window: run":        {now: "03 08:00", s: situation(on(engine.Wait{Count: -1}, engine.Facts{})), gate: "slot", reason: "released"},
		"nothing in the window: wait":       {now: "03 08:00", s: situation(on(engine.Wait{Count: -1, OnMissing: "wait"}, engine.Facts{})), gate: "dependency", reason: "no-upstream", wake: "+60d"},
		"nothing in the window: cancel":     {now: "03 08:00", s: situation(on(engine.Wait{Count: -1, OnMissing: "cancel"}, engine.Facts{})), gate: "dependency", event: "cancel", reason: "no-upstream"},
		"any of them, one satisfied":        {now: "03 08:00", s: situation(on(engine.Wait{Select: "any"}, engine.Facts{Planned: true, Unsatisfied: upstream("03 07:00", engine.Waiting), Satisfied: 1})), gate: "slot", reason: "released"},
		"two of one: it can never be": {
			now: "03 08:00", s: situation(on(engine.Wait{Select: "2"}, engine.Facts{Planned: true, Unsatisfied: upstream("03 07:00", engine.Failed)})),
			gate: "dependency", reason: "no-upstream", wake: "+60d",
		},
		"two of them, one satisfied":            {now: "03 08:00", s: situation(on(engine.Wait{Select: "2", Count: 3}, engine.Facts{Planned: true, Unsatisfied: upstream("03 07:00", engine.Waiting), Satisfied: 1})), gate: "dependency", reason: "upstream", wake: "+60d"},
		"the upstream job was removed":          {now: "03 08:00", s: situation(on(engine.Wait{}, engine.Facts{Removed: true})), gate: "dependency", event: "cancel", reason: "upstream-gone"},
		"removed, but what was needed is there": {now: "03 08:00", s: situation(on(engine.Wait{}, engine.Facts{Removed: true, Planned: true})), gate: "slot", reason: "released"},
		"disabled, and the edge itself says run": {now: "03 08:00", s: situation(func(s *engine.Situation) {
			s.Job.DependsOn[0] = engine.Dependency{Job: engine.JobRef{Workflow: "w", Job: "b"}, OnMissingStated: true}
		}, on(engine.Wait{}, engine.Facts{Disabled: true})), gate: "slot", reason: "released"},
		"disabled, and a default does not count": {now: "03 08:00", s: situation(on(engine.Wait{OnMissing: "run"}, engine.Facts{Disabled: true})), gate: "dependency", event: "cancel", reason: "upstream-gone"},
		"disabled, the edge says wait, one runs on": {now: "03 08:00", s: situation(func(s *engine.Situation) {
			s.Job.DependsOn[0] = engine.Dependency{Job: engine.JobRef{Workflow: "w", Job: "b"}, OnMissingStated: true}
		}, on(engine.Wait{OnMissing: "wait"}, engine.Facts{Disabled: true, Planned: true, Unsatisfied: upstream("03 07:00", engine.Running)})), gate: "dependency", reason: "no-upstream", wake: "+60d", watch: "03 07:00"},
		"the edge's timeout, before it":               {now: "03 08:59", s: situation(on(engine.Wait{Timeout: time.Hour}, waiting)), gate: "dependency", reason: "upstream", wake: "03 09:00", watch: "03 07:00"},
		"the edge's timeout":                          {now: "03 09:00", s: situation(looked, on(engine.Wait{Timeout: time.Hour}, waiting)), gate: "dependency", event: "cancel", reason: "wait-timeout"},
		"the edge's timeout, onFailed run":            {now: "03 09:00", s: situation(looked, on(engine.Wait{Timeout: time.Hour, OnFailed: "run"}, waiting)), gate: "slot", reason: "released"},
		"a timeout counts from a later upstream":      {now: "03 16:30", s: situation(looked, on(engine.Wait{Timeout: time.Hour, Last: clock("03 16:00")}, waiting)), gate: "dependency", reason: "upstream", wake: "03 17:00", watch: "03 07:00"},
		"the second dependency cancels":               {now: "03 08:00", s: situation(on(engine.Wait{}, waiting), on(engine.Wait{Dependency: 1, OnFailed: "cancel"}, failed)), gate: "dependency", event: "cancel", reason: "upstream-failed"},
		"the second dependency's timeout is kept":     {now: "03 08:00", s: situation(on(engine.Wait{}, waiting), on(engine.Wait{Dependency: 1, Timeout: time.Hour}, waiting)), gate: "dependency", reason: "upstream", wake: "03 09:00", watch: "03 07:00"},
		"the job's waitTimeout":                       {now: "03 10:00", s: situation(looked, func(s *engine.Situation) { s.Job.WaitTimeout = 2 * time.Hour }, on(engine.Wait{}, waiting)), gate: "dependency", event: "cancel", reason: "wait-timeout"},
		"waits to be confirmed":                       {now: "03 08:00", s: situation(func(s *engine.Situation) { s.Job.Confirm = true }), gate: "confirm", reason: "confirm", wake: "+60d"},
		"confirmed":                                   {now: "03 08:00", s: situation(func(s *engine.Situation) { s.Job.Confirm, s.Instance.Confirmed = true, "ann" }), gate: "slot", reason: "released"},
		"one runs, the current definition allows two": {now: "03 08:00", s: situation(func(s *engine.Situation) { s.Active, s.Limit = 1, 2 }), gate: "slot", reason: "released"},
		"frozen":          {now: "03 08:00", s: situation(func(s *engine.Situation) { s.Instance.Frozen = true }), gate: "frozen", reason: "frozen", wake: "+60d"},
		"one runs: queue": {now: "03 08:00", s: situation(func(s *engine.Situation) { s.Active = 1 }), gate: "concurrency", reason: "concurrency", wake: "+60d"},
		"one runs: skip":  {now: "03 08:00", s: situation(func(s *engine.Situation) { s.Active, s.Job.Overlap = 1, engine.OverlapSkip }), gate: "time", event: "cancel", reason: "overlap"},
		"one runs: skip, but its time passed freely": {now: "03 08:00", s: situation(looked, func(s *engine.Situation) { s.Active, s.Job.Overlap = 1, engine.OverlapSkip }), gate: "concurrency", reason: "concurrency", wake: "+60d"},
		"one runs: skipToLatest, a later one is due": {now: "03 08:00", s: situation(looked, func(s *engine.Situation) { s.Active, s.LaterDue, s.Job.Overlap = 1, true, engine.OverlapSkipToLatest }), gate: "concurrency", event: "cancel", reason: "overlap"},
		"one runs: skipToLatest, it is the latest":   {now: "03 08:00", s: situation(looked, func(s *engine.Situation) { s.Active, s.Job.Overlap = 1, engine.OverlapSkipToLatest }), gate: "concurrency", reason: "concurrency", wake: "+60d"},
		"one of two runs": {now: "03 08:00", s: situation(func(s *engine.Situation) { s.Active, s.Job.Concurrency = 1, 2 }), gate: "slot", reason: "released"},
	} {
		t.Run(name, func(t *testing.T) {
			v := engine.Evaluate(clock(c.now), c.s)
			require.Equal(t, c.gate, v.Gate)
			require.Equal(t, c.event, v.Event, v.Reason.Describe())
			require.Equal(t, c.reason, v.Reason.Code)
			require.Equal(t, v.Gate == engine.GateSlot, v.Open)
			if c.event != "" || v.Open {
				return
			}
			require.Equal(t, wakeTime(c.wake, c.s), v.Wake, "wake")
			if c.watch == "" {
				require.Zero(t, v.WatchJob, "watches nothing")
			} else {
				require.Equal(t, clock(c.watch), v.WatchTime, "watch")
				require.Equal(t, int64(7), v.WatchJob)
			}
			require.NotEmpty(t, v.Reason.Describe())
		})
	}
}

// wakeTime reads "03 09:00", or "+60d": the waitTimeout after the later of the plan time and the last upstream one.
func wakeTime(text string, s *engine.Situation) time.Time {
	if text == "+60d" {
		from := s.Instance.PlanTime
		for _, w := range s.Waits {
			if w.Last.After(from) {
				from = w.Last
			}
		}
		return from.Add(60 * 24 * time.Hour)
	}
	return clock(text)
}

// cancelRunning asks for the running instance to be cancelled and waits for that.
func TestEvaluateCancelRunning(t *testing.T) {
	v := engine.Evaluate(clock("03 08:00"), situation(func(s *engine.Situation) {
		s.Active, s.Job.Overlap = 1, engine.OverlapCancelRunning
	}))
	require.Equal(t, engine.GateConcurrency, v.Gate)
	require.True(t, v.CancelActive)
}
