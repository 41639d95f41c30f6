package web

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"net/http"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// DayControl reads whole days. *engine.Engine is one. The errors are of kind engine.ErrInvalid or ErrNotFound, or else faults of the server.
type DayControl interface {
	Board(ctx context.Context, r engine.BoardRequest, now time.Time) (*engine.Board, error)
	BoardEdges(ctx context.Context, r engine.BoardRequest, now time.Time) (*engine.BoardEdges, error)
	// DayZone is whose day the name of a day means.
	DayZone(ctx context.Context, jobs ...string) (*time.Location, error)
}

// mostOfDay is how many instances a day may have.
const mostOfDay = 250_000

func dayRoutes() []route {
	get, missing, same := http.MethodGet, []int{http.StatusNotFound}, []int{http.StatusNotModified}
	return []route{
		{Method: get, Pattern: prefix + "/days/{date}", Permission: Viewer, ID: "getDay", Tag: "instances", Refuses: missing, Bare: same, Packed: true,
			Summary: "A whole day, of all jobs",
			Text: "The instances with a plan time in the day of one zone, those that are recorded and, behind where the plan of a job ends, those that the loaded " +
				"definitions would plan. It is meant for pictures of 100,000 instances: one list a column, of one length. Its ETag stays while nothing of it changes.",
			Answers: ok(exampleDay), register: operation((*server).day)},
		{Method: get, Pattern: prefix + "/days/{date}/edges", Permission: Viewer, ID: "getDayEdges", Tag: "instances", Refuses: missing, Bare: same, Packed: true,
			Summary: "What the instances of a day wait for",
			Text:    "As getDay, with one edge for each wait, also for one that is for a range. The numbers of instances are those of the day with the same plan.",
			Answers: ok(exampleDayEdges), register: operation((*server).dayEdges)},
	}
}

// A Day is the instances of a day, by columns.
type Day struct {
	Date      string     `json:"date" example:"2026-11-21"`
	Zone      string     `json:"zone" doc:"Whose day it is" example:"Europe/Berlin"`
	From      time.Time  `json:"from" doc:"The day is [from, to)"`
	To        time.Time  `json:"to"`
	Slots     int        `json:"slots" doc:"Attempts at once, of this server"`
	Plan      string     `json:"plan" doc:"Stays while the day has the same instances in the same order"`
	Waits     string     `json:"waits" doc:"Stays while its edges do" example:"5b1e60c2d98f7a34"`
	States    []string   `json:"states" doc:"What the numbers of state say"`
	Gates     []string   `json:"gates" doc:"What the numbers of gate say"`
	Jobs      []DayJob   `json:"jobs" doc:"Those with an instance in the day"`
	Instances DayColumns `json:"instances"`
	Earlier   *DayRuns   `json:"earlier,omitempty" doc:"Runs before the current ones: of instances that were run again"`
}

// A DayJob is a job with an instance in the day.
type DayJob struct {
	Workflow string  `json:"workflow"`
	Job      string  `json:"job"`
	Zone     string  `json:"zone" doc:"Its own: its natural days are of it"`
	Class    string  `json:"class,omitempty" doc:"Of its period" example:"hour"`
	Takes    float64 `json:"takesSeconds,omitempty" doc:"How long past instances took, in the middle"`
	Of       int     `json:"of,omitempty" doc:"Past instances that this is made of"`
	NoSlot   bool    `json:"noSlot,omitempty" doc:"Its instances hold no slot"`
	Gone     bool    `json:"gone,omitempty" doc:"Removed, or disabled"`
}

// DayColumns are the instances of a day: the n-th value of each column is of the n-th instance. Times are seconds after the beginning of the day.
type DayColumns struct {
	ID      []ID       `json:"id" doc:"0: not recorded yet, what the loaded definitions would plan"`
	Job     []int      `json:"job" doc:"Index into jobs"`
	Plan    []float64  `json:"plan" doc:"Plan times, ascending"`
	Started []*float64 `json:"started"`
	Ended   []*float64 `json:"ended"`
	State   []int      `json:"state" doc:"Index into states"`
	Gate    []int      `json:"gate" doc:"Index into gates: what holds one that waits"`
	Flags   []int      `json:"flags" doc:"A sum: 1 late (past its deadline, or waiting although its time has come), 2 frozen, 4 of a day off, 8 manual, 16 of a backfill"`
}

// DayRuns are the runs of a day before the current ones, which started: the n-th value of each column is of the n-th. Times are as those of the instances.
type DayRuns struct {
	Row     []int     `json:"row" doc:"The instance that ran: its number in the columns of the instances"`
	Number  []int     `json:"number" doc:"Of the run, from 1"`
	Started []float64 `json:"started"`
	Ended   []float64 `json:"ended"`
	State   []int     `json:"state" doc:"As the run ended; index into states"`
	Current []int     `json:"current" doc:"The number of the current run of the instance"`
}

// The flags of an instance of a day.
const (
	flagLate = 1 << iota
	flagFrozen
	flagDryRun
	flagManual
	flagBackfill
)

// A DayEdges is what the instances of a day wait for, by columns.
type DayEdges struct {
	Plan  string         `json:"plan" doc:"The day whose instances the numbers are of"`
	Rules []DayRule      `json:"rules"`
	Edges DayEdgeColumns `json:"edges"`
}

// A DayRule is how a dependency of a job binds.
type DayRule struct {
	Job        int    `json:"job" doc:"Index into the jobs of the day"`
	Dependency int    `json:"dependency" doc:"Its place in the job's dependsOn, from 0"`
	Workflow   string `json:"workflow" doc:"Of the upstream job"`
	Upstream   string `json:"upstream"`
	Rule       string `json:"rule" example:"natural-day"`
	Words      string `json:"words,omitempty" doc:"The rule in words, with both classes; absent when the definition is not known any more"`
	Select     string `json:"select" doc:"all, any, or a count"`
	Ended      bool   `json:"ended,omitempty" doc:"Any end satisfies it"`
}

// DayEdgeColumns are the edges of a day. Times are seconds after the beginning of the day, and may be before it.
type DayEdgeColumns struct {
	To       []int      `json:"to" doc:"The instance that waits"`
	From     []int      `json:"from" doc:"The first instance of the range that is in the day; -1: none is"`
	Last     []int      `json:"last" doc:"The last one; -1: none is"`
	Rule     []int      `json:"rule" doc:"Index into rules"`
	Count    []int      `json:"count" doc:"Plan times in the range"`
	On       []int      `json:"on" doc:"How many of them are in the day"`
	First    []float64  `json:"first" doc:"The first plan time of the range"`
	Final    []float64  `json:"final" doc:"Its last"`
	WinFrom  []*float64 `json:"windowFrom" doc:"Where the rule looked"`
	WinUntil []*float64 `json:"windowTo"`
}

type dayInput struct {
	Date     string   `path:"date" maxLength:"10" pattern:"^(yesterday|today|tomorrow|[0-9]{4}-[0-9]{2}-[0-9]{2})$" doc:"A day of the zone, or yesterday, today, tomorrow" example:"2026-11-21"`
	Zone     string   `query:"zone" maxLength:"64" doc:"Whose day; the default is the zone of most jobs" example:"Europe/Berlin"`
	Selector string   `query:"selector" maxLength:"4000" doc:"Only what this selector chooses" example:"workflow:retail state:failed"`
	Unless   []string `header:"If-None-Match" maxItems:"32" doc:"ETags that are known already"`
}

func (s *server) boardRequest(ctx context.Context, in *dayInput) (engine.BoardRequest, error) {
	r := engine.BoardRequest{Date: in.Date, Zone: in.Zone, Selector: in.Selector, Most: mostOfDay}
	if r.Date == "today" {
		r.Date = "" // which the board takes for its own day
		return r, nil
	}
	var err error
	r.Date, err = s.dated(ctx, in.Date, in.Zone)
	return r, err
}

type dayOutput struct {
	Status int
	ETag   string `header:"ETag" doc:"Of what is answered, for If-None-Match"`
	Body   *Day
}

func (s *server) day(ctx context.Context, in *dayInput) (*dayOutput, error) {
	r, err := s.boardRequest(ctx, in)
	if err != nil {
		return nil, err
	}
	b, err := s.cfg.Control.Board(ctx, r, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	day := newDay(b)
	tag, err := day.tag()
	if err != nil {
		return nil, err
	}
	if matches(in.Unless, tag) {
		return &dayOutput{Status: http.StatusNotModified, ETag: tag}, nil
	}
	return &dayOutput{Status: http.StatusOK, ETag: tag, Body: day}, nil
}

type dayEdgesOutput struct {
	Status int
	ETag   string `header:"ETag" doc:"Of what is answered, for If-None-Match"`
	Body   *DayEdges
}

func (s *server) dayEdges(ctx context.Context, in *dayInput) (*dayEdgesOutput, error) {
	r, err := s.boardRequest(ctx, in)
	if err != nil {
		return nil, err
	}
	x, err := s.cfg.Control.BoardEdges(ctx, r, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	edges := newDayEdges(x)
	tag, err := contentTag(edges)
	if err != nil {
		return nil, err
	}
	if matches(in.Unless, tag) {
		return &dayEdgesOutput{Status: http.StatusNotModified, ETag: tag}, nil
	}
	return &dayEdgesOutput{Status: http.StatusOK, ETag: tag, Body: edges}, nil
}

// contentTag is an ETag by what is answered.
func contentTag(body any) (string, error) {
	sum := sha256.New()
	if err := json.NewEncoder(sum).Encode(body); err != nil {
		return "", fmt.Errorf("hash the answer: %w", err)
	}
	return tagOf(sum), nil
}

func tagOf(sum hash.Hash) string { return `"` + hex.EncodeToString(sum.Sum(nil)[:12]) + `"` }

// tag is an ETag by what is answered. The columns, which are nearly all of it, are hashed as they are: to write them as JSON takes longer than to read them.
func (d *Day) tag() (string, error) {
	sum, rest := sha256.New(), *d
	rest.Instances = DayColumns{}
	if err := json.NewEncoder(sum).Encode(&rest); err != nil {
		return "", fmt.Errorf("hash the answer: %w", err)
	}
	c := &d.Instances
	line := make([]byte, 0, 128)
	for n := range c.ID {
		line = line[:0]
		for _, number := range [...]int{c.Job[n], c.State[n], c.Gate[n], c.Flags[n]} {
			line = binary.LittleEndian.AppendUint64(line, uint64(number))
		}
		line = binary.LittleEndian.AppendUint64(line, uint64(c.ID[n]))
		line = binary.LittleEndian.AppendUint64(line, math.Float64bits(c.Plan[n]))
		for _, seconds := range [...]*float64{c.Started[n], c.Ended[n]} {
			if line = append(line, 0); seconds != nil {
				line[len(line)-1] = 1
				line = binary.LittleEndian.AppendUint64(line, math.Float64bits(*seconds))
			}
		}
		_, _ = sum.Write(line) // never fails
	}
	return tagOf(sum), nil
}

func planTag(plan uint64) string { return fmt.Sprintf("%016x", plan) }

func newDay(b *engine.Board) *Day {
	n := len(b.Rows)
	day := &Day{
		Date: b.Date.String(), Zone: b.Zone.String(), From: b.From, To: b.To, Slots: b.Slots, Plan: planTag(b.Plan), Waits: planTag(b.Waits), Jobs: make([]DayJob, len(b.Jobs)),
		Instances: DayColumns{
			ID: make([]ID, n), Job: make([]int, n), Plan: make([]float64, n), Started: make([]*float64, n), Ended: make([]*float64, n), State: make([]int, n),
			Gate: make([]int, n), Flags: make([]int, n),
		},
		Gates: []string{""},
	}
	states, gates := map[engine.State]int{}, map[engine.Gate]int{}
	for n, state := range engine.States {
		states[state], day.States = n, append(day.States, string(state))
	}
	for n, gate := range engine.Gates {
		gates[gate], day.Gates = n+1, append(day.Gates, string(gate))
	}
	for n := range b.Jobs {
		j := &b.Jobs[n]
		day.Jobs[n] = DayJob{
			Workflow: j.Ref.Workflow, Job: j.Ref.Job, Zone: j.Zone.String(), Class: j.Class, Takes: j.Takes.Median.Seconds(), Of: j.Takes.Of, NoSlot: !j.Holds, Gone: j.Gone,
		}
	}
	c := &day.Instances
	for n := range b.Rows {
		row := &b.Rows[n]
		c.ID[n], c.Job[n], c.Plan[n], c.State[n], c.Gate[n] = ID(row.ID), row.JobIndex, after(b.From, row.PlanTime), states[row.State], gates[row.Gate]
		c.Started[n], c.Ended[n] = someAfter(b.From, row.StartedAt), someAfter(b.From, row.EndedAt)
		c.Flags[n] = flagIf(row.Late, flagLate) | flagIf(row.Frozen, flagFrozen) | flagIf(row.DryRun, flagDryRun) |
			flagIf(row.Kind == engine.Manual, flagManual) | flagIf(row.Kind == engine.Backfill, flagBackfill)
	}
	if len(b.Earlier) > 0 {
		day.Earlier = newDayRuns(b, states)
	}
	return day
}

func newDayRuns(b *engine.Board, states map[engine.State]int) *DayRuns {
	n := len(b.Earlier)
	runs := &DayRuns{Row: make([]int, n), Number: make([]int, n), Started: make([]float64, n), Ended: make([]float64, n), State: make([]int, n), Current: make([]int, n)}
	for n := range b.Earlier {
		r := &b.Earlier[n]
		runs.Row[n], runs.Number[n], runs.State[n], runs.Current[n] = r.Row, r.Number, states[r.State], b.Rows[r.Row].Run
		runs.Started[n], runs.Ended[n] = after(b.From, r.StartedAt), after(b.From, r.EndedAt)
	}
	return runs
}

func newDayEdges(x *engine.BoardEdges) *DayEdges {
	n, from := len(x.Edges), x.Board.From
	edges := &DayEdges{Plan: planTag(x.Board.Plan), Rules: make([]DayRule, len(x.Rules)), Edges: DayEdgeColumns{
		To: make([]int, n), From: make([]int, n), Last: make([]int, n), Rule: make([]int, n), Count: make([]int, n), On: make([]int, n), First: make([]float64, n),
		Final: make([]float64, n), WinFrom: make([]*float64, n), WinUntil: make([]*float64, n),
	}}
	for n := range x.Rules {
		r := &x.Rules[n]
		edges.Rules[n] = DayRule{
			Job: r.Job, Dependency: r.Dependency, Workflow: r.Upstream.Workflow, Upstream: r.Upstream.Job, Rule: r.Rule, Words: r.Words, Select: r.Select, Ended: r.Ended,
		}
	}
	c := &edges.Edges
	for n := range x.Edges {
		e := &x.Edges[n]
		c.To[n], c.From[n], c.Last[n], c.Rule[n], c.Count[n], c.On[n] = e.To, e.From, e.Last, e.Rule, e.Wait.Count, e.On
		c.First[n], c.Final[n] = after(from, e.Wait.First), after(from, e.Wait.Last)
		c.WinFrom[n], c.WinUntil[n] = someAfter(from, e.Wait.WindowFrom), someAfter(from, e.Wait.WindowTo)
	}
	return edges
}

func flagIf(holds bool, flag int) int {
	if holds {
		return flag
	}
	return 0
}

// after is how many seconds a time is behind another, in milliseconds.
func after(from, at time.Time) float64 { return float64(at.Sub(from).Milliseconds()) / 1000 }

// someAfter is nil of a zero time.
func someAfter(from, at time.Time) *float64 {
	if at.IsZero() {
		return nil
	}
	seconds := after(from, at)
	return &seconds
}

// What a day of the shop comes to.
var (
	exampleSecond  = 18_000.25
	exampleThird   = 18_062.5
	exampleZero    = 0.0
	exampleDayLong = 86_400.0
	exampleDay     = Day{
		Date: "2026-11-21", Zone: "Europe/Berlin", From: time.Date(2026, 11, 21, 0, 0, 0, 0, exampleZone), To: time.Date(2026, 11, 22, 0, 0, 0, 0, exampleZone), Slots: 4,
		Plan: "9f2b01c47d3e5a68", Waits: "5b1e60c2d98f7a34", States: []string{"waiting", "running", "lost", "succeeded", "forced", "failed", "skipped", "cancelled"}, Gates: []string{"", "time"},
		Jobs: []DayJob{
			{Workflow: "retail", Job: "stores", Zone: "Europe/Berlin", Class: "day", Takes: 61, Of: 30},
			{Workflow: "retail", Job: "orders", Zone: "Europe/Berlin", Class: "day", Takes: 720, Of: 30},
		},
		Instances: DayColumns{
			ID: []ID{4216, 4217}, Job: []int{0, 1}, Plan: []float64{18_000, 21_600}, Started: []*float64{&exampleSecond, nil}, Ended: []*float64{&exampleThird, nil},
			State: []int{3, 0}, Gate: []int{0, 1}, Flags: []int{0, 0},
		},
	}
	exampleDayEdges = DayEdges{
		Plan:  "9f2b01c47d3e5a68",
		Rules: []DayRule{{Job: 1, Workflow: "retail", Upstream: "stores", Rule: "natural-day", Words: "natural-day: day waits for day", Select: "all"}},
		Edges: DayEdgeColumns{
			To: []int{1}, From: []int{0}, Last: []int{0}, Rule: []int{0}, Count: []int{1}, On: []int{1}, First: []float64{18_000}, Final: []float64{18_000},
			WinFrom: []*float64{&exampleZero}, WinUntil: []*float64{&exampleDayLong},
		},
	}
)
