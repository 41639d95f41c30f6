package model_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/invariant"
	"github.com/almanac-sched/almanac/engine/sim/model"
	"github.com/stretchr/testify/require"
)

// all is everything that a store holds, as text.
func all(t *testing.T, s engine.Store) (lines []string) {
	require.NoError(t, s.Read(t.Context(), func(v engine.View) error {
		lines = dump(v.(invariant.Source), 1000)
		return nil
	}))
	return lines
}

// everything writes of each kind of row.
func everything(tx engine.Tx) error {
	i := engine.Instance{
		ID: 900, Job: 1, Kind: engine.Manual, Key: "m", PlanTime: noon, Params: map[string]string{"a": "b"},
		Reason: engine.Reason{Upstream: &engine.JobRef{Job: "up"}, At: &noon},
	}
	_, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
		yield(&i, []engine.Wait{{Instance: 900, Upstream: 2, First: noon, Last: noon, Count: 1, Select: "any"}})
	})
	exit := 3
	start := engine.Transition{Instance: 900, Event: engine.Start, From: engine.Waiting, At: noon, Owner: "s"}
	result := engine.Result{Attempt: 901, Outcome: engine.OutcomeFailed, Exit: &exit, Outputs: map[string]string{"o": "p"}}
	errs := []error{err}
	for _, do := range []func() error{
		func() error { _, err := tx.Apply(start); return err },
		func() error {
			_, err := tx.PutSteps(900, 1, []engine.StepRow{{Step: "s", State: engine.StepRunning, Outputs: map[string]string{"o": "p"}}})
			return err
		},
		func() error {
			_, err := tx.StartAttempt(engine.AttemptRow{ID: 901, Instance: 900, Fence: 1, StartedAt: noon})
			return err
		},
		func() error { _, err := tx.EndAttempt(result, 1); return err },
		func() error {
			_, err := tx.SetCancel(900, engine.Reason{Upstream: &engine.JobRef{Job: "up"}}, noon)
			return err
		},
		func() error {
			return tx.PutOutbox(engine.OutboxRow{ID: 902, Instance: 900, State: engine.OutboxPending, NotBefore: noon})
		},
		func() error { _, _, err := tx.Acquire("planner", "a", noon, noon); return err },
		func() error { _, err := tx.SetPlannedTo(2, noon.AddDate(0, 0, 1), noon); return err },
		func() error { _, err := tx.SetPlannedTo(2, noon, noon.AddDate(0, 0, 1)); return err },
		func() error {
			return tx.PutVersion(engine.VersionRow{ID: 903, Job: 1, Definition: []byte("{}")})
		},
		func() error { return tx.PutZoneRules("UTC", "x") },
		func() error { _, err := tx.Reserve(5); return err },
		func() error { _, _, err := tx.Prune(noon.AddDate(1, 0, 0), 3); return err },
		func() error { return tx.Record(engine.EventRow{At: noon, Kind: "load"}) },
	} {
		errs = append(errs, do())
	}
	return errors.Join(errs...)
}

func TestWhatDoesNotEndWellLeavesNothing(t *testing.T) {
	for name, end := range map[string]func() error{
		"an error":                func() error { return errRefused },
		"a panic":                 func() error { panic("the caller's") },
		"the end of a goroutine":  func() error { runtime.Goexit(); return nil },
		"a constraint overlooked": nil,
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := bigWorld(t, 300, 200)
			before := all(t, s)
			var wg sync.WaitGroup
			wg.Go(func() {
				defer func() { _ = recover() }()
				err := s.Write(context.Background(), func(tx engine.Tx) error {
					if err := everything(tx); err != nil {
						return err
					}
					if end == nil {
						_ = tx.PutVersion(engine.VersionRow{ID: 903, Job: 1})
						return nil
					}
					return end()
				})
				if end == nil && !errors.Is(err, model.ErrConstraint) {
					t.Errorf("the write ended with %v", err)
				}
			})
			wg.Wait()
			require.Equal(t, before, all(t, s))
			write(t, s, everything)
			require.NotEqual(t, before, all(t, s))
		})
	}
}

func TestASnapshotStaysAsItIs(t *testing.T) {
	s, _ := bigWorld(t, 60, 30)
	empty := all(t, s)
	backup := s.Snapshot()
	other := s.Clone()
	write(t, s, everything)
	full := all(t, s)
	later := s.Snapshot()

	require.Equal(t, empty, all(t, other))
	for range 2 { // it can be restored again
		s.Restore(backup)
		require.Equal(t, empty, all(t, s))
		write(t, s, everything)
		require.Equal(t, full, all(t, s), "ids and events go on from the backup")
	}
	other.Restore(later)
	require.Equal(t, full, all(t, other), "into another store")
}

func TestABackupWithinAWriteIsWhatWasThereBefore(t *testing.T) {
	s, _ := bigWorld(t, 60, 30)
	before := all(t, s)
	var backup *model.Snapshot
	write(t, s, func(tx engine.Tx) error {
		err := everything(tx)
		backup = s.Snapshot()
		require.Equal(t, before, all(t, s))
		return err
	})
	s.Restore(backup)
	require.Equal(t, before, all(t, s))
}

// What is read is the reader's, and what is written is the store's: neither sees what is done to the other's.
func TestNothingIsShared(t *testing.T) {
	s, _ := bigWorld(t, 60, 30)
	write(t, s, everything)
	before := all(t, s)
	require.NoError(t, s.Read(t.Context(), func(v engine.View) error {
		i, err := v.Instance(900)
		require.NoError(t, err)
		i.Params["a"], i.Cancel.Code, i.Cancel.Upstream.Job = "changed", "changed", "changed"
		waits, err := v.Waits(900)
		require.NoError(t, err)
		waits[0].Select = "changed"
		steps, err := v.Steps(900)
		require.NoError(t, err)
		steps[0].Outputs["o"] = "changed"
		attempts, err := v.Attempts(900)
		require.NoError(t, err)
		attempts[0].Result.Outputs["o"], *attempts[0].Result.Exit = "changed", 99
		version, err := v.Version(903)
		require.NoError(t, err)
		version.Definition[0] = 'x'
		return nil
	}))
	require.Equal(t, before, all(t, s))
}

func TestEverythingCanBeListed(t *testing.T) {
	s, _ := bigWorld(t, 60, 30)
	write(t, s, everything)
	var ids, events, versions, outbox []int64
	for i := range s.Instances() {
		ids = append(ids, i.ID)
	}
	for id, e := range s.Events() {
		events = append(events, id)
		require.NotEmpty(t, e.Kind)
	}
	for v := range s.Versions() {
		versions = append(versions, v.ID)
	}
	for o := range s.Outbox() {
		outbox = append(outbox, o.ID)
	}
	require.Len(t, ids, 58, "60, of which retention has removed 3, and the new one")
	require.True(t, slices.IsSorted(ids))
	require.Equal(t, int64(len(events)-1), events[len(events)-1]-events[0], "without a gap")
	require.Equal(t, []int64{903}, versions)
	require.Equal(t, []int64{902}, outbox)
}

// Readers and writers meet: each reader sees one state, whatever is written meanwhile.
func TestReadersSeeOneState(t *testing.T) {
	s, list := bigWorld(t, 200, 200)
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			for _, i := range list[k*50 : (k+1)*50] {
				_ = s.Write(context.Background(), func(tx engine.Tx) error { return live(tx, i) })
			}
		})
		wg.Go(func() {
			for range 50 {
				_ = s.Read(context.Background(), func(v engine.View) error {
					running, err := v.Running()
					if err != nil || len(running) > 0 {
						t.Errorf("%d run between two transactions: %v", len(running), err)
					}
					_, events, err := v.(invariant.Source).HistoryAfter(0, 10_000)
					if err != nil || len(events)%2 != 0 {
						t.Errorf("%d events: %v", len(events), err)
					}
					return nil
				})
			}
		})
	}
	wg.Wait()
	require.NoError(t, s.Read(t.Context(), func(v engine.View) error {
		due, err := v.Due(noon.AddDate(9, 0, 0), 10)
		require.Empty(t, due)
		return err
	}))
}
