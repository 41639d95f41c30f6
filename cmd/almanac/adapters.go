package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web"
)

// history gives web the store's lists in web's own types.
type history struct{ db *store.DB }

var _ web.History = history{}

func (h history) Instances(ctx context.Context, f web.InstanceFilter, cursor string, limit int) ([]engine.Instance, string, error) {
	return h.db.Instances(ctx, store.InstanceFilter{Workflow: f.Workflow, Job: f.Job, States: f.States, Kind: f.Kind, From: f.From, To: f.To}, cursor, limit)
}

func (h history) AttemptByID(ctx context.Context, id int64) (engine.AttemptRow, error) {
	return h.db.AttemptByID(ctx, id)
}

func (h history) Events(ctx context.Context, after, instance int64, limit int) ([]web.EventRecord, error) {
	events, err := h.db.Events(ctx, after, instance, limit)
	records := make([]web.EventRecord, len(events))
	for i := range events {
		records[i] = web.EventRecord{ID: events[i].ID, EventRow: events[i].EventRow}
	}
	return records, err
}

func (h history) LastEvent(ctx context.Context) (int64, error) { return h.db.LastEvent(ctx) }

func (h history) Count(ctx context.Context, since time.Time) (web.Counts, error) {
	n, err := h.db.Count(ctx, since)
	return web.Counts(n), err
}

func (h history) Upcoming(ctx context.Context, from time.Time, limit int) ([]engine.Instance, int, error) {
	return h.db.Upcoming(ctx, from, limit)
}

// tokens finds the stored tokens, and the one of this start that commands on this machine use. That one is in memory only.
type tokens struct {
	db    *store.DB
	start [sha256.Size]byte
}

var _ web.TokenReader = tokens{}

func (t tokens) TokenByHash(ctx context.Context, hash []byte) (web.Token, error) {
	if subtle.ConstantTimeCompare(hash, t.start[:]) == 1 {
		return web.Token{Name: localName(), Hash: hash, Role: web.RoleAdmin}, nil
	}
	k, err := t.db.TokenByHash(ctx, hash)
	return web.Token{ID: k.ID, Name: k.Name, Hash: k.Hash, Role: web.Role(k.Role), CreatedAt: k.CreatedAt, ExpiresAt: k.ExpiresAt}, err
}

// localName is whom the history names for what the server's own user did on the command line.
func localName() string {
	if name := os.Getenv("USER"); name != "" {
		return name + " (local)"
	}
	return "local"
}

// newServerFile makes the token of this start and says where the server is.
func newServerFile(address net.Addr, own *certificate) (file serverFile, hash [sha256.Size]byte, err error) {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return file, hash, fmt.Errorf("the listener has no TCP address: %v", address)
	}
	host := tcp.IP.String()
	if tcp.IP.IsUnspecified() {
		host = "127.0.0.1"
		if tcp.IP.To4() == nil {
			host = "::1"
		}
	}
	secret, sum := web.NewToken()
	file = serverFile{
		Address: own.scheme() + net.JoinHostPort(host, fmt.Sprint(tcp.Port)), PID: os.Getpid(), Token: secret, StartedAt: now(), Certificate: own.leaf(),
	}
	return file, [sha256.Size]byte(sum), nil
}

// firstToken makes an admin token when the directory has none yet, so that somebody can begin; "" otherwise.
func firstToken(ctx context.Context, db *store.DB, e *engine.Engine) (secret string, err error) {
	n, err := db.TokenCount(ctx)
	if err != nil || n > 0 {
		return "", err
	}
	secret, hash := web.NewToken()
	_, err = e.CreateToken(ctx, engine.TokenRow{Name: "admin", Hash: hash, Role: engine.RoleAdmin}, localName(), "the first start on this directory", now())
	return secret, err
}

// webConfig is what the API of a running server is made of.
func (s *server) webConfig(loopback bool, start [sha256.Size]byte) web.Config {
	cfg := web.Config{
		Jobs: s.db, Rows: s.db, History: history{s.db}, Logs: s.runner.Logs(), Tokens: tokens{s.db, start}, Control: s.engine, Feed: s.feed,
		Decode: spec.DecodeJob, Definitions: definitionReader(s.ownFolder()), Source: sourceWriter(s.ownFolder()), Schema: spec.Schema, Folder: s.ownFolder(),
		Reload: s.reloader(), FolderTrouble: s.folderTrouble,
		Ready: s.ready, Version: build().Version, Slots: s.cfg.slots, Dev: s.cfg.dev, Loopback: loopback,
		Now: s.clock, Log: s.log, Site: s.around(),
	}
	if s.watching != nil {
		cfg.Metrics = s.watching.metrics.Handler()
	}
	return cfg
}

// handler is the API of a running server.
func (s *server) handler(loopback bool, start [sha256.Size]byte) (_ http.Handler, err error) {
	if s.azure, err = s.face(); err != nil {
		return nil, err
	}
	cfg := s.webConfig(loopback, start)
	cfg.Azure = s.azure
	return web.New(cfg)
}

// openReadOnly answers from a data directory without a server: the same API, over rows that nobody changes.
func (a *app) openReadOnly(ctx context.Context, dir string) (*client, func(), error) {
	h, err := a.openDirectory(ctx, dir, true)
	if err != nil {
		return nil, nil, err
	}
	return h.client, func() { _ = h.close() }, nil // nothing was written
}

// An opened is a data directory that this process answers from, as a server would.
type opened struct {
	client *client
	close  func() error
}

// openDirectory opens a data directory that no server has. Only one that is not read-only can be changed, by this user in the name of this user.
func (a *app) openDirectory(ctx context.Context, dir string, readOnly bool) (opened, error) {
	dir, err := absolute(dir)
	if err != nil {
		return opened{}, err
	}
	db, err := store.Open(ctx, store.Config{Dir: dir, ReadOnly: readOnly})
	if err != nil {
		return opened{}, err
	}
	fail := func(err error) (opened, error) { return opened{}, errors.Join(err, db.Close()) }
	logs, err := action.OpenLogs(dir)
	if err != nil {
		return fail(err)
	}
	reader, err := engine.New(engine.Config{
		Store: db, Runner: noRunner{}, Owner: "reader", Slots: 4 * runtime.NumCPU(), Decode: spec.DecodeJob, Condition: spec.EvalWhen,
	})
	if err != nil {
		return fail(errors.Join(err, logs.Close()))
	}
	secret, hash := web.NewToken()
	handler, err := web.New(web.Config{
		Jobs: db, Rows: db, History: history{db}, Logs: logs, Control: reader, Decode: spec.DecodeJob, Definitions: definitionReader(""), Source: sourceWriter(""), Schema: spec.Schema,
		Version: build().Version,
		Tokens:  tokens{db, [sha256.Size]byte(hash)}, Now: now, Ready: func() error { return errors.New("no server runs") },
		Log: slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Site: web.Site{
			Files: filesOf(db), Disk: func() (uint64, uint64, bool) { return diskSpace(dir) }, Chain: chainOf(db), Backup: db.LastBackup,
		},
	})
	if err != nil {
		return fail(errors.Join(err, logs.Close()))
	}
	return opened{handlerClient(handler, secret), func() error { return errors.Join(logs.Close(), db.Close()) }}, nil
}

// noRunner is the runner of an engine that is only asked to explain and to foresee.
type noRunner struct{}

func (noRunner) Start(a engine.Attempt, done func(engine.Result)) {
	at := time.Time{}
	done(engine.Result{Attempt: a.ID, Outcome: engine.OutcomeFailed, Message: "this process only reads", StartedAt: at, EndedAt: at})
}
func (noRunner) Cancel(int64)             {}
func (noRunner) Renew([]int64, time.Time) {}
func (noRunner) Adopt(attempts []int64, _ func(engine.Result)) (unknown, unbegun []int64) {
	return attempts, nil
}
