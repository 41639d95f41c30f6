package web

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A PlanDiff says what becomes of instances when definitions take the place of others. It is what `almanac plan diff -o json` prints and `almanac apply`
// reads: a contract, so that its members only ever grow in number.
type PlanDiff struct {
	At       *time.Time         `json:"at,omitempty" doc:"As of when; absent when nothing that is loaded was compared"`
	From     time.Time          `json:"from" doc:"The plans are compared from here on"`
	To       time.Time          `json:"to" doc:"Up to here, excluded"`
	Before   DiffSide           `json:"before"`
	After    DiffSide           `json:"after"`
	DropDue  bool               `json:"dropDue,omitempty" doc:"Due, unstarted instances of jobs that go are cancelled"`
	Keep     bool               `json:"keep,omitempty" doc:"Workflows that the definitions do not have stay as they are loaded"`
	Summary  DiffSummary        `json:"summary"`
	Jobs     []JobChange        `json:"jobs" doc:"What becomes of definitions"`
	Added    []AddedInstance    `json:"added"`
	Removed  []InstanceName     `json:"removed" doc:"Planned for later, and not any more"`
	Relinked []RelinkedInstance `json:"relinked" doc:"In both plans, and wait for others"`
	Changed  []InstanceName     `json:"changed" doc:"In both plans, wait for the same, and do another thing: the version of their job is another"`
	Due      []DueInstance      `json:"due" doc:"Due and not started when their job goes, or one that they wait for"`
	Bound    []BoundInstance    `json:"bound,omitempty" doc:"Not started, stay where they are, and wait for others from now on"`
	Without  []OrderAhead       `json:"without,omitempty" doc:"Ordered ahead, and without an instance from now on: the due time is gone. The orders are kept"`
}

// A DiffSide is one of two sets of definitions.
type DiffSide struct {
	Name        string `json:"name" example:"loaded"`
	Fingerprint string `json:"fingerprint" doc:"Another for other definitions"`
}

// A DiffSummary counts what the lists hold.
type DiffSummary struct {
	Text     string `json:"text" example:"+24, −3, 48 re-linked, 2 now wait for a later upstream"`
	Added    int    `json:"added"`
	Removed  int    `json:"removed"`
	Kept     int    `json:"kept" doc:"In both plans, whatever else became of them"`
	Relinked int    `json:"relinked"`
	Later    int    `json:"later" doc:"Of the re-linked: they now wait for a later upstream"`
	Moved    int    `json:"moved" doc:"Of the re-linked: their job has another version"`
	Changed  int    `json:"changed" doc:"Only what they do is another thing"`
	Dropped  int    `json:"dropped" doc:"Due, unstarted, and cancelled"`
	Bound    int    `json:"bound" doc:"Not started, and bound again"`
}

// A JobChange is what becomes of a definition.
type JobChange struct {
	Workflow string        `json:"workflow"`
	Job      string        `json:"job"`
	Change   engine.Change `json:"change" enum:"added,removed,changed,disabled,enabled"`
	Members  []string      `json:"members,omitempty" doc:"The members of the definition that differ; folder is where it was loaded from" example:"[\"action\"]"`
	AtOnce   bool          `json:"atOnce,omitempty" doc:"Of an added job: it is due as soon as it is loaded, since it has no startTime"`
}

// An AddedInstance is a new one with what it waits for.
type AddedInstance struct {
	InstanceName
	Waits []Link `json:"waits"`
}

// A RelinkedInstance waits for others than before.
type RelinkedInstance struct {
	InstanceName
	Moved  bool   `json:"moved,omitempty" doc:"Its job has another version; otherwise an upstream job has another schedule"`
	Later  bool   `json:"later,omitempty" doc:"The latest that it waits for has a later plan time than before"`
	Before []Link `json:"before"`
	After  []Link `json:"after"`
}

// A BoundInstance has not started, and waits for others than before.
type BoundInstance struct {
	InstanceName
	ID     ID     `json:"id"`
	Before []Link `json:"before"`
	After  []Link `json:"after"`
}

// A Link is what one dependency of an instance comes to.
type Link struct {
	Workflow  string      `json:"workflow"`
	Job       string      `json:"job"`
	PlanTimes []time.Time `json:"planTimes" doc:"None when its schedule has none in the window"`
	Rule      string      `json:"rule"`
	Select    string      `json:"select" doc:"all, any, or how many must be satisfied"`
	Ended     bool        `json:"ended,omitempty" doc:"Any end satisfies"`
	Missing   string      `json:"missing,omitempty" doc:"Without plan times: whether the instance runs, is cancelled, or waits (run, cancel, wait)"`
}

// A DueInstance is due and has not started.
type DueInstance struct {
	InstanceName
	ID   ID             `json:"id"`
	Fate engine.DueFate `json:"fate" enum:"runs,held,dropped,stranded" doc:"runs: by the version that it was planned with; held: until the job is enabled; dropped: cancelled, as asked; stranded: cancelled, because what it waits for will never come"`
}

// NewPlanDiff is a diff of plans over [from, to) as the API shows it. The command line uses it to show the same without a server.
func NewPlanDiff(d *engine.PlanDiff, from, to time.Time) PlanDiff {
	out := PlanDiff{
		From: from, To: to, Jobs: make([]JobChange, len(d.Jobs)), Added: make([]AddedInstance, len(d.Added)), Removed: diffInstances(d.Removed),
		Relinked: make([]RelinkedInstance, len(d.Relinked)), Changed: diffInstances(d.Changed), Due: []DueInstance{},
	}
	for i, c := range d.Jobs {
		out.Jobs[i] = JobChange{c.Ref.Workflow, c.Ref.Job, c.Change, c.Members, c.AtOnce}
	}
	for i := range d.Added {
		out.Added[i] = AddedInstance{diffInstance(d.Added[i].DiffInstance), newLinks(d.Added[i].Waits)}
	}
	for i := range d.Relinked {
		r := &d.Relinked[i]
		out.Relinked[i] = RelinkedInstance{diffInstance(r.DiffInstance), r.Moved, r.Later, newLinks(r.Before), newLinks(r.After)}
		out.Summary.Moved += btoi(r.Moved)
	}
	s := &out.Summary
	s.Added, s.Removed, s.Kept, s.Relinked, s.Later, s.Changed = len(d.Added), len(d.Removed), d.Kept, len(d.Relinked), d.Later(), len(d.Changed)
	s.Text = d.Summary()
	return out
}

// addDue adds what becomes of due instances.
func (d *PlanDiff) addDue(due []engine.DueInstance) {
	for i := range due {
		x := &due[i].Instance
		d.Due = append(d.Due, DueInstance{InstanceName{x.Ref.Workflow, x.Ref.Job, x.PlanTime, x.Key}, ID(x.ID), due[i].Fate})
		d.Summary.Dropped += btoi(due[i].Fate == engine.DueDropped || due[i].Fate == engine.DueStranded)
	}
}

// addBound adds what the load leaves where it is and binds again.
func (d *PlanDiff) addBound(bound []engine.Rebound) {
	for n := range bound {
		r, x := &bound[n], &bound[n].Instance
		name := InstanceName{x.Ref.Workflow, x.Ref.Job, x.PlanTime, x.Key}
		d.Bound = append(d.Bound, BoundInstance{name, ID(x.ID), newLinks(r.Before), newLinks(r.After)})
	}
	d.Summary.Bound = len(d.Bound)
}

// addWithout adds the orders ahead that lose their instance.
func (d *PlanDiff) addWithout(lost []engine.Ordered) {
	for n := range lost {
		d.Without = append(d.Without, newOrderAhead(lost[n].Ref, &lost[n].Order))
	}
}

func diffInstance(i engine.DiffInstance) InstanceName {
	return InstanceName{Workflow: i.Ref.Workflow, Job: i.Ref.Job, PlanTime: i.PlanTime}
}

func diffInstances(list []engine.DiffInstance) []InstanceName {
	out := make([]InstanceName, len(list))
	for i := range list {
		out[i] = diffInstance(list[i])
	}
	return out
}

func newLinks(links []engine.Link) []Link {
	out := make([]Link, len(links))
	for i := range links {
		l := &links[i]
		out[i] = Link{l.Upstream.Workflow, l.Upstream.Job, append([]time.Time{}, l.Times...), l.Rule, l.Select, l.Ended, string(l.Missing)}
	}
	return out
}
