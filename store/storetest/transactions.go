package storetest

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

var transactionCases = []testCase{
	{"an error of a write rolls back its changes", func(w *world) {
		i := w.plan("A", "01:00")[0]
		err := w.store.Write(w.ctx, func(tx engine.Tx) error {
			ok, err := tx.Apply(engine.Transition{Instance: i.ID, Event: engine.Force, From: engine.Waiting, At: at("02:00")})
			require.NoError(w, err)
			require.True(w, ok)
			return errRefused
		})
		require.ErrorIs(w, err, errRefused)
		w.same(i, w.get(i.ID))
	}},
	{"a write sees its own changes, a read only what was committed", func(w *world) {
		i := w.plan("A", "01:00")[0]
		w.write(func(tx engine.Tx) {
			_, err := tx.Apply(engine.Transition{Instance: i.ID, Event: engine.Force, From: engine.Waiting, At: at("02:00")})
			require.NoError(w, err)
			got, err := tx.Instance(i.ID)
			require.NoError(w, err)
			require.Equal(w, engine.Forced, got.State)
			require.Equal(w, engine.Waiting, w.get(i.ID).State)
		})
		require.Equal(w, engine.Forced, w.get(i.ID).State)
	}},
	{"a read stays on its snapshot", func(w *world) {
		i := w.plan("A", "01:00")[0]
		w.read(func(v engine.View) {
			_, err := v.Instance(i.ID)
			require.NoError(w, err)
			w.apply(i.ID, engine.Force, "02:00")
			got, err := v.Instance(i.ID)
			require.NoError(w, err)
			require.Equal(w, engine.Waiting, got.State)
		})
	}},
	{"a write whose context has ended is not run", func(w *world) {
		ctx, cancel := context.WithCancel(w.ctx)
		cancel()
		err := w.store.Write(ctx, func(engine.Tx) error {
			w.Error("it ran")
			return nil
		})
		require.ErrorIs(w, err, context.Canceled)
		err = w.store.Read(ctx, func(engine.View) error {
			w.Error("it ran")
			return nil
		})
		require.ErrorIs(w, err, context.Canceled)
	}},
	{"an error of a read comes back", func(w *world) {
		require.ErrorIs(w, w.store.Read(w.ctx, func(engine.View) error { return errRefused }), errRefused)
	}},
	{"many writers at once: the good ones are kept, the others leave nothing", func(w *world) {
		const n = 200
		p := make([]engine.Instance, n)
		w.write(func(tx engine.Tx) {
			first := w.reserve(tx, n)
			var list []row
			for k := range p {
				p[k] = w.planned("A", "00:00")
				p[k].ID, p[k].Kind, p[k].Key = first+int64(k), engine.Manual, string(rune('a'+k%26))+string(rune('a'+k/26))
				list = append(list, row{instance: p[k]})
			}
			count, err := tx.InsertInstances(rows(list...))
			require.NoError(w, err)
			require.Equal(w, n, count)
		})
		var wg sync.WaitGroup
		var wrong atomic.Int64
		for k := range p {
			wg.Go(func() {
				err := w.store.Write(w.ctx, func(tx engine.Tx) error {
					ok, err := tx.Apply(engine.Transition{
						Instance: p[k].ID, Event: engine.Start, From: engine.Waiting, At: at("02:00"), Owner: "server", Lease: at("02:01"),
					})
					if err != nil || !ok {
						wrong.Add(1)
					}
					if k%5 == 0 {
						return errRefused
					}
					return nil
				})
				if (err != nil) != (k%5 == 0) {
					wrong.Add(1)
				}
			})
		}
		wg.Wait()
		require.Zero(w, wrong.Load())
		for k := range p {
			want := engine.Running
			if k%5 == 0 {
				want = engine.Waiting
			}
			require.Equal(w, want, w.get(p[k].ID).State)
		}
	}},
	{"one claim of an instance wins, however many try", func(w *world) {
		i := w.plan("A", "01:00")[0]
		var wins atomic.Int64
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				won := false
				err := w.store.Write(w.ctx, func(tx engine.Tx) (err error) {
					won, err = tx.Apply(engine.Transition{Instance: i.ID, Event: engine.Start, From: engine.Waiting, At: at("02:00"), Owner: "s"})
					return err
				})
				if err == nil && won {
					wins.Add(1)
				}
			})
		}
		wg.Wait()
		require.Equal(w, int64(1), wins.Load())
		require.Equal(w, int64(1), w.get(i.ID).Fence)
	}},
	{"ids are given once however many ask", func(w *world) {
		var mu sync.Mutex
		seen := map[int64]bool{}
		var wg sync.WaitGroup
		for k := range 50 {
			wg.Go(func() {
				first, n := int64(0), k%3+1
				err := w.store.Write(w.ctx, func(tx engine.Tx) (err error) {
					first, err = tx.Reserve(n)
					return err
				})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					seen[-1] = true
				}
				for id := first; id < first+int64(n); id++ {
					if seen[id] {
						seen[-1] = true
					}
					seen[id] = true
				}
			})
		}
		wg.Wait()
		require.False(w, seen[-1], "an id was given twice, or not at all")
	}},
}
