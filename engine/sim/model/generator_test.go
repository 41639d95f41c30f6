package model_test

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
	"pgregory.net/rapid"
)

// A sight is what the rows are when a transaction is drawn.
type sight struct {
	jobs      []engine.JobRow
	instances []engine.Instance
	attempts  []engine.AttemptRow
	outbox    []int64
	watches   []engine.WatchRow
	open      map[int64]bool // incidents
	nextID    int64
}

func (p *pair) look() *sight {
	s := &sight{nextID: 100}
	seen := func(id int64) { s.nextID = max(s.nextID, id+1) }
	for i := range p.model.Instances() {
		s.instances = append(s.instances, i)
		seen(i.ID)
	}
	for o := range p.model.Outbox() {
		s.outbox = append(s.outbox, o.ID)
		seen(o.ID)
	}
	_ = p.model.Read(p.ctx, func(v engine.View) (err error) {
		s.jobs, err = v.Jobs()
		for _, i := range s.instances {
			list, _ := v.Attempts(i.ID)
			s.attempts = append(s.attempts, list...)
		}
		if err != nil {
			return err
		}
		return s.watching(v)
	})
	for _, a := range s.attempts {
		seen(a.ID)
	}
	return s
}

// A generator draws the arguments of operations.
type generator struct {
	*rapid.T
	*sight
}

func drawTransaction(t *rapid.T, s *sight) (x transaction) {
	g := &generator{t, s}
	one := rapid.Custom(func(t *rapid.T) operation {
		return rapid.SampledFrom(menu).Draw(t, "operation")(&generator{t, s})
	})
	x.operations = rapid.SliceOfN(one, 1, 6).Draw(t, "operations")
	x.goOn = pick(g, "go on", goesOn, stops, goesOn, stops, goesOn, stops, goesOnBroken)
	x.end = rapid.SampledFrom([]string{"", "", "", "", "", "", "", "", "refuse", "panic"}).Draw(t, "end")
	return x
}

// menu is every operation, the frequent ones several times.
var menu = weighted(map[int][]func(g *generator) operation{
	8: {(*generator).insert, (*generator).apply},
	4: {(*generator).hold, (*generator).startAttempt, (*generator).wait},
	2: {
		(*generator).life, (*generator).life, (*generator).setPlannedTo, (*generator).setConfirmed, (*generator).setCancel, (*generator).act, (*generator).act, (*generator).keepSteps, (*generator).putSteps, (*generator).setStep,
		(*generator).addAttempt, (*generator).endAttempt, (*generator).takeOver, (*generator).putOutbox, (*generator).facts,
		(*generator).deleteUnstarted, (*generator).wakeDependents, (*generator).prune, (*generator).lists, (*generator).acquire, (*generator).putWatch, (*generator).putWatch, (*generator).putIncident,
		(*generator).putMember, (*generator).putDelivery,
	},
	1: {
		(*generator).reserve, (*generator).job, (*generator).version, (*generator).renew, (*generator).takeErrand, (*generator).record,
		(*generator).look, (*generator).beginOperation, (*generator).setOperation, (*generator).putZoneRules, (*generator).insertMany,
		(*generator).endWatch, (*generator).overWatches, (*generator).putWatches, (*generator).dropWatch, (*generator).resolveMembers, (*generator).pruneAlerts,
	},
})

func weighted(by map[int][]func(g *generator) operation) (menu []func(g *generator) operation) {
	for _, times := range []int{8, 4, 2, 1} {
		for _, draw := range by[times] {
			for range times {
				menu = append(menu, draw)
			}
		}
	}
	return menu
}

func pick[T any](g *generator, what string, from ...T) T {
	return rapid.SampledFrom(from).Draw(g.T, what)
}

// rarely is true once in so many times.
func (g *generator) rarely(what string, in int) bool {
	return rapid.IntRange(1, in).Draw(g.T, what) == in
}

// at is a time within 20 minutes, in one of the zones, now and then finer than what is stored, or the plan time of an instance.
func (g *generator) at(what string) time.Time {
	if len(g.instances) > 0 && g.rarely("a plan time", 5) {
		return pick(g, what, g.instances...).PlanTime
	}
	t := noon.Add(time.Duration(rapid.IntRange(-10, 10).Draw(g.T, what)) * time.Minute)
	if g.rarely("finer", 8) {
		t = t.Add(1234567 * time.Nanosecond)
	}
	return t.In(zones[rapid.IntRange(0, len(zones)-1).Draw(g.T, "zone")])
}

// maybe is such a time, or none.
func (g *generator) maybe(what string) time.Time {
	if g.rarely("no "+what, 4) {
		return time.Time{}
	}
	return g.at(what)
}

func (g *generator) reason() (r engine.Reason) {
	r.Code = pick(g, "reason", engine.ReasonPlanned, engine.ReasonUpstream, engine.ReasonPerson)
	if g.rarely("a full reason", 3) {
		at := g.at("reason's time")
		r.At, r.Upstream = &at, &engine.JobRef{Workflow: "w", Job: pick(g, "text", texts...)}
		r.State, r.Detail, r.Actor = pick(g, "state", engine.States...), pick(g, "text", texts...), pick(g, "text", texts...)
	}
	return r
}

func (g *generator) texts() map[string]string {
	m := map[string]string{}
	for range rapid.IntRange(0, 2).Draw(g.T, "texts") {
		m[pick(g, "name", texts...)] = pick(g, "text", texts...)
	}
	return m
}

// any is one of the instances; rarely one that is not there.
func (g *generator) any() engine.Instance {
	if len(g.instances) == 0 || g.rarely("no such instance", 20) {
		return engine.Instance{ID: 99, Job: 1}
	}
	return pick(g, "instance", g.instances...)
}

// in is one of the instances in that state, if there is one.
func (g *generator) in(state engine.State) engine.Instance {
	var found []engine.Instance
	for _, i := range g.instances {
		if i.State == state {
			found = append(found, i)
		}
	}
	if len(found) == 0 || g.rarely("of another state", 8) {
		return g.any()
	}
	return pick(g, "instance", found...)
}

// fence is the one that is right, or rarely one beside it.
func (g *generator) fence(right int64) int64 {
	if g.rarely("a wrong fence", 8) {
		return right + pick(g, "fence", int64(-1), 1)
	}
	return right
}

// fresh is an id that nothing has, or rarely one that something may have.
func (g *generator) fresh() int64 {
	if g.rarely("a used id", 40) {
		return rapid.Int64Range(99, g.nextID).Draw(g.T, "id")
	}
	g.nextID++
	return g.nextID - 1
}
