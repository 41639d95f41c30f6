package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/web"
	"github.com/almanac-sched/almanac/web/azure"
)

// A server is one run of serve.
type server struct {
	*app
	*site
	cfg serveConfig
	log *slog.Logger

	loopback bool // nobody else's machine reaches the address

	hup    chan os.Signal
	told   *spec.AlertFile // nil tells nobody
	folder *folder         // nil when it serves what is recorded
	bad    *invalidError   // why not all of the folder could be read at the start
	jobs   []*engine.Job   // as they were at the start
	azure  *azure.Face
	feed   *web.Feed
	file   serverFile
	blind  blindfold

	trouble  atomic.Pointer[web.FolderTrouble] // why what stands in the folder is not what runs; nil is that it is
	watching *watching
	unloaded bool // the definitions wait for a clock that is believed
}

func (s *server) serve(ctx context.Context) (err error) {
	// From the beginning: one that comes while the server starts is a wish to load what it may have read already, and no end.
	s.hup = make(chan os.Signal, 1)
	signal.Notify(s.hup, syscall.SIGHUP)
	defer signal.Stop(s.hup)
	if s.loopback, err = isLoopback(ctx, s.cfg.listen); err != nil {
		return err
	}
	if s.cfg.dev && !s.loopback {
		return usagef("--dev lets everybody in who can reach %s; it is for loopback addresses such as 127.0.0.1:8080", s.cfg.listen)
	}
	if err := s.cfg.own.read(); err != nil {
		return err
	}
	if s.told, err = s.readAlerts(s.cfg.alerts); err != nil {
		return err
	}
	if s.cfg.folder != "" {
		var invalid *invalidError
		s.folder, err = s.load(s.cfg.folder)
		switch {
		case errors.As(err, &invalid) && someGood(s.cfg.folder):
			s.bad = invalid // what is recorded takes the place of what is bad, once the rows can be read
		case err != nil:
			return err
		default:
			if err := s.checkSinks(s.folder, s.told); err != nil {
				return err
			}
		}
	}
	out := newServeOutput(s)
	s.log = out.log
	lines := newConsole(out.notice)
	defer lines.close()
	s.watch()
	defer func() { s.watching.close() }()
	observe := s.observe(lines)
	s.site, err = s.openSite(ctx, siteConfig{
		dir: s.cfg.data, slots: s.cfg.slots, loopback: s.cfg.dev, noShell: s.cfg.noShell, outbound: s.cfg.outbound, newKey: s.cfg.newKey, alerts: s.told, page: s.cfg.page,
		judge: true, limit: s.cfg.clock, log: s.log, learn: s.blind.learn,
		observe: func(n engine.Notice) {
			observe(n)
			s.watching.observe(n)
		},
		turned: s.watching.turned, timed: s.watching.metrics.Timed, watch: s.watching.metrics.Watch, held: s.watching.metrics.Held, wrap: s.watching.tracing.wrap,
	})
	if err != nil {
		return err
	}
	defer func() {
		s.watching.close() // it reads rows
		err = errors.Join(err, s.close())
	}()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.cfg.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", s.cfg.listen, err)
	}
	defer func() { _ = listener.Close() }() // the API has closed it already unless the start failed
	// While the clock is not believed, what is recorded holds: a definition that were loaded now would count from a wrong time on.
	if deferred := s.engine.ClockHeld(); deferred != nil {
		s.unloaded = true
		s.log.Error("the definitions are loaded when the clock is believed", "clock", deferred.String())
	} else if err := s.loadDefinitions(ctx); err != nil {
		return err
	}
	file, start, err := newServerFile(listener.Addr(), s.cfg.own)
	if err != nil {
		return err
	}
	s.file = file
	handler, err := s.handler(s.loopback, start)
	if err != nil {
		return err
	}
	if !s.cfg.dev {
		secret, err := firstToken(ctx, s.db, s.engine)
		if err != nil {
			return err
		}
		if secret != "" {
			out.firstToken(secret)
		}
	}
	unwatch, err := s.serveWatch(ctx, s.webConfig(s.loopback, start))
	if err != nil {
		return fmt.Errorf("--metrics-listen %s: %w", s.cfg.metricsListen, err)
	}
	defer func() { err = errors.Join(err, unwatch()) }()
	return s.attend(ctx, listener, handler, out)
}

// observe shows on the console and in streams what the engine does.
func (s *server) observe(lines *console) func(engine.Notice) {
	s.feed = web.NewFeed()
	return func(n engine.Notice) {
		lines.observe(n)
		s.feed.Notify()
	}
}

// loadDefinitions makes the folder's definitions the current ones, or else those that are recorded.
func (s *server) loadDefinitions(ctx context.Context) error {
	var workflows []*engine.Workflow
	switch {
	case s.bad != nil:
		if err := s.salvage(ctx); err != nil {
			return err
		}
		workflows = s.folder.workflows
	case s.folder != nil:
		workflows = s.folder.workflows
	default:
		var err error
		if workflows, err = recordedWorkflows(ctx, s.db); err != nil {
			return err
		}
	}
	for _, w := range workflows {
		s.jobs = append(s.jobs, w.Jobs...)
	}
	_, err := s.engine.Load(ctx, workflows, s.clock())
	return err
}

// attend runs the engine and the API until ctx ends or one of them fails.
func (s *server) attend(ctx context.Context, listener net.Listener, handler http.Handler, out *serveOutput) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	api := web.NewServer(handler, s.log)
	api.RegisterOnShutdown(s.feed.Close)
	out.header()
	if !s.loopback && s.cfg.own == nil {
		s.log.Warn("whoever is between here and there reads the tokens: the address is open to the network, without TLS", "remedy",
			"give --tls-cert and --tls-key, or listen on a loopback address behind a proxy that has them")
	}
	ended := make(chan error, 2)
	var looking sync.WaitGroup
	looking.Go(func() { s.lookOn(ctx) })
	defer looking.Wait()
	defer cancel()
	go func() { ended <- s.engine.Run(ctx) }()
	go func() {
		err := api.Serve(s.cfg.own.over(listener))
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
		ended <- err
	}()
	if err := s.file.write(s.dir); err != nil {
		s.log.Warn("commands will not find this server by itself", "error", err)
	}
	defer s.file.remove(s.dir)
	ready := s.engine.Ready()
	expire := time.NewTicker(expireEvery)
	defer expire.Stop()
	doubt := time.NewTicker(time.Second)
	defer doubt.Stop()
	for {
		select {
		case <-expire.C:
			if s.engine.ClockHeld() == nil { // what is old is told by the clock
				s.expire(ctx)
			}
		case <-doubt.C:
			if s.unloaded && s.engine.ClockHeld() == nil {
				if err := s.loadDefinitions(ctx); err != nil {
					s.log.Error("the definitions could not be loaded; trying again", "error", err)
				} else {
					s.unloaded = false
				}
			}
		case <-ready:
			ready = nil
			s.watching.metrics.Ready()
			go func() { // counting a day of many thousand instances must not hold up a signal
				out.today(ctx)
				debug.FreeOSMemory() // reading and planning everything took twice what the server keeps
			}()
		case <-s.hup:
			s.renew()
			s.reload(ctx)
		case err := <-ended: // before anybody asked for it
			cancel()
			return errors.Join(err, shutDown(api), <-ended)
		case <-ctx.Done():
			out.stopping()
			return errors.Join(shutDown(api), <-ended, <-ended)
		}
	}
}

// shutDown lets requests under way finish for a short while.
func shutDown(api *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := api.Shutdown(ctx); err != nil {
		return api.Close()
	}
	return nil
}

// renew reads the certificate again, which somebody may have renewed.
func (s *server) renew() {
	err := s.cfg.own.read()
	if s.file.Certificate = s.cfg.own.leaf(); err == nil && s.cfg.own != nil {
		err = s.file.write(s.dir)
	}
	if err != nil {
		s.log.Error("SIGHUP: the certificate is not renewed", "error", err)
	}
}

// ownFolder is where the definitions of this server stand; "" when it serves what is recorded.
func (s *server) ownFolder() string {
	if s.folder == nil {
		return ""
	}
	return s.folder.path
}
