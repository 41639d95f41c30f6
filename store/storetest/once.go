package storetest

import (
	"errors"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

var onceCases = []testCase{
	{"a request's key is taken once, and its answer stands", func(w *world) {
		row := onceRow("k", "05:00")
		key := row.OnceKey
		w.read(func(v engine.View) {
			_, err := v.Once(key)
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
		w.write(func(tx engine.Tx) {
			ok, err := tx.AnswerOnce(key, []byte("early"))
			require.NoError(w, err)
			require.False(w, ok, "nothing to answer yet")
			ok, err = tx.PutOnce(row)
			require.NoError(w, err)
			require.True(w, ok)
		})
		w.read(func(v engine.View) {
			got, err := v.Once(key)
			require.NoError(w, err)
			require.Equal(w, row, got)
			require.Nil(w, got.Answer)
		})
		w.write(func(tx engine.Tx) {
			other := row
			other.Request = []byte("other")
			ok, err := tx.PutOnce(other)
			require.NoError(w, err)
			require.False(w, ok)
			ok, err = tx.AnswerOnce(key, []byte{})
			require.NoError(w, err)
			require.True(w, ok)
			ok, err = tx.AnswerOnce(key, []byte("late"))
			require.NoError(w, err)
			require.False(w, ok, "an empty answer is one")
		})
		row.Answer = []byte{}
		w.read(func(v engine.View) {
			got, err := v.Once(key)
			require.NoError(w, err)
			require.Equal(w, row, got)
			for _, other := range []engine.OnceKey{
				{Principal: "bob", Operation: key.Operation, Key: key.Key}, {Principal: key.Principal, Operation: "o", Key: key.Key},
				{Principal: key.Principal, Operation: key.Operation, Key: "K"},
			} {
				_, err := v.Once(other)
				require.ErrorIs(w, err, engine.ErrNotFound, "a key belongs to a principal and an operation")
			}
		})
	}},
	{"a key is free again when what took it is rolled back", func(w *world) {
		row := onceRow("k", "05:00")
		failure := errors.New("no")
		require.ErrorIs(w, w.store.Write(w.ctx, func(tx engine.Tx) error {
			ok, err := tx.PutOnce(row)
			require.NoError(w, err)
			require.True(w, ok)
			return failure
		}), failure)
		w.write(func(tx engine.Tx) {
			ok, err := tx.PutOnce(row)
			require.NoError(w, err)
			require.True(w, ok)
		})
	}},
	{"old requests are forgotten, oldest first and not too many at once", func(w *world) {
		w.write(func(tx engine.Tx) {
			for _, r := range []engine.OnceRow{onceRow("c", "05:02"), onceRow("b", "05:01"), onceRow("a", "05:00"), onceRow("d", "05:03")} {
				ok, err := tx.PutOnce(r)
				require.NoError(w, err)
				require.True(w, ok)
			}
			require.NoError(w, tx.PruneOnce(at("05:03"), 2))
		})
		there := func() (keys []string) {
			w.read(func(v engine.View) {
				for _, k := range []string{"a", "b", "c", "d"} {
					if _, err := v.Once(onceRow(k, "05:00").OnceKey); err == nil {
						keys = append(keys, k)
					}
				}
			})
			return keys
		}
		require.Equal(w, []string{"c", "d"}, there())
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PruneOnce(at("05:03"), 2)) })
		require.Equal(w, []string{"d"}, there(), "before the time, not at it")
	}},
}

func onceRow(key, clock string) engine.OnceRow {
	return engine.OnceRow{
		OnceKey: engine.OnceKey{Principal: "ana", Operation: "cancelInstance", Key: key}, Request: []byte{0, 1, 255}, At: at(clock).Add(3 * time.Millisecond).UTC(),
	}
}
