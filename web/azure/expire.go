package azure

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// expireGroup bounds how many jobs are looked at in one transaction.
const expireGroup = 200

// Expire deletes the jobs that have been completed or faulted for 60 days, as the service did, and returns how many.
func (f *Face) Expire(ctx context.Context, now time.Time) (n int, err error) {
	limit := now.AddDate(0, 0, -historyDays)
	after := ""
	for {
		var old []engine.ResourceRow
		more := false
		err := f.Rows.ReadHistory(ctx, func(v View) error {
			rows, err := v.Resources(kindJob, "", after, expireGroup)
			if err != nil {
				return fmt.Errorf("list jobs: %w", err)
			}
			more = len(rows) == expireGroup
			for _, row := range rows {
				after = row.Key
				j, err := jobOfRow(v, row)
				if err != nil {
					return err
				}
				expired, err := j.expired(v, limit)
				if err != nil {
					return err
				}
				if expired {
					old = append(old, row)
				}
			}
			return nil
		})
		if err == nil && len(old) > 0 {
			err = f.expire(ctx, now, old)
		}
		if err != nil {
			return n, fmt.Errorf("delete jobs that ended 60 days ago: %w", err)
		}
		if n += len(old); !more {
			return n, nil
		}
	}
}

// expired reports whether the job is final and ended before the limit. Of one whose instances are gone, it ended before them.
func (j *job) expired(v View, limit time.Time) (bool, error) {
	if j.jobRow.CreatedAt.After(limit) || !j.over(false) {
		return false, nil
	}
	t, err := v.Tally(j.jobRow.ID, j.row.ID)
	return err == nil && !t.Open && t.Ended.Before(limit) && t.Last.Before(limit), err
}

func (f *Face) expire(ctx context.Context, now time.Time, rows []engine.ResourceRow) error {
	return f.edit(ctx, "retention", now, func(e *engine.Edit) error {
		for _, row := range rows {
			current, err := e.Tx().Resource(kindJob, row.Key)
			if errors.Is(err, engine.ErrNotFound) || err == nil && current.ID != row.ID {
				continue // somebody was quicker
			}
			if err != nil {
				return err
			}
			j, err := jobOfRow(e.Tx(), current)
			if err != nil {
				return err
			}
			final, err := j.isFinal(e.Tx())
			if err == nil && final {
				err = j.remove(e)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// jobOfRow reads a job whose collection does not matter.
func jobOfRow(v engine.View, row engine.ResourceRow) (*job, error) {
	parts := strings.Split(row.Key, "/")
	if len(parts) != 4 {
		return nil, fmt.Errorf("the job %q has no place", row.Key)
	}
	return decodeJob(v, &collection{place: place{parts[0], parts[1], parts[2], ""}}, row)
}
