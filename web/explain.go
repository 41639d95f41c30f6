package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// Explainer explains instances and draws what is around them. The errors are of kind engine.ErrNotFound or ErrInvalid, or else faults of the server.
type Explainer interface {
	ExplainInstance(ctx context.Context, r engine.ExplainRequest, now time.Time) (engine.Explanation, error)
	// Follow brings the reasons of waiting instances up to what they wait for as it is now.
	Follow(ctx context.Context, list []engine.Instance) error
	Neighbourhood(ctx context.Context, r engine.NeighbourRequest, now time.Time) (engine.Neighbourhood, error)
}

func explainRoutes() []route {
	get, missing := http.MethodGet, []int{http.StatusNotFound}
	return []route{
		{Method: get, Pattern: prefix + "/instances/{id}/explain", Permission: Viewer, ID: "explainInstance", Tag: "instances", Refuses: missing,
			Summary: "Why an instance is where it is",
			Text: "Every gate in order, each dependency with its rule, window and candidates, and as a tree what keeps it, down to what waits for no other instance. " +
				"With at it answers as of then, from the history.",
			Answers: ok(exampleExplanation), register: operation((*server).explain)},
		{Method: get, Pattern: prefix + "/explain", Permission: Viewer, ID: "explainByName", Tag: "instances", Refuses: missing,
			Summary: "Why an instance is where it is, or what it will wait for",
			Text:    "As explainInstance, of an instance that is named. One that is not planned yet is explained by the loaded definitions.",
			Answers: ok(exampleExplanation), register: operation((*server).explainByName)},
		{Method: get, Pattern: prefix + "/instances/{id}/graph", Permission: Viewer, ID: "graphInstance", Tag: "instances", Refuses: missing,
			Summary: "The instances around one",
			Text: "What it waits for, so many hops up, and what waits for it, so many hops down. A wait for a range is one edge, whose from lists the instances of the " +
				"range that are shown. Nodes say how many neighbours of theirs are left out.",
			Answers: ok(exampleGraph), register: operation((*server).graph)},
		{Method: get, Pattern: prefix + "/graph", Permission: Viewer, ID: "graphByName", Tag: "instances", Refuses: missing,
			Summary: "The instances around one that is named",
			Text:    "As graphInstance, of an instance that is named. One that is not planned yet is drawn by the loaded definitions.",
			Answers: ok(exampleGraph), register: operation((*server).graphByName)},
	}
}

// An Explanation is why an instance is where it is.
type Explanation struct {
	Instance Instance  `json:"instance"`
	At       time.Time `json:"at" doc:"As of when"`
	Planned  bool      `json:"planned" doc:"It is recorded; else it is what the loaded definitions would plan, and its id is 0"`
	Schedule string    `json:"schedule" doc:"When its job is due, in words"`

	Operations []engine.Operation `json:"operations" doc:"What it takes as it is now, whoever may do it. One that is not planned yet takes less"`

	Unknown  []string    `json:"unknown,omitempty" doc:"Of a time that has passed: what the history does not tell"`
	Holding  engine.Gate `json:"holding,omitempty" doc:"The first closed gate; absent when it only lacks its turn, or does not wait"`
	Forecast Forecast    `json:"forecast"`

	Gates        []Verdict       `json:"gates" doc:"Of a waiting instance, every gate in order"`
	Active       []Instance      `json:"active,omitempty" doc:"What of its job runs, when that is in the way"`
	Dependencies []ExplainedWait `json:"dependencies" doc:"Each wait with what it has come to"`
	Roots        []Cause         `json:"roots" doc:"What waits for no other instance, or for a person: where an action would help; the instance itself when that is so of it"`
	Beyond       bool            `json:"beyond,omitempty" doc:"The tree was cut: there may be more roots"`
	Blockers     []Blocker       `json:"blockers" doc:"The first way down the tree, from what it waits for to a root, which waits for no other instance"`
	Watching     []Watching      `json:"watching,omitempty" doc:"What steps of a running instance wait for without a slot"`
	Attempts     []Attempt       `json:"attempts,omitempty" doc:"The latest attempts"`
	Events       []Event         `json:"events,omitempty" doc:"The latest of its history"`
}

// Watching is a step of type wait or job that waits.
type Watching struct {
	Step string `json:"step,omitempty" doc:"Absent for the only step of a job with one action"`
	StepWait
}

// A Forecast is when an instance will start and end.
type Forecast struct {
	Earliest time.Time `json:"earliest,omitzero" doc:"It cannot start before, by plan times alone; absent when it has started"`
	Start    time.Time `json:"start,omitzero" doc:"Its start, estimated when it is to come; absent when that is not known"`
	End      time.Time `json:"end,omitzero" doc:"Its end, estimated when it is to come; absent when that is not known"`
	AtLeast  bool      `json:"atLeast,omitempty" doc:"Not everything that it waits for was looked at: it may be later"`
	Unknown  string    `json:"unknown,omitempty" doc:"Why there is no estimate"`
	Median   float64   `json:"medianSeconds,omitempty" doc:"How long past instances took"`
	High     float64   `json:"highSeconds,omitempty" doc:"Nine of ten took no longer"`
	Of       int       `json:"of,omitempty" doc:"Past instances that the estimate is made of"`
}

// A Verdict is what one gate says.
type Verdict struct {
	Gate   engine.Gate `json:"gate" doc:"Beside the gates of an instance: calendar, self, pool, worker"`
	Open   bool        `json:"open"`
	Text   string      `json:"text" doc:"Why it is open, or closed"`
	Reason *Reason     `json:"reason,omitempty" doc:"Why it is closed"`
}

// An ExplainedWait is one wait with what it has come to.
type ExplainedWait struct {
	Wait
	Satisfied  bool        `json:"satisfied"`
	Text       string      `json:"text" doc:"The sentence for people"`
	Pair       string      `json:"pair,omitempty" doc:"The rule in words, with both classes"`
	Planned    bool        `json:"planned" doc:"The upstream's plan reaches beyond the range"`
	Gone       bool        `json:"gone,omitempty" doc:"The upstream job was removed or is disabled"`
	Missing    *Upstream   `json:"unsatisfied,omitempty" doc:"The latest instance in the range that does not satisfy"`
	Candidates *Candidates `json:"candidates,omitempty" doc:"What it had to choose from, of the first dependencies"`
	Causes     []Cause     `json:"causes,omitempty" doc:"What it waits for, the failed first"`
	More       int         `json:"more,omitempty" doc:"As many are left out"`
}

// Candidates are the plan times in and about the window of a dependency.
type Candidates struct {
	In      int         `json:"in" doc:"As many are waited for"`
	Out     int         `json:"out" doc:"As many are not"`
	AtLeast bool        `json:"atLeast,omitempty" doc:"There are more of those that are not"`
	Items   []Candidate `json:"items" doc:"In order; of many the first and the last"`
	Left    int         `json:"left,omitempty" doc:"As many are left out between them"`
}

// A Candidate is one plan time of an upstream job.
type Candidate struct {
	PlanTime time.Time    `json:"planTime"`
	In       bool         `json:"in"`
	Instance *ID          `json:"instance,omitempty" doc:"Absent when it is not planned yet"`
	State    engine.State `json:"state,omitempty"`
	Why      string       `json:"why,omitempty" doc:"Why it is not waited for"`
}

// A Cause is an instance for which another one waits, with what it waits for itself.
type Cause struct {
	Name         string       `json:"name" doc:"workflow/job@plan time"`
	Workflow     string       `json:"workflow"`
	Job          string       `json:"job"`
	Key          string       `json:"key,omitempty"`
	PlanTime     time.Time    `json:"planTime"`
	Instance     *ID          `json:"instance,omitempty" doc:"Absent when it is not planned yet"`
	State        engine.State `json:"state,omitempty"`
	Gate         engine.Gate  `json:"gate,omitempty" doc:"What holds it"`
	Reason       Reason       `json:"reason"`
	Forecast     Forecast     `json:"forecast"`
	Root         bool         `json:"root,omitempty" doc:"It waits for no other instance, or for a person"`
	Help         string       `json:"help,omitempty" doc:"The command that would help; absent when only time does"`
	Again        bool         `json:"again,omitempty" doc:"It is in the tree elsewhere, with what it waits for"`
	Circle       bool         `json:"circle,omitempty" doc:"It is above itself: each waits for the other"`
	Dependencies []CauseWait  `json:"dependencies,omitempty" doc:"What of it is not satisfied"`
}

// A CauseWait is a dependency of a cause that is not satisfied.
type CauseWait struct {
	Text   string  `json:"text"`
	Rule   string  `json:"rule"`
	Count  int     `json:"count" doc:"Plan times in the range"`
	Causes []Cause `json:"causes,omitempty"`
	More   int     `json:"more,omitempty" doc:"As many are left out"`
}

// An Upstream is an instance that is waited for.
type Upstream struct {
	ID       ID           `json:"id"`
	PlanTime time.Time    `json:"planTime"`
	State    engine.State `json:"state"`
	Frozen   bool         `json:"frozen,omitempty"`
}

// A Blocker is one link of a way from a waiting instance to the root of its waiting.
type Blocker struct {
	Workflow string       `json:"workflow"`
	Job      string       `json:"job"`
	PlanTime time.Time    `json:"planTime"`
	Instance *ID          `json:"instance,omitempty" doc:"Absent when it is not planned yet"`
	State    engine.State `json:"state,omitempty"`
	Gate     engine.Gate  `json:"gate,omitempty" doc:"What holds the blocker itself"`
	Reason   Reason       `json:"reason"`
}

// NewExplanation is the engine's explanation as the API shows it. The command line uses it to show the same without a server.
func NewExplanation(x *engine.Explanation) Explanation {
	zone := x.Instance.PlanTime.Location()
	shown := Explanation{
		Instance: NewInstance(&x.Instance), At: in(x.At, zone), Planned: x.Planned, Schedule: x.Schedule, Operations: x.Offers(), Unknown: x.Unknown, Holding: x.Holding,
		Forecast: newForecast(&x.Forecast, zone), Beyond: x.Beyond,
		Gates: make([]Verdict, 0, len(x.Gates)), Dependencies: make([]ExplainedWait, 0, len(x.Dependencies)), Blockers: make([]Blocker, 0, len(x.Blockers)),
		Roots: make([]Cause, 0, len(x.Roots)),
	}
	for i := range x.Gates {
		g := &x.Gates[i]
		verdict := Verdict{Gate: g.Gate, Open: g.Open, Text: g.Text}
		if g.Reason.Code != "" {
			reason := newReason(g.Reason, zone)
			verdict.Reason = &reason
		}
		shown.Gates = append(shown.Gates, verdict)
	}
	for i := range x.Active {
		shown.Active = append(shown.Active, NewInstance(&x.Active[i]))
	}
	for i := range x.Dependencies {
		shown.Dependencies = append(shown.Dependencies, newExplainedWait(&x.Dependencies[i], zone))
	}
	for _, c := range x.Blockers {
		blocker := Blocker{Workflow: c.Ref.Workflow, Job: c.Ref.Job, PlanTime: c.PlanTime, Gate: c.Gate, Reason: newReason(c.Reason, c.PlanTime.Location())}
		if c.Instance != nil {
			id := ID(c.Instance.ID)
			blocker.Instance, blocker.State = &id, c.Instance.State
		}
		shown.Blockers = append(shown.Blockers, blocker)
	}
	for _, c := range x.Roots {
		alone := *c
		alone.Dependencies = nil // they are in the tree
		shown.Roots = append(shown.Roots, newCause(&alone))
	}
	for i := range x.Watching {
		shown.Watching = append(shown.Watching, Watching{x.Watching[i].Step, newStepWait(&x.Watching[i], zone)})
	}
	for i := range x.Attempts {
		shown.Attempts = append(shown.Attempts, newAttempt(&x.Attempts[i], &x.Instance, x.Earlier))
	}
	for i := range x.Events {
		shown.Events = append(shown.Events, newEvent(&EventRecord{ID: x.EventIDs[i], EventRow: x.Events[i]}, zone))
	}
	return shown
}

func newExplainedWait(d *engine.DependencyExplanation, zone *time.Location) ExplainedWait {
	wait := ExplainedWait{
		Wait: newWait(&d.Wait, zone), Satisfied: d.Satisfied, Text: d.Text, Pair: d.Pair, Planned: d.Facts.Planned, Gone: d.Facts.Removed || d.Facts.Disabled, More: d.More,
	}
	if u := d.Facts.Unsatisfied; u != nil {
		wait.Missing = &Upstream{ID: ID(u.ID), PlanTime: u.PlanTime, State: u.State, Frozen: u.Frozen}
	}
	if c := d.Candidates; c != nil {
		wait.Candidates = &Candidates{In: c.In, Out: c.Out, AtLeast: c.AtLeast, Left: c.Left, Items: make([]Candidate, 0, len(c.List))}
		for _, one := range c.List {
			shown := Candidate{PlanTime: in(one.PlanTime, zone), In: one.In, State: one.State, Why: one.Why}
			if one.ID != 0 {
				id := ID(one.ID)
				shown.Instance = &id
			}
			wait.Candidates.Items = append(wait.Candidates.Items, shown)
		}
	}
	for _, c := range d.Causes {
		wait.Causes = append(wait.Causes, newCause(c))
	}
	return wait
}

// newCause is an instance that is waited for. Its times are in the zone of its own job, as everywhere.
func newCause(c *engine.Cause) Cause {
	zone := c.PlanTime.Location()
	shown := Cause{
		Name: c.Name(), Workflow: c.Ref.Workflow, Job: c.Ref.Job, Key: c.Key, PlanTime: c.PlanTime, Gate: c.Gate, Reason: newReason(c.Reason, zone),
		Forecast: newForecast(&c.Forecast, zone), Root: c.Root, Help: c.Help, Again: c.Again, Circle: c.Circle,
	}
	if c.Instance != nil {
		id := ID(c.Instance.ID)
		shown.Instance, shown.State = &id, c.Instance.State
	}
	for i := range c.Dependencies {
		d := &c.Dependencies[i]
		wait := CauseWait{Text: d.Text, Rule: d.Wait.Rule, Count: d.Wait.Count, More: d.More}
		for _, up := range d.Causes {
			wait.Causes = append(wait.Causes, newCause(up))
		}
		shown.Dependencies = append(shown.Dependencies, wait)
	}
	return shown
}

func newForecast(f *engine.Forecast, zone *time.Location) Forecast {
	return Forecast{
		Earliest: in(f.Earliest, zone), Start: in(f.Start, zone), End: in(f.End, zone), AtLeast: f.AtLeast, Unknown: f.Unknown,
		Median: f.Took.Median.Seconds(), High: f.Took.High.Seconds(), Of: f.Took.Of,
	}
}

type explainInput struct {
	ID int64     `path:"id" minimum:"1" doc:"The instance's id"`
	At time.Time `query:"at" doc:"As of this time, from the history; absent is now"`
}

type explainOutput struct{ Body Explanation }

func (s *server) explain(ctx context.Context, in *explainInput) (*explainOutput, error) {
	return s.explained(ctx, engine.ExplainRequest{ID: in.ID, At: in.At})
}

func (s *server) explained(ctx context.Context, r engine.ExplainRequest) (*explainOutput, error) {
	x, err := s.cfg.Control.ExplainInstance(ctx, r, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	return &explainOutput{NewExplanation(&x)}, nil
}

type explainByNameInput struct {
	Instance string    `query:"instance" required:"true" maxLength:"300" doc:"workflow/job@plan time; a plan time without an offset is in the job's zone" example:"retail/orders@2026-11-21T06:00"`
	At       time.Time `query:"at" doc:"As of this time, from the history; absent is now"`
}

func (s *server) explainByName(ctx context.Context, in *explainByNameInput) (*explainOutput, error) {
	ref, at, err := s.instanceName(ctx, in.Instance)
	if err != nil {
		return nil, err
	}
	return s.explained(ctx, engine.ExplainRequest{Ref: ref, PlanTime: at, At: in.At})
}

// instanceName reads workflow/job@plan time.
func (s *server) instanceName(ctx context.Context, text string) (ref engine.JobRef, at time.Time, err error) {
	name, written, found := strings.Cut(text, "@")
	workflow, job, named := strings.Cut(name, "/")
	if !found || !named || workflow == "" || job == "" {
		return ref, at, invalid("query.instance", "write it as workflow/job@plan time, such as retail/orders@2026-11-21T06:00")
	}
	ref = engine.JobRef{Workflow: workflow, Job: job}
	at, err = s.planTime(ctx, ref, written)
	return ref, at, err
}

// planTime reads a plan time; without an offset it is in the zone of the job.
func (s *server) planTime(ctx context.Context, ref engine.JobRef, written string) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, written); err == nil {
		if err := recurrence.CheckRange(at, time.UTC); err != nil {
			return at, invalid("query.instance", err.Error())
		}
		return at, nil
	}
	_, version, err := s.definitionOf(ctx, ref, nil)
	if err != nil {
		return time.Time{}, err
	}
	job, err := s.cfg.Decode(version.Definition, version.Folder)
	if err != nil {
		return time.Time{}, err
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if at, err := time.ParseInLocation(layout, written, job.When.Location); err == nil {
			return at, nil
		}
	}
	return time.Time{}, invalid("query.instance", "the plan time is written as 2026-11-21T06:00, or with an offset as 2026-11-21T06:00:00+01:00")
}
