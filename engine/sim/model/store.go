package model

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// ErrConstraint says that a row cannot be stored as it is: a value that the schema of the store does not allow, a key that another row has, a
// reference to nothing. The transaction in which it happens is worth nothing any more.
var ErrConstraint = errors.New("refused by a constraint")

// A Store is rows in memory. It implements engine.Store, starts no goroutine and reads no clock but the one it is given.
//
// A state of the rows that somebody looks at is never changed: a Write that begins while a Read goes on, or after a Snapshot, works on a copy. Copies
// cost time in proportion to the rows; a store that is used by one goroutine, without a Read inside of a Write, makes none.
type Store struct {
	clock func() time.Time

	writing sync.Mutex // held by the one Write that runs

	mu      sync.Mutex // guards what follows, and the rows of current while they are being changed
	current *state
	open    bool                // a Write runs, and current holds its changes so far
	undo    []func(past *state) // takes those changes back, last one first
}

var _ engine.Store = (*Store)(nil)

// New returns an empty store with the clock by which leases are judged.
func New(clock func() time.Time) *Store { return &Store{clock: clock, current: newState()} }

// Write runs fn in the caller's goroutine, when no other Write runs. An error, a panic or an early end of the goroutine takes all of fn's changes
// back. fn is run once. It must not call Write; what it reads by Read is what was there before it.
func (s *Store) Write(ctx context.Context, fn func(tx engine.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	t := s.begin()
	kept := false
	defer func() { s.end(kept) }()
	if err := fn(t); err != nil {
		return err
	}
	kept = t.broken == nil
	return t.broken
}

func (s *Store) begin() *tx {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current.pins > 0 {
		s.current = s.current.clone()
	}
	s.open = true
	return &tx{view: view{s: s.current, clock: s.clock}, store: s, recorded: s.current.history.last()}
}

func (s *Store) end(keep bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if keep {
		s.current.history.forget()
	} else {
		s.rewind(s.current)
	}
	clear(s.undo)
	s.undo, s.open = s.undo[:0], false
}

// rewind makes a state what it was when the open Write began.
func (s *Store) rewind(to *state) {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i](to)
	}
}

// Read runs fn in the caller's goroutine, on what is committed when it begins.
func (s *Store) Read(ctx context.Context, fn func(v engine.View) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	rows := s.pin()
	defer s.unpin(rows)
	return fn(&view{s: rows, clock: s.clock})
}

// pin returns the committed rows, which stay as they are until they are unpinned.
func (s *Store) pin() *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := s.current
	if s.open {
		rows = rows.clone()
		s.rewind(rows)
	}
	rows.pins++
	return rows
}

func (s *Store) unpin(rows *state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows.pins--
}

// A Snapshot is the rows of a store at one moment: a backup.
type Snapshot struct{ rows *state }

// Snapshot returns the committed rows. The next Write pays for it.
func (s *Store) Snapshot() *Snapshot { return &Snapshot{s.pin()} }

// Restore makes the rows what they were in the snapshot, of this store or of another; ids are given out again from there. The snapshot can be
// restored again.
func (s *Store) Restore(from *Snapshot) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = from.rows
}

// Clone returns another store with the same rows and the same clock.
func (s *Store) Clone() *Store {
	rows := s.pin()
	defer s.unpin(rows)
	c := New(s.clock)
	c.current = rows.clone()
	return c
}

// A tx reads and writes. It implements engine.Tx.
type tx struct {
	view
	store    *Store
	recorded int64 // the last event before this transaction
	bulk     int   // instances that were written or withdrawn in it
}

var _ engine.Tx = (*tx)(nil)

// set puts a row in and remembers how to take it out again. All changes of rows go through it.
func set[K, V any](t *tx, put func(s *state, key K, row V) (old V), key K, row V) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	old := put(t.s, key, row)
	t.store.undo = append(t.store.undo, func(past *state) { put(past, key, old) })
}

// refuse ends what the transaction is worth: every later operation of it has the same error.
func (t *tx) refuse(err error) error {
	if t.broken == nil {
		t.broken = err
	}
	return err
}
