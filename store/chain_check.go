package store

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A ChainCheck verifies the history part by part, and remembers how far it has come. It is safe for use by several goroutines.
type ChainCheck struct {
	db *DB

	mu     sync.Mutex
	at     chain
	looked time.Time
	broken *ChainError
}

// ChainState is how far a ChainCheck has come.
type ChainState struct {
	First, Last int64       // lines that are kept; 0 when there are none
	To          int64       // every line up to this one is as it was written
	At          time.Time   // when that one was looked at; zero when none was
	Broken      *ChainError // nil when none was found that is not
}

// NewChainCheck returns a check that has verified nothing.
func (db *DB) NewChainCheck() *ChainCheck { return &ChainCheck{db: db} }

// chainParts is how many parts of a thousand lines one call of Go verifies.
const chainParts = 20

// Go verifies at most 20,000 further lines. Once a line was found that is not as it was written it goes no further: the hashes of all others build on it.
func (c *ChainCheck) Go(ctx context.Context, now time.Time) (s ChainState, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for part := 0; part < chainParts && c.broken == nil; part++ {
		more := false
		err = c.db.read(ctx, func(v *view) (err error) {
			if s.First, s.Last, err = v.eventBounds(); err != nil {
				return err
			}
			at := c.at
			if more, err = v.verify(&at); err == nil {
				c.at = at
			}
			return err
		})
		if errors.As(err, &c.broken) {
			err = nil
		}
		if err != nil {
			return s, err
		}
		c.looked = now
		if !more {
			break
		}
	}
	if c.broken != nil {
		err = c.db.read(ctx, func(v *view) (err error) {
			s.First, s.Last, err = v.eventBounds()
			return err
		})
	}
	s.To, s.At, s.Broken = c.at.id, c.looked, c.broken
	return s, err
}
