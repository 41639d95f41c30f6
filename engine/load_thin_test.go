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

// A server that dies while it takes a plan back leaves a plan that ends earlier, and is written again:
// by the definitions of before, when the load never came.
func TestALoadThatDiesBeforeItsCommitChangesNothing(t *testing.T) {
	d := newDesk(t)
	rows := &nth{Store: d.db}
	e, _ := d.server("a", rows, false)
	d.load(e, behind(3))
	d.step(e)
	before := d.plan(e, "date:2026-08-03 state:waiting")
	w, problems := spec.Decode("w.yaml", []byte(edited(3)), spec.Options{})
	require.NoError(t, problems.Err())
	rows.fail = 3 // two slices are written
	_, err := e.Load(t.Context(), []*engine.Workflow{w}, d.now)
	require.ErrorIs(t, err, errDied)
	short := d.plan(e, "date:2026-08-03 state:waiting")
	require.Less(t, len(short), len(before), "something was taken back")
	d.sound()
	next, _ := d.server("a", d.db, false)
	d.load(next, behind(3))
	d.step(next)
	require.Equal(t, before, d.plan(next, "date:2026-08-03 state:waiting"))
	d.sound()

	rows.fail = 0
	d.step(e) // it did not die after all
	require.Equal(t, before, d.plan(e, "date:2026-08-03 state:waiting"))
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
