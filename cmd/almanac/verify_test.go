package main

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/web"
)

const verifiedRuns = 8

// TestVerifyTrustsASoundServer runs verify in a loop beside a server that is loaded with starts and ends: a check that counts in two snapshots accuses it.
func TestVerifyTrustsASoundServer(t *testing.T) {
	t.Parallel()
	s := newTorturedServer(t, builtProgram(t), `workflow: work
jobs:
  one: {trigger: manual, action: {type: none}, concurrency: 1}
  two: {trigger: manual, concurrency: 2, pool: narrow, slots: 2, action: {type: shell, command: "true"}, errorAction: {type: none}}
  beat: {cron: "* * * * *", action: {type: shell, command: "exit 1"}, errorAction: {type: shell, command: "true"}}
`)
	s.start()
	ctx, cancel := context.WithCancel(context.Background())
	var load sync.WaitGroup
	defer load.Wait()
	defer cancel()
	var made atomic.Int64
	for _, job := range []string{"one", "one", "two", "two"} {
		c := s.client()
		load.Go(func() {
			for ctx.Err() == nil {
				err := c.post(ctx, path("jobs", "work", job, "trigger"), nil, web.TriggerRequest{}, nil)
				if ctx.Err() != nil || errors.Is(err, context.Canceled) {
					return
				}
				if err == nil {
					made.Add(1)
				}
			}
		})
	}
	poll(t, "a beginning", func() bool { return made.Load() > 40 })
	for range verifiedRuns {
		before := made.Load()
		out := new(bytes.Buffer)
		a := &app{stdout: out, stderr: out}
		r, err := a.verify(ctx, s.data, 0)
		require.NoError(t, err)
		require.Empty(t, r.Examples, "a sound server is accused")
		require.True(t, r.Sound, "%s, %s, %s", r.File, r.History, r.Latest)
		poll(t, "the load to go on", func() bool { return made.Load() > before })
	}
	cancel()
	load.Wait()
	s.stop()
}
