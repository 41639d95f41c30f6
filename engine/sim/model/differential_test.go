package model_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/invariant"
	"github.com/almanac-sched/almanac/engine/sim/model"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTheModelAndTheRealStoreAgree runs the same operations, valid and invalid, on both. Every value returned, every kind of error and, now and
// then, all rows are equal. It runs for longer with -rapid.checks.
func TestTheModelAndTheRealStoreAgree(t *testing.T) {
	empty := emptyDatabase(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := newPair(rt, empty)
		defer p.close()
		p.write(begin())
		rt.Repeat(map[string]func(*rapid.T){"": p.sometimes(10, p.compare), "go on": p.next})
		p.compare()
	})
}

// TestTheyAgreeAtTheEdges are sequences for which chance would have to hit the same millisecond several times.
func TestTheyAgreeAtTheEdges(t *testing.T) {
	minute := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
	planned := func(id int64, at time.Time, waits ...engine.Wait) operation {
		return inserting([]planning{{engine.Instance{ID: id, Job: 1, Kind: engine.Scheduled, PlanTime: at, Priority: 5}, waits}})
	}
	ended := func(id int64, at time.Time) operation {
		return applying(engine.Transition{Instance: id, Event: engine.Force, From: engine.Waiting, At: at})
	}
	held := func(id int64, watch time.Time) operation {
		return holding(engine.Hold{Instance: id, Gate: engine.GateDependency, WatchJob: 1, WatchTime: watch})
	}
	acquired := func(holder string, now, until time.Time) operation { return acquiring("planner", holder, now, until) }
	on := func(id int64, from, to time.Time) engine.Wait {
		return engine.Wait{Instance: id, Upstream: 1, First: from, Last: to, Count: 1, Select: "any"}
	}
	planTo := func(from, to time.Time) operation { return movingPlan(1, from, to) }
	event := func(at time.Time) operation { return recording(engine.EventRow{At: at, Kind: "load"}) }
	for name, operations := range map[string][]operation{
		"a lease ends at the time at which another may have it": {
			acquired("a", minute(0), minute(5)), acquired("b", minute(5).Add(-time.Millisecond), minute(9)), acquired("b", minute(5), minute(9)),
		},
		"a lease that ended at the time before which leases are removed": {acquired("a", minute(0), minute(5)), pruning(minute(5), 1), pruning(minute(5).Add(time.Millisecond), 0)},
		"an end at the time before which instances are removed":          {planned(100, minute(0)), ended(100, minute(3)), pruning(minute(3), 9), pruning(minute(3).Add(time.Millisecond), 9)},
		"ends in one millisecond, fewer than asked for":                  {planned(100, minute(0)), planned(101, minute(1)), planned(102, minute(2)), ended(102, minute(3)), ended(100, minute(3)), ended(101, minute(3)), pruning(minute(9), 2)},
		"a plan up to the time that is watched, and beyond it": {
			planned(100, minute(0)), held(100, minute(5)), planTo(time.Time{}, minute(5)), planTo(minute(5), minute(5).Add(time.Millisecond)),
		},
		"the ends of a range": {
			planned(100, minute(0)), planned(101, minute(1)), planned(102, minute(9), on(102, minute(0), minute(1))), held(102, minute(8)), ended(101, minute(2)),
			held(102, minute(8)), ended(100, minute(2)),
		},
		"a rerun keeps its first start": {
			planned(100, minute(0)), applying(engine.Transition{Instance: 100, Event: engine.Start, From: engine.Waiting, At: minute(1), Owner: "a"}),
			applying(engine.Transition{Instance: 100, Event: engine.Fail, From: engine.Running, Fence: 1, At: minute(2)}),
			applying(engine.Transition{Instance: 100, Event: engine.Rerun, From: engine.Failed, Fence: 1, At: minute(3), Version: 12}),
			applying(engine.Transition{Instance: 100, Event: engine.Start, From: engine.Waiting, Fence: 1, At: minute(4), Owner: "b"}),
		},
		"what an instance that is yet to be planned may look back at": {
			planned(100, minute(0)), planned(101, minute(1)), planned(102, minute(6), on(102, minute(1), minute(2))), ended(100, minute(2)), ended(101, minute(2)),
			ended(102, minute(7)), planTo(time.Time{}, minute(6)), pruning(minute(60), 9), planTo(minute(6), minute(6).Add(time.Millisecond)), pruning(minute(60), 9),
		},
		"the last event that retention removes": {event(minute(1)), event(minute(2)), event(minute(1)), pruning(minute(2), 9), pruning(minute(2).Add(time.Millisecond), 9)},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, emptyDatabase(t))
			defer p.close()
			p.write(begin())
			for _, o := range operations {
				p.write(transaction{operations: []operation{o}, goOn: stops})
				p.compare()
			}
		})
	}
}

const databaseFile = "almanac.db"

// emptyDatabase is the file of a store into which nothing was written: copying it is faster than making one.
func emptyDatabase(t *testing.T) []byte {
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Config{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	file, err := os.ReadFile(filepath.Join(dir, databaseFile))
	require.NoError(t, err)
	return file
}

// fastDir is where files need not wait for a disk, if there is such a place: what is compared is rows, not how they last.
func fastDir() string {
	const memory = "/dev/shm"
	if i, err := os.Stat(memory); err == nil && i.IsDir() {
		return memory
	}
	return ""
}

// A test is what a pair needs of one.
type test interface {
	require.TestingT
	Log(args ...any)
}

// A pair is the two stores side by side.
type pair struct {
	t     test
	ctx   context.Context
	dir   string
	real  *store.DB
	model *model.Store

	snapshot *model.Snapshot // the backup of the one
	file     []byte          // and of the other
}

func newPair(t test, empty []byte) *pair {
	p := &pair{t: t, ctx: context.Background(), model: newStore(), file: empty}
	p.snapshot = p.model.Snapshot()
	p.begin()
	return p
}

func (p *pair) open() {
	var err error
	p.real, err = store.Open(p.ctx, store.Config{Dir: p.dir, Readers: 1, Clock: func() time.Time { return noon }})
	require.NoError(p.t, err)
}

// begin opens the real store in another directory, on the file of the last backup.
func (p *pair) begin() {
	var err error
	p.dir, err = os.MkdirTemp(fastDir(), "model")
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(filepath.Join(p.dir, databaseFile), p.file, 0o600))
	p.open()
}

func (p *pair) close() {
	require.NoError(p.t, p.real.Close())
	require.NoError(p.t, os.RemoveAll(p.dir))
}

// next does what comes next: mostly a transaction.
func (p *pair) next(t *rapid.T) {
	switch rapid.IntRange(0, 59).Draw(t, "what") {
	case 57:
		p.reopen()
	case 58:
		p.backUp()
	case 59:
		p.restore()
	default:
		p.write(drawTransaction(t, p.look()))
	}
}

// sometimes does something once in so many times.
func (p *pair) sometimes(in int, do func()) func(t *rapid.T) {
	return func(t *rapid.T) {
		if rapid.IntRange(1, in).Draw(t, "sometimes") == in {
			do()
		}
	}
}

// reopen ends the real store and begins it again; the model has nothing that could be forgotten.
func (p *pair) reopen() {
	p.t.Log("reopen")
	require.NoError(p.t, p.real.Close())
	p.open()
}

func (p *pair) backUp() {
	p.t.Log("back up")
	require.NoError(p.t, p.real.Close())
	var err error
	p.file, err = os.ReadFile(filepath.Join(p.dir, databaseFile))
	require.NoError(p.t, err)
	p.open()
	p.snapshot = p.model.Snapshot()
}

func (p *pair) restore() {
	p.t.Log("restore")
	p.close()
	p.begin()
	p.model.Restore(p.snapshot)
}

// A transaction is operations that are run in one Write.
type transaction struct {
	operations []operation
	goOn       string // after an operation that failed
	end        string
}

const (
	stops        = "stops"
	goesOn       = "goes on"
	goesOnBroken = "goes on when broken" // which no caller should do, and is an error each time
)

func (x transaction) String() string {
	var names []string
	for _, o := range x.operations {
		names = append(names, o.name)
	}
	return strings.TrimSpace(x.end+" "+x.goOn) + ":\n\t" + strings.Join(names, "\n\t")
}

var errRefused = errors.New("refused by the caller")

// write runs a transaction on both and compares what its operations and it returned.
func (p *pair) write(x transaction) {
	real, reals := p.run(p.real, x)
	own, owns := p.run(p.model, x)
	p.t.Log(x)
	for n := range max(len(reals), len(owns)) {
		require.True(p.t, n < len(reals) && n < len(owns), "the real store ran %d operations, the model %d", len(reals), len(owns))
		require.Equal(p.t, reals[n], owns[n], "operation %d (expected is the real store, actual the model)", n)
	}
	require.Equal(p.t, real, own, "the end of the transaction")
}

// run returns the end of a transaction and what each of its operations returned, as text.
func (p *pair) run(s engine.Store, x transaction) (end string, results []string) {
	defer func() {
		if v := recover(); v != nil {
			end = fmt.Sprint("panic: ", v)
		}
	}()
	err := s.Write(p.ctx, func(tx engine.Tx) error {
		results = nil
		broken := false
		for _, o := range x.operations {
			if broken && strings.HasPrefix(o.name, "Facts") {
				continue // of a wait for nothing they are known without a look at the rows
			}
			result, err := o.run(tx)
			text := kind(err)
			if err == nil {
				text = words(result)
			}
			results = append(results, text)
			broken = broken || kind(err) == kindConstraint
			if err != nil && x.goOn == stops || broken && x.goOn != goesOnBroken {
				return err
			}
		}
		switch x.end {
		case "refuse":
			return errRefused
		case "panic":
			panic("the caller's")
		}
		return nil
	})
	return kind(err), results
}

const kindConstraint = "constraint"

// kind is what callers can tell errors by.
func kind(err error) string {
	illegal := &engine.IllegalError{}
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, errRefused), errors.As(err, &illegal):
		return err.Error()
	case errors.Is(err, engine.ErrNotFound):
		return "not found"
	case errors.Is(err, engine.ErrInvalid):
		return "invalid"
	case errors.Is(err, engine.ErrConflict), errors.Is(err, engine.ErrUnavailable):
		return "unexpected: " + err.Error()
	case errors.Is(err, model.ErrConstraint), strings.Contains(err.Error(), "constraint failed"):
		return kindConstraint
	}
	return "unknown: " + err.Error()
}

// compare holds all rows of both against one another.
func (p *pair) compare() {
	real, own := p.dump(p.real), p.dump(p.model)
	for n := range max(len(real), len(own)) {
		if n >= len(real) || n >= len(own) || real[n] != own[n] {
			around := func(lines []string) string {
				return strings.Join(lines[min(n, len(lines)):min(n+3, len(lines))], "\n  ")
			}
			require.FailNow(p.t, "the rows differ", "the real store:\n  %s\nthe model:\n  %s", around(real), around(own))
		}
	}
}

func (p *pair) dump(s engine.Store) (lines []string) {
	require.NoError(p.t, s.Read(p.ctx, func(v engine.View) error {
		lines = dump(v.(invariant.Source), p.look().nextID)
		return nil
	}))
	return lines
}
