package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// A Concern is what is wrong now: an open incident with its root as it is, or an instance whose time has come and that waits for a person.
type Concern struct {
	Incident *Incident  // nil: no incident, only a person who is waited for
	Root     Instance   // its State is "" when retention has removed it
	Needs    bool       // it stays as it is until somebody does something
	Help     string     // the command that would help; "" when only time does
	Holds    []Instance // the first of those that cannot start because of it
}

// The bounds of what Concerns looks at, whatever is wrong: the newest open incidents, the oldest instances that wait for a person, and what is named of what each
// holds up.
const (
	concernIncidents = 200
	concernAsking    = 200
	concernHolds     = 5
)

// Concerns lists what is wrong now, what needs somebody first and then what holds up most, at most limit. all says how many there are among the newest 200 open
// incidents and the 200 instances that have waited longest for a person. A backfill is of neither: its own page tells how it is.
func (e *Engine) Concerns(ctx context.Context, limit int) (list []Concern, all int, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		list = nil
		incidents, err := v.Incidents(true, 0, concernIncidents)
		if err != nil {
			return err
		}
		rooted := map[int64]bool{}
		for _, row := range incidents {
			c := Concern{Incident: &Incident{IncidentRow: row}}
			rooted[row.Instance] = true
			if c.Root, err = v.Instance(row.Instance); err != nil && !isNotFound(err) {
				return err
			}
			c.judge()
			list = append(list, c)
		}
		asking, err := v.Asking(concernAsking)
		if err != nil {
			return err
		}
		for _, i := range asking {
			if !rooted[i.ID] {
				c := Concern{Root: i}
				c.judge()
				list = append(list, c)
			}
		}
		slices.SortStableFunc(list, compareConcerns)
		all = len(list)
		list = list[:min(limit, all)]
		for n := range list {
			if err := list[n].detail(v); err != nil {
				return err
			}
		}
		return nil
	})
	return list, all, wrap(err, "list what is wrong")
}

// compareConcerns puts first what needs somebody, then what nobody has said that they know of, then what holds up most, then the oldest.
func compareConcerns(a, b Concern) int {
	return cmp.Or(
		cmp.Compare(rank(!a.Needs), rank(!b.Needs)), cmp.Compare(rank(a.known()), rank(b.known())), cmp.Compare(b.blocked(), a.blocked()),
		a.since().Compare(b.since()), cmp.Compare(a.Root.ID, b.Root.ID),
	)
}

func rank(last bool) int {
	if last {
		return 1
	}
	return 0
}

func (c *Concern) known() bool { return c.Incident != nil && !c.Incident.Acked.IsZero() }

func (c *Concern) blocked() int {
	if c.Incident == nil {
		return 0
	}
	return c.Incident.Blocked
}

func (c *Concern) since() time.Time {
	if c.Incident == nil {
		return c.Root.PlanTime
	}
	return c.Incident.Opened
}

// judge says by the row of the root whether somebody is needed, and what would help.
func (c *Concern) judge() {
	i := &c.Root
	name := i.Name()
	if i.Key != "" {
		name = fmt.Sprint(i.ID)
	}
	switch {
	case i.State == "": // the trouble outlived its row: a later success, or a person who closes it, ends it
		c.Needs = true
	case i.State.CountsAsFailed(), i.State == Lost:
		c.Needs, c.Help = true, "almanac rerun "+name
	case i.State != Waiting:
	case i.Frozen:
		c.Needs, c.Help = true, "almanac unfreeze "+name
	case i.Gate == GateConfirm:
		c.Needs, c.Help = true, "almanac confirm "+name
	case i.Gate == GateDependency && (i.Reason.Code == ReasonNoUpstream || i.Reason.Code == ReasonCycle):
		c.Needs, c.Help = true, "almanac run-now "+name
	case i.Gate == GateDependency, i.Gate == GateDisk:
		c.Needs = true
	}
}

// detail reads what is told of a concern that is shown.
func (c *Concern) detail(v View) error {
	if c.Incident == nil {
		held, err := v.HeldBy(c.Root.Job, c.Root.Key, c.Root.PlanTime, concernHolds)
		c.Holds = held
		return wrap(err, "list what waits for %s", c.Root.Name())
	}
	full, err := readIncident(v, c.Incident.IncidentRow)
	if err != nil {
		return err
	}
	members, err := v.Members(full.ID, MembersNamed)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Kind == AlertBlocked && m.Resolved.IsZero() && len(c.Holds) < concernHolds {
			c.Holds = append(c.Holds, Instance{ID: m.Instance, Job: m.Job, Ref: m.Ref, PlanTime: m.PlanTime})
		}
	}
	c.Incident = &full
	return nil
}
