package model_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"pgregory.net/rapid"
)

// An operation is one call of a method of engine.Tx with its arguments.
type operation struct {
	name string
	run  func(tx engine.Tx) (any, error)
}

// The small worlds from which arguments are drawn, so that things meet. Of the jobs the last two are not there at the beginning.
var (
	jobIDs     = []int64{1, 2, 3, 4, 5}
	keys       = []string{"", "k", "m"}
	owners     = []string{"one", "two", ""}
	zoneNames  = []string{"Asia/Shanghai", "UTC"}
	leaseNames = []string{"planner", "other"}
	zones      = []*time.Location{time.UTC, time.FixedZone("", 8*3600), time.FixedZone("", -(3*3600 + 1800))}
	texts      = []string{"", "plain", `"quoted" <é>`, "two\nlines", "nul\x00", "日本"}
)

// begin makes three jobs with a version each.
func begin() (x transaction) {
	for _, id := range jobIDs[:3] {
		x.operations = append(x.operations,
			putJob(engine.JobRow{ID: id, Ref: engine.JobRef{Workflow: "w", Job: fmt.Sprint("J", id)}, Version: 10 + id, CreatedAt: noon}),
			putVersion(engine.VersionRow{ID: 10 + id, Job: id, Definition: []byte("{}"), Folder: "/f", CreatedAt: noon}))
	}
	return x
}

func putJob(j engine.JobRow) operation {
	return operation{fmt.Sprintf("PutJob(%+v)", j), func(tx engine.Tx) (any, error) { return nil, tx.PutJob(j) }}
}

func putVersion(v engine.VersionRow) operation {
	return operation{fmt.Sprintf("PutVersion(%+v)", v), func(tx engine.Tx) (any, error) { return nil, tx.PutVersion(v) }}
}

func (g *generator) planned(job int64) engine.Instance {
	i := engine.Instance{
		ID: g.fresh(), Job: job, Version: 10 + job, Kind: engine.Scheduled, PlanTime: g.at("plan time"), Reason: g.reason(),
		NotBefore: g.maybe("not before"), Priority: rapid.IntRange(4, 6).Draw(g.T, "priority"), Pool: pick(g, "pool", "", "p", "q"),
	}
	i.Gate = pick(g, "gate", "", "", "", engine.GateTime, engine.GateDependency, engine.GateSlot, engine.GateConcurrency)
	i.Frozen = g.rarely("frozen", 5)
	if g.rarely("by a key", 4) {
		i.Kind, i.Key = pick(g, "kind", engine.Manual, engine.Backfill), pick(g, "key", keys[1:]...)
		i.Params, i.Confirmed, i.DryRun = g.texts(), pick(g, "confirmed", "", "ann"), g.rarely("dry run", 2)
	}
	if g.rarely("not allowed", 100) {
		switch pick(g, "what is not allowed", "key", "kind", "gate", "fence", "priority") {
		case "key":
			i.Key += "x"
			i.Kind = engine.Scheduled
		case "kind":
			i.Kind = "odd"
		case "gate":
			i.Gate = "odd"
		case "fence":
			i.Fence = -1
		case "priority":
			i.Priority = pick(g, "priority", -1, 10)
		}
	}
	return i
}

// waitFor is what an instance waits for.
func (g *generator) waitFor(instance int64, n int) engine.Wait {
	a, b := g.at("first"), g.at("last")
	if b.Before(a) && !g.rarely("the wrong way round", 80) {
		a, b = b, a
	}
	w := engine.Wait{
		Instance: instance, N: n, Dependency: rapid.IntRange(0, 1).Draw(g.T, "dependency"), Upstream: pick(g, "upstream", jobIDs...), Key: pick(g, "key", "", "", "k"),
		First: a, Last: b, Count: rapid.IntRange(0, 3).Draw(g.T, "count"), Rule: "natural-day",
		Select:     pick(g, "select", "all", "all", "any", "any", "1", "2", "3", "first", "last", "+2", "2x", " 1"),
		WindowFrom: g.maybe("window from"), WindowTo: g.maybe("window to"), Closed: pick(g, "closed", "", "left", "right", "both"),
		OnMissing: pick(g, "onMissing", "", engine.MissingRun, engine.MissingWait, engine.MissingCancel),
		OnFailed:  pick(g, "onFailed", "", engine.FailedRun, engine.FailedWait, engine.FailedCancel, engine.FailedCancel),
		Ended:     g.rarely("ended", 3), Timeout: pick(g, "timeout", 0, time.Minute, time.Millisecond+time.Microsecond, -time.Microsecond),
	}
	if g.rarely("not allowed", 150) {
		switch pick(g, "what is not allowed", "count", "select", "closed", "onMissing", "onFailed", "timeout") {
		case "count":
			w.Count = -1
		case "select":
			w.Select = pick(g, "select", "", "odd", "0", "-1", "x2")
		case "closed":
			w.Closed = "odd"
		case "onMissing":
			w.OnMissing = "odd"
		case "onFailed":
			w.OnFailed = "odd"
		case "timeout":
			w.Timeout = -time.Second
		}
	}
	return w
}

// A planning is an instance with its waits.
type planning struct {
	Instance engine.Instance
	Waits    []engine.Wait
}

func (g *generator) insert() operation {
	var rows []planning
	for range rapid.IntRange(1, 4).Draw(g.T, "instances") {
		r := planning{Instance: g.planned(pick(g, "job", 1, 2, 3, jobIDs[rapid.IntRange(0, 4).Draw(g.T, "job")]))}
		for n := range rapid.IntRange(0, 2).Draw(g.T, "waits") {
			if n > 0 && g.rarely("a number twice", 80) {
				n--
			}
			r.Waits = append(r.Waits, g.waitFor(r.Instance.ID, n))
		}
		rows = append(rows, r)
	}
	return inserting(rows)
}

// insertMany is a plan that fills batches, some of which may be there.
func (g *generator) insertMany() operation {
	var rows []planning
	first, step := g.nextID, rapid.IntRange(1, 3).Draw(g.T, "every so many minutes")
	n := rapid.IntRange(60, 140).Draw(g.T, "instances")
	g.nextID += int64(n)
	wait := g.waitFor(0, 0)
	for k := range n {
		r := planning{Instance: engine.Instance{
			ID: first + int64(k), Job: 1, Version: 11, Kind: engine.Scheduled, PlanTime: noon.Add(time.Duration(k*step-10) * time.Minute), Priority: 5,
		}}
		if k%3 == 0 {
			w := wait
			w.Instance = r.Instance.ID
			r.Waits = append(r.Waits, w)
		}
		rows = append(rows, r)
	}
	return inserting(rows)
}

func inserting(rows []planning) operation {
	return operation{"InsertInstances(" + words(rows) + ")", func(tx engine.Tx) (any, error) {
		return tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
			for n := range rows {
				if !yield(&rows[n].Instance, rows[n].Waits) {
					return
				}
			}
		})
	}}
}

func (g *generator) apply() operation {
	i := g.any()
	c := engine.Transition{
		Instance: i.ID, From: i.State, Fence: g.fence(i.Fence), At: g.at("at"), Reason: g.reason(), Owner: pick(g, "owner", "one", "one", "two", "two", "two", ""),
		Lease: g.maybe("lease"), Version: pick(g, "version", 0, 0, int64(11), 12),
	}
	var allowed []engine.Event
	for _, e := range engine.Events {
		if _, err := i.State.On(e); err == nil {
			allowed = append(allowed, e)
		}
	}
	if len(allowed) == 0 || g.rarely("any event", 10) {
		allowed = engine.Events
	}
	c.Event = pick(g, "event", allowed...)
	if g.rarely("another state", 15) {
		c.From = pick(g, "state", engine.States...)
	}
	return applying(c)
}

func applying(c engine.Transition) operation {
	return operation{"Apply(" + words(c) + ")", func(tx engine.Tx) (any, error) { return tx.Apply(c) }}
}

// life takes a waiting instance from its start to an end, or to somewhere between, with what belongs to it.
func (g *generator) life() operation {
	i, at, owner := g.in(engine.Waiting), g.at("at"), pick(g, "owner", owners[:2]...)
	fence := i.Fence + 1
	s := g.step()
	attempt, added, errand := g.started(), g.started(), g.started()
	attempt.Error, attempt.Instance, attempt.Fence = false, i.ID, fence
	added.Error, added.Instance, added.Fence = false, i.ID, fence
	errand.Error, errand.Instance, errand.Fence = true, i.ID, 1
	first, second := g.result(attempt.ID), g.result(added.ID)
	added.Result = &second
	owed := engine.OutboxRow{ID: g.fresh(), Kind: "errorAction", Instance: i.ID, NotBefore: at, CreatedAt: at, State: engine.OutboxPending}
	if g.rarely("delivered", 2) {
		owed.State = engine.OutboxDelivered
	}
	errand.Outbox = owed.ID
	end := pick(g, "end", engine.Succeed, engine.Succeed, engine.Fail, engine.Lose, engine.Cancel)
	calls := rapid.IntRange(1, 9).Draw(g.T, "calls")
	name := fmt.Sprintf("%d calls of a life of %d at %s, owner %q, end %s: %s", calls, i.ID, at, owner, end, words([]any{s, attempt, added, first, owed, errand}))
	return operation{name, func(tx engine.Tx) (any, error) {
		var results []any
		for n, call := range []func() (any, error){
			func() (any, error) {
				return tx.Apply(engine.Transition{Instance: i.ID, Event: engine.Start, From: engine.Waiting, Fence: i.Fence, At: at, Owner: owner})
			},
			func() (any, error) {
				return tx.PutSteps(i.ID, fence, []engine.StepRow{{Step: "x", State: engine.StepWaiting}, {Step: s.Step, State: engine.StepWaiting}})
			},
			func() (any, error) { return tx.StartAttempt(attempt) },
			func() (any, error) { return tx.AddAttempt(added) },
			func() (any, error) { return tx.SetStep(i.ID, fence, s) },
			func() (any, error) { return tx.EndAttempt(first, fence) },
			func() (any, error) { return nil, tx.PutOutbox(owed) },
			func() (any, error) {
				return tx.Apply(engine.Transition{Instance: i.ID, Event: end, From: engine.Running, Fence: fence, At: at})
			},
			func() (any, error) { return tx.StartAttempt(errand) },
		} {
			if n == calls {
				break
			}
			result, err := call()
			results = append(results, result, kind(err))
			if err != nil {
				return nil, err
			}
		}
		return results, nil
	}}
}

func (g *generator) hold() operation {
	h := engine.Hold{Instance: g.in(engine.Waiting).ID, Gate: pick(g, "gate", engine.Gates...), Reason: g.reason(), Wake: g.maybe("wake"), At: g.at("at")}
	if g.rarely("no such gate", 40) {
		h.Gate = pick(g, "gate", engine.Gate(""), "odd")
	}
	if g.rarely("watches", 2) {
		h.WatchJob, h.WatchKey, h.WatchTime = pick(g, "watched job", jobIDs...), pick(g, "watched key", "", "", "k"), g.at("watched time")
	}
	return holding(h)
}

// wait holds an instance until it is woken, watching another one that is there.
func (g *generator) wait() operation {
	up := g.any()
	h := engine.Hold{
		Instance: g.in(engine.Waiting).ID, Gate: pick(g, "gate", engine.GateDependency, engine.GateConcurrency, engine.GateSlot), Reason: g.reason(), At: g.at("at"),
	}
	if h.Gate == engine.GateDependency {
		h.WatchJob, h.WatchKey, h.WatchTime = up.Job, up.Key, up.PlanTime
	}
	return holding(h)
}

func holding(h engine.Hold) operation {
	return operation{"Hold(" + words(h) + ")", func(tx engine.Tx) (any, error) { return tx.Hold(h) }}
}

func (g *generator) setPlannedTo() operation {
	job := pick(g, "job", jobIDs...)
	from, to := g.maybe("from"), g.maybe("to")
	for _, j := range g.jobs {
		if j.ID == job && !g.rarely("from elsewhere", 5) {
			from = j.PlannedTo
		}
	}
	return movingPlan(job, from, to)
}

func movingPlan(job int64, from, to time.Time) operation {
	return operation{fmt.Sprintf("SetPlannedTo(%d, %s, %s)", job, from, to), func(tx engine.Tx) (any, error) { return tx.SetPlannedTo(job, from, to) }}
}

func (g *generator) deleteUnstarted() operation {
	job, from := pick(g, "job", jobIDs...), g.at("from")
	return operation{fmt.Sprintf("DeleteUnstarted(%d, %s)", job, from), func(tx engine.Tx) (any, error) { return tx.DeleteUnstarted(job, from) }}
}

func (g *generator) wakeDependents() operation {
	job := pick(g, "job", jobIDs...)
	name := fmt.Sprintf("Wake(%d)", job)
	return operation{name, func(tx engine.Tx) (any, error) {
		last, n, err := tx.WakeDependents(job, 0, 2)
		after, more, err2 := tx.WakeWaiting(job, last/2, 2)
		return []int64{last, int64(n), after, int64(more)}, errors.Join(err, err2)
	}}
}

func (g *generator) setConfirmed() operation {
	id, actor, at := g.in(engine.Waiting).ID, pick(g, "actor", texts...), g.at("at")
	reason := engine.Reason{Code: engine.ReasonPerson, Actor: actor, Detail: pick(g, "note", texts...)}
	return operation{fmt.Sprintf("SetConfirmed(%d, %q, %s)", id, actor, at), func(tx engine.Tx) (any, error) { return tx.SetConfirmed(id, reason, at) }}
}

func (g *generator) setCancel() operation {
	id, r, at := g.in(engine.Running).ID, g.reason(), g.at("at")
	return operation{fmt.Sprintf("SetCancel(%d, %s, %s)", id, words(r), at), func(tx engine.Tx) (any, error) { return tx.SetCancel(id, r, at) }}
}

func (g *generator) renew() operation {
	owner, until := pick(g, "owner", owners...), g.maybe("until")
	return operation{fmt.Sprintf("Renew(%q, %s)", owner, until), func(tx engine.Tx) (any, error) { return nil, tx.Renew(owner, until) }}
}

func (g *generator) reserve() operation {
	n := rapid.IntRange(-1, 5).Draw(g.T, "n")
	return operation{fmt.Sprintf("Reserve(%d)", n), func(tx engine.Tx) (any, error) { return tx.Reserve(n) }}
}

func (g *generator) job() operation {
	id := pick(g, "job", jobIDs...)
	j := engine.JobRow{
		ID: id, Ref: engine.JobRef{Workflow: pick(g, "workflow", "w", "w", "v"), Job: fmt.Sprint("J", id)}, Version: 10 + id, CreatedAt: g.maybe("created"),
		Disabled: g.rarely("disabled", 3), Removed: g.rarely("removed", 3), PlannedTo: g.maybe("planned to"),
	}
	if g.rarely("another name", 6) {
		j.Ref.Job = pick(g, "name", "J1", "J2", "")
	}
	if g.rarely("no workflow", 30) {
		j.Ref.Workflow = ""
	}
	return putJob(j)
}

func (g *generator) version() operation {
	return putVersion(engine.VersionRow{
		ID: rapid.Int64Range(11, 60).Draw(g.T, "version"), Job: pick(g, "job", jobIDs...), Definition: pick(g, "definition", nil, []byte{}, []byte("{}\x00")),
		Folder: pick(g, "folder", texts...), CreatedAt: g.maybe("created"),
	})
}

func (g *generator) putZoneRules() operation {
	zone, rules := pick(g, "zone", append([]string{""}, zoneNames...)...), pick(g, "rules", texts...)
	return operation{fmt.Sprintf("PutZoneRules(%q, %q)", zone, rules), func(tx engine.Tx) (any, error) { return nil, tx.PutZoneRules(zone, rules) }}
}

func (g *generator) record() operation {
	e := engine.EventRow{
		At: g.at("at"), Kind: pick(g, "kind", "load", "trigger", "load", "trigger", ""), Instance: pick(g, "instance", 0, 99, g.any().ID), Job: pick(g, "job", 0, int64(1)),
		Reason: g.reason(), Actor: pick(g, "actor", texts...), From: pick(g, "from", "", "", engine.Waiting), To: pick(g, "to", "", "", "", engine.Waiting, "odd"),
	}
	return recording(e)
}

func recording(e engine.EventRow) operation {
	return operation{"Record(" + words(e) + ")", func(tx engine.Tx) (any, error) { return nil, tx.Record(e) }}
}

func (g *generator) acquire() operation {
	name, holder, now, until := pick(g, "lease", "planner", "planner", "planner", "other"), pick(g, "holder", "a", "a", "a", "b", "b", "b", ""), g.at("now"), g.at("until")
	return acquiring(name, holder, now, until)
}

func acquiring(name, holder string, now, until time.Time) operation {
	return operation{fmt.Sprintf("Acquire(%q, %q, %s, %s)", name, holder, now, until), func(tx engine.Tx) (any, error) {
		epoch, ok, err := tx.Acquire(name, holder, now, until)
		return taken{epoch, ok}, err
	}}
}

func (g *generator) prune() operation {
	before, limit := g.at("before"), rapid.IntRange(0, 4).Draw(g.T, "limit")
	if g.rarely("all that has ended", 2) {
		before = before.Add(time.Hour)
	}
	return pruning(before, limit)
}

func pruning(before time.Time, limit int) operation {
	return operation{fmt.Sprintf("Prune(%s, %d)", before, limit), func(tx engine.Tx) (any, error) {
		n, attempts, err := tx.Prune(before, limit)
		return []any{n, attempts}, err
	}}
}

func (g *generator) facts() operation {
	w := g.waitFor(0, 0)
	if g.rarely("times", 3) {
		from, to := g.at("from"), g.at("to")
		return operation{fmt.Sprintf("PlanTimes(%d, %s, %s)", w.Upstream, from, to), func(tx engine.Tx) (any, error) { return tx.PlanTimes(w.Upstream, from, to) }}
	}
	return operation{"Facts(" + words(w) + ")", func(tx engine.Tx) (any, error) { return tx.Facts(&w) }}
}

// lists asks for what a pass asks for.
func (g *generator) lists() operation {
	now, limit, pool := g.at("now"), rapid.IntRange(0, 4).Draw(g.T, "limit"), pick(g, "pool", "", "p", "q", "r")
	i, key := g.any(), pick(g, "key", keys...)
	return operation{fmt.Sprintf("lists at %s, at most %d, of pool %q, after %d, key %q", now, limit, pool, i.ID, key), func(tx engine.Tx) (any, error) {
		due, err := tx.Due(now, limit)
		if err != nil {
			return nil, err
		}
		queued, err := tx.Queued(pool, limit)
		if err != nil {
			return nil, err
		}
		later, err := tx.LaterDue(&i, now)
		if err != nil {
			return nil, err
		}
		owed, err := tx.OutboxDue(now, limit)
		if err != nil {
			return nil, err
		}
		active, err := tx.ActiveCount(i.Job)
		if err != nil {
			return nil, err
		}
		found, err := tx.Find(i.Job, key, now)
		return []any{due, queued, later, owed, active, found, kind(err)}, nil
	}}
}

// look reads rows by ids that may not be there.
func (g *generator) look() operation {
	id := pick(g, "id", 99, g.any().ID, rapid.Int64Range(1, 20).Draw(g.T, "id"))
	return operation{fmt.Sprintf("look for %d", id), func(tx engine.Tx) (any, error) {
		i, err1 := tx.Instance(id)
		v, err2 := tx.Version(id)
		o, err3 := tx.Outbox(id)
		steps, err4 := tx.Steps(id)
		waits, err5 := tx.Waits(id)
		return []any{i, v, o, steps, waits, kind(err1), kind(err2), kind(err3), kind(err4), kind(err5)}, nil
	}}
}
