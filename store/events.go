package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// An Event is a line of the history as stored. IDs grow by one.
type Event struct {
	ID int64
	engine.EventRow
}

// A chain is where the history ends: the next event's hash covers this one.
type chain struct {
	id   int64
	hash [sha256.Size]byte
}

// eventRow is an event in the form that is stored and hashed.
type eventRow struct {
	id            int64
	at            int64
	kind          string
	instance, job int64
	from, to      string
	reason, actor string
	hash          [sha256.Size]byte
}

// seal computes the hash over the one before and every column, each text with its length before it.
func (e *eventRow) seal(before *[sha256.Size]byte) {
	b := make([]byte, 0, 256)
	b = append(b, before[:]...)
	for _, n := range [...]int64{e.id, e.at, e.instance, e.job} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	for _, s := range [...]string{e.kind, e.from, e.to, e.reason, e.actor} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	e.hash = sha256.Sum256(b)
}

const chainSQL = `SELECT id, hash FROM event ORDER BY id DESC LIMIT 1`

const anchorSQL = `SELECT id, hash FROM event_anchor WHERE one = 1`

func readChain(s *session) (chain, error) {
	var c chain
	for _, text := range [...]string{chainSQL, anchorSQL} {
		found, err := s.one(text, func(row *columns) error {
			c.id = row.int()
			if n := copy(c.hash[:], row.blob()); n != len(c.hash) {
				return fmt.Errorf("event %d has a hash of %d bytes", c.id, n)
			}
			return nil
		})
		if err != nil {
			return c, fmt.Errorf("read the end of the history: %w", err)
		}
		if found {
			return c, nil
		}
	}
	return c, errors.New("the history has no beginning: event_anchor is empty")
}

// Record appends an event that is no transition to the history.
func (t *tx) Record(e engine.EventRow) error {
	if e.Kind == "" {
		return fmt.Errorf("%w: an event without a kind", engine.ErrInvalid)
	}
	for _, s := range [...]engine.State{e.From, e.To} {
		if s != "" && !slices.Contains(engine.States, s) {
			return fmt.Errorf("%w: an event of the unknown state %q", engine.ErrInvalid, s)
		}
	}
	t.record(eventRow{
		at: e.At.UnixMilli(), kind: e.Kind, instance: e.Instance, job: e.Job, from: string(e.From), to: string(e.To),
		reason: encodeReason(e.Reason), actor: e.Actor,
	})
	return nil
}

// record adds an event to the chain. The rows are written together before the commit.
func (t *tx) record(e eventRow) {
	e.id = t.chain.id + 1
	e.seal(&t.chain.hash)
	t.chain = chain{e.id, e.hash}
	t.events = append(t.events, e)
	t.s.work++
}

const eventColumns = 10

// insertEventsSQL inserts so many events at once.
var insertEventsSQL = map[int]string{}

func init() {
	for _, n := range eventBatches {
		insertEventsSQL[n] = `INSERT INTO event (id, at, kind, instance, job, from_state, to_state, reason, actor, hash) VALUES ` + tuples(n, eventColumns)
	}
}

var eventBatches = [...]int{32, 8, 1}

// tuples is n times "(?, ?, ...)" of so many columns.
func tuples(n, columns int) string {
	one := "(" + strings.TrimSuffix(strings.Repeat("?, ", columns), ", ") + ")"
	return strings.TrimSuffix(strings.Repeat(one+", ", n), ", ")
}

// flush writes the events of the transaction.
func (t *tx) flush() error {
	rows := t.events
	args := make([]any, 0, eventBatches[0]*eventColumns)
	for _, n := range eventBatches {
		for ; len(rows) >= n; rows = rows[n:] {
			args = args[:0]
			for i := range rows[:n] {
				e := &rows[i]
				args = append(args, e.id, e.at, e.kind, id(e.instance), id(e.job), e.from, e.to, e.reason, e.actor, e.hash[:])
			}
			if _, err := t.s.exec(insertEventsSQL[n], args...); err != nil {
				return fmt.Errorf("write the history: %w", err)
			}
		}
	}
	t.events = t.events[:0]
	return nil
}

const (
	eventList          = `SELECT id, at, kind, coalesce(instance, 0), coalesce(job, 0), from_state, to_state, reason, actor, hash FROM event `
	eventsSQL          = eventList + `WHERE id > ? ORDER BY id LIMIT CAST(? AS INTEGER)`
	eventsLatestSQL    = eventList + `WHERE id < ? ORDER BY id DESC LIMIT CAST(? AS INTEGER)`
	eventsOfSQL        = eventList + `WHERE instance = ? AND id > ? ORDER BY id LIMIT CAST(? AS INTEGER)`
	eventsOfLatestSQL  = eventList + `WHERE instance = ? AND id < ? ORDER BY id DESC LIMIT CAST(? AS INTEGER)`
	verifyBatch        = 1000
	definedAfterSQL    = eventList + `WHERE kind = 'define' AND job = ? AND id > ? ORDER BY id`
	lastEventNumberSQL = `SELECT coalesce(max(id), 0) FROM event`
)

func scanEvent(c *columns) eventRow {
	e := eventRow{
		id: c.int(), at: c.int(), kind: c.text(), instance: c.int(), job: c.int(), from: c.text(), to: c.text(), reason: c.text(), actor: c.text(),
	}
	copy(e.hash[:], c.blob())
	return e
}

func (e *eventRow) event() (Event, error) {
	reason, err := decodeReason(e.reason)
	return Event{ID: e.id, EventRow: engine.EventRow{
		At: fromMS(e.at), Kind: e.kind, Instance: e.instance, Job: e.job,
		From: engine.State(e.from), To: engine.State(e.to), Reason: reason, Actor: e.actor,
	}}, err
}

// Events lists the history after the event of that id, oldest first, at most limit; of one instance only when instance is not 0.
func (db *DB) Events(ctx context.Context, after, instance int64, limit int) ([]Event, error) {
	if instance == 0 {
		return db.events(ctx, eventsSQL, after, limit)
	}
	return db.events(ctx, eventsOfSQL, instance, after, limit)
}

// EventsBefore lists the history before the event of that id, newest first, at most limit; of one instance only when instance is not 0. before 0 begins with the
// newest.
func (db *DB) EventsBefore(ctx context.Context, before, instance int64, limit int) ([]Event, error) {
	if before == 0 {
		before = 1<<63 - 1
	}
	if instance == 0 {
		return db.events(ctx, eventsLatestSQL, before, limit)
	}
	return db.events(ctx, eventsOfLatestSQL, instance, before, limit)
}

func (db *DB) events(ctx context.Context, text string, args ...any) ([]Event, error) {
	var events []Event
	err := db.read(ctx, func(v *view) error {
		return v.s.query(text, func(c *columns) error {
			row := scanEvent(c)
			e, err := row.event()
			events = append(events, e)
			return err
		}, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("list the history: %w", err)
	}
	return events, nil
}

// LastEvent returns the id of the newest event, 0 when there is none.
func (db *DB) LastEvent(ctx context.Context) (last int64, err error) {
	err = db.read(ctx, func(v *view) error {
		_, err := v.s.one(lastEventNumberSQL, func(c *columns) error {
			last = c.int()
			return nil
		})
		return err
	})
	return last, err
}

// A ChainError names the first event of the history that is not what was written.
type ChainError struct {
	Event int64
	Why   string
}

func (e *ChainError) Error() string {
	return fmt.Sprintf("the history is not as it was written: event %d %s", e.Event, e.Why)
}

// VerifyChain reads the whole history and checks that no row was changed, removed or put in between. The error is a *ChainError when one was. It
// reads in parts, so that the write-ahead log need not wait for it.
func (db *DB) VerifyChain(ctx context.Context) error {
	var c chain
	for more := true; more; {
		err := db.read(ctx, func(v *view) (err error) {
			more, err = v.verify(&c)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// verify checks the next events after c and moves c; more is false at the end.
func (v *view) verify(c *chain) (more bool, err error) {
	if _, err := v.s.one(anchorSQL, func(row *columns) error {
		if n, hash := row.int(), row.blob(); n > c.id || c.id == 0 {
			c.id = n // retention may have passed by
			copy(c.hash[:], hash)
		}
		return nil
	}); err != nil {
		return false, fmt.Errorf("read the beginning of the history: %w", err)
	}
	err = v.s.query(eventsSQL, func(row *columns) error {
		more = true
		e := scanEvent(row)
		if e.id != c.id+1 {
			return &ChainError{c.id + 1, "is missing"}
		}
		stored := e.hash
		e.seal(&c.hash)
		if !bytes.Equal(stored[:], e.hash[:]) {
			return &ChainError{e.id, "was changed"}
		}
		*c = chain{e.id, e.hash}
		return nil
	}, c.id, verifyBatch)
	return more, err
}
