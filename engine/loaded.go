package engine

import (
	"context"
	"errors"
	"fmt"
)

// FolderWorkflows returns the workflows that are loaded of folders, by name: the current definition of each of their jobs. Beside their names and jobs
// nothing of them is known. It fails with ErrConflict when this program cannot read one.
func (e *Engine) FolderWorkflows(ctx context.Context) ([]*Workflow, error) {
	var list []*Workflow
	err := e.cfg.Store.Read(ctx, func(v View) error {
		list = nil
		rows, err := v.Jobs()
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Removed || row.Source != "" {
				continue
			}
			job, err := e.defs.version(v, row.Version)
			if errors.Is(err, ErrInvalid) {
				return fmt.Errorf("%w: the definition of %s cannot be read by this program, so that it cannot stay: load a whole folder", ErrConflict, row.Ref)
			}
			if err != nil {
				return fmt.Errorf("read the definition of %s: %w", row.Ref, err)
			}
			if len(list) == 0 || list[len(list)-1].Name != row.Ref.Workflow {
				list = append(list, &Workflow{Name: row.Ref.Workflow, File: "loaded:" + row.Ref.Workflow, Folder: job.Folder})
			}
			last := list[len(list)-1]
			last.Jobs = append(last.Jobs, job)
		}
		return nil
	})
	return list, wrap(err, "read what is loaded")
}
