package store

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/almanac-sched/almanac/engine"
)

// The write-ahead log is copied back into the file when it has grown past walCopy, beside the writer; past walTruncate, because readers or a
// steady stream of writes kept it from being used from the start again, writes wait while it is cut. A reader that stays holds that up: it is
// given walPatience, and the log grows by walTruncate before the next attempt.
const (
	walCopy     = 8 << 20
	walTruncate = 64 << 20
	walLook     = 32 // small commits between two looks at its size
	walPatience = "PRAGMA busy_timeout = 100"
)

// A checkpointer keeps the write-ahead log small from a goroutine and a connection of its own.
type checkpointer struct {
	wal     string
	w       *writer
	s       *session
	pin     *session // holds a snapshot while the log is copied
	wanted  chan struct{}
	ended   chan error
	commits int // of the writer's goroutine
	busy    atomic.Bool
	cutAt   int64      // size from which the log is cut
	turn    sync.Mutex // held by the writer during a transaction, and while the log is cut: neither waits for the other by polling
}

func startCheckpointer(path string, w *writer) (*checkpointer, error) {
	s, err := openSession(path, false)
	if err != nil {
		return nil, err
	}
	if err := s.control(walPatience); err != nil {
		return nil, errors.Join(err, s.close())
	}
	pin, err := openSession(path, true)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	c := &checkpointer{wal: path + "-wal", w: w, s: s, pin: pin, wanted: make(chan struct{}, 1), ended: make(chan error, 1), cutAt: walTruncate}
	go c.run()
	return c, nil
}

// look is called by the writer after each commit. A large one is copied back at once, and not when the next burst of small ones needs the machine.
func (c *checkpointer) look(large bool) {
	c.commits++
	if large || c.commits%walLook == 0 && !c.busy.Load() && (fileSize(c.wal) >= walCopy || c.w.ballast.missing()) {
		c.want()
	}
}

func (c *checkpointer) want() {
	select {
	case c.wanted <- struct{}{}:
	default:
	}
}

func (c *checkpointer) run() {
	var failed error
	for range c.wanted {
		c.busy.Store(true)
		if fileSize(c.wal) >= walCopy && c.w.failed.Load() == nil {
			failed = c.copy()
		}
		_ = c.w.ballast.tend() // for want of room, mostly: later there may be some
		c.busy.Store(false)
	}
	c.ended <- failed
}

// copy copies the log back into the file. A checkpoint that finds no room or a lock leaves the log as it is: nothing is lost, and the next one tries
// again. After an error of the disk there is no next one: pages that a failed sync did not write count as written from then on, and the log that
// still holds them would be reused.
func (c *checkpointer) copy() error {
	err := c.copyPinned()
	if size := fileSize(c.wal); size >= c.cutAt && !isFatal(err) {
		c.turn.Lock()
		if err = c.w.pages.follow(); err == nil { // nobody writes now
			err = c.s.control("PRAGMA wal_checkpoint(TRUNCATE)")
		}
		c.turn.Unlock()
		c.cutAt = max(walTruncate, fileSize(c.wal)+walTruncate)
	}
	switch {
	case isFatal(err):
		c.w.fail(fmt.Errorf("the store stopped writing after an error of the disk: copy the log back: %w", err))
	case isFull(err):
		c.w.ballast.release()
	}
	return unavailable(err)
}

// copyPinned copies what the log had when it began. The snapshot that it holds meanwhile ends
// there: nothing behind it is copied, and the log is not begun anew, so that the checksums of all
// that is copied are taken first.
func (c *checkpointer) copyPinned() (err error) {
	if err := c.pin.control("BEGIN"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.pin.control("ROLLBACK")) }()
	if err := c.pin.read(`SELECT count(*) FROM sqlite_schema`, func(*columns) error { return nil }, nil); err != nil {
		return err
	}
	if err := c.w.pages.follow(); err != nil {
		return err
	}
	return c.s.control("PRAGMA wal_checkpoint(PASSIVE)")
}

// abandon ends the goroutine and leaves the connection to the end of the process.
func (c *checkpointer) abandon() error {
	close(c.wanted)
	return <-c.ended
}

func (c *checkpointer) stop() error {
	close(c.wanted)
	failed := <-c.ended
	if errors.Is(failed, engine.ErrUnavailable) {
		failed = nil // the log is whole, and the next server copies it
	}
	return errors.Join(failed, c.w.pages.stop(), c.pin.close(), c.s.close())
}
