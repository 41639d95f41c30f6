package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web/azure"
)

// A site is the store, the runner and the engine over one data directory: what serve and run have in common.
type site struct {
	dir    string
	db     *store.DB
	runner *action.Runner
	engine *engine.Engine
	clock  func() time.Time // what the server goes by
	vault  *azure.Vault     // of what clients of Azure Scheduler put
}

// siteConfig is how serve and run differ.
type siteConfig struct {
	dir       string
	slots     int
	loopback  bool // actions may reach this machine
	noShell   bool // shell actions fail
	outbound  outbound
	newKey    bool            // a new key may take the place of a lost one
	alerts    *spec.AlertFile // nil tells nobody
	page      string          // address of the pages, for links of messages
	judge     bool            // engine.Config.Alerts
	limit     time.Duration   // engine.NewClockGuard; 0 believes every clock
	closed    bool            // engine.Config.Closed
	unclocked bool            // engine.Config.Unclocked
	observe   func(engine.Notice)
	turned    func(time.Duration)                                                                  // engine.Config.Turned
	held      func(time.Duration, int)                                                             // store.Config.Held
	watch     func() func() time.Duration                                                          // store.Config.Watch
	timed     func(commit func())                                                                  // store.Config.Timed
	learn     func(secret string)                                                                  // told each secret that is read; nil is not
	wrap      func(ctx context.Context, db *store.DB, runner engine.Runner) (engine.Runner, error) // nil is the runner itself
	log       *slog.Logger
}

// openSite opens the data directory for writing and makes an engine over it.
func (a *app) openSite(ctx context.Context, cfg siteConfig) (*site, error) {
	dir, err := absolute(cfg.dir)
	if err != nil {
		return nil, err
	}
	s := &site{dir: dir, vault: azure.NewVault(secretKey(dir))}
	s.vault.Renew = cfg.newKey
	s.clock = now
	var guard *engine.ClockGuard
	if !cfg.closed {
		guard = engine.NewClockGuard(cfg.limit, readMachine)
		s.clock = guard.Now
	}
	if s.db, err = openStore(ctx, store.Config{Dir: dir, Clock: s.clock, Timed: cfg.timed, Watch: cfg.watch, Held: cfg.held, Ballast: diskBallast}); err != nil {
		return nil, err
	}
	if err := s.db.Read(ctx, func(v engine.View) error {
		mark, err := engine.ReadClockMark(v)
		if guard != nil {
			guard.Begin(mark)
		}
		return err
	}); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	self, err := os.Executable()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("find this program: %w", err), s.db.Close())
	}
	s.runner, err = action.New(action.Config{
		Dir: dir, Supervisor: []string{self, "supervise", "--data", dir}, AllowLoopback: cfg.loopback, AllowNetworks: cfg.outbound.networks, NoShell: cfg.noShell,
		Azure: cfg.outbound.azure, Version: build().Version, Log: cfg.log,
	})
	if err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	runner := engine.Runner(s.runner)
	if cfg.wrap != nil {
		if runner, err = cfg.wrap(ctx, s.db, runner); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	config := engine.Config{
		Store: s.db, Runner: runner, Owner: owner(), Slots: cfg.slots,
		Decode: spec.DecodeJob, Condition: spec.EvalWhen, Admit: azure.RefuseWorkflows, DiskLow: s.held(diskLow(dir)),
		Secret: told(cfg.learn, s.secrets(a.secret)), Seal: s.vault.Seal, Open: s.vault.Open,
		RemoveLog: func(attempt int64) {
			if err := s.runner.Logs().Remove(attempt); err != nil {
				cfg.log.Warn("remove the log of an attempt that retention deleted", "attempt", attempt, "error", err)
			}
		},
		Clock: s.clock, Guard: guard, Closed: cfg.closed, Unclocked: cfg.unclocked, Observe: cfg.observe, Turned: cfg.turned, Log: cfg.log,
	}
	if cfg.judge {
		if config.Alerts, err = s.alertsOf(cfg.alerts, cfg.page, a.secret); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	if s.engine, err = engine.New(config); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// openStore opens the rows, and waits a while for a lock that the fork of a killed server still holds: it lets go when it has become another program.
func openStore(ctx context.Context, cfg store.Config) (*store.DB, error) {
	const tries, pause = 60, 50 * time.Millisecond
	for n := 1; ; n++ {
		db, err := store.Open(ctx, cfg)
		if n == tries || !errors.Is(err, store.ErrLockLeft) {
			return db, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

// close lets go of the directory. Shell attempts run on under their supervisor, and the next server or run adopts them.
func (s *site) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return errors.Join(s.runner.Close(ctx), s.db.Close())
}

// owner names this process in claims and leases.
func owner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), hex.EncodeToString(id[:]))
}
