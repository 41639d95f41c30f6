package azure

import (
	"context"
	"io"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// Rows gives one consistent snapshot of the rows. Errors of fn are returned as they are.
type Rows interface {
	ReadHistory(ctx context.Context, fn func(v View) error) error
}

// View is what the face reads of the rows.
type View = engine.HistoryView

// Control changes definitions and runs jobs. *engine.Engine is one. The Tx of an Edit may have one method more, CountResources(kind, prefix), which
// saves reading them to count them.
type Control interface {
	Edit(ctx context.Context, source, actor string, now time.Time, fn func(*engine.Edit) error) error
	Trigger(ctx context.Context, r engine.TriggerRequest, now time.Time) (instance engine.Instance, created bool, err error)
}

// Logs opens the logs of attempts. An attempt without a log gives an error that wraps fs.ErrNotExist.
type Logs interface {
	Open(attempt int64) (io.ReadSeekCloser, int64, error)
}
