package main

import (
	"context"
	"time"

	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web"
)

// around is what the API tells of a running server beyond its rows.
func (s *server) around() web.Site {
	return web.Site{
		Look: s.look,
		Turn: func() (time.Time, time.Duration) {
			if last := s.watching.turn.Load(); last != nil {
				return last.ended, last.took
			}
			return time.Time{}, 0
		},
		Files: filesOf(s.db), Disk: func() (uint64, uint64, bool) { return diskSpace(s.dir) }, Chain: chainOf(s.db), Backup: s.db.LastBackup,
	}
}

func filesOf(db *store.DB) func() (database, log int64) {
	return func() (int64, int64) {
		sizes := db.Sizes()
		return sizes.Database, sizes.Log
	}
}

// chainOf verifies the history, some more with each call.
func chainOf(db *store.DB) func(ctx context.Context) (web.ChainProgress, error) {
	check := db.NewChainCheck()
	return func(ctx context.Context) (web.ChainProgress, error) {
		s, err := check.Go(ctx, now())
		p := web.ChainProgress{First: web.ID(s.First), Last: web.ID(s.Last), VerifiedTo: web.ID(s.To), VerifiedAt: s.At.UTC()}
		if s.Broken != nil {
			p.Broken = s.Broken.Error()
		}
		return p, err
	}
}
