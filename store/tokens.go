package store

import (
	"context"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A Token lets its bearer in. Only the hash of the secret is stored.
type Token struct {
	ID        int64
	Name      string
	Hash      []byte // SHA-256 of the secret
	Role      string
	CreatedAt time.Time
	ExpiresAt time.Time // zero is never; the caller compares it with its clock
}

const (
	tokenColumns   = `SELECT id, name, hash, role, created_at, expires_at FROM token `
	tokenByHashSQL = tokenColumns + `WHERE hash = ? AND revoked_at IS NULL`
	tokensSQL      = tokenColumns + `WHERE revoked_at IS NULL ORDER BY id`
	tokenCountSQL  = `SELECT count(*) FROM token WHERE revoked_at IS NULL`
	putTokenSQL    = `INSERT INTO token (id, name, hash, role, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)`
	revokeTokenSQL = `UPDATE token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL`
)

func scanToken(c *columns) Token {
	return Token{ID: c.int(), Name: c.text(), Hash: c.blob(), Role: c.text(), CreatedAt: c.utc(), ExpiresAt: c.utc()}
}

// PutToken inserts a token. With ID 0 it gets one; the id is returned.
func (db *DB) PutToken(ctx context.Context, k Token) (int64, error) {
	n := k.ID
	err := db.Write(ctx, func(e engine.Tx) error {
		t := e.(*tx)
		n = k.ID
		if n == 0 {
			var err error
			if n, err = t.Reserve(1); err != nil {
				return err
			}
		}
		_, err := t.s.exec(putTokenSQL, n, k.Name, k.Hash, k.Role, k.CreatedAt.UnixMilli(), ms(k.ExpiresAt))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("record the token %q: %w", k.Name, err)
	}
	return n, nil
}

// TokenByHash returns the token with that hash, expired or not; engine.ErrNotFound when there is none or it was revoked.
func (db *DB) TokenByHash(ctx context.Context, hash []byte) (k Token, err error) {
	err = db.read(ctx, func(v *view) error {
		ok, err := v.s.one(tokenByHashSQL, func(c *columns) error {
			k = scanToken(c)
			return nil
		}, hash)
		return found(ok, err, "token")
	})
	return k, err
}

// Tokens lists the tokens that were not revoked, by id.
func (db *DB) Tokens(ctx context.Context) (tokens []Token, err error) {
	err = db.read(ctx, func(v *view) error {
		return v.s.query(tokensSQL, func(c *columns) error {
			tokens = append(tokens, scanToken(c))
			return nil
		})
	})
	return tokens, err
}

// TokenCount counts the tokens that were not revoked.
func (db *DB) TokenCount(ctx context.Context) (n int, err error) {
	err = db.read(ctx, func(v *view) error {
		_, err := v.s.one(tokenCountSQL, func(c *columns) error {
			n = int(c.int())
			return nil
		})
		return err
	})
	return n, err
}

// RevokeToken ends a token for good; engine.ErrNotFound when there is none that can be revoked.
func (db *DB) RevokeToken(ctx context.Context, n int64, at time.Time) error {
	return db.Write(ctx, func(e engine.Tx) error {
		count, err := e.(*tx).s.exec(revokeTokenSQL, at.UnixMilli(), n)
		return found(count > 0, err, "token %d", n)
	})
}
