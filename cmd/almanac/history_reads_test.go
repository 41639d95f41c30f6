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
)

// Every route that answers GET answers its worst request over a history that was written row by row, as the bench asks for it with 5,000,000 instances.
func TestEveryReadAnswersOverAHistory(t *testing.T) {
	const instances = 20_000
	dir := t.TempDir()
	a := &app{env: map[string]string{}}
	site := func() *server {
		s := &server{app: a, log: slog.New(slog.DiscardHandler)}
		s.cfg.azure = azureGroup{"00000000-0000-0000-0000-000000000000", "almanac"}
		s.cfg.dev, s.cfg.slots = true, 1
		s.watch()
		var err error
		s.site, err = a.openSite(t.Context(), siteConfig{dir: dir, slots: 1, log: s.log, observe: func(engine.Notice) {}})
		require.NoError(t, err)
		return s
	}
	s := site()
	w, problems := spec.Decode("w.yaml", []byte(past.Workflow()), spec.Options{})
	require.NoError(t, problems.Err())
	_, err := s.engine.Load(t.Context(), []*engine.Workflow{w}, past.Begins(instances, now()))
	require.NoError(t, err)
	require.NoError(t, s.close())
	facts, err := past.Make(t.Context(), dir, instances, now())
	require.NoError(t, err)
	require.Equal(t, instances, facts.Instances)

	s = site()
	defer func() { require.NoError(t, s.close()) }()
	defer s.watching.close()
	_, _, err = s.engine.Step(t.Context(), now())
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
