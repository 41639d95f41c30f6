package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// plan lists what is planned, each with what it waits for.
func (d *desk) plan(e *engine.Engine, selector string) (lines []string) {
	d.Helper()
	list, err := e.Select(d.Context(), selector, d.now)
	require.NoError(d, err)
	require.NoError(d, d.db.Read(d.Context(), func(v engine.View) error {
		for n := range list {
			waits, err := v.Waits(list[n].ID)
			if err != nil {
				return err
			}
			line := list[n].Name()
			for _, w := range waits {
				line += fmt.Sprintf(" %s %s..%s %d", w.Ref, w.First, w.Last, w.Count)
			}
			lines = append(lines, line)
		}
		return nil
	}))
	slices.Sort(lines)
	return lines
}

// edited is the same jobs behind a root that is due half an hour later, and one minute job less often.
func edited(jobs int) string {
	text := strings.Replace(behind(jobs), `"1 2 * * *"`, `"31 2 * * *"`, 1)
	return strings.Replace(text, `j0: {cron: "* * * * *"`, `j0: {cron: "*/2 * * * *"`, 1)
}

// A load that replaces the plan of many jobs takes it back before it and has it planned after it, both
// in short writes: no transaction grows with what is planned, and the plan is the same.
func TestALoadOfManyIsPlannedInShortWrites(t *testing.T) {
	const jobs, day = 6, "date:2026-08-03"
	at := time.Date(2026, 8, 2, 23, 0, 0, 0, time.UTC)
	d, m := metered(t, at)
	e, _ := d.server("a", d.db, false)
	d.load(e, behind(jobs))
	d.step(e)
	w, problems := spec.Decode("w.yaml", []byte(edited(jobs)), spec.Options{})
	require.NoError(t, problems.Err())
	m.on.Store(true)
	r, err := e.Load(t.Context(), []*engine.Workflow{w}, d.now)
	require.NoError(t, err)
	require.Greater(t, r.Later, 6*1440, "all are affected: they wait for j0")
	require.GreaterOrEqual(t, r.Replaced, r.Later)
	d.sound()
	d.step(e)
	d.sound()
	m.on.Store(false)
	require.LessOrEqual(t, m.most.Load(), int64(mostWork))

	other := newDesk(t) // where nothing was planned before
	other.now = at
	e2, _ := other.server("a", other.db, false)
	other.load(e2, edited(jobs))
	other.step(e2)
	require.Equal(t, other.plan(e2, day), d.plan(e, day))
}

// text decodes one workflow.
func (d *desk) workflow(text string) []*engine.Workflow {
	d.Helper()
	w, problems := spec.Decode("w.yaml", []byte(text), spec.Options{})
	require.NoError(d, problems.Err())
	return []*engine.Workflow{w}
}

// chained is so many jobs that are due each day, each waiting for the one before it.
func chained(jobs int, minute int) string {
	var b strings.Builder
	b.WriteString("workflow: w\ndefaults: {startTime: \"2026-05-01T00:00:00Z\", action: {type: none}}\njobs:\n")
	for n := range jobs {
		fmt.Fprintf(&b, "  j%d: {cron: \"%d %d * * *\"", n, (n+minute)%60, n%24)
		if n > 0 {
			fmt.Fprintf(&b, ", dependsOn: [j%d]", n-1)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// No transaction of a load grows with how many jobs are loaded, changed or removed, and one that
// changes one job costs that one.
func TestALoadOfManyJobsIsShortWrites(t *testing.T) {
	const jobs, slice = 300, 2500
	d, m := metered(t, time.Date(2026, 8, 2, 23, 0, 0, 0, time.UTC))
	e, _ := d.server("a", d.db, false)
	m.on.Store(true)
	load := func(text string) engine.LoadReport {
		r, err := e.Load(t.Context(), d.workflow(text), d.now)
		require.NoError(t, err)
		d.step(e)
		d.sound()
		return r
	}
	r := load(chained(jobs, 0))
	require.Len(t, r.Added, jobs)
	r = load(chained(jobs, 7))
	require.Len(t, r.Changed, jobs)
	require.Greater(t, r.Replaced, jobs)
	require.Greater(t, r.Later, jobs-10)
	require.Positive(t, r.Planned)
	require.LessOrEqual(t, m.most.Load(), int64(slice))
	require.Greater(t, m.most.Load(), int64(200), "it was measured")

	m.most.Store(0)
	one := strings.Replace(chained(jobs, 7), "j299: {cron: \"6 ", "j299: {cron: \"8 ", 1)
	require.Equal(t, []engine.JobRef{{Workflow: "w", Job: "j299"}}, load(one).Changed)
	require.LessOrEqual(t, m.most.Load(), int64(200))
	m.most.Store(0)
	require.Empty(t, load(one).Changed)
	require.LessOrEqual(t, m.most.Load(), int64(40), "it changes nothing")

	m.most.Store(0)
	r = load(chained(3, 7))
	require.Len(t, r.Removed, jobs-3)
	require.Zero(t, r.Replaced, "what is withdrawn is not planned anew")
	require.Zero(t, r.Later)
	require.LessOrEqual(t, m.most.Load(), int64(slice))
	m.on.Store(false)
	other := newDesk(t)
	other.now = d.now
	e2, _ := other.server("a", other.db, false)
	other.load(e2, chained(3, 7))
	other.step(e2)
	require.Equal(t, other.plan(e2, "date:2026-08-03"), d.plan(e, "date:2026-08-03 state:waiting"))
}

// underWay reports whether a load was taken down and is not through.
func (d *desk) underWay() bool {
	d.Helper()
	var open []engine.OperationRow
	require.NoError(d, d.db.Read(d.Context(), func(v engine.View) (err error) {
		open, err = v.OpenOperations()
		return err
	}))
	for n := range open {
		if open[n].Stage == engine.OperationChanging {
			return true
		}
	}
	return false
}

const trio = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", concurrency: 9, action: {type: shell, command: "true"}}
jobs:
  gone: {cron: "10 1 * * *"}
  base: {cron: "5 1 * * *"}
  next: {cron: "20 1 * * *", dependsOn: [base]}
`

// trioEdited has another job for next to wait for, which is new, and base due later.
const trioEdited = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", concurrency: 9, action: {type: shell, command: "true"}}
jobs:
  fresh: {cron: "50 1 * * *"}
  base: {cron: "40 1 * * *"}
  next: {cron: "20 1 * * *", dependsOn: [base, fresh]}
`

// A server dies after any of the commits of a load. Before the one that takes the load down nothing has
// changed; after it nothing of its jobs starts, also when it is due, until another server has gone on
// with the load to its end.
func TestALoadThatDiesIsGoneOnWith(t *testing.T) {
	before, after := 0, 0
	for dies := 1; ; dies++ {
		d := newDesk(t)
		d.now = time.Date(2026, 8, 3, 0, 59, 0, 0, time.UTC)
		rows := &nth{Store: bitByBit{d.db}}
		e, err := engine.New(d.config("a", &hand{}, func(c *engine.Config) { c.Store, c.AtOnce = rows, 1 }))
		require.NoError(t, err)
		d.load(e, trio)
		d.step(e)
		old := d.plan(e, "date:2026-08-03")
		rows.fail = dies
		_, err = e.Load(t.Context(), d.workflow(trioEdited), d.now)
		if err == nil {
			break
		}
		require.ErrorIs(t, err, errDied)
		next, h := d.slicer("b")
		if !d.underWay() && len(d.operations(e)) == 0 {
			before++
			d.step(next)
			require.Equal(t, old, d.plan(next, "date:2026-08-03"))
			continue
		}
		after++
		if d.underWay() {
			d.now = d.now.Add(50 * time.Minute) // all of it is due
			d.step(next)
			require.Empty(t, h.started, "death %d: the load is not through", dies)
			d.sound()
		}
		d.bulk(next)
		require.False(t, d.underWay())
		d.step(next)
		d.sound()
		d.now = time.Date(2026, 8, 3, 23, 0, 0, 0, time.UTC)
		d.step(next)
		want := newDesk(t)
		want.now = time.Date(2026, 8, 3, 0, 59, 0, 0, time.UTC)
		e2, _ := want.server("a", want.db, false)
		want.load(e2, trioEdited)
		want.step(e2)
		require.Equal(t, want.plan(e2, "date:2026-08-03 job:next"), d.plan(next, "date:2026-08-03 job:next"))
		require.Equal(t, firsts(want.plan(e2, "date:2026-08-03")), firsts(d.plan(next, "date:2026-08-03")))
	}
	require.Positive(t, before)
	require.Greater(t, after, 3)
}

// firsts are the first words of lines.
func firsts(lines []string) (list []string) {
	for _, line := range lines {
		list = append(list, strings.Fields(line)[0])
	}
	return list
}

func (d *desk) operations(e *engine.Engine) []engine.OperationRow {
	d.Helper()
	var list []engine.OperationRow
	require.NoError(d, d.db.Read(d.Context(), func(v engine.View) (err error) {
		list, err = v.Operations(0, 9)
		return err
	}))
	// the first is that of the folder before
	if len(list) > 0 {
		list = list[:len(list)-1]
	}
	return list
}

// A server that shares the rows plans nothing, and starts nothing of the jobs of a load, that another
// one has left in the middle; a load of its own begins with the end of that one.
func TestALoadOfAnotherServerIsEndedFirst(t *testing.T) {
	d := newDesk(t)
	d.now = time.Date(2026, 8, 3, 0, 59, 0, 0, time.UTC)
	rows := &nth{Store: bitByBit{d.db}}
	a, err := engine.New(d.config("a", &hand{}, func(c *engine.Config) { c.Store, c.AtOnce, c.Shared = rows, 1, true }))
	require.NoError(t, err)
	b, h := d.server("b", d.db, true)
	d.load(a, trio)
	d.step(a)
	d.step(b)
	rows.fail = 4
	_, err = a.Load(t.Context(), d.workflow(trioEdited), d.now)
	require.ErrorIs(t, err, errDied)
	require.True(t, d.underWay())
	d.now = d.now.Add(30 * time.Minute)
	d.step(b)
	require.Empty(t, h.started)
	d.load(b, trio)
	require.False(t, d.underWay())
	d.now = time.Date(2026, 8, 4, 1, 15, 0, 0, time.UTC)
	d.step(b)
	require.Equal(t, []string{"base@08-04T01", "gone@08-04T01"}, d.starts(h))
	d.sound()
}

// A server comes back after many days with other definitions: what was due by those of before is
// written down by them, a day of some jobs at a time.
func TestManyDaysAwayArePlannedInShortWrites(t *testing.T) {
	d, m := metered(t, time.Date(2026, 8, 2, 23, 0, 0, 0, time.UTC))
	e, _ := d.server("a", d.db, false)
	text := `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", action: {type: none}}
jobs: {often: {cron: "*/5 * * * *"}, late: {cron: "7 * * * *", dependsOn: [often]}}
`
	d.load(e, text)
	d.step(e)
	d.now = d.now.AddDate(0, 0, 30)
	next, _ := d.server("b", d.db, false)
	m.on.Store(true)
	_, err := next.Load(t.Context(), d.workflow(strings.Replace(text, "*/5", "*/15", 1)), d.now)
	require.NoError(t, err)
	require.LessOrEqual(t, m.most.Load(), int64(2000))
	m.on.Store(false)
	for _, day := range []string{"2026-08-04", "2026-08-20", "2026-08-31"} {
		list, err := next.Select(t.Context(), "job:often date:"+day, d.now)
		require.NoError(t, err)
		require.Len(t, list, 288, day)
	}
	d.sound()
}

// An edit of a job for which very many wait wakes some of them itself, and the rest in short writes.
func TestAnEditOfWhatManyWaitForIsShortWrites(t *testing.T) {
	d, m := metered(t, time.Date(2026, 8, 2, 23, 0, 0, 0, time.UTC))
	e, h := d.server("a", d.db, false)
	d.load(e, behind(2))
	d.step(e)
	d.now = time.Date(2026, 8, 3, 20, 0, 0, 0, time.UTC)
	for range 12 {
		d.step(e)
	}
	require.Len(t, h.started, 1, "all wait for root")
	m.on.Store(true)
	edit := strings.Replace(behind(2), "command: x", "command: x, args: [y]", 1)
	_, err := e.Load(t.Context(), d.workflow(edit), d.now)
	require.NoError(t, err)
	d.bulk(e)
	require.LessOrEqual(t, m.most.Load(), int64(2500))
	var due []engine.Instance
	require.NoError(t, d.db.Read(t.Context(), func(v engine.View) (err error) {
		due, err = v.Due(d.now, 9999)
		return err
	}))
	require.Greater(t, len(due), 1100, "each is looked at again")
	d.step(e)
	d.sound()
}

var errDied = errors.New("the machine went away")

// nth is a Store of which a later write fails: that many from now on.
type nth struct {
	engine.Store
	fail int
}

func (n *nth) Write(ctx context.Context, fn func(tx engine.Tx) error) error {
	if n.fail > 0 {
		if n.fail--; n.fail == 0 {
			return errDied
		}
	}
	return n.Store.Write(ctx, fn)
}
