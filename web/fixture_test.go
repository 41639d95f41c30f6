package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web"
	"github.com/almanac-sched/almanac/web/azure"
)

// The clock of the tests, and the day that their jobs are planned for.
var (
	berlin = mustZone("Europe/Berlin")
	start  = time.Date(2026, 11, 21, 10, 30, 0, 0, berlin)
	day    = time.Date(2026, 11, 21, 0, 0, 0, 0, berlin)
)

func mustZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// rows joins the store with the ports that differ from it in nothing but the names of types.
type rows struct{ *store.DB }

func (r rows) Instances(ctx context.Context, f web.InstanceFilter, cursor string, limit int) ([]engine.Instance, string, error) {
	return r.DB.Instances(ctx, store.InstanceFilter(f), cursor, limit)
}

func (r rows) Events(ctx context.Context, after, instance int64, limit int) ([]web.EventRecord, error) {
	events, err := r.DB.Events(ctx, after, instance, limit)
	records := make([]web.EventRecord, len(events))
	for i, e := range events {
		records[i] = web.EventRecord(e)
	}
	return records, err
}

func (r rows) Count(ctx context.Context, since time.Time) (web.Counts, error) {
	n, err := r.DB.Count(ctx, since)
	return web.Counts(n), err
}

func (r rows) TokenByHash(ctx context.Context, hash []byte) (web.Token, error) {
	t, err := r.DB.TokenByHash(ctx, hash)
	return web.Token{ID: t.ID, Name: t.Name, Hash: t.Hash, Role: web.Role(t.Role), CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt}, err
}

// logFolder is a folder of logs, <id>.log.
type logFolder string

func (l logFolder) Open(attempt int64) (io.ReadSeekCloser, int64, error) {
	f, err := os.Open(filepath.Join(string(l), fmt.Sprintf("%d.log", attempt)))
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	return f, info.Size(), err
}

// idle is a Runner that is never asked: the loop does not run in these tests.
type idle struct{}

func (idle) Start(engine.Attempt, func(engine.Result))                           { panic("nothing starts here") }
func (idle) Cancel(int64)                                                        { panic("nothing runs here") }
func (idle) Renew([]int64, time.Time)                                            {}
func (idle) Adopt(ids []int64, _ func(engine.Result)) (unknown, unbegun []int64) { return ids, nil }

const hookSecret = "a secret of 32 bytes, at the least"

// A fixture is an API over a real store with two jobs of one natural day: stores at 05:00, and orders every hour, which waits for it.
type fixture struct {
	t       *testing.T
	cfg     web.Config
	dir     string // of the store
	db      *store.DB
	engine  *engine.Engine
	handler http.Handler
	logs    logFolder
	tokens  map[string]string // secrets by name
	output  *syncBuffer       // the log
	jobs    map[string]*engine.Job
	loaded  []*engine.Workflow

	mu  sync.Mutex
	now time.Time
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newFixture(t *testing.T, change ...func(*web.Config)) *fixture {
	t.Helper()
	f := &fixture{t: t, now: start, tokens: map[string]string{}, output: &syncBuffer{}, jobs: map[string]*engine.Job{}, logs: logFolder(t.TempDir())}
	var err error
	f.dir = t.TempDir()
	f.db, err = store.Open(t.Context(), store.Config{Dir: f.dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.db.Close()) })

	decode := func(definition []byte, folder string) (*engine.Job, error) {
		var d struct{ Job string }
		if err := json.Unmarshal(definition, &d); err != nil {
			return nil, err
		}
		if job := f.jobs[d.Job]; job != nil {
			return job, nil
		}
		if d.Job == "" { // put by way of the face
			return spec.DecodeJob(definition, folder)
		}
		return nil, fmt.Errorf("%w: written by another version of the program", engine.ErrInvalid)
	}
	f.engine, err = engine.New(engine.Config{
		Store: f.db, Runner: idle{}, Owner: "test", Slots: 2, Decode: decode, Alerts: &engine.Alerts{Notifier: silent{}},
		Secret: func(engine.SecretSource) (string, error) { return hookSecret, nil },
	})
	require.NoError(t, err)
	f.load()

	f.cfg = web.Config{
		Jobs: f.db, Rows: f.db, History: rows{f.db}, Logs: f.logs, Tokens: rows{f.db}, Control: f.engine, Decode: decode, Version: "0.1.0", Slots: 2,
		Now: func() time.Time {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.now
		},
		Log: slog.New(slog.NewTextHandler(f.output, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	check := f.db.NewChainCheck()
	f.cfg.Site.Chain = func(ctx context.Context) (web.ChainProgress, error) {
		s, err := check.Go(ctx, f.cfg.Now())
		return web.ChainProgress{First: web.ID(s.First), Last: web.ID(s.Last), VerifiedTo: web.ID(s.To), VerifiedAt: s.At.UTC()}, err
	}
	f.cfg.Definitions = func(source web.DefinitionSource) ([]*engine.Workflow, []web.DefinitionProblem, error) {
		if len(source.Files) > 0 {
			p := web.DefinitionProblem{File: source.Files[0].Name, Line: 3, Column: 5, Severity: "error", Message: "unknown member"}
			return nil, []web.DefinitionProblem{web.NewDefinitionProblem(p, source.Files[0].Name+":3:5: unknown member")}, nil
		}
		return f.loaded, nil, nil
	}
	f.cfg.Source = func(workflow string, jobs []web.StoredDefinition) (web.SourceText, error) {
		return web.SourceText{Name: workflow + ".yaml", Text: fmt.Sprintf("%d jobs", len(jobs))}, nil
	}
	f.cfg.Schema = spec.Schema
	f.cfg.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		fmt.Fprintln(w, "almanac_slots 2")
	})
	key := make([]byte, azure.KeyBytes)
	f.cfg.Azure, err = azure.New(azure.Config{
		Rows: f.db, Control: f.engine, Logs: f.logs, Vault: azure.NewVault(func(bool) ([]byte, error) { return key, nil }), Decode: decode,
		Subscription: "00000000-0000-0000-0000-000000000000", Group: "almanac", Now: f.cfg.Now,
	})
	require.NoError(t, err)
	for _, c := range change {
		c(&f.cfg)
	}
	f.handler, err = web.New(f.cfg)
	require.NoError(t, err)

	for _, role := range web.Roles {
		f.token(string(role), string(role), time.Time{})
	}
	return f
}

// token makes an API token and remembers its secret by name.
func (f *fixture) token(name, role string, expires time.Time) int64 {
	f.t.Helper()
	secret, hash := web.NewToken()
	k := engine.TokenRow{Name: name, Hash: hash, Role: role, CreatedAt: start, ExpiresAt: expires}
	require.NoError(f.t, f.db.Write(f.t.Context(), func(tx engine.Tx) (err error) {
		if k.ID, err = tx.Reserve(1); err != nil {
			return err
		}
		return tx.PutToken(k)
	}))
	f.tokens[name] = secret
	return k.ID
}

// load defines the jobs and plans their day.
func (f *fixture) load() {
	hourly := make([]int, 24)
	for h := range hourly {
		hourly[h] = h
	}
	job := func(name string, hours []int, depends ...engine.Dependency) *engine.Job {
		j := &engine.Job{
			Workflow: "retail", Name: name, Description: "<script>alert(1)</script>",
			When: recurrence.When{
				Rule:     &recurrence.Rule{Frequency: recurrence.Day, Schedule: recurrence.Schedule{Hours: hours, Minutes: []int{0}}},
				Start:    time.Date(2026, 1, 1, 0, 0, 0, 0, berlin),
				Location: berlin,
			},
			Period: deps.PeriodOfRule("day", 1, hours, []int{0}), Misfire: engine.MisfireRunAll, MisfireWindow: 24 * time.Hour, Concurrency: 1, Overlap: engine.OverlapQueue,
			WaitTimeout: 24 * time.Hour, Priority: 5, Slots: 1, OnLost: engine.LostHold, DependsOn: depends,
			Steps:      []engine.Step{{Action: engine.Action{Type: engine.ActionShell, Shell: &engine.Shell{Command: "true"}}, OnFailure: engine.StepFail}},
			Definition: fmt.Appendf(nil, `{"job":%q}`, name),
		}
		f.jobs[name] = j
		return j
	}
	stores := job("stores", []int{5})
	orders := job("orders", hourly, engine.Dependency{
		Job: stores.Ref(), OnMissing: engine.MissingRun, OnFailed: engine.FailedWait,
	})
	orders.Params = []engine.Param{{Name: "day", Type: "string"}, {Name: "limit", Type: "integer", Required: true, Default: ptr("10")}}
	stores.Webhook = &engine.Webhook{Secret: "hook", Tolerance: 5 * time.Minute, PlanTime: "/data/day", Params: map[string]string{"day": "/data/day", "from": "X-From"}}
	stores.Secrets = map[string]engine.SecretSource{"hook": {Env: "HOOK"}}
	stores.Params = []engine.Param{{Name: "day", Type: "date"}, {Name: "from", Type: "string"}}
	workflow := &engine.Workflow{Name: "retail", Location: berlin, Jobs: []*engine.Job{orders, stores}}
	f.loaded = []*engine.Workflow{workflow}
	_, err := f.engine.Load(f.t.Context(), f.loaded, day.Add(-time.Hour))
	require.NoError(f.t, err)

	planner, err := engine.NewPlanner(workflow.Jobs, func(*engine.Job) recurrence.Origin { return recurrence.Created(day.Add(-time.Hour)) })
	require.NoError(f.t, err)
	_, err = f.engine.InsertClosed(f.t.Context(), planner, func(*engine.Job) (time.Time, time.Time) { return day, day.AddDate(0, 0, 1) }, day.Add(-time.Hour))
	require.NoError(f.t, err)
	require.NoError(f.t, f.db.Write(f.t.Context(), func(tx engine.Tx) error {
		known, err := tx.Jobs()
		for _, row := range known {
			if ok, err := tx.SetPlannedTo(row.ID, row.PlannedTo, day.AddDate(0, 0, 1)); err != nil || !ok {
				return fmt.Errorf("say how far %s is planned: %v %w", row.Ref, ok, err)
			}
		}
		return err
	}))
}

func ptr[T any](v T) *T { return &v }

// at returns the scheduled instance of a job at an hour of the day.
func (f *fixture) at(job string, hour int) engine.Instance {
	f.t.Helper()
	i, err := f.db.FindByName(f.t.Context(), engine.JobRef{Workflow: "retail", Job: job}, "", day.Add(time.Duration(hour)*time.Hour))
	require.NoError(f.t, err)
	return i
}

// run starts an instance with one attempt that writes a log, and ends both when outcome is given.
func (f *fixture) run(i engine.Instance, log string, outcome engine.Outcome) (attempt int64) {
	f.t.Helper()
	err := f.db.Write(f.t.Context(), func(tx engine.Tx) error {
		var err error
		if attempt, err = tx.Reserve(1); err != nil {
			return err
		}
		ok, err := tx.Apply(engine.Transition{
			Instance: i.ID, Event: engine.Start, From: i.State, Fence: i.Fence, At: start, Reason: engine.Reason{Code: engine.ReasonReleased},
			Owner: "test", Lease: start.Add(time.Minute),
		})
		if err != nil || !ok {
			return fmt.Errorf("start %s: %v %w", i.Name(), ok, err)
		}
		if _, err := tx.StartAttempt(engine.AttemptRow{ID: attempt, Instance: i.ID, Job: i.Job, Number: 1, Fence: i.Fence + 1, StartedAt: start}); err != nil || outcome == "" {
			return err
		}
		if _, err := tx.EndAttempt(engine.Result{Attempt: attempt, Outcome: outcome, Exit: ptr(3), StartedAt: start, EndedAt: start.Add(time.Second), LogBytes: int64(len(log))}, i.Fence+1); err != nil {
			return err
		}
		event, reason := engine.Fail, engine.Reason{Code: engine.ReasonStepFailed, Detail: "exit 3"}
		if outcome == engine.OutcomeSucceeded {
			event, reason = engine.Succeed, engine.Reason{Code: engine.ReasonSucceeded}
		}
		_, err = tx.Apply(engine.Transition{Instance: i.ID, Event: event, From: engine.Running, Fence: i.Fence + 1, At: start.Add(time.Second), Reason: reason})
		return err
	})
	require.NoError(f.t, err)
	if log != "" {
		require.NoError(f.t, os.WriteFile(filepath.Join(string(f.logs), fmt.Sprintf("%d.log", attempt)), []byte(log), 0o600))
	}
	return attempt
}

// An option changes a request before it is sent.
type option func(*http.Request)

func header(name, value string) option {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func host(name string) option { return func(r *http.Request) { r.Host = name } }

// as sends a request with the token of that name ("" is none). A body is sent as JSON.
func (f *fixture) as(name, method, target, body string, options ...option) *httptest.ResponseRecorder {
	f.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(f.t.Context(), method, target, reader)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if name != "" {
		r.Header.Set("Authorization", "Bearer "+f.tokens[name])
	}
	for _, o := range options {
		o(r)
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	f.hold(r, w)
	return w
}

// get reads an answer of status 200.
func get[T any](f *fixture, target string) T {
	f.t.Helper()
	return decode[T](f, f.as("viewer", http.MethodGet, target, ""), http.StatusOK)
}

// decode reads an answer of the status, without a member that the type does not have.
func decode[T any](f *fixture, w *httptest.ResponseRecorder, status int) (v T) {
	f.t.Helper()
	require.Equal(f.t, status, w.Code, w.Body.String())
	decoder := json.NewDecoder(w.Body)
	decoder.DisallowUnknownFields()
	require.NoError(f.t, decoder.Decode(&v))
	return v
}

// refused checks that an answer is problem details of that status and code.
func refused(f *fixture, w *httptest.ResponseRecorder, status int, code string) web.Problem {
	f.t.Helper()
	p := decode[web.Problem](f, w, status)
	require.Equal(f.t, code, p.Code)
	require.Equal(f.t, status, p.Status)
	require.Equal(f.t, "urn:almanac:problem:"+code, p.Type)
	require.Equal(f.t, "application/problem+json", w.Header().Get("Content-Type"))
	require.NotEmpty(f.t, p.Title)
	require.NotEmpty(f.t, p.Hint)
	require.Equal(f.t, "urn:almanac:request:"+w.Header().Get("X-Request-Id"), p.Instance)
	return p
}
