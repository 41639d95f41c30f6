package sim

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/sim/model"
	"github.com/almanac-sched/almanac/store"
)

// rows is the one store of a world.
type rows interface {
	engine.Store
	backup() any // nil where this store cannot
	restore(saved any)
	close()
}

func openRows(w *World) (rows, error) {
	switch w.opts.Store {
	case "", "model":
		return &modelRows{model.New(w.storeClock)}, nil
	case "sqlite":
		dir := filepath.Join(w.opts.Keep, "data")
		if w.opts.Keep == "" {
			var err error
			if dir, err = os.MkdirTemp(w.opts.Dir, "almanac-sim-"); err != nil {
				return nil, fmt.Errorf("make a folder for the store: %w", err)
			}
		}
		db, err := store.Open(context.Background(), store.Config{Dir: dir, Clock: w.storeClock, ForceNetworkFS: true})
		if err != nil {
			return nil, fmt.Errorf("open the store: %w", err)
		}
		return &sqliteRows{DB: db, dir: dir, keep: w.opts.Keep != ""}, nil
	}
	return nil, fmt.Errorf("there is no store %q", w.opts.Store)
}

type modelRows struct{ *model.Store }

func (r *modelRows) backup() any       { return r.Snapshot() }
func (r *modelRows) restore(saved any) { r.Restore(saved.(*model.Snapshot)) }
func (r *modelRows) close()            {}

type sqliteRows struct {
	*store.DB
	dir  string
	keep bool
}

func (r *sqliteRows) backup() any { return nil }
func (r *sqliteRows) restore(any) {}
func (r *sqliteRows) close() {
	_ = r.Close()
	if !r.keep {
		_ = os.RemoveAll(r.dir)
	}
}
