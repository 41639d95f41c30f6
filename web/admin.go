package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// AdminControl is what the API asks about the server's own state. The errors are as those of Control.
type AdminControl interface {
	Retention() time.Duration
	Owner() string
	Keeping(ctx context.Context, by time.Time) (engine.Kept, error)
	Deadlines(ctx context.Context, limit int, now time.Time) (list []engine.LateInstance, all int, err error)
}

// A Site is what only those around the engine know. What is nil is not known.
type Site struct {
	Look  func(ctx context.Context, at time.Time) engine.Sighting
	Turn  func() (at time.Time, took time.Duration) // the last turn of the loop, and the time it took
	Files func() (database, log int64)              // bytes
	Disk  func() (free, total uint64, known bool)
	Chain func(ctx context.Context) (ChainProgress, error) // verifies some more of the history

	Backup func() time.Time // of when the last backup is; zero is not known
}

// Health is how a server is.
type Health struct {
	At        time.Time    `json:"at"`
	Version   string       `json:"version" example:"1.0.0"`
	Ready     bool         `json:"ready" doc:"Whether it does its work"`
	Aspects   []Condition  `json:"aspects" doc:"Each thing without which it does not, as it is; none when no server runs"`
	Loop      *LoopHealth  `json:"loop,omitempty" doc:"Absent when no server runs"`
	Outbox    OutboxHealth `json:"outbox"`
	Store     StoreHealth  `json:"store"`
	Disk      *DiskHealth  `json:"disk,omitempty" doc:"Of the file system of the data directory; absent when it cannot be asked"`
	Retention Keeping      `json:"retention"`
}

// LoopHealth is how the loop that starts things goes.
type LoopHealth struct {
	TurnedAt   time.Time `json:"turnedAt,omitzero" doc:"When the last turn ended"`
	Took       float64   `json:"tookSeconds" doc:"That turn"`
	Ready      string    `json:"ready,omitempty" doc:"What has been ready beside a free slot for longest; absent when nothing is" example:"retail/orders@2026-11-21T06:00:00+01:00 only lacks a slot"`
	ReadySince time.Time `json:"readySince,omitzero"`
	PlannedTo  time.Time `json:"plannedTo,omitzero" doc:"The plan of each scheduled job is written up to here at least"`
	LeaseUntil time.Time `json:"leaseUntil,omitzero" doc:"Until when what this server runs is its own; it is renewed"`
}

// OutboxHealth is what is still to be delivered.
type OutboxHealth struct {
	Actions      int       `json:"errorActions" doc:"Error actions that have not been carried out"`
	ActionsSince time.Time `json:"errorActionsSince,omitzero" doc:"When the oldest of them was written"`
	Alerts       int       `json:"alerts" doc:"Messages to sinks that have not been delivered"`
	Failed       int       `json:"failedAlerts" doc:"That failed for good within the last 24 hours"`
}

// StoreHealth is how large the rows are.
type StoreHealth struct {
	Database   int64     `json:"databaseBytes,omitempty"`
	Log        int64     `json:"logBytes,omitempty" doc:"The write-ahead log"`
	FirstEvent ID        `json:"firstEvent,omitempty" doc:"The oldest line of the history that is kept"`
	FirstAt    time.Time `json:"firstEventAt,omitzero"`
	LastEvent  ID        `json:"lastEvent,omitempty"`
	BackupAt   time.Time `json:"backupAt,omitzero" doc:"Of when the last backup is; absent when none is known"`
}

// DiskHealth is how much room there is.
type DiskHealth struct {
	Free  uint64 `json:"freeBytes"`
	Total uint64 `json:"totalBytes"`
}

// Keeping is what retention does.
type Keeping struct {
	Seconds float64   `json:"seconds,omitempty" doc:"How long ended instances, their logs and the history are kept; absent is for ever"`
	Oldest  time.Time `json:"oldest,omitzero" doc:"When the instance that ended first of those that are kept ended"`
	Goes    time.Time `json:"goes,omitzero" doc:"When that one may go: what an instance that is still open waits for stays longer"`
	Due     int       `json:"due" doc:"Instances that retention may remove within the next 24 hours, counted up to 100,000"`
}

type healthOutput struct{ Body Health }

func (s *server) health(ctx context.Context, _ *struct{}) (*healthOutput, error) {
	now := s.cfg.Now()
	err := s.cfg.Ready()
	h := Health{At: now.UTC(), Version: s.cfg.Version, Ready: err == nil || degraded(err), Aspects: conditions(err)}
	if h.Aspects == nil {
		h.Aspects = []Condition{}
	}
	if site := &s.cfg.Site; site.Look != nil {
		seen := site.Look(ctx, now)
		h.Loop = &LoopHealth{Ready: seen.Ready, ReadySince: utc(seen.ReadySince), PlannedTo: utc(seen.PlannedTo), LeaseUntil: utc(seen.Lease.Until)}
		if site.Turn != nil {
			at, took := site.Turn()
			h.Loop.TurnedAt, h.Loop.Took = utc(at), took.Seconds()
		}
	}
	var census engine.Census
	if err := s.cfg.Rows.Read(ctx, func(v engine.View) (err error) {
		census, err = v.Census()
		return err
	}); err != nil {
		return nil, wrap(err, "count what is open")
	}
	alerts, _, err := s.cfg.Control.AlertState(ctx, now.Add(-countedSpan), 0)
	if err != nil {
		return nil, err
	}
	h.Outbox = OutboxHealth{Actions: census.Outbox, ActionsSince: utc(census.OutboxSince), Alerts: alerts.Pending, Failed: alerts.Failed}
	kept, err := s.cfg.Control.Keeping(ctx, now.Add(countedSpan))
	if err != nil {
		return nil, err
	}
	h.Store = StoreHealth{FirstEvent: ID(kept.FirstEvent), FirstAt: utc(kept.FirstAt), LastEvent: ID(kept.LastEvent)}
	h.Retention = Keeping{Oldest: utc(kept.Oldest), Due: kept.Due}
	if span := s.cfg.Control.Retention(); span > 0 {
		h.Retention.Seconds = span.Seconds()
		if !kept.Oldest.IsZero() {
			h.Retention.Goes = utc(kept.Oldest.Add(span))
		}
	}
	if s.cfg.Site.Files != nil {
		h.Store.Database, h.Store.Log = s.cfg.Site.Files()
	}
	if s.cfg.Site.Backup != nil {
		h.Store.BackupAt = utc(s.cfg.Site.Backup())
	}
	if s.cfg.Site.Disk != nil {
		if free, total, known := s.cfg.Site.Disk(); known {
			h.Disk = &DiskHealth{free, total}
		}
	}
	return &healthOutput{h}, nil
}

// Workers are the servers that work on the rows, and what they run.
type Workers struct {
	Servers  []Worker     `json:"servers" doc:"By name; one that has ended stays until retention removes its lease"`
	Pools    []WorkerPool `json:"pools" doc:"By name; the pool without one is what belongs to none"`
	Attempts []Running    `json:"attempts" doc:"That run now, the oldest first, at most 500"`
	More     int          `json:"more" doc:"Attempts that are left out"`
}

// A Worker is a server.
type Worker struct {
	Name  string    `json:"name"`
	This  bool      `json:"this,omitempty" doc:"It answers this request"`
	Alive bool      `json:"alive" doc:"Its lease has not passed"`
	Until time.Time `json:"leaseUntil"`
	Slots int       `json:"slots,omitempty" doc:"Attempts at once; known of the server that answers only"`
	Used  int       `json:"used" doc:"Attempts that it runs"`
}

// A WorkerPool is a limit on how many attempts run at once.
type WorkerPool struct {
	Name string `json:"name"`
	Used int    `json:"used" doc:"On all servers"`
	Size int    `json:"size,omitempty" doc:"Absent is no limit but the servers' slots"`
}

// A Running is an attempt that runs.
type Running struct {
	ID        ID        `json:"id"`
	Instance  ID        `json:"instance"`
	Name      string    `json:"name,omitempty" example:"retail/orders@2026-11-21T06:00:00+01:00"`
	Workflow  string    `json:"workflow,omitempty"`
	Job       string    `json:"job,omitempty"`
	Step      string    `json:"step,omitempty"`
	Number    int       `json:"number" doc:"Of the attempt, from 1"`
	Server    string    `json:"server,omitempty"`
	Pool      string    `json:"pool,omitempty"`
	StartedAt time.Time `json:"startedAt"`
}

// attemptsShown bounds the running attempts of an answer.
const attemptsShown = 500

type workersOutput struct{ Body Workers }

func (s *server) workers(ctx context.Context, _ *struct{}) (*workersOutput, error) {
	out := &workersOutput{}
	err := s.cfg.Rows.Read(ctx, func(v engine.View) error {
		w := Workers{Servers: []Worker{}, Pools: []WorkerPool{}, Attempts: []Running{}}
		clock, err := v.Clock()
		if errors.Is(err, engine.ErrInvalid) {
			clock, err = s.cfg.Now(), nil // rows that nobody runs have none
		}
		if err != nil {
			return err
		}
		leases, err := v.Leases(engine.ServerLeases)
		if err != nil {
			return err
		}
		live, err := v.Live()
		if err != nil {
			return err
		}
		used := map[string]int{}
		for n := range live {
			used[live[n].Owner]++
		}
		for _, l := range leases {
			name := strings.TrimPrefix(l.Name, engine.ServerLeases)
			one := Worker{Name: name, Alive: l.Until.After(clock), Until: utc(l.Until), Used: used[name]}
			if one.This = s.cfg.Site.Look != nil && name == s.cfg.Control.Owner(); one.This {
				one.Slots = s.cfg.Slots
			}
			w.Servers = append(w.Servers, one)
		}
		w.More = max(0, len(live)-attemptsShown)
		for n := range live[:min(attemptsShown, len(live))] {
			a := &live[n]
			one := Running{
				ID: ID(a.ID), Instance: ID(a.Instance), Step: a.Step, Number: a.Number, Server: a.Owner, Pool: a.Pool, StartedAt: utc(a.StartedAt),
			}
			if i, err := v.Instance(a.Instance); err == nil {
				one.Name, one.Workflow, one.Job, one.StartedAt = i.Name(), i.Ref.Workflow, i.Ref.Job, in(a.StartedAt, i.PlanTime.Location())
			}
			w.Attempts = append(w.Attempts, one)
		}
		out.Body = w
		return nil
	})
	if err != nil {
		return nil, wrap(err, "list what runs")
	}
	if s.cfg.Site.Look != nil {
		for _, p := range s.cfg.Site.Look(ctx, s.cfg.Now()).Pools {
			out.Body.Pools = append(out.Body.Pools, WorkerPool{p.Pool, p.Used, p.Size})
		}
	}
	return out, nil
}

// A Late is an open instance that has missed its deadline, or cannot be expected to keep it.
type Late struct {
	IncidentInstance
	Kind     engine.AlertKind `json:"kind" enum:"never-started,will-be-late,still-running,ended-late"`
	State    engine.State     `json:"state"`
	Reason   Reason           `json:"reason"`
	Incident ID               `json:"incident"`
	Deadline time.Time        `json:"deadline"`
	Ends     time.Time        `json:"ends" doc:"When it will probably have ended, by the medians of what its job and those it waits for took"`
	Late     float64          `json:"lateSeconds" doc:"From the deadline to then"`
}

// A LateList is the deadlines at risk.
type LateList struct {
	Items []Late `json:"items" doc:"The one that will be latest first"`
	Next  string `json:"next,omitempty" doc:"Cursor of the next page; absent on the last"`
	All   int    `json:"all" doc:"How many there are, of those that the newest 200 open incidents name"`
}

type deadlinesInput struct {
	Cursor int `query:"cursor" minimum:"0" maximum:"100000" doc:"next of the page before"`
	Limit  int `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"Rows of a page"`
}

type lateListOutput struct{ Body LateList }

func (s *server) listDeadlines(ctx context.Context, in *deadlinesInput) (*lateListOutput, error) {
	list, all, err := s.cfg.Control.Deadlines(ctx, in.Cursor+in.Limit, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	list = list[min(in.Cursor, len(list)):]
	out := &lateListOutput{LateList{Items: make([]Late, len(list)), All: all}}
	if seen := in.Cursor + len(list); seen < all {
		out.Body.Next = strconv.Itoa(seen)
	}
	for n := range list {
		out.Body.Items[n] = newLate(&list[n])
	}
	return out, nil
}

func newLate(l *engine.LateInstance) Late {
	i := &l.Instance
	zone := i.PlanTime.Location()
	return Late{
		IncidentInstance: newIncidentInstance(i.ID, i.Ref, i.PlanTime), Kind: l.Kind, State: i.State, Reason: newReason(i.Reason, zone), Incident: ID(l.Incident),
		Deadline: in(l.Deadline, zone), Ends: in(l.Ends.Truncate(time.Second), zone), Late: l.Late().Truncate(time.Second).Seconds(),
	}
}

// adminRoutes are the routes of how the server is, and of what is late.
func adminRoutes() []route {
	get := http.MethodGet
	return []route{
		{Method: get, Pattern: prefix + "/health", Permission: Viewer, ID: "health", Tag: "admin",
			Summary: "How the server is: its loop, its store, its disk, what retention removes", Answers: ok(exampleHealth), register: operation((*server).health)},
		{Method: get, Pattern: prefix + "/workers", Permission: Viewer, ID: "listWorkers", Tag: "admin",
			Summary: "The servers that work on the rows, their slots and pools, and what they run", Answers: ok(exampleWorkers), register: operation((*server).workers)},
		{Method: get, Pattern: prefix + "/deadlines", Permission: Viewer, ID: "listDeadlines", Tag: "alerts",
			Summary: "Open instances that have missed their deadlines, or will", Text: "As open incidents have them: a server looks at each deadline when it is at risk.",
			Answers: ok(LateList{Items: []Late{exampleLate}, All: 1}), register: operation((*server).listDeadlines)},
		changeRoute(), clockRoute(),
	}
}

var (
	exampleHealth = Health{
		At: exampleTime, Version: "1.0.0", Ready: true, Aspects: []Condition{{Aspect: "store", OK: true}, {Aspect: "loop", OK: true}},
		Loop:   &LoopHealth{TurnedAt: exampleTime, Took: 0.004, PlannedTo: exampleTime.AddDate(0, 0, 2), LeaseUntil: exampleTime.Add(time.Minute)},
		Outbox: OutboxHealth{Alerts: 1}, Store: StoreHealth{Database: 48 << 20, Log: 2 << 20, FirstEvent: 1, FirstAt: exampleTime.AddDate(0, -2, 0), LastEvent: 48211, BackupAt: exampleTime.AddDate(0, 0, -1)},
		Disk:      &DiskHealth{Free: 40 << 30, Total: 50 << 30},
		Retention: Keeping{Seconds: 60 * 86400, Oldest: exampleTime.AddDate(0, 0, -60), Goes: exampleTime, Due: 420},
	}
	exampleWorkers = Workers{
		Servers:  []Worker{{Name: "etl-1", This: true, Alive: true, Until: exampleTime.Add(time.Minute), Slots: 8, Used: 1}},
		Pools:    []WorkerPool{{Name: "warehouse", Used: 1, Size: 4}},
		Attempts: []Running{{ID: 4201, Instance: exampleInstance.ID, Name: exampleInstance.Name, Workflow: "retail", Job: "orders", Number: 1, Server: "etl-1", Pool: "warehouse", StartedAt: exampleTime}},
	}
	exampleLate = Late{
		IncidentInstance: newIncidentInstance(4217, engine.JobRef{Workflow: "retail", Job: "orders"}, exampleAt), Kind: engine.AlertWillBeLate, State: engine.Waiting,
		Reason: exampleReason, Incident: exampleIncidentID, Deadline: exampleAt.Add(time.Hour), Ends: exampleAt.Add(100 * time.Minute), Late: 2400,
	}
)
