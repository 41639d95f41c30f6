package store

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	tokenColumns    = `SELECT id, name, hash, role, created_at, expires_at FROM token `
	tokenByHashSQL  = tokenColumns + `WHERE hash = ? AND revoked_at IS NULL`
	tokenSQL        = tokenColumns + `WHERE id = ? AND revoked_at IS NULL`
	tokensAfterSQL  = tokenColumns + `WHERE id > ? AND revoked_at IS NULL ORDER BY id LIMIT CAST(? AS INTEGER)`
	tokensOfRoleSQL = tokenColumns + `WHERE role = ? AND revoked_at IS NULL ORDER BY id`
	tokenCountSQL   = `SELECT count(*) FROM token WHERE revoked_at IS NULL`
	putTokenSQL     = `INSERT INTO token (id, name, hash, role, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)`
	revokeTokenSQL  = `UPDATE token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL`
)

func scanToken(c *columns) engine.TokenRow {
	return engine.TokenRow{ID: c.int(), Name: c.text(), Hash: bytes.Clone(c.blob()), Role: c.text(), CreatedAt: c.utc(), ExpiresAt: c.utc()}
}

func (v *view) tokens(text string, args ...any) (list []engine.TokenRow, err error) {
	err = v.s.query(text, func(c *columns) error {
		list = append(list, scanToken(c))
		return nil
	}, args...)
	return list, err
}

// Token returns one token that was not revoked.
func (v *view) Token(n int64) (k engine.TokenRow, err error) {
	list, err := v.tokens(tokenSQL, n)
	if len(list) > 0 {
		k = list[0]
	}
	return k, found(len(list) > 0, err, "token %d", n)
}

// TokensAfter lists the tokens that were not revoked, by id.
func (v *view) TokensAfter(after int64, limit int) ([]engine.TokenRow, error) {
	return v.tokens(tokensAfterSQL, after, limit)
}

// TokensOfRole lists those of a role, by id.
func (v *view) TokensOfRole(role string) ([]engine.TokenRow, error) {
	return v.tokens(tokensOfRoleSQL, role)
}

// PutToken inserts a token.
func (t *tx) PutToken(k engine.TokenRow) error {
	if _, err := t.s.exec(putTokenSQL, k.ID, k.Name, k.Hash, k.Role, k.CreatedAt.UnixMilli(), ms(k.ExpiresAt)); err != nil {
		return fmt.Errorf("record the token of %s: %w", k.Name, err)
	}
	return nil
}

// RevokeToken ends a token for good.
func (t *tx) RevokeToken(n int64, at time.Time) (bool, error) {
	count, err := t.s.exec(revokeTokenSQL, at.UnixMilli(), n)
	if err != nil {
		return false, fmt.Errorf("revoke token %d: %w", n, err)
	}
	return count > 0, nil
}

// TokenByHash returns the token with that hash, expired or not; engine.ErrNotFound when there is none or it was revoked.
func (db *DB) TokenByHash(ctx context.Context, hash []byte) (k engine.TokenRow, err error) {
	err = db.read(ctx, func(v *view) error {
		ok, err := v.s.one(tokenByHashSQL, func(c *columns) error {
			k = scanToken(c)
			return nil
		}, hash)
		return found(ok, err, "token")
	})
	return k, err
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
