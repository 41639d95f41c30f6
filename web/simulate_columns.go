package web

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// mostSimulatedLooks bounds what the critical paths of all instances may cost.
const mostSimulatedLooks = 20_000_000

// SimulatedColumns are all instances that were played, by start as in the list. Each column has a number for each of them; late and backfill have the
// places of those that are.
type SimulatedColumns struct {
	Base      time.Time      `json:"base" doc:"Times are milliseconds after it"`
	Jobs      []SimulatedJob `json:"jobs" nullable:"false" doc:"By workflow and name"`
	States    []engine.State `json:"states" nullable:"false" doc:"What the numbers of state stand for"`
	Gates     []engine.Gate  `json:"gates" nullable:"false" doc:"What the numbers of gate stand for"`
	Job       []int          `json:"job" nullable:"false"`
	PlanTime  []int64        `json:"planTime" nullable:"false"`
	StartedAt []int64        `json:"startedAt" nullable:"false" doc:"-1 of one that never starts"`
	EndedAt   []int64        `json:"endedAt" nullable:"false" doc:"-1 of one that never ends"`
	State     []int          `json:"state" nullable:"false"`
	HeldMS    []int64        `json:"heldMs" nullable:"false" doc:"How long gates held it after its time had come"`
	Gate      []int          `json:"gate" nullable:"false" doc:"The one that held it longest; -1 when none did"`
	Before    []int          `json:"before" nullable:"false" doc:"The place of the instance before it on its critical path; -1 of one that only waited for its time"`
	Backfill  []int          `json:"backfill" nullable:"false"`
	Late      []int          `json:"late" nullable:"false" doc:"Past their deadline, or never ended"`
	PathsCut  bool           `json:"pathsCut,omitempty" doc:"Some before are -1 because finding them would take too long"`
}

// A SimulatedJob is a job of which instances were played.
type SimulatedJob struct {
	Workflow   string `json:"workflow"`
	Job        string `json:"job"`
	TimeZone   string `json:"timeZone"`
	Pool       string `json:"pool,omitempty"`
	DeadlineMS int64  `json:"deadlineMs,omitempty" doc:"After the plan time; absent without one"`
}

// newSimulatedColumns is what the engine foresees, in columns.
func newSimulatedColumns(f *engine.Foresight) *SimulatedColumns {
	n := len(f.Instances)
	c := &SimulatedColumns{
		Base: f.From, Jobs: []SimulatedJob{}, States: engine.States, Gates: engine.Gates, Job: make([]int, n), PlanTime: make([]int64, n), StartedAt: make([]int64, n),
		EndedAt: make([]int64, n), State: make([]int, n), HeldMS: make([]int64, n), Gate: make([]int, n), Backfill: []int{}, Late: []int{},
	}
	played := map[engine.JobRef]*engine.Job{}
	for i := range f.Instances {
		played[f.Instances[i].Instance.Ref] = f.Instances[i].Job
	}
	places := map[engine.JobRef]int{}
	for _, ref := range slices.SortedFunc(maps.Keys(played), func(a, b engine.JobRef) int {
		return cmp.Or(strings.Compare(a.Workflow, b.Workflow), strings.Compare(a.Job, b.Job))
	}) {
		j := played[ref]
		places[ref] = len(c.Jobs)
		c.Jobs = append(c.Jobs, SimulatedJob{ref.Workflow, ref.Job, j.When.Location.String(), j.Pool, j.Deadline.Milliseconds()})
	}
	for i := range f.Instances {
		x := &f.Instances[i]
		c.Job[i] = places[x.Instance.Ref]
		c.PlanTime[i] = x.Instance.PlanTime.Sub(f.From).Milliseconds()
		c.StartedAt[i], c.EndedAt[i] = sinceOr(x.Instance.StartedAt, f.From), sinceOr(x.Instance.EndedAt, f.From)
		c.State[i] = slices.Index(engine.States, x.Instance.State)
		c.HeldMS[i], c.Gate[i] = x.Waited().Milliseconds(), slices.Index(engine.Gates, x.Longest)
		if x.Instance.Kind == engine.Backfill {
			c.Backfill = append(c.Backfill, i)
		}
		if x.Late {
			c.Late = append(c.Late, i)
		}
	}
	before, whole := f.Before(mostSimulatedLooks)
	c.Before, c.PathsCut = before, !whole
	return c
}

// sinceOr is how many milliseconds after the base a time is; -1 of one that never was.
func sinceOr(t, base time.Time) int64 {
	if t.IsZero() {
		return -1
	}
	return t.Sub(base).Milliseconds()
}
