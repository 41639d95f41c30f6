package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A BackfillRequest says what to backfill and how.
type BackfillRequest struct {
	Jobs          []string `json:"jobs" maxItems:"1000" doc:"workflow/job"`
	From          string   `json:"from,omitempty" maxLength:"10" doc:"The first day, or yesterday, today; with to"`
	To            string   `json:"to,omitempty" maxLength:"10" doc:"The last day, which is included, or yesterday, today"`
	Dates         []string `json:"dates,omitempty" maxItems:"1000" doc:"Days, or ranges of days such as 2026-10-15..17, in the place of from and to"`
	Select        []string `json:"select,omitempty" maxItems:"4" doc:"missing, failed, stale, all; default missing and failed"`
	Upstream      string   `json:"upstream,omitempty" maxLength:"10000" doc:"Also jobs that these wait for: how many steps away, all, or their names"`
	Downstream    string   `json:"downstream,omitempty" maxLength:"10000" doc:"Also jobs that wait for these"`
	Order         string   `json:"order,omitempty" maxLength:"4" doc:"asc, or desc: the latest day first, and only what is of one day is waited for"`
	Parallel      int      `json:"parallel,omitempty" doc:"Instances of it that run at once; default as many as the share lets"`
	ByDay         bool     `json:"byDay,omitempty" doc:"A day begins when the one before has ended"`
	StopOnFailure bool     `json:"stopOnFailure,omitempty" doc:"Nothing more starts when an instance has failed, until it is resumed"`
	Steps         []string `json:"steps,omitempty" maxItems:"1000" doc:"Only these steps of the jobs that are named"`
	Priority      int      `json:"priority,omitempty" doc:"1 (last) to 9 (first); default two below that of each job"`
	Share         string   `json:"share,omitempty" maxLength:"20" doc:"MIN..MAX slots of each server; default 1 to a quarter of them"`
	Window        string   `json:"window,omitempty" maxLength:"80" doc:"When its instances may start, such as 22:00-06:00 Europe/Berlin"`
	IgnoreMissing bool     `json:"ignoreMissing,omitempty" doc:"What is outside of it and not recorded counts as satisfied"`
}

// A BackfillPlan is what a backfill would do. To apply it, send it as it is; the instances may be left out.
type BackfillPlan struct {
	Format      string                 `json:"format" example:"almanac-backfill/2"`
	ID          string                 `json:"id" maxLength:"64" doc:"Of the plan; applying it makes a backfill of this id"`
	At          time.Time              `json:"at" doc:"When it was made"`
	Fingerprint string                 `json:"fingerprint" maxLength:"64" doc:"Of all that it was made of: definitions, and states of instances"`
	Request     BackfillRequest        `json:"request"`
	In          int                    `json:"in" doc:"Instances that would run"`
	Out         int                    `json:"out" doc:"Instances of the range that would not"`
	Why         map[string]int         `json:"why" doc:"Instances by reason"`
	Jobs        []BackfillPlanJob      `json:"jobs" maxItems:"10000"`
	Listing     string                 `json:"listing" maxLength:"64" doc:"A digest of the ranges, and of the instances as they are listed"`
	Instances   []BackfillPlanInstance `json:"instances,omitempty" maxItems:"1000000" doc:"Every instance, or those of the part that was asked for; absent when there are more than 10,000, or what they wait for takes more than 8 MB to say: the ranges of the jobs hold all, and listBackfillPlan lists them"`
	Matching    *int                   `json:"matching,omitempty" doc:"When a part was asked for: instances that its conditions leave"`
}

// A BackfillPlanJob is one job of a plan.
type BackfillPlanJob struct {
	Workflow    string `json:"workflow"`
	Job         string `json:"job"`
	Definition  string `json:"definition" doc:"A digest of its definition"`
	Fingerprint string `json:"fingerprint" doc:"Of its instances and what they wait for"`
	In          int    `json:"in"`
	Out         int    `json:"out"`
	Note        string `json:"note,omitempty" doc:"What its effective range cuts off"`

	Ranges []BackfillPlanRange `json:"ranges,omitempty" maxItems:"1000000" doc:"Its instances, cut where the reason changes; of all jobs some 20,000 ranges at most"`
}

// A BackfillPlanRange is instances of a job that follow one another, of all of which the plan says the same.
type BackfillPlanRange struct {
	From      time.Time `json:"from" doc:"Plan time of the first"`
	To        time.Time `json:"to" doc:"Plan time of the last"`
	Instances int       `json:"instances"`
	In        bool      `json:"in"`
	Why       string    `json:"why" doc:"The reason, or several where a plan changes its mind too often to tell each one"`

	Reasons map[string]int `json:"reasons,omitempty" doc:"Instances by reason, where there are several; then in says that some are in"`
}

// A BackfillPlanInstance is one instance of the range.
type BackfillPlanInstance struct {
	Job      string    `json:"job" doc:"workflow/job"`
	PlanTime time.Time `json:"planTime"`
	In       bool      `json:"in"`
	Why      string    `json:"why"`
	Text     string    `json:"text,omitempty" doc:"More than the word, for people"`
	Waits    []string  `json:"waits,omitempty" doc:"What it would wait for, and how that is bound"`
}

// A BackfillApplyRequest carries a saved plan out.
type BackfillApplyRequest struct {
	Plan BackfillPlan `json:"plan"`
	Note string       `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history and to the server's audit log"`
}

// A Backfill is a backfill with how far it is.
type Backfill struct {
	ID            string               `json:"id"`
	State         engine.BackfillStage `json:"state" enum:"applying,withdrawing,running,paused,cancelling,ended,cancelled" doc:"applying: its instances are being written, and nothing of it starts; withdrawing: what was written is being taken away"`
	Reason        Reason               `json:"reason" doc:"Why it is in that state"`
	Holding       string               `json:"holding,omitempty" doc:"Why nothing more of it starts just now"`
	Jobs          []BackfillJob        `json:"jobs"`
	From          time.Time            `json:"from" doc:"The earliest plan time, in the zone of its first job"`
	To            time.Time            `json:"to" doc:"Behind the latest plan time"`
	Total         int                  `json:"total" doc:"Instances of it"`
	Done          int                  `json:"done" doc:"Of these have ended"`
	Written       int                  `json:"written,omitempty" doc:"Of these are written, while it is applying or withdrawing"`
	Instances     InstanceCounts       `json:"instances" doc:"By state"`
	SecondsLeft   *int64               `json:"secondsLeft,omitempty" doc:"Until its end, by how long its jobs took so far; absent when nobody knows"`
	Order         string               `json:"order" enum:"asc,desc"`
	Parallel      int                  `json:"parallel,omitempty"`
	Share         string               `json:"share,omitempty"`
	Window        string               `json:"window,omitempty"`
	ByDay         bool                 `json:"byDay,omitempty"`
	StopOnFailure bool                 `json:"stopOnFailure,omitempty"`
	Steps         []string             `json:"steps,omitempty"`
	Priority      int                  `json:"priority,omitempty"`
	IgnoreMissing bool                 `json:"ignoreMissing,omitempty"`
	Actor         string               `json:"actor"`
	Note          string               `json:"note,omitempty"`
	CreatedAt     time.Time            `json:"createdAt"`
	EndedAt       time.Time            `json:"endedAt,omitzero"`
}

// A BackfillJob is what a backfill holds of a job.
type BackfillJob struct {
	Workflow  string `json:"workflow"`
	Job       string `json:"job"`
	Instances int    `json:"instances"`
}

// A BackfillPage is a page of backfills.
type BackfillPage struct {
	Items []Backfill `json:"items"`
	Next  string     `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
}

// A BackfillChange changes how a backfill goes on; what is absent stays.
type BackfillChange struct {
	Priority *int    `json:"priority,omitempty" doc:"1 (last) to 9 (first)"`
	Parallel *int    `json:"parallel,omitempty" doc:"0 is as many as the share lets"`
	Share    *string `json:"share,omitempty" maxLength:"20" doc:"MIN..MAX slots of each server; empty is the default"`
	Window   *string `json:"window,omitempty" maxLength:"80" doc:"Empty is none"`
	Note     string  `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history and to the server's audit log"`
}

// A CancelBackfillRequest says why, and whether what runs is to stop too.
type CancelBackfillRequest struct {
	Running bool   `json:"running,omitempty" doc:"What runs of it too"`
	Note    string `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history and to the server's audit log"`
}

func (r *BackfillRequest) engine() engine.BackfillRequest {
	return engine.BackfillRequest{
		Jobs: r.Jobs, From: r.From, To: r.To, Dates: r.Dates, Select: r.Select, Upstream: r.Upstream, Downstream: r.Downstream, Order: r.Order,
		Parallel: r.Parallel, ByDay: r.ByDay, StopOnFailure: r.StopOnFailure, Steps: r.Steps, Priority: r.Priority, Share: r.Share, Window: r.Window,
		IgnoreMissing: r.IgnoreMissing,
	}
}

// NewBackfillPlan is the engine's plan as the API shows it.
func NewBackfillPlan(p *engine.BackfillPlan, request BackfillRequest) BackfillPlan {
	shown := BackfillPlan{
		Format: p.Format, ID: p.ID, At: p.At.UTC(), Fingerprint: p.Fingerprint, Request: request, In: p.In, Out: p.Out, Why: p.Why,
		Jobs: make([]BackfillPlanJob, 0, len(p.Jobs)), Instances: make([]BackfillPlanInstance, 0, len(p.Instances)),
	}
	for i := range p.Jobs {
		j := &p.Jobs[i]
		job := BackfillPlanJob{Workflow: j.Ref.Workflow, Job: j.Ref.Job, Definition: j.Definition, Fingerprint: j.Fingerprint, In: j.In, Out: j.Out, Note: j.Note}
		for n := range j.Ranges {
			r := &j.Ranges[n]
			job.Ranges = append(job.Ranges, BackfillPlanRange{From: r.From, To: r.To, Instances: r.Instances, In: r.In, Why: r.Why, Reasons: r.Reasons})
		}
		shown.Jobs = append(shown.Jobs, job)
	}
	for i := range p.Instances {
		shown.Instances = append(shown.Instances, newBackfillPlanInstance(&p.Instances[i]))
	}
	shown.Listing = ListingOf(&shown)
	return shown
}

func newBackfillPlanInstance(n *engine.BackfillPlanInstance) BackfillPlanInstance {
	return BackfillPlanInstance{n.Ref.String(), n.PlanTime, n.In, n.Why, n.Text, n.Waits}
}

// ListingOf is a digest of what a plan lists: it says whether somebody has changed that since. Plans of earlier versions have no ranges.
func ListingOf(p *BackfillPlan) string {
	sum := sha256.New()
	encoder := json.NewEncoder(sum)
	for i := range p.Jobs {
		for n := range p.Jobs[i].Ranges {
			_ = encoder.Encode(&p.Jobs[i].Ranges[n]) // texts, times and flags can always be written
		}
	}
	for i := range p.Instances {
		_ = encoder.Encode(&p.Instances[i])
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// NewBackfill is a backfill as the API shows it.
func NewBackfill(s *engine.BackfillStatus) Backfill {
	o := &s.Options
	b := Backfill{
		ID: s.Key, State: s.Stage, Reason: newReason(s.Reason, time.UTC), Holding: s.Why, From: s.From, To: s.To, Total: o.Instances,
		Instances: newInstanceCounts(s.States), Order: "asc", Parallel: o.Parallel, ByDay: o.ByDay, StopOnFailure: o.StopOnFailure,
		Steps: o.Steps, Priority: o.Priority, IgnoreMissing: o.IgnoreMissing, Actor: s.Actor, Note: o.Note, CreatedAt: s.CreatedAt.UTC(), EndedAt: in(s.EndedAt, time.UTC),
		Jobs: make([]BackfillJob, 0, len(o.Jobs)),
	}
	b.Written = s.Written
	if o.Withdrawn {
		b.Total = 0
	}
	if o.Descending {
		b.Order = "desc"
	}
	if o.Cap > 0 {
		b.Share = fmt.Sprintf("%d..%d", max(0, o.Floor), o.Cap)
	}
	if o.Window != nil {
		b.Window = o.Window.String()
	}
	for _, part := range o.Jobs {
		b.Jobs = append(b.Jobs, BackfillJob{part.Ref.Workflow, part.Ref.Job, part.Instances})
	}
	for state, n := range s.States {
		if state.Ended() {
			b.Done += n
		}
	}
	if s.Known {
		left := int64(s.Left / time.Second)
		b.SecondsLeft = &left
	}
	return b
}

var (
	exampleBackfillRequest = BackfillRequest{Jobs: []string{"retail/orders"}, From: "2026-11-01", To: "2026-11-20", Downstream: "1", Window: "22:00-06:00 Europe/Berlin"}
	exampleBackfillPlan    = BackfillPlan{
		Format: engine.BackfillFormat, ID: "bf-5f0d2b1c9a77", At: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC), Fingerprint: "0c1f6e2d88a94b5fb3e1a0c7d2946e55",
		Request: exampleBackfillRequest, In: 1, Out: 1, Why: map[string]int{"missing": 1, "satisfied": 1},
		Jobs: []BackfillPlanJob{{Workflow: "retail", Job: "orders", Definition: "9d1c0f7be2a64a03", Fingerprint: "17b2c3d4e5f60718", In: 1, Out: 1}},
		Instances: []BackfillPlanInstance{
			{Job: "retail/orders", PlanTime: exampleAt.AddDate(0, 0, -2), In: true, Why: "missing", Waits: []string{"retail/stores@2026-11-19T05:00:00+01:00 (natural-day): as recorded"}},
			{Job: "retail/orders", PlanTime: exampleAt.AddDate(0, 0, -1), Why: "satisfied"},
		},
	}
	exampleSeconds  = int64(840)
	exampleBackfill = Backfill{
		ID: "bf-5f0d2b1c9a77", State: engine.BackfillRunning, Reason: Reason{Code: engine.ReasonPerson, Text: "by a person: the source was repaired (by ana)", Detail: "the source was repaired", Actor: "ana"},
		Holding: "it has 1 of its share of 1 slots", Jobs: []BackfillJob{{"retail", "orders", 20}},
		From: exampleAt.AddDate(0, 0, -20).UTC(), To: exampleAt.AddDate(0, 0, -1).UTC(), Total: 20, Done: 5, Instances: InstanceCounts{Waiting: 14, Running: 1, Succeeded: 5},
		SecondsLeft: &exampleSeconds, Order: "asc", Window: "22:00-06:00 Europe/Berlin", Actor: "ana", Note: "the source was repaired",
		CreatedAt: time.Date(2026, 11, 21, 8, 1, 0, 0, time.UTC),
	}
	exampleApplying = Backfill{
		ID: "bf-5f0d2b1c9a77", State: engine.BackfillApplying, Reason: exampleBackfill.Reason, Holding: "it is being applied: 41000 of 854000 instances are written",
		Jobs: []BackfillJob{{"retail", "orders", 854_000}}, From: exampleBackfill.From, To: exampleBackfill.To, Total: 854_000, Written: 41_000, Order: "asc", Actor: "ana",
		CreatedAt: exampleBackfill.CreatedAt,
	}
	examplePriority = 7
)
