package invariant

import (
	"context"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A Reader gives snapshots of the rows: any engine.Store whose View is a Source.
type Reader interface {
	Read(ctx context.Context, fn func(v engine.View) error) error
}

// A Source is a View with the lists that only a check of everything asks for.
type Source interface {
	engine.View

	// InstancesAfter lists instances of every state in the order of job, plan time, key and id, those behind the given place, at most limit.
	InstancesAfter(job int64, planTime time.Time, key string, id int64, limit int) ([]engine.Instance, error)
	// VersionsOf lists the versions of a job by id.
	VersionsOf(job int64) ([]engine.VersionRow, error)
	// Held returns what the last look at a waiting instance left behind; a zero Wake is only when woken.
	Held(instance int64) (engine.Hold, error)
	// HistoryAfter lists the events behind the given one by id, at most limit, each with its id.
	HistoryAfter(event int64, limit int) (ids []int64, events []engine.EventRow, err error)
	// HistoryOf lists the events of one instance by id, each with its id.
	HistoryOf(instance int64) (ids []int64, events []engine.EventRow, err error)
	// OutboxOf lists the outbox rows of one instance by id.
	OutboxOf(instance int64) ([]engine.OutboxRow, error)
	// LeftOver lists ids of instances that waits, steps, attempts or outbox rows name and that do not exist, at most limit.
	LeftOver(limit int) ([]int64, error)
}
