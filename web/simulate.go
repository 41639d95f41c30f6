package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// SimulationControl plays days of the loaded definitions before they come. *engine.Engine is one.
type SimulationControl interface {
	// Simulate plays what the request says, at most so many instances. Its errors are of kind engine.ErrInvalid.
	Simulate(ctx context.Context, r engine.SimulationRequest, most int, now time.Time) (*engine.Foresight, error)
}

const (
	mostSimulated   = 200_000
	longestSimulate = 50 * time.Second
	shownSimulated  = 1000
	maxSimulate     = 8 << 20         // bytes of a request: one with as many instances of a backfill as it may have
	simulateTurn    = 5 * time.Second // how long one waits for another's to end
)

// A SimulateRequest says which day to play, and what to change in it.
type SimulateRequest struct {
	Date            string              `json:"date,omitempty" maxLength:"10" doc:"The first natural day, each job's in its own zone, or today, yesterday; the default is tomorrow" example:"2026-11-22"`
	Days            int                 `json:"days,omitempty" minimum:"0" maximum:"31" doc:"How many; the default is 1"`
	Slots           int                 `json:"slots,omitempty" minimum:"0" maximum:"1000000" doc:"Attempts at once; the default is the server's"`
	Pools           map[string]int      `json:"pools,omitempty" maxProperties:"1000" doc:"Sizes of pools in the place of those that jobs state"`
	Durations       map[string]string   `json:"durations,omitempty" maxProperties:"20000" doc:"How long an instance of a job runs: workflow/job, job or pattern to a length of time such as 10m or PT10M"`
	Known           []SimulatedDuration `json:"known,omitempty" maxItems:"200000" doc:"durations of an earlier answer: a day that is held against that one is played with the same, although there are more past instances by now. What durations gives goes before"`
	NoHistory       bool                `json:"noHistory,omitempty" doc:"Do not go by how long past instances took"`
	DefaultDuration string              `json:"defaultDuration,omitempty" maxLength:"40" doc:"For jobs of which nothing is known; the default is PT1M"`
	Fail            []string            `json:"fail,omitempty" maxItems:"1000" doc:"What fails: JOB[@TIME], or JOB[@TIME]=N for the first N attempts"`
	Delay           []string            `json:"delay,omitempty" maxItems:"1000" doc:"What takes longer: JOB[@TIME]=DURATION"`
	Backfill        []SimulatedRef      `json:"withBackfill,omitempty" maxItems:"20000" doc:"A backfill that runs from the beginning on, beside the day"`
	Assert          []string            `json:"assert,omitempty" maxItems:"1000" doc:"What must hold, such as: retail/report done by 08:00"`
	Path            []string            `json:"path,omitempty" maxItems:"100" doc:"Whose critical paths to show: JOB[@TIME]; without, one that says most"`
	Limit           int                 `json:"limit,omitempty" minimum:"0" maximum:"20000" doc:"How many instances to list; the default is 1000"`
	Columns         bool                `json:"columns,omitempty" doc:"All instances, in columns, in the place of a list"`
}

// A SimulatedRef is an instance of a saved backfill plan. Members of such a plan beside these are not looked at.
type SimulatedRef struct {
	_        struct{}  `json:"-" additionalProperties:"true"`
	Job      string    `json:"job" maxLength:"300" doc:"workflow/job"`
	PlanTime time.Time `json:"planTime"`
}

// Engine is the request as the engine takes it.
func (r *SimulateRequest) Engine() engine.SimulationRequest {
	request := engine.SimulationRequest{
		Date: r.Date, Days: r.Days, Slots: r.Slots, Pools: r.Pools, Durations: r.Durations, NoHistory: r.NoHistory, Default: r.DefaultDuration,
		Fail: r.Fail, Delay: r.Delay, Assert: r.Assert, Path: r.Path,
	}
	for _, k := range r.Known {
		request.Known = append(request.Known, engine.KnownDuration{
			Ref:             engine.JobRef{Workflow: k.Workflow, Job: k.Job},
			AssumedDuration: engine.AssumedDuration{Duration: time.Duration(k.DurationMS) * time.Millisecond, Source: k.Source, Of: k.Of},
		})
	}
	for _, b := range r.Backfill {
		request.Backfill = append(request.Backfill, engine.BackfillRef{Job: b.Job, PlanTime: b.PlanTime})
	}
	return request
}

// A Simulation is what a simulated day comes to.
type Simulation struct {
	From       time.Time            `json:"from" doc:"The days, over all jobs: [from, to)"`
	To         time.Time            `json:"to"`
	Last       time.Time            `json:"last" doc:"When the last thing happened"`
	Holds      bool                 `json:"holds" doc:"Every assertion holds; true without any"`
	Counts     SimulationCounts     `json:"counts"`
	Assertions []SimulatedAssertion `json:"assertions"`
	Paths      []SimulatedPath      `json:"paths" doc:"Critical paths"`
	Waiting    []SimulatedWait      `json:"waiting" doc:"Where the time went, most first"`
	Usage      []SimulatedUsage     `json:"usage" doc:"The slots, then each pool"`
	Attention  []SimulatedInstance  `json:"attention" doc:"What did not end well, or ended late; at most limit"`
	Assumed    []SimulatedUpstream  `json:"assumed" doc:"What lies outside of the days and was taken for satisfied"`
	Durations  []SimulatedDuration  `json:"durations" doc:"How long the instances of each job were taken to run"`
	Conditions int                  `json:"conditions,omitempty" doc:"How often a step's when was taken for true, since only a real attempt could tell"`
	Instances  []SimulatedInstance  `json:"instances" doc:"By start; at most limit"`
	More       int                  `json:"more,omitempty" doc:"Instances beyond the limit"`
	Columns    *SimulatedColumns    `json:"columns,omitempty" doc:"All instances, when they were asked for so; instances is empty then"`
}

// SimulationCounts counts instances by how they end.
type SimulationCounts struct {
	Instances  int `json:"instances"`
	Succeeded  int `json:"succeeded"`
	Skipped    int `json:"skipped"`
	Failed     int `json:"failed"`
	Cancelled  int `json:"cancelled"`
	Unfinished int `json:"unfinished"`
	Late       int `json:"late" doc:"Past their deadline, or never ended"`
}

// A SimulatedInstance is one instance as it was played.
type SimulatedInstance struct {
	Name      string          `json:"name"`
	Workflow  string          `json:"workflow"`
	Job       string          `json:"job"`
	Kind      engine.Kind     `json:"kind"`
	PlanTime  time.Time       `json:"planTime"`
	State     engine.State    `json:"state"`
	StartedAt *time.Time      `json:"startedAt,omitempty"`
	EndedAt   *time.Time      `json:"endedAt,omitempty"`
	LateMS    int64           `json:"lateMs" doc:"From its plan time to its start, or to its end when it never started"`
	Held      []SimulatedHeld `json:"held,omitempty" doc:"What held it after its time had come"`
	Longest   engine.Gate     `json:"longest,omitempty" doc:"The gate that held it longest"`
	Deadline  *time.Time      `json:"deadline,omitempty"`
	Late      bool            `json:"late,omitempty" doc:"Past its deadline, or never ended"`
	Why       string          `json:"why" doc:"Why it is in its state"`
	Root      string          `json:"root,omitempty" doc:"Of one that did not start: what it waits for in the end, and how that is"`
}

// A SimulatedHeld is how long a gate held an instance.
type SimulatedHeld struct {
	Gate   engine.Gate `json:"gate"`
	TookMS int64       `json:"tookMs"`
}

// A SimulatedWait is how long a gate held all instances together.
type SimulatedWait struct {
	Gate      engine.Gate `json:"gate"`
	Instances int         `json:"instances"`
	TotalMS   int64       `json:"totalMs"`
	LongestMS int64       `json:"longestMs"`
	Of        string      `json:"of" doc:"The instance that it held longest"`
}

// A SimulatedAssertion is a sentence about the day, and whether it holds.
type SimulatedAssertion struct {
	Text    string   `json:"text"`
	Holds   bool     `json:"holds"`
	Checked int      `json:"checked" doc:"Instances that it was held against"`
	Why     []string `json:"why,omitempty" doc:"Where it does not hold, the first few"`
	More    int      `json:"more,omitempty" doc:"Beyond those"`
}

// A SimulatedPath is a critical path: what had to end before the next could begin.
type SimulatedPath struct {
	Of    string              `json:"of"`
	Steps []SimulatedPathStep `json:"steps"`
}

// A SimulatedPathStep is an instance on a critical path.
type SimulatedPathStep struct {
	Name      string       `json:"name"`
	Via       engine.Gate  `json:"via,omitempty" doc:"What held it until the one before had ended; absent of the first"`
	Ready     time.Time    `json:"ready" doc:"When nothing but a slot was missing"`
	StartedAt time.Time    `json:"startedAt"`
	EndedAt   *time.Time   `json:"endedAt,omitempty"`
	QueuedMS  int64        `json:"queuedMs"`
	State     engine.State `json:"state"`
}

// A SimulatedUsage is how the slots, or the places of a pool, were taken over time.
type SimulatedUsage struct {
	Pool    string            `json:"pool,omitempty" doc:"Absent for the slots"`
	Size    int               `json:"size"`
	Peak    int               `json:"peak" doc:"Attempts at once, at most"`
	FullMS  int64             `json:"fullMs" doc:"How long all were taken"`
	WidthMS int64             `json:"widthMs" doc:"Of a bucket"`
	Buckets []SimulatedBucket `json:"buckets"`
}

// A SimulatedBucket is [from, from + width).
type SimulatedBucket struct {
	From time.Time `json:"from"`
	Busy float64   `json:"busy" doc:"Attempts at once, on average"`
	Peak int       `json:"peak"`
}

// A SimulatedUpstream is what was taken for satisfied of a job.
type SimulatedUpstream struct {
	Workflow  string    `json:"workflow"`
	Job       string    `json:"job"`
	PlanTimes int       `json:"planTimes"`
	First     time.Time `json:"first"`
	Last      time.Time `json:"last"`
	For       int       `json:"for" doc:"Dependencies of instances that would have waited"`
}

// A SimulatedDuration says how long the instances of a job were taken to run, and how that is known.
type SimulatedDuration struct {
	Workflow   string                `json:"workflow"`
	Job        string                `json:"job"`
	DurationMS int64                 `json:"durationMs"`
	Source     engine.DurationSource `json:"source" doc:"given, history or default, which is a guess"`
	Of         int                   `json:"of,omitempty" doc:"Past instances that it is the median of"`
}

// NewSimulation is what the engine foresees as the API shows it, with at most so many instances. The command line uses it to show the same of a folder.
func NewSimulation(f *engine.Foresight, limit int) Simulation {
	s := Simulation{
		From: f.From, To: f.To, Last: in(f.Last, f.From.Location()), Holds: f.Holds(), Counts: SimulationCounts{Instances: len(f.Instances)},
		Assertions: []SimulatedAssertion{}, Paths: []SimulatedPath{}, Waiting: []SimulatedWait{}, Usage: []SimulatedUsage{}, Attention: []SimulatedInstance{},
		Assumed: []SimulatedUpstream{}, Durations: []SimulatedDuration{}, Conditions: f.Blind, Instances: []SimulatedInstance{},
	}
	for i := range f.Instances {
		x := &f.Instances[i]
		s.Counts.count(x)
		if len(s.Instances) < limit {
			s.Instances = append(s.Instances, newSimulated(x))
		}
	}
	s.More = len(f.Instances) - len(s.Instances)
	s.attend(f, limit)
	for _, a := range f.Assertions {
		s.Assertions = append(s.Assertions, SimulatedAssertion{Text: a.Text, Holds: a.Holds, Checked: a.Checked, Why: a.Why, More: a.More})
	}
	for _, path := range f.Paths {
		s.Paths = append(s.Paths, newSimulatedPath(path))
	}
	for _, w := range f.Waiting {
		s.Waiting = append(s.Waiting, SimulatedWait{w.Gate, w.Instances, w.Total.Milliseconds(), w.Longest.Milliseconds(), w.Of})
	}
	for i := range f.Usage {
		u := &f.Usage[i]
		shown := SimulatedUsage{Pool: u.Pool, Size: u.Size, Peak: u.Peak, FullMS: u.Full.Milliseconds(), WidthMS: u.Width.Milliseconds(), Buckets: []SimulatedBucket{}}
		for _, b := range u.Buckets {
			shown.Buckets = append(shown.Buckets, SimulatedBucket(b))
		}
		s.Usage = append(s.Usage, shown)
	}
	for _, a := range f.Assumed {
		s.Assumed = append(s.Assumed, SimulatedUpstream{a.Upstream.Workflow, a.Upstream.Job, a.PlanTimes, a.First, a.Last, a.For})
	}
	for _, d := range f.Durations {
		s.Durations = append(s.Durations, SimulatedDuration{d.Ref.Workflow, d.Ref.Job, d.Duration.Milliseconds(), d.Source, d.Of})
	}
	return s
}

// attend lists what did not end well, or ended late.
func (s *Simulation) attend(f *engine.Foresight, limit int) {
	for i := range f.Instances {
		if x := &f.Instances[i]; (x.Late || !x.Instance.State.Satisfies()) && len(s.Attention) < limit {
			s.Attention = append(s.Attention, newSimulated(x))
		}
	}
}

func (c *SimulationCounts) count(x *engine.Foreseen) {
	switch x.Instance.State {
	case engine.Succeeded, engine.Forced:
		c.Succeeded++
	case engine.Skipped:
		c.Skipped++
	case engine.Failed:
		c.Failed++
	case engine.Cancelled:
		c.Cancelled++
	case engine.Waiting, engine.Running, engine.Lost:
		c.Unfinished++
	}
	if x.Late {
		c.Late++
	}
}

func newSimulated(x *engine.Foreseen) SimulatedInstance {
	i := &x.Instance
	zone := i.PlanTime.Location()
	some := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		t = in(t, zone)
		return &t
	}
	shown := SimulatedInstance{
		Name: i.Name(), Workflow: i.Ref.Workflow, Job: i.Ref.Job, Kind: i.Kind, PlanTime: i.PlanTime, State: i.State,
		StartedAt: some(i.StartedAt), EndedAt: some(i.EndedAt), Longest: x.Longest, Deadline: some(x.Deadline), Late: x.Late, Why: i.Reason.Describe(),
	}
	for _, at := range []time.Time{i.EndedAt, i.StartedAt} {
		if !at.IsZero() {
			shown.LateMS = at.Sub(i.PlanTime).Milliseconds()
		}
	}
	for _, h := range x.Held {
		shown.Held = append(shown.Held, SimulatedHeld{h.Gate, h.Took.Milliseconds()})
	}
	if x.Root != nil && x.Root.Name != i.Name() {
		shown.Root = fmt.Sprintf("%s, which is %s: %s", x.Root.Name, x.Root.State, strings.TrimPrefix(x.Root.Reason.Describe(), string(x.Root.State)+": "))
	}
	return shown
}

func newSimulatedPath(path []engine.PathStep) SimulatedPath {
	shown := SimulatedPath{Steps: []SimulatedPathStep{}}
	for i := range path {
		p := &path[i]
		zone := p.Instance.PlanTime.Location()
		step := SimulatedPathStep{
			Name: p.Instance.Name(), Via: p.Via, Ready: in(p.Ready, zone), StartedAt: in(p.Instance.StartedAt, zone), QueuedMS: p.Queued.Milliseconds(), State: p.Instance.State,
		}
		if end := in(p.Instance.EndedAt, zone); !p.Instance.EndedAt.IsZero() {
			step.EndedAt = &end
		}
		shown.Of = step.Name
		shown.Steps = append(shown.Steps, step)
	}
	return shown
}

type simulateInput struct {
	Body *SimulateRequest
}

type simulateOutput struct {
	Body Simulation
}

// simulate plays one day at a time: who asks meanwhile waits a little, as one who takes a request back for another does.
func (s *server) simulate(ctx context.Context, input *simulateInput) (*simulateOutput, error) {
	body := input.Body
	if body == nil {
		body = &SimulateRequest{}
	}
	ctx, stop := context.WithTimeout(ctx, longestSimulate)
	defer stop()
	turn, give := context.WithTimeout(ctx, simulateTurn)
	defer give()
	select {
	case s.simulating <- struct{}{}:
		defer func() { <-s.simulating }()
	case <-turn.Done():
		return nil, refusal(codeNotReady, "another simulation is being played; one is played at a time")
	}
	f, err := s.cfg.Control.Simulate(ctx, body.Engine(), mostSimulated, s.cfg.Now())
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, invalid("body", fmt.Sprintf("it takes longer than %s: choose fewer days, or play it with `almanac simulate FOLDER`", longestSimulate))
	}
	if err != nil {
		return nil, err
	}
	limit := body.Limit
	if limit == 0 {
		limit = shownSimulated
	}
	if body.Columns {
		answer := NewSimulation(f, 0)
		answer.attend(f, limit)
		answer.More, answer.Columns = 0, newSimulatedColumns(f)
		return &simulateOutput{answer}, nil
	}
	return &simulateOutput{NewSimulation(f, limit)}, nil
}

func simulateRoutes() []route {
	return []route{{
		Method: http.MethodPost, Pattern: prefix + "/simulate", Permission: Operator, ID: "simulate", Tag: "server", Refuses: []int{http.StatusServiceUnavailable},
		BodyLimit: maxSimulate, Summary: "Play a day before it comes",
		Text: "Carries a day of the loaded definitions out without doing anything: the engine's own decisions, with durations of past instances or given ones, " +
			"slots, pools, failures and delays. Nothing is stored. At most 200,000 instances; one simulation at a time, which is why it takes more than a viewer: " +
			"who asks while another is played waits 5 seconds at most. With columns all instances come in columns, a tenth as long as the list.",
		Request: exampleSimulate, Answers: ok(exampleSimulation), register: operation((*server).simulate),
	}}
}

// What a played night of the shop comes to.
var (
	exampleSimulate = SimulateRequest{
		Date: "2026-11-22", Slots: 4, Durations: map[string]string{"retail/stores": "PT40M"}, Fail: []string{"retail/stores@05:00=1"},
		Delay: []string{"retail/stores@05:00=PT20M"}, Assert: []string{"retail/orders done by 08:00"},
	}
	exampleStores    = time.Date(2026, 11, 22, 5, 0, 0, 0, exampleZone)
	exampleStoresEnd = exampleStores.Add(time.Hour)
	exampleOrdersEnd = exampleStoresEnd.Add(12 * time.Minute)
	exampleForeseen  = SimulatedInstance{
		Name: "retail/orders@2026-11-22T06:00:00+01:00", Workflow: "retail", Job: "orders", Kind: engine.Scheduled, PlanTime: exampleStoresEnd, State: engine.Succeeded,
		StartedAt: &exampleStoresEnd, EndedAt: &exampleOrdersEnd, Why: "succeeded",
	}
	exampleSimulation = Simulation{
		From: time.Date(2026, 11, 22, 0, 0, 0, 0, exampleZone), To: time.Date(2026, 11, 23, 0, 0, 0, 0, exampleZone), Last: exampleOrdersEnd, Holds: true,
		Counts: SimulationCounts{Instances: 2, Succeeded: 2}, Assertions: []SimulatedAssertion{{Text: "retail/orders done by 08:00", Holds: true, Checked: 1}},
		Paths: []SimulatedPath{{Of: exampleForeseen.Name, Steps: []SimulatedPathStep{
			{Name: "retail/stores@2026-11-22T05:00:00+01:00", Ready: exampleStores, StartedAt: exampleStores, EndedAt: &exampleStoresEnd, State: engine.Succeeded},
			{Name: exampleForeseen.Name, Via: engine.GateDependency, Ready: exampleStoresEnd, StartedAt: exampleStoresEnd, EndedAt: &exampleOrdersEnd, State: engine.Succeeded},
		}}},
		Waiting: []SimulatedWait{}, Usage: []SimulatedUsage{{Size: 4, Peak: 1, WidthMS: 60_000, Buckets: []SimulatedBucket{{From: exampleStores, Busy: 1, Peak: 1}}}},
		Attention: []SimulatedInstance{}, Assumed: []SimulatedUpstream{},
		Durations: []SimulatedDuration{{Workflow: "retail", Job: "orders", DurationMS: 720_000, Source: engine.DurationHistory, Of: 30}},
		Instances: []SimulatedInstance{exampleForeseen}, More: 1,
	}
)
