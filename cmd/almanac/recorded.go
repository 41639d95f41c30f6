package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// recordedWorkflows reads the definitions that were loaded last back from a data directory, as if their folder had been given again.
func recordedWorkflows(ctx context.Context, from engine.Store) ([]*engine.Workflow, error) {
	var workflows []*engine.Workflow
	err := from.Read(ctx, func(v engine.View) error {
		workflows = nil
		rows, err := v.Jobs()
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Removed {
				continue
			}
			version, err := v.Version(row.Version)
			if err != nil {
				return err
			}
			job, err := spec.DecodeJob(version.Definition, version.Folder)
			if err != nil {
				return &invalidError{fmt.Sprintf("the recorded definition of %s: %v", row.Ref, err)}
			}
			last := len(workflows) - 1
			if last < 0 || workflows[last].Name != row.Ref.Workflow {
				workflows = append(workflows, &engine.Workflow{Name: row.Ref.Workflow, Location: job.When.Location, Folder: filepath.Clean(version.Folder)})
				last++
			}
			workflows[last].Jobs = append(workflows[last].Jobs, job)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the recorded definitions: %w", err)
	}
	return workflows, nil
}
