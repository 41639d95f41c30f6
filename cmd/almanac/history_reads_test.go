package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	past "github.com/almanac-sched/almanac/bench/history"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// historySite opens the data directory; held is told of each write transaction.
func historySite(t *testing.T, dir string, held func(took time.Duration, work int)) *server {
	a := &app{env: map[string]string{}}
	s := &server{app: a, log: slog.New(slog.DiscardHandler)}
	s.cfg.azure = azureGroup{"00000000-0000-0000-0000-000000000000", "almanac"}
	s.cfg.dev, s.cfg.slots = true, 1
	s.watch()
	var err error
	s.site, err = a.openSite(t.Context(), siteConfig{
		dir: dir, slots: 1, log: s.log, observe: func(engine.Notice) {}, held: held,
		watch: func() func() time.Duration { return func() time.Duration { return 0 } },
	})
	require.NoError(t, err)
	return s
}

// pastDay are the definitions of the bench.
func pastDay(t *testing.T) []*engine.Workflow {
	w, problems := spec.Decode("w.yaml", []byte(past.Workflow()), spec.Options{})
	require.NoError(t, problems.Err())
	return []*engine.Workflow{w}
}

// historyOf makes a data directory with so many ended instances.
func historyOf(t *testing.T, dir string, instances int) past.Facts {
	s := historySite(t, dir, nil)
	_, err := s.engine.Load(t.Context(), pastDay(t), past.Begins(instances, now()))
	require.NoError(t, err)
	s.watching.close()
	require.NoError(t, s.close())
	facts, err := past.Make(t.Context(), dir, instances, now())
	require.NoError(t, err)
	require.Equal(t, instances, facts.Instances)
	return facts
}

// A start does what is to be done from now on, whatever has ended before: as many statements, and
// as many rows, over a history that is four times as long.
func TestAStartCostsNothingForThePast(t *testing.T) {
	t.Parallel()
	var work [2]int
	for n, instances := range []int{10_000, 40_000} {
		dir := t.TempDir()
		historyOf(t, dir, instances)
		s := historySite(t, dir, func(_ time.Duration, done int) { work[n] += done })
		began := now()
		_, err := s.engine.Load(t.Context(), pastDay(t), began)
		require.NoError(t, err)
		_, _, err = s.engine.Step(t.Context(), began)
		require.NoError(t, err)
		list, _, err := s.db.Instances(t.Context(), store.InstanceFilter{
			States: []engine.State{engine.Waiting}, To: began.Add(-time.Minute),
		}, "", 10)
		require.NoError(t, err)
		require.Empty(t, list, "what was due before is there, and nothing is made up for")
		s.watching.close()
		require.NoError(t, s.close())
	}
	require.InEpsilon(t, work[0], work[1], 0.1, "statements and rows of the writes of a start")
}

// Every route that answers GET answers its worst request over a history that was written row by
// row, as the bench asks for it with 5,000,000 instances.
func TestEveryReadAnswersOverAHistory(t *testing.T) {
	dir := t.TempDir()
	facts := historyOf(t, dir, 20_000)
	s := historySite(t, dir, nil)
	defer func() { require.NoError(t, s.close()) }()
	defer s.watching.close()
	_, _, err := s.engine.Step(t.Context(), now())
	require.NoError(t, err)
	handler, err := s.handler(true, [32]byte{})
	require.NoError(t, err)
	figures, err := past.Measure(t.Context(), facts, 1, func(ctx context.Context, path string, ends bool) (status, bytes int, took time.Duration, err error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
		r.Host = "127.0.0.1"
		answer := &partial{ResponseRecorder: httptest.NewRecorder()}
		if !ends {
			answer.stop = cancel
		}
		handler.ServeHTTP(answer, r)
		return answer.Code, answer.Body.Len(), 0, nil
	}, func() (time.Duration, error) { return 0, nil })
	require.NoError(t, err)
	require.Greater(t, len(figures), 60)
}

// partial takes an answer; stop is called when one that does not end has begun.
type partial struct {
	*httptest.ResponseRecorder
	stop func()
}

func (b *partial) Flush() {
	b.ResponseRecorder.Flush()
	if b.stop != nil {
		b.stop()
	}
}
