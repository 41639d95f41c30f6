package action

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The defaults of a Config.
const (
	DefaultGrace    = 10 * time.Second
	DefaultLogLimit = 64 << 20
)

// Config is what a Runner needs to know. Dir and Supervisor are required.
type Config struct {
	// Dir is the data directory. The folders run and logs are made in it, readable by their owner alone.
	Dir string
	// Supervisor is the command line, program first, of a process that calls Supervise with the same Dir.
	Supervisor []string

	AllowLoopback bool           // actions may reach this machine's loopback addresses
	AllowPrivate  bool           // actions may reach private networks (10/8, 172.16/12, 192.168/16, fc00::/7)
	AllowNetworks []netip.Prefix // further special networks that actions may reach; link-local and multicast stay refused

	NoShell bool // shell attempts fail, and run nothing

	Azure Azure          // where Azure's services are
	Roots *x509.CertPool // by whom the certificates of servers must be signed; nil is whom this machine trusts

	Grace    time.Duration // between TERM and KILL; 0 is DefaultGrace
	Margin   time.Duration // before the end of its lease an attempt gets TERM, a fifth of it before KILL; 0 is DefaultMargin
	LogLimit int64         // bytes kept of one attempt's log, half from its start and half from its end; 0 is DefaultLogLimit
	Version  string        // of the binary: the User-Agent, and what a supervisor of another version is told
	Log      *slog.Logger  // nil is slog.Default()
}

// Runner carries attempts out. One Runner works on a data directory at a time: a second one takes the supervisor over, and the first
// starts nothing any more.
type Runner struct {
	config Config
	logs   *Logs
	link   *link
	web    *requests
}

var _ engine.Runner = (*Runner)(nil)

// New prepares a Runner on an existing or new data directory. No process is started before the first shell attempt.
func New(config Config) (*Runner, error) {
	if config.Dir == "" || len(config.Supervisor) == 0 {
		return nil, errors.New("a runner needs a data directory and a supervisor")
	}
	dir, err := filepath.Abs(config.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the data directory: %w", err)
	}
	config.Dir = dir
	config.Grace = cmp.Or(config.Grace, DefaultGrace)
	config.Margin = cmp.Or(config.Margin, DefaultMargin)
	config.LogLimit = cmp.Or(config.LogLimit, DefaultLogLimit)
	config.Version = cmp.Or(config.Version, "dev")
	config.Azure = config.Azure.filled()
	if err := config.Azure.Check(); err != nil {
		return nil, err
	}
	if config.Log == nil {
		config.Log = slog.Default()
	}
	if err := makePrivate(filepath.Join(dir, runFolder)); err != nil {
		return nil, err
	}
	logs, err := OpenLogs(dir)
	if err != nil {
		return nil, err
	}
	return &Runner{config: config, logs: logs, link: newLink(config), web: newRequests(config, logs)}, nil
}

// errNoShell is why a shell attempt fails where none may run: whoever may write a definition could else run any program as this user.
var errNoShell = refusef("this server runs no shell actions: it was started with --no-shell; without that flag it runs them")

// Start implements engine.Runner. An attempt of an unknown type fails. done must not wait for anything: outcomes are handed over one after the other.
func (r *Runner) Start(a engine.Attempt, done func(engine.Result)) {
	switch {
	case a.Action.Type == engine.ActionNone:
		now := time.Now()
		go done(engine.Result{Attempt: a.ID, Outcome: engine.OutcomeSucceeded, StartedAt: now, EndedAt: now})
	case a.Action.Type == engine.ActionShell && r.config.NoShell:
		go done(notStarted(a.ID, errNoShell))
	case a.Action.Type == engine.ActionShell && a.Action.Shell != nil:
		s, err := r.command(a)
		if err != nil {
			go done(notStarted(a.ID, err))
			return
		}
		r.link.spawn(s, done)
	case overNetwork(a.Action):
		r.web.start(a, done)
	default:
		go done(notStarted(a.ID, fmt.Errorf("this version has no action of type %q", a.Action.Type)))
	}
}

// overNetwork reports that an action is carried out by this process, by way of the network for the most part: one of Azure's types, a statement on a
// database, a look of a step that waits.
func overNetwork(a engine.Action) bool {
	switch a.Type {
	case engine.ActionHTTP, engine.ActionHTTPS:
		return a.HTTP != nil
	case engine.ActionStorageQueue:
		return a.Queue != nil
	case engine.ActionServiceBusQueue, engine.ActionServiceBusTopic:
		return a.Bus != nil
	case engine.ActionSQL:
		return a.SQL != nil
	case engine.ActionWait:
		return a.Probe != nil
	}
	return false
}

// Cancel implements engine.Runner.
func (r *Runner) Cancel(attempt int64) {
	if !r.web.cancel(attempt) {
		r.link.cancel(attempt)
	}
}

// Renew implements engine.Runner. What until is on this machine's calendar is asked for now: a clock that is set later moves no lease.
func (r *Runner) Renew(attempts []int64, until time.Time) {
	at := instantOf(until)
	r.link.renew(r.web.renew(attempts, at), at)
}

// Adopt implements engine.Runner. A request or a message that an earlier server had in flight is always unknown: the
// answer went with it. Of commands the supervisor may know that they never began.
func (r *Runner) Adopt(attempts []int64, done func(engine.Result)) (unknown, unbegun []int64) {
	return r.link.adopt(attempts, done)
}

// Logs returns the logs that the attempts write.
func (r *Runner) Logs() *Logs { return r.logs }

// Close waits until the requests and messages in flight have ended, or ctx has; those cut off then have no outcome and are unknown to the next
// server. Shell attempts run on, and so does their supervisor until the last of them has ended. No done is called after Close.
func (r *Runner) Close(ctx context.Context) error {
	err := r.web.close(ctx)
	return errors.Join(err, r.link.close(ctx), r.logs.Close())
}

// notStarted is the result of an attempt that could not be started.
func notStarted(attempt int64, why error) engine.Result {
	now := time.Now()
	return engine.Result{
		Attempt: attempt, Outcome: engine.OutcomeFailed, Message: "cannot start: " + why.Error(), StartedAt: now, EndedAt: now, Refused: isRefused(why),
	}
}

// makePrivate makes a directory that only its owner can enter, or makes an existing one so.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make a folder of the data directory: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("close a folder of the data directory to others: %w", err)
	}
	return nil
}

// remake makes a folder of a data directory again. Unlike makePrivate it makes nothing above it: a data directory that is gone is not made again, empty.
func remake(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("make a folder of the data directory again: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("close a folder of the data directory to others: %w", err)
	}
	return nil
}
