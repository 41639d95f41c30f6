package web

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// An Instance is a job at a plan time. Every time in it carries the offset of the plan time.
type Instance struct {
	ID       ID           `json:"id"`
	Name     string       `json:"name" doc:"workflow/job@plan time" example:"retail/orders@2026-11-21T06:00:00+01:00"`
	Workflow string       `json:"workflow" example:"retail"`
	Job      string       `json:"job" example:"orders"`
	Kind     engine.Kind  `json:"kind" enum:"scheduled,manual,backfill" doc:"Why it exists"`
	Key      string       `json:"key,omitempty" doc:"Absent for scheduled instances; together with the job and the plan time it is the instance's identity"`
	PlanTime time.Time    `json:"planTime" doc:"The due time that it stands for"`
	State    engine.State `json:"state" enum:"waiting,running,lost,succeeded,forced,failed,skipped,cancelled"`
	Gate     engine.Gate  `json:"gate,omitempty" enum:"time,dependency,confirm,frozen,concurrency,slot,disk" doc:"What holds it while it waits"`
	Reason   Reason       `json:"reason" doc:"Why it is in this state, or behind this gate"`
	DryRun   bool         `json:"dryRun,omitempty" doc:"Planned on a day off: it is skipped"`
	Frozen   bool         `json:"frozen,omitempty"`
	Touched  bool         `json:"touched,omitempty" doc:"A person has acted on it: no change of its job plans it away, and none later takes its place"`
	RunNow   string       `json:"runNow,omitempty" doc:"Who lets it run without what it waits for"`

	NotBefore time.Time         `json:"notBefore" doc:"The plan time plus the job's spread"`
	Priority  int               `json:"priority" minimum:"1" maximum:"9" doc:"9 goes first"`
	Pool      string            `json:"pool,omitempty"`
	Params    map[string]string `json:"params,omitempty" doc:"What the trigger gave"`
	Confirmed string            `json:"confirmed,omitempty" doc:"Who confirmed it"`
	Cancel    *Reason           `json:"cancel,omitempty" doc:"It is being cancelled, and why"`
	Version   ID                `json:"version" doc:"The job version that it was planned with"`
	Owner     string            `json:"owner,omitempty" doc:"The server that runs it"`
	Run       int               `json:"run,omitempty" minimum:"0" doc:"The number of its current run, from 1: a rerun is the next. The times are those of this run, and GET /instances/{id}/runs lists the earlier ones"`
	StartedAt time.Time         `json:"startedAt,omitzero" doc:"When its current run started"`
	EndedAt   time.Time         `json:"endedAt,omitzero"`
}

// An InstancePage is a page of instances. It may hold fewer than were asked for, or none, and have a next page: a search goes through a bounded
// part of the history at a time.
type InstancePage struct {
	Items []Instance `json:"items"`
	Next  string     `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
}

// A Reason is why something is as it is: a code for programs, and a sentence for people.
type Reason struct {
	Code     engine.ReasonCode `json:"code" example:"upstream"`
	Text     string            `json:"text" doc:"The reason as a sentence" example:"waits for retail/stores@2026-11-21T05:00:00+01:00, which is running"`
	Upstream *JobRef           `json:"upstream,omitempty" doc:"The job that is waited for"`
	At       *time.Time        `json:"at,omitempty" doc:"Its plan time, or the time that is waited for"`
	State    engine.State      `json:"state,omitempty" doc:"The state of the upstream instance; absent when it is not planned yet"`
	Detail   string            `json:"detail,omitempty"`
	Actor    string            `json:"actor,omitempty" doc:"Who did it, when a person did"`
}

// A JobRef names a job.
type JobRef struct {
	Workflow string `json:"workflow" example:"retail"`
	Job      string `json:"job" example:"orders"`
}

// A Window is what a dependency's rule looked at.
type Window struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Closed string    `json:"closed" enum:"left,right,both" doc:"Which of its ends belong to it"`
}

// A Wait is one contiguous range of an upstream job's plan times that an instance waits for.
type Wait struct {
	N          int       `json:"n" doc:"Ordinal within the instance, from 0"`
	Dependency int       `json:"dependency" doc:"Ordinal of the declared dependency, from 0; a set that is cut in pieces has several waits"`
	Workflow   string    `json:"workflow" doc:"Of the upstream"`
	Job        string    `json:"job" doc:"Of the upstream"`
	Key        string    `json:"key,omitempty" doc:"Of the upstream instances; absent for scheduled ones"`
	First      time.Time `json:"first,omitzero" doc:"The first plan time that is waited for; absent when count is 0"`
	Last       time.Time `json:"last,omitzero" doc:"The last one, included"`
	Count      int       `json:"count" minimum:"0" doc:"How many plan times the upstream has from first to last; 0: nothing in the window"`
	Rule       string    `json:"rule" example:"natural-day"`
	Select     string    `json:"select" doc:"all, any, or how many must be satisfied" example:"all"`
	Window     Window    `json:"window"`

	OnMissing engine.OnMissing `json:"onMissing" enum:"run,wait,cancel"`
	OnFailed  engine.OnFailed  `json:"onFailed" enum:"wait,run,cancel"`
	Ended     bool             `json:"ended,omitempty" doc:"Any end satisfies it (waitPreviousEnd)"`
	Timeout   float64          `json:"timeoutSeconds,omitempty"`
}

// A WaitList is all that an instance waits for.
type WaitList struct {
	Items []Wait `json:"items"`
	Next  string `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
}

// An Event is a line of an instance's history.
type Event struct {
	ID     ID           `json:"id"`
	At     time.Time    `json:"at"`
	Kind   string       `json:"kind" doc:"A transition such as start or fail, or an act such as trigger or confirm" example:"start"`
	From   engine.State `json:"from,omitempty"`
	To     engine.State `json:"to,omitempty"`
	Reason Reason       `json:"reason"`
	Actor  string       `json:"actor,omitempty"`
}

// An EventPage is a page of an instance's history, the oldest first.
type EventPage struct {
	Items []Event `json:"items"`
	Next  string  `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
}

// NewInstance is the engine's instance as the API shows it. The command line uses it to show the same without a server.
func NewInstance(i *engine.Instance) Instance {
	zone := i.PlanTime.Location()
	shown := Instance{
		ID: ID(i.ID), Name: i.Name(), Workflow: i.Ref.Workflow, Job: i.Ref.Job, Kind: i.Kind, Key: i.Key, PlanTime: i.PlanTime,
		State: i.State, Reason: newReason(i.Reason, zone), DryRun: i.DryRun, Frozen: i.Frozen,
		Touched: i.Touched, RunNow: i.RunNow, NotBefore: in(i.NotBefore, zone),
		Priority: i.Priority, Pool: i.Pool, Params: engine.ShownParams(i.Params), Confirmed: i.Confirmed, Version: ID(i.Version), Owner: i.Owner,
		Run: i.Run, StartedAt: in(i.StartedAt, zone), EndedAt: in(i.EndedAt, zone),
	}
	if i.State == engine.Waiting {
		shown.Gate = i.Gate
	}
	if i.Cancel != nil {
		reason := newReason(*i.Cancel, zone)
		shown.Cancel = &reason
	}
	return shown
}

// newReason is a reason as the API shows it, its time in a zone. The plan time of an upstream instance stays in the zone of the upstream: it is part of its name.
func newReason(r engine.Reason, zone *time.Location) Reason {
	if r.At != nil && (r.Upstream == nil || r.Code == engine.ReasonWaitTimeout) {
		at := in(*r.At, zone)
		r.At = &at
	}
	shown := Reason{Code: r.Code, Text: r.Describe(), At: r.At, State: r.State, Detail: r.Detail, Actor: r.Actor}
	if r.Upstream != nil {
		shown.Upstream = &JobRef{r.Upstream.Workflow, r.Upstream.Job}
	}
	return shown
}

// newWait is a wait as the API shows it: the window in the zone of what waits, the plan times in that of the upstream.
func newWait(w *engine.Wait, zone *time.Location) Wait {
	shown := Wait{
		N: w.N, Dependency: w.Dependency, Workflow: w.Ref.Workflow, Job: w.Ref.Job, Key: w.Key, Count: w.Count, Rule: w.Rule, Select: w.Select,
		Window:    Window{From: in(w.WindowFrom, zone), To: in(w.WindowTo, zone), Closed: w.Closed},
		OnMissing: w.OnMissing, OnFailed: w.OnFailed, Ended: w.Ended, Timeout: w.Timeout.Seconds(),
	}
	if w.Count > 0 {
		shown.First, shown.Last = w.First, w.Last
	}
	return shown
}

func newEvent(e *EventRecord, zone *time.Location) Event {
	return Event{
		ID: ID(e.ID), At: in(e.At, zone), Kind: e.Kind, From: e.From, To: e.To, Reason: newReason(e.Reason, zone), Actor: e.Actor,
	}
}

// in is the time in a zone. The zero time stays zero.
func in(t time.Time, zone *time.Location) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.In(zone)
}

// utc is a time in UTC; none stays none.
func utc(t time.Time) time.Time { return in(t, time.UTC) }
