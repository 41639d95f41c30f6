package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A OnceKey names a request that is to be carried out once, however often it is sent.
type OnceKey struct {
	Principal string // who sends it
	Operation string
	Key       string // the sender's own
}

// A OnceRow is what is recorded of such a request.
type OnceRow struct {
	OnceKey
	Request []byte // a hash of all that the request says
	Answer  []byte // as it was given; nil while there is none
	At      time.Time
}

// OnceView reads them.
type OnceView interface {
	// Once returns one; ErrNotFound when there is none.
	Once(OnceKey) (OnceRow, error)
}

// OnceTx writes them.
type OnceTx interface {
	// PutOnce inserts a row without an answer. False and no change when there is one of that key.
	PutOnce(OnceRow) (bool, error)
	// AnswerOnce gives a row that has none its answer. False and no change when there is no such row, or it has one, which stands.
	AnswerOnce(key OnceKey, answer []byte) (bool, error)
	// PruneOnce deletes at most limit rows from before the time, oldest first.
	PruneOnce(before time.Time, limit int) error
}

// ErrRepeated says that a request was not carried out, because it has been or is being carried out already.
var ErrRepeated = errors.New("this request has been carried out already")

// A Once makes one request's first write take its key: in the transaction that makes the change, so that no crash and no other server can come between
// the two. It belongs to one request and is not safe for use by several goroutines.
type Once struct {
	row   OnceRow
	taken bool
}

type onceKey struct{}

// WithOnce makes the first successful Write of an engine under the returned context take the row's key. That Write fails with ErrRepeated, and changes
// nothing, when the key is taken.
func WithOnce(ctx context.Context, row OnceRow) (context.Context, *Once) {
	o := &Once{row: row}
	return context.WithValue(ctx, onceKey{}, o), o
}

// withoutOnce is a context whose writes take no key: what they do was not asked for by the request.
func withoutOnce(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, (*Once)(nil))
}

// Taken reports whether a write has taken the key.
func (o *Once) Taken() bool { return o.taken }

// The times and amounts of what is kept of such requests.
const (
	OnceKept  = 24 * time.Hour
	oncePrune = 100 // rows removed with each that is answered
)

// onceStore is a Store whose writes heed WithOnce.
type onceStore struct{ Store }

// Write implements Store.
func (s onceStore) Write(ctx context.Context, fn func(tx Tx) error) error {
	o, ok := ctx.Value(onceKey{}).(*Once)
	if !ok || o == nil || o.taken {
		return s.Store.Write(ctx, fn)
	}
	err := s.Store.Write(ctx, func(tx Tx) error {
		if err := o.take(tx); err != nil {
			return err
		}
		return fn(tx)
	})
	o.taken = err == nil
	return err
}

func (o *Once) take(tx Tx) error {
	ok, err := tx.PutOnce(o.row)
	if err != nil {
		return fmt.Errorf("record the key of the request: %w", err)
	}
	if !ok {
		return ErrRepeated
	}
	return nil
}

// FindOnce returns what is recorded of a request; ErrNotFound when it was not carried out, or longer ago than such rows are kept.
func (e *Engine) FindOnce(ctx context.Context, key OnceKey, now time.Time) (row OnceRow, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		row, err = v.Once(key)
		return err
	})
	if err == nil && row.At.Before(now.Add(-OnceKept)) {
		err = fmt.Errorf("%w: the key is older than a day", ErrNotFound)
	}
	return row, err
}

// AnswerOnce records the answer to a request that was carried out, and forgets old ones. A request that has written nothing takes its key here.
func (e *Engine) AnswerOnce(ctx context.Context, o *Once, answer []byte) error {
	err := e.cfg.Store.Write(context.WithoutCancel(ctx), func(tx Tx) error {
		if !o.taken {
			if err := o.take(tx); err != nil {
				return err
			}
		}
		if _, err := tx.AnswerOnce(o.row.OnceKey, answer); err != nil {
			return err
		}
		return tx.PruneOnce(o.row.At.Add(-OnceKept), oncePrune)
	})
	return wrap(err, "record the answer to a request")
}
