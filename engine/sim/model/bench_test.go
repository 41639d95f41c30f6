package model_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/sim/model"
	"github.com/stretchr/testify/require"
)

// bigWorld is n instances of 20 jobs, an hour apart from one another, each of which waits for one of the job before it; all but the last open ones
// have succeeded.
func bigWorld(t testing.TB, n, open int) (*model.Store, []engine.Instance) {
	s := newStore()
	var list []engine.Instance
	write(t, s, func(tx engine.Tx) error {
		for id := int64(1); id <= 20; id++ {
			if err := tx.PutJob(engine.JobRow{ID: id, Ref: engine.JobRef{Workflow: "w", Job: fmt.Sprint(id)}, Version: id}); err != nil {
				return err
			}
		}
		_, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
			for k := range n {
				at := noon.Add(time.Duration(k/20) * time.Hour)
				i := engine.Instance{ID: int64(100 + k), Job: int64(k%20 + 1), Kind: engine.Scheduled, PlanTime: at, Priority: 5, Reason: engine.Reason{Code: engine.ReasonPlanned}}
				w := engine.Wait{Instance: i.ID, Upstream: max(1, i.Job-1), First: at, Last: at, Count: 1, Select: "all", OnFailed: engine.FailedCancel}
				list = append(list, i)
				if !yield(&i, []engine.Wait{w}) {
					return
				}
			}
		})
		return err
	})
	for _, i := range list[:n-open] {
		write(t, s, func(tx engine.Tx) error { return live(tx, i) })
	}
	return s, list[n-open:]
}

func write(t testing.TB, s *model.Store, fn func(tx engine.Tx) error) {
	require.NoError(t, s.Write(context.Background(), fn))
}

// start and finish are the transactions of an instance with one step; live is both in one.
func start(tx engine.Tx, i engine.Instance) error {
	if ok, err := tx.Apply(engine.Transition{
		Instance: i.ID, Event: engine.Start, From: engine.Waiting, At: noon, Owner: "s", Lease: noon.Add(time.Minute), Reason: engine.Reason{Code: engine.ReasonReleased},
	}); err != nil || !ok {
		return fmt.Errorf("start %d: %v %w", i.ID, ok, err)
	}
	if _, err := tx.PutSteps(i.ID, 1, []engine.StepRow{{State: engine.StepRunning, Attempts: 1}}); err != nil {
		return err
	}
	_, err := tx.StartAttempt(engine.AttemptRow{ID: i.ID, Instance: i.ID, Job: i.Job, Number: 1, Fence: 1, Owner: "s", StartedAt: noon})
	return err
}

func finish(tx engine.Tx, i engine.Instance) error {
	if _, err := tx.EndAttempt(engine.Result{Attempt: i.ID, Outcome: engine.OutcomeSucceeded, EndedAt: noon}, 1); err != nil {
		return err
	}
	if _, err := tx.SetStep(i.ID, 1, engine.StepRow{State: engine.StepSucceeded, Attempts: 1}); err != nil {
		return err
	}
	_, err := tx.Apply(engine.Transition{Instance: i.ID, Event: engine.Succeed, From: engine.Running, Fence: 1, At: noon, Reason: engine.Reason{Code: engine.ReasonSucceeded}})
	return err
}

func live(tx engine.Tx, i engine.Instance) error {
	if err := start(tx, i); err != nil {
		return err
	}
	return finish(tx, i)
}

// BenchmarkTransaction is one transaction: the start of an instance, or its end, each of four changes with an event.
func BenchmarkTransaction(b *testing.B) {
	for _, ended := range []int{0, 20_000, 200_000} {
		b.Run(fmt.Sprintf("ended=%d", ended), func(b *testing.B) {
			const open = 20_000
			s, list := bigWorld(b, ended+open, open)
			backup := s.Snapshot()
			b.ReportAllocs()
			b.ResetTimer()
			for n := range b.N {
				k := n / 2 % open
				if n > 0 && n%(2*open) == 0 {
					b.StopTimer()
					s.Restore(backup)
					write(b, s, func(engine.Tx) error { return nil })
					b.StartTimer()
				}
				do := start
				if n%2 == 1 {
					do = finish
				}
				if err := s.Write(context.Background(), func(tx engine.Tx) error { return do(tx, list[k]) }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tx/s")
		})
	}
}

// BenchmarkLook is what a pass asks of one instance: its row, its waits and their facts, and a hold.
func BenchmarkLook(b *testing.B) {
	for _, ended := range []int{0, 200_000} {
		b.Run(fmt.Sprintf("ended=%d", ended), func(b *testing.B) {
			const open = 20_000
			s, list := bigWorld(b, ended+open, open)
			b.ReportAllocs()
			b.ResetTimer()
			for n := range b.N {
				id := list[n%open].ID
				if err := s.Write(context.Background(), func(tx engine.Tx) error {
					due, err := tx.Due(noon.AddDate(20, 0, 0), 1)
					if err != nil || len(due) != 1 {
						return fmt.Errorf("%d due: %w", len(due), err)
					}
					waits, err := tx.Waits(id)
					if err != nil {
						return err
					}
					for k := range waits {
						if _, err := tx.Facts(&waits[k]); err != nil {
							return err
						}
					}
					_, err = tx.Hold(engine.Hold{Instance: id, Gate: engine.GateDependency, Wake: noon.AddDate(0, 0, n%100), WatchJob: 1, WatchTime: noon})
					return err
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBackup is a snapshot and the write that pays for it.
func BenchmarkBackup(b *testing.B) {
	s, list := bigWorld(b, 20_000, 10_000)
	for b.Loop() {
		s.Snapshot()
		write(b, s, func(tx engine.Tx) error {
			_, err := tx.SetConfirmed(list[0].ID, engine.Reason{Code: engine.ReasonPerson, Actor: "ann"}, noon)
			return err
		})
	}
}
