package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

// A queue holds the writer busy with a first call while others are put behind it in a known order, so that they share what follows.
type queue struct {
	t     *testing.T
	db    *DB
	free  chan struct{}
	calls sync.WaitGroup
	errs  []error
	mu    sync.Mutex
}

func newQueue(t *testing.T, db *DB) *queue {
	q := &queue{t: t, db: db, free: make(chan struct{})}
	busy := make(chan struct{})
	var once sync.Once // it shares the transaction of the others, and may run again with them
	q.calls.Go(func() {
		_ = db.Write(context.Background(), func(engine.Tx) error {
			once.Do(func() { close(busy) })
			<-q.free
			return nil
		})
	})
	<-busy
	return q
}

// add puts a call behind those added before; its error is errs[n].
func (q *queue) add(ctx context.Context, fn func(tx engine.Tx) error) {
	q.mu.Lock()
	n := len(q.errs)
	q.errs = append(q.errs, errors.New("not answered"))
	q.mu.Unlock()
	waiting := len(q.db.writer.queue)
	q.calls.Go(func() {
		err := q.db.Write(ctx, fn)
		q.mu.Lock()
		defer q.mu.Unlock()
		q.errs[n] = err
	})
	for len(q.db.writer.queue) == waiting {
		runtime.Gosched()
	}
}

func (q *queue) run() []error {
	close(q.free)
	q.calls.Wait()
	return q.errs
}

func note(text string) func(tx engine.Tx) error {
	return func(tx engine.Tx) error { return tx.Record(engine.EventRow{Kind: text}) }
}

func kinds(t *testing.T, db *DB) (kinds []string) {
	t.Helper()
	events, err := db.Events(context.Background(), 0, 0, 1000)
	require.NoError(t, err)
	for n, e := range events {
		require.Equal(t, int64(n+1), e.ID)
		kinds = append(kinds, e.Kind)
	}
	require.NoError(t, db.VerifyChain(context.Background()))
	return kinds
}

func TestGroupRunsInOrder(t *testing.T) {
	db := openHere(t)
	q := newQueue(t, db)
	var want []string
	for n := range 100 {
		want = append(want, fmt.Sprint(n))
		q.add(context.Background(), note(fmt.Sprint(n)))
	}
	for _, err := range q.run() {
		require.NoError(t, err)
	}
	require.Equal(t, want, kinds(t, db))
}

func TestGroupKeepsTheGoodOnes(t *testing.T) {
	db := openHere(t)
	refused := errors.New("refused")
	ctx := context.Background()
	q := newQueue(t, db)
	q.add(ctx, note("first"))
	q.add(ctx, func(tx engine.Tx) error { return errors.Join(note("bad")(tx), refused) })
	q.add(ctx, note("second"))
	q.add(ctx, func(tx engine.Tx) error {
		// A statement that the database refuses spoils the call even when its error is dropped.
		_ = tx.PutJob(engine.JobRow{ID: 1})
		return nil
	})
	q.add(ctx, func(engine.Tx) error { return refused })
	q.add(ctx, note("third"))
	errs := q.run()
	require.NoError(t, errs[0])
	require.ErrorIs(t, errs[1], refused)
	require.NoError(t, errs[2])
	require.ErrorContains(t, errs[3], "constraint")
	require.ErrorIs(t, errs[4], refused)
	require.NoError(t, errs[5])
	require.Equal(t, []string{"first", "second", "third"}, kinds(t, db))
}

func TestGroupSeesEarlierChangesOfTheGroup(t *testing.T) {
	db := openHere(t)
	ctx := context.Background()
	q := newQueue(t, db)
	put := func(tx engine.Tx) error {
		return tx.PutJob(engine.JobRow{ID: 7, Ref: engine.JobRef{Workflow: "w", Job: "j"}})
	}
	var seen []int
	look := func(tx engine.Tx) error {
		jobs, err := tx.Jobs()
		seen = append(seen, len(jobs))
		return err
	}
	q.add(ctx, look)
	q.add(ctx, put)
	q.add(ctx, look)
	for _, err := range q.run() {
		require.NoError(t, err)
	}
	require.Equal(t, []int{0, 1}, seen)
}

func TestWriteWhoseContextEndsInTheQueueIsNotRun(t *testing.T) {
	db := openHere(t)
	q := newQueue(t, db)
	ctx, cancel := context.WithCancel(context.Background())
	q.add(ctx, note("cancelled"))
	q.add(context.Background(), note("kept"))
	cancel()
	errs := q.run()
	require.ErrorIs(t, errs[0], context.Canceled)
	require.NoError(t, errs[1])
	require.Equal(t, []string{"kept"}, kinds(t, db))
}

func TestPanicOfAWriteComesOutOfItAndSpoilsNothing(t *testing.T) {
	db := openHere(t)
	ctx := context.Background()
	q := newQueue(t, db)
	q.add(ctx, note("before"))
	caught := make(chan any, 1)
	q.calls.Go(func() {
		defer func() { caught <- recover() }()
		_ = db.Write(ctx, func(tx engine.Tx) error {
			_ = note("lost")(tx)
			panic("a bug")
		})
	})
	for len(db.writer.queue) < 2 {
		runtime.Gosched()
	}
	q.add(ctx, note("after"))
	for _, err := range q.run() {
		require.NoError(t, err)
	}
	require.Equal(t, "a bug", <-caught)
	require.Equal(t, []string{"before", "after"}, kinds(t, db))
	require.NoError(t, db.Write(ctx, note("later")))
}

func TestWriteThatEndsItsGoroutineSpoilsNothing(t *testing.T) {
	db := openHere(t)
	ctx := context.Background()
	q := newQueue(t, db)
	q.add(ctx, note("before"))
	ended := make(chan bool, 1)
	q.calls.Go(func() {
		returned := false
		defer func() { ended <- !returned }()
		_ = db.Write(ctx, func(tx engine.Tx) error {
			_ = note("lost")(tx)
			runtime.Goexit()
			return nil
		})
		returned = true
	})
	for len(db.writer.queue) < 2 {
		runtime.Gosched()
	}
	q.add(ctx, note("after"))
	for _, err := range q.run() {
		require.NoError(t, err)
	}
	require.True(t, <-ended, "the goroutine of the caller ends as fn wanted")
	require.Equal(t, []string{"before", "after"}, kinds(t, db))
}

func TestFullDiskIsAnErrorOfTheWriteAndPasses(t *testing.T) {
	db := openHere(t)
	ctx := context.Background()
	w := db.writer.s // the writer's goroutine is idle
	limit := func(pages int) {
		require.NoError(t, w.control(fmt.Sprintf("PRAGMA max_page_count = %d", pages)))
	}
	require.NoError(t, db.Write(ctx, note("before")))
	limit(1) // as many as there are
	fill := func(tx engine.Tx) error {
		for range 10_000 {
			if err := note("filling")(tx); err != nil {
				return err
			}
		}
		return nil
	}
	q := newQueue(t, db)
	q.add(ctx, fill)
	q.add(ctx, fill)
	for _, err := range q.run() {
		require.ErrorContains(t, err, "full")
	}
	require.NoError(t, db.Failed(), "it passes when there is space again")
	limit(1 << 30)
	require.NoError(t, db.Write(ctx, note("after")))
	require.Equal(t, []string{"before", "after"}, kinds(t, db))
}

func TestAfterAnErrorOfTheDiskNothingIsWritten(t *testing.T) {
	db := openHere(t)
	ctx := context.Background()
	g := &group{w: db.writer}
	broken := openHere(t)
	require.NoError(t, broken.writer.s.control("PRAGMA query_only = 1"))
	// The error of a file that cannot be written any more is a real one.
	err := broken.Write(ctx, note("lost"))
	require.Error(t, err)
	require.ErrorIs(t, broken.Write(ctx, note("lost")), broken.Failed())
	require.ErrorContains(t, broken.Failed(), "stopped writing")

	g.fail(errors.New("a mistake of the caller"))
	require.NoError(t, db.Failed())
	require.NoError(t, db.Write(ctx, note("kept")))
}

func TestClosedStore(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, Config{Dir: t.TempDir()})
	require.NoError(t, err)
	q := newQueue(t, db)
	q.add(ctx, note("under way"))
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	require.NoError(t, q.run()[0], "Close waits for what was accepted")
	require.NoError(t, <-closed)
	require.ErrorIs(t, db.Write(ctx, note("late")), ErrClosed)
	require.ErrorIs(t, db.Read(ctx, func(engine.View) error { return nil }), ErrClosed)
	require.NoError(t, db.Close())
}

func TestChangedHistoryIsFound(t *testing.T) {
	ctx := context.Background()
	for what, text := range map[string]string{
		"was changed": `UPDATE event SET actor = 'nobody' WHERE id = 2`,
		"is missing":  `DELETE FROM event WHERE id = 2`,
	} {
		db := openHere(t)
		for _, kind := range []string{"a", "b", "c"} {
			require.NoError(t, db.Write(ctx, note(kind)))
		}
		require.NoError(t, db.VerifyChain(ctx))
		require.NoError(t, db.Write(ctx, func(e engine.Tx) error {
			for _, text := range []string{`DROP TRIGGER event_is_final`, `DROP TRIGGER event_is_kept`, text} {
				if _, err := e.(*tx).s.exec(text); err != nil {
					return err
				}
			}
			return nil
		}))
		var wrong *ChainError
		require.ErrorAs(t, db.VerifyChain(ctx), &wrong)
		require.Equal(t, ChainError{2, what}, *wrong)
	}
}

func TestLogIsCutWhenItHasGrown(t *testing.T) {
	db := openHere(t)
	ctx := context.Background()
	c := db.writer.checkpoints
	big := make([]byte, 1<<20)
	for n := range int64(80) {
		require.NoError(t, db.Write(ctx, func(e engine.Tx) error {
			if err := e.PutJob(engine.JobRow{ID: 1, Ref: engine.JobRef{Workflow: "w", Job: "j"}}); err != nil {
				return err
			}
			return e.PutVersion(engine.VersionRow{ID: n + 1, Job: 1, Definition: big})
		}))
	}
	for fileSize(c.wal) >= walTruncate {
		require.NoError(t, db.Write(ctx, note("tick")))
		runtime.Gosched()
	}
	require.Less(t, fileSize(c.wal), int64(walTruncate))
	require.GreaterOrEqual(t, fileSize(db.dir.file()), int64(10<<20), "it was copied")
}

func TestALargeFileIsCheckedBesideTheWork(t *testing.T) {
	defer func(n int64) { checkAtOnce = n }(checkAtOnce)
	checkAtOnce = 0
	ctx := context.Background()
	filled := func() string {
		dir := t.TempDir()
		db, err := Open(ctx, Config{Dir: dir})
		require.NoError(t, err)
		for range 20 {
			require.NoError(t, db.Write(ctx, func(tx engine.Tx) error {
				for range 1000 {
					if err := note("filling")(tx); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		require.NoError(t, db.Close())
		require.NoError(t, os.WriteFile(filepath.Join(dir, fileName+"-wal"), make([]byte, 32), 0o600))
		return dir
	}
	whole, err := Open(ctx, Config{Dir: filled()})
	require.NoError(t, err)
	whole.checking.Wait()
	require.NoError(t, whole.Failed())
	require.NoError(t, whole.Write(ctx, note("after")))
	require.NoError(t, whole.Close())

	dir := filled()
	path := filepath.Join(dir, fileName)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	copy(content[len(content)/2:], make([]byte, 4096)) // in the history, which nobody reads when a server starts
	require.NoError(t, os.WriteFile(path, content, 0o600))
	damaged, err := Open(ctx, Config{Dir: dir})
	require.NoError(t, err)
	damaged.checking.Wait()
	require.ErrorIs(t, damaged.Failed(), ErrCorrupt)
	require.ErrorIs(t, damaged.Write(ctx, note("lost")), ErrCorrupt)
	require.NoError(t, damaged.Close())
}

func TestAReaderThatStaysHoldsUpNoWrite(t *testing.T) {
	db := openHere(t)
	ctx := context.Background()
	require.NoError(t, db.Write(ctx, func(tx engine.Tx) error {
		return tx.PutJob(engine.JobRow{ID: 1, Ref: engine.JobRef{Workflow: "w", Job: "j"}})
	}))
	begun, free := make(chan struct{}), make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		_ = db.Read(ctx, func(v engine.View) error {
			_, err := v.Jobs()
			close(begun)
			<-free
			return err
		})
	})
	<-begun
	big := make([]byte, 1<<20)
	for n := range int64(200) {
		require.NoError(t, db.Write(ctx, func(tx engine.Tx) error {
			return tx.PutVersion(engine.VersionRow{ID: n + 1, Job: 1, Definition: big})
		}))
	}
	close(free)
	reader.Wait()
}
