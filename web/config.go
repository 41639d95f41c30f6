package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web/azure"
)

// Config is what the API is made of. Jobs, Rows, History, Logs, Tokens, Control, Decode and Now are required; Tokens is not with Dev.
type Config struct {
	Jobs    JobReader
	Rows    Rows
	History History
	Logs    LogReader
	Tokens  TokenReader
	Control Control
	Azure   *azure.Face // the face of Azure Scheduler; nil serves none

	// Decode reads a stored definition, to say when a job is due and what it waits for.
	Decode func(definition []byte, folder string) (*engine.Job, error)
	// Definitions reads workflows out of files, or without any out of the server's own folder; folder is where they count as standing, "" is the server's
	// own. Problems are those of a user, in order; with an error among them there are no workflows. nil reads none.
	Definitions func(source DefinitionSource) (workflows []*engine.Workflow, problems []DefinitionProblem, err error)
	// Source writes the definitions of one workflow as a file. nil writes none.
	Source func(workflow string, jobs []StoredDefinition) (SourceText, error)
	// Schema is the JSON Schema of a workflow file. nil is none.
	Schema func() ([]byte, error)
	// Reload loads the server's own folder again, with what is wrong with it: an error among the problems says that nothing was changed. nil is no folder.
	Reload func(ctx context.Context) (Reloaded, []DefinitionProblem, error)
	// Folder is the server's own, which is loaded when it starts and when it is told to; "" is none.
	Folder string
	// FolderTrouble says why what stands in the server's folder is not what runs; nil, or a nil answer, is that it is.
	FolderTrouble func() *FolderTrouble
	// Ready says why the server does not do its work yet, or no longer; nil is that it does. The words are shown to viewers, not to the
	// public. A *engine.TroubledError says it aspect by aspect.
	Ready func() error

	// Feed lets streams go on with what comes; without one they end with what there is.
	Feed    *Feed
	Metrics http.Handler // answers scrapes; nil is none
	Site    Site

	Version string // of the program
	Slots   int    // attempts at once, for the status
	Limits  Limits

	// Dev lets a request without a token through as an admin. It is refused unless Loopback says that the listener is on a loopback
	// address, and it takes only requests that name a loopback host, so that no other site can reach it by rebinding its name.
	Dev      bool
	Loopback bool

	Now func() time.Time
	Log *slog.Logger // nil is silence
}

// Limits bound what one principal can ask for. Zero fields are the defaults.
type Limits struct {
	PerSecond float64       // requests a second of one principal, default 10,000
	Burst     int           // requests that may come at once, default 20,000
	Streams   int           // streams at once, default 1,000
	Followers int           // streams at once of all principals, default 2,000
	Stall     time.Duration // a stream whose client takes nothing for so long is cut off, and may go on where it was; default 10 s
}

const (
	maxBody   = 1 << 20 // bytes of a request
	maxDepth  = 32      // levels of JSON
	maxParam  = 4096    // bytes of one parameter of a trigger
	nextTimes = 5       // plan times that a job shows
)

// New builds the API. It fails on a route that lacks a permission and on a Config that would leave the server open.
func New(cfg Config) (http.Handler, error) {
	return build(cfg, table())
}

func build(cfg Config, routes []route) (_ http.Handler, err error) {
	switch {
	case cfg.Jobs == nil || cfg.Rows == nil || cfg.History == nil || cfg.Logs == nil || cfg.Control == nil || cfg.Decode == nil || cfg.Now == nil:
		return nil, errors.New("web: Jobs, Rows, History, Logs, Control, Decode and Now are required")
	case cfg.Dev && !cfg.Loopback:
		return nil, errors.New("web: without tokens the server may only listen on a loopback address, such as 127.0.0.1")
	case cfg.Tokens == nil && !cfg.Dev:
		return nil, errors.New("web: Tokens is required")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Ready == nil {
		cfg.Ready = func() error { return nil }
	}
	if cfg.Limits.PerSecond <= 0 {
		cfg.Limits.PerSecond = 10_000
	}
	if cfg.Limits.Burst <= 0 {
		cfg.Limits.Burst = 20_000
	}
	if cfg.Limits.Streams <= 0 {
		cfg.Limits.Streams = 1000
	}
	if cfg.Limits.Stall <= 0 {
		cfg.Limits.Stall = 10 * time.Second
	}
	if cfg.Limits.Followers <= 0 {
		cfg.Limits.Followers = 2000
	}
	if cfg.Azure == nil {
		routes = slices.DeleteFunc(routes, func(rt route) bool { return rt.face != nil })
	}
	s := &server{
		cfg: cfg, log: cfg.Log, rate: newRateLimit(cfg.Limits), onces: turnstile{inside: map[engine.OnceKey]chan struct{}{}},
		lines: newLines(cfg.Jobs, cfg.Rows, cfg.History), streams: streamCount{of: map[string]int{}}, simulating: make(chan struct{}, 1),
	}
	if cfg.Feed != nil {
		cfg.Feed.attach(s.lines, s.log)
	}
	// The OpenAPI library reports a mistake in a registered operation by a panic; here it is an error like any other.
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("web: %v", cause)
		}
	}()
	mux, err := s.mount(routes)
	if err != nil {
		return nil, err
	}
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, refusal(codeCrossOrigin, "the request comes from a page of another site"))
	}))
	return s.observe(secure(head(s.checkPath(canonical(s.checkHost(origin.Handler(mux))))))), nil
}

// A server is one API: its configuration and what it needs to remember of requests that are under way, and of how fast each principal asks.
type server struct {
	cfg     Config
	log     *slog.Logger
	rate    *rateLimit
	onces   turnstile
	lines   *lines
	streams streamCount
	spec    []byte       // openapi.json
	revoked atomic.Int64 // counts revoked tokens, for streams

	simulating chan struct{} // holds the one simulation that is being played
}

// NewServer returns an HTTP server for the handler with the limits that keep slow and idle connections from holding it. The address and the
// listener are the caller's.
func NewServer(handler http.Handler, log *slog.Logger) *http.Server {
	s := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	if log != nil {
		s.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	}
	return s
}
