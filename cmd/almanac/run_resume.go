package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// resume lets what did not end well on a day run again. What succeeded stays, and so do the steps that did. It returns how many instances run again.
func (d *dayRun) resume(ctx context.Context, s *site, before *dayResult) (int, error) {
	var ids []int64
	for n := range before.Instances {
		if i := &before.Instances[n].instance; (i.State.Ended() || i.State == engine.Lost) && !endedWell(i) {
			ids = append(ids, i.ID)
		}
	}
	for some := range slices.Chunk(ids, engine.MostListed) {
		_, err := s.engine.Operate(ctx, engine.OperationRequest{
			Operation: engine.OperateRerun, IDs: some, Options: engine.OperationOptions{From: "failed", Version: "latest"}, Actor: localName(), Note: "almanac run --resume",
		}, now())
		if err != nil {
			return 0, fmt.Errorf("let run again what did not end well: %w", err)
		}
	}
	return len(ids), nil
}

// kept says where the rows of the day are, and how it goes on.
func (d *dayRun) kept() string {
	command := "almanac run " + strings.Join(append([]string{d.folder}, d.chosen...), " ") + " --date " + d.windows.day.String()
	if d.dir != defaultData {
		command += " --data " + d.dir
	}
	return fmt.Sprintf("What ran is recorded in %s. To go on with the rest: %s --resume", d.dir, command)
}
