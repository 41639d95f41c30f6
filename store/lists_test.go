package store_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// all follows the cursors to the end.
func all(t require.TestingT, db *store.DB, f store.InstanceFilter, limit int) (list []engine.Instance) {
	cursor, pages := "", 0
	for {
		page, next, err := db.Instances(context.Background(), f, cursor, limit)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), limit)
		list = append(list, page...)
		if next == "" {
			return list
		}
		require.NotEqual(t, cursor, next)
		cursor = next
		pages++
		require.Less(t, pages, 10_000, "it goes on for ever")
	}
}

// brought carries the instance to a state.
func brought(tx engine.Tx, i *engine.Instance, to engine.State) error {
	ways := map[engine.State][]engine.Event{
		engine.Running: {engine.Start}, engine.Lost: {engine.Start, engine.Lose}, engine.Succeeded: {engine.Start, engine.Succeed},
		engine.Forced: {engine.Force}, engine.Failed: {engine.Start, engine.Fail}, engine.Skipped: {engine.Skip}, engine.Cancelled: {engine.Cancel},
	}
	for _, e := range ways[to] {
		ok, err := tx.Apply(engine.Transition{Instance: i.ID, Event: e, From: i.State, Fence: i.Fence, At: i.PlanTime.Add(time.Hour), Owner: "server"})
		if err != nil || !ok {
			return fmt.Errorf("%s of %d: %v %w", e, i.ID, ok, err)
		}
		if *i, err = tx.Instance(i.ID); err != nil {
			return err
		}
	}
	return nil
}

// Whatever the filter and the size of the pages, the pages together are what the filter says, newest first, each once.
func TestPagesTogetherAreTheList(t *testing.T) {
	db := open(t, t.TempDir())
	const n = 300
	var stored []engine.Instance
	require.NoError(t, db.Write(context.Background(), func(tx engine.Tx) error {
		stored = nil
		for j := range int64(70) { // one workflow is larger than what is read job by job
			workflow := "large"
			if j >= 66 {
				workflow = "small"
			}
			if err := tx.PutJob(engine.JobRow{ID: 1000 + j, Ref: engine.JobRef{Workflow: workflow, Job: fmt.Sprint("j", j)}}); err != nil {
				return err
			}
		}
		for k := range n {
			i := engine.Instance{
				ID: int64(5000 + (k*7919)%n), Job: 1000 + int64(k*k%70), Kind: engine.Scheduled, PlanTime: day.Add(time.Duration(k/3) * time.Hour), State: engine.Waiting,
			}
			if k%4 == 0 {
				i.Kind, i.Key = engine.Manual, fmt.Sprint(k)
			}
			i.NotBefore = i.PlanTime
			inserted, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) { yield(&i, nil) })
			if err != nil {
				return err
			}
			if inserted == 0 {
				continue
			}
			if i, err = tx.Instance(i.ID); err != nil {
				return err
			}
			if err := brought(tx, &i, engine.States[k%len(engine.States)]); err != nil {
				return err
			}
			stored = append(stored, i)
		}
		return nil
	}))
	require.Greater(t, len(stored), 250)
	slices.SortFunc(stored, func(a, b engine.Instance) int {
		if c := b.PlanTime.Compare(a.PlanTime); c != 0 {
			return c
		}
		return int(b.ID - a.ID)
	})
	rapid.Check(t, func(r *rapid.T) {
		f := store.InstanceFilter{
			Workflow: rapid.SampledFrom([]string{"", "large", "small"}).Draw(r, "workflow"),
			States:   rapid.SliceOfNDistinct(rapid.SampledFrom(engine.States), 0, 4, rapid.ID).Draw(r, "states"),
			Kind:     rapid.SampledFrom([]engine.Kind{"", engine.Scheduled, engine.Manual}).Draw(r, "kind"),
		}
		if f.Workflow == "small" && rapid.Bool().Draw(r, "job") {
			f.Job = "j67"
		}
		if rapid.Bool().Draw(r, "bounded") {
			f.From = day.Add(time.Duration(rapid.IntRange(0, 50).Draw(r, "from")) * time.Hour)
			f.To = f.From.Add(time.Duration(rapid.IntRange(0, 60).Draw(r, "hours")) * time.Hour)
		}
		var want, got []int64
		for _, i := range stored {
			if (f.Workflow == "" || i.Ref.Workflow == f.Workflow) && (f.Job == "" || i.Ref.Job == f.Job) && (f.Kind == "" || i.Kind == f.Kind) &&
				(len(f.States) == 0 || slices.Contains(f.States, i.State)) &&
				(f.From.IsZero() || !i.PlanTime.Before(f.From)) && (f.To.IsZero() || i.PlanTime.Before(f.To)) {
				want = append(want, i.ID)
			}
		}
		for _, i := range all(r, db, f, rapid.IntRange(1, 40).Draw(r, "limit")) {
			got = append(got, i.ID)
		}
		require.Equal(r, want, got)
	})

	n1, err := db.Count(context.Background(), day)
	require.NoError(t, err)
	states, gates := map[engine.State]int{}, map[engine.Gate]int{}
	for _, i := range stored {
		states[i.State]++
		if i.State == engine.Waiting {
			gates[i.Gate]++
		}
	}
	require.Equal(t, states, n1.States)
	require.Equal(t, gates, n1.Gates)
	n2, err := db.Count(context.Background(), day.AddDate(1, 0, 0))
	require.NoError(t, err)
	require.Equal(t, map[engine.State]int{
		engine.Waiting: states[engine.Waiting], engine.Running: states[engine.Running], engine.Lost: states[engine.Lost],
	}, n2.States, "nothing ended since next year")
}

// A workflow of very many jobs is read among all others.
func TestAPageThatFindsLittleGoesOn(t *testing.T) {
	db := open(t, t.TempDir())
	ids := jobs(t, db, 65)
	busy := int64(1 << 41)
	manual := engine.Instance{ID: 1 << 40, Job: ids[0], Kind: engine.Manual, Key: "m", PlanTime: day, NotBefore: day,
		State: engine.Waiting}
	require.NoError(t, db.Write(context.Background(), func(tx engine.Tx) error {
		ref := engine.JobRef{Workflow: "busy", Job: "busy"}
		if err := tx.PutJob(engine.JobRow{ID: busy, Ref: ref, Version: busy + 1}); err != nil {
			return err
		}
		if err := tx.PutVersion(engine.VersionRow{ID: busy + 1, Job: busy}); err != nil {
			return err
		}
		_, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) { yield(&manual, nil) })
		return err
	}))
	insertPlan(t, db, []int64{busy}, 20_000)
	page, next, err := db.Instances(context.Background(), store.InstanceFilter{Workflow: "w"}, "", 10)
	require.NoError(t, err)
	require.Empty(t, page)
	require.NotEmpty(t, next, "a page has its price, and no more")
	list := all(t, db, store.InstanceFilter{Workflow: "w"}, 10)
	require.Len(t, list, 1)
	require.Equal(t, manual.ID, list[0].ID)
}

func TestListsRefuseWhatTheyDoNotKnow(t *testing.T) {
	ctx := context.Background()
	db := open(t, t.TempDir())
	jobs(t, db, 1)
	_, _, err := db.Instances(ctx, store.InstanceFilter{}, "no cursor", 10)
	require.ErrorIs(t, err, engine.ErrInvalid)
	for _, f := range []store.InstanceFilter{{}, {Workflow: "w"}, {Workflow: "w", Job: "job-00000"}, {Kind: engine.Manual}} {
		f.States = []engine.State{"ready"}
		_, _, err = db.Instances(ctx, f, "", 10)
		require.ErrorIs(t, err, engine.ErrInvalid, f)
	}
	_, _, err = db.Instances(ctx, store.InstanceFilter{Workflow: "w", Job: "none"}, "", 10)
	require.ErrorIs(t, err, engine.ErrNotFound)
	list, next, err := db.Instances(ctx, store.InstanceFilter{Workflow: "none"}, "", 10)
	require.NoError(t, err)
	require.Empty(t, list)
	require.Empty(t, next)
	_, err = db.InstanceByID(ctx, 77)
	require.ErrorIs(t, err, engine.ErrNotFound)
	_, err = db.AttemptByID(ctx, 77)
	require.ErrorIs(t, err, engine.ErrNotFound)
	_, err = db.JobByRef(ctx, engine.JobRef{Workflow: "w", Job: "none"})
	require.ErrorIs(t, err, engine.ErrNotFound)
	_, err = db.FindByName(ctx, engine.JobRef{Workflow: "w", Job: "job-00000"}, "", day)
	require.ErrorIs(t, err, engine.ErrNotFound)
	_, err = db.VersionByID(ctx, 1<<40)
	require.ErrorIs(t, err, engine.ErrNotFound)
}

func TestAnInstanceAndWhatBelongsToIt(t *testing.T) {
	ctx := context.Background()
	db := open(t, t.TempDir())
	ids := jobs(t, db, 2)
	insertPlan(t, db, ids, 8)
	ref := engine.JobRef{Workflow: "w", Job: "job-00001"}
	job, err := db.JobByRef(ctx, ref)
	require.NoError(t, err)
	require.Equal(t, ids[1], job.ID)
	version, err := db.VersionByID(ctx, job.Version)
	require.NoError(t, err)
	require.Equal(t, job.ID, version.Job)
	i, err := db.FindByName(ctx, ref, "", day.Add(6*time.Hour))
	require.NoError(t, err)
	again, err := db.InstanceByID(ctx, i.ID)
	require.NoError(t, err)
	require.Equal(t, i, again)
	waits, err := db.Waits(ctx, i.ID)
	require.NoError(t, err)
	require.Len(t, waits, 2)

	var attempt int64
	require.NoError(t, db.Write(ctx, func(tx engine.Tx) error {
		i, err := tx.Instance(i.ID)
		if err != nil {
			return err
		}
		if err := brought(tx, &i, engine.Running); err != nil {
			return err
		}
		if attempt, err = tx.Reserve(1); err != nil {
			return err
		}
		_, err = tx.StartAttempt(engine.AttemptRow{ID: attempt, Instance: i.ID, Job: i.Job, Number: 1, Fence: i.Fence, StartedAt: day})
		return err
	}))
	a, err := db.AttemptByID(ctx, attempt)
	require.NoError(t, err)
	require.Nil(t, a.Result)
	list, err := db.Attempts(ctx, i.ID)
	require.NoError(t, err)
	require.Equal(t, []engine.AttemptRow{a}, list)
	n, err := db.Count(ctx, day)
	require.NoError(t, err)
	require.Equal(t, 1, n.Live)
}

func TestHistoryIsListedBothWays(t *testing.T) {
	ctx := context.Background()
	db := open(t, t.TempDir())
	last, err := db.LastEvent(ctx)
	require.NoError(t, err)
	require.Zero(t, last)
	moment := day.Add(90 * time.Minute)
	event := engine.EventRow{
		At: day.UTC(), Kind: "trigger", Instance: 7, Job: 3, From: engine.Waiting, To: engine.Running, Actor: "ann",
		Reason: engine.Reason{Code: engine.ReasonPerson, Upstream: &engine.JobRef{Workflow: "w", Job: "j"}, At: &moment, Detail: "<ü>"},
	}
	for n := range 100 {
		require.NoError(t, db.Write(ctx, func(tx engine.Tx) error {
			e := event
			if n%2 == 0 {
				e.Instance = 0
			}
			return tx.Record(e)
		}))
	}
	numbers := func(list []store.Event, err error) (found []int64) {
		require.NoError(t, err)
		for _, e := range list {
			found = append(found, e.ID)
		}
		return found
	}
	require.Equal(t, []int64{1, 2, 3}, numbers(db.Events(ctx, 0, 0, 3)))
	require.Equal(t, []int64{51, 52, 53}, numbers(db.Events(ctx, 50, 0, 3)))
	require.Equal(t, []int64{52, 54}, numbers(db.Events(ctx, 50, 7, 2)))
	require.Equal(t, []int64{100, 99}, numbers(db.EventsBefore(ctx, 0, 0, 2)))
	require.Equal(t, []int64{48, 46}, numbers(db.EventsBefore(ctx, 50, 7, 2)))
	require.Empty(t, numbers(db.Events(ctx, 100, 0, 3)))
	list, err := db.Events(ctx, 1, 0, 1)
	require.NoError(t, err)
	require.Equal(t, moment.Format(time.RFC3339), list[0].Reason.At.Format(time.RFC3339))
	list[0].Reason.At = &moment
	require.Equal(t, store.Event{ID: 2, EventRow: event}, list[0])
	require.NoError(t, db.VerifyChain(ctx))
}

func TestHistoryIsRetainedFromItsBeginning(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := open(t, dir)
	for n := range 60 {
		require.NoError(t, db.Write(ctx, func(tx engine.Tx) error {
			return tx.Record(engine.EventRow{At: day.Add(time.Duration(n) * time.Minute), Kind: "load"})
		}))
	}
	prune := func(minutes, limit int) (first, last int64) {
		require.NoError(t, db.Write(ctx, func(tx engine.Tx) error {
			n, attempts, err := tx.Prune(day.Add(time.Duration(minutes)*time.Minute), limit)
			require.Zero(t, n)
			require.Empty(t, attempts)
			return err
		}))
		require.NoError(t, db.VerifyChain(ctx))
		list, err := db.Events(ctx, 0, 0, 100)
		require.NoError(t, err)
		if len(list) == 0 {
			return 0, 0
		}
		return list[0].ID, list[len(list)-1].ID
	}
	first, last := prune(30, 2)
	require.Equal(t, []int64{17, 60}, []int64{first, last}, "some at a time")
	first, _ = prune(30, 2)
	require.Equal(t, int64(31), first)
	first, _ = prune(30, 2)
	require.Equal(t, int64(31), first)
	first, _ = prune(100, 100)
	require.Zero(t, first, "all of it")
	require.NoError(t, db.Close())

	// The chain goes on where it was, also after all of it went and the server came back.
	db = open(t, dir)
	require.NoError(t, db.Write(ctx, func(tx engine.Tx) error { return tx.Record(engine.EventRow{At: day, Kind: "load"}) }))
	list, err := db.Events(ctx, 0, 0, 100)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, int64(61), list[0].ID)
	require.NoError(t, db.VerifyChain(ctx))
}

func TestATokenIsFoundByItsHash(t *testing.T) {
	ctx := context.Background()
	db := open(t, t.TempDir())
	count := func() int {
		n, err := db.TokenCount(ctx)
		require.NoError(t, err)
		return n
	}
	require.Zero(t, count())
	hash := sha256.Sum256([]byte("a"))
	token := engine.TokenRow{ID: 7, Name: "ci", Hash: hash[:], Role: "operator", CreatedAt: day.UTC(), ExpiresAt: day.AddDate(0, 1, 0).UTC()}
	require.NoError(t, db.Write(ctx, func(tx engine.Tx) error { return tx.PutToken(token) }))
	require.Equal(t, 1, count())
	got, err := db.TokenByHash(ctx, hash[:])
	require.NoError(t, err)
	require.Equal(t, token, got)
	_, err = db.TokenByHash(ctx, make([]byte, sha256.Size))
	require.ErrorIs(t, err, engine.ErrNotFound)
	require.NoError(t, db.Write(ctx, func(tx engine.Tx) error {
		_, err := tx.RevokeToken(token.ID, day)
		return err
	}))
	_, err = db.TokenByHash(ctx, hash[:])
	require.ErrorIs(t, err, engine.ErrNotFound)
	require.Zero(t, count())
}
