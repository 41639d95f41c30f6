package model

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

func (v *view) Token(id int64) (engine.TokenRow, error) {
	if v.broken != nil {
		return engine.TokenRow{}, v.broken
	}
	if row := v.s.tokens[id]; row != nil {
		return ownToken(*row), nil
	}
	return engine.TokenRow{}, missing("token %d", id)
}

func (v *view) TokensAfter(after int64, limit int) ([]engine.TokenRow, error) {
	list, err := v.tokens(func(k *engine.TokenRow) bool { return k.ID > after })
	return list[:min(limit, len(list))], err
}

func (v *view) TokensOfRole(role string) ([]engine.TokenRow, error) {
	return v.tokens(func(k *engine.TokenRow) bool { return k.Role == role })
}

func (v *view) tokens(want func(*engine.TokenRow) bool) (list []engine.TokenRow, err error) {
	if v.broken != nil {
		return nil, v.broken
	}
	for _, row := range v.s.tokens {
		if want(row) {
			list = append(list, ownToken(*row))
		}
	}
	slices.SortFunc(list, func(a, b engine.TokenRow) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

func (t *tx) PutToken(k engine.TokenRow) error {
	switch {
	case t.broken != nil:
		return t.broken
	case k.Name == "" || k.Role == "" || len(k.Hash) != sha256.Size || t.s.tokens[k.ID] != nil:
		return t.refuse(fmt.Errorf("token %d: %w", k.ID, ErrConstraint))
	}
	for _, row := range t.s.tokens {
		if bytes.Equal(row.Hash, k.Hash) {
			return t.refuse(fmt.Errorf("token %d: %w: its hash is another's", k.ID, ErrConstraint))
		}
	}
	row := ownToken(k)
	row.CreatedAt, row.ExpiresAt = utc(k.CreatedAt), utc(k.ExpiresAt)
	set(t, (*state).putToken, k.ID, &row)
	return nil
}

func (t *tx) RevokeToken(id int64, _ time.Time) (bool, error) {
	if t.broken != nil || t.s.tokens[id] == nil {
		return false, t.broken
	}
	set(t, (*state).putToken, id, nil)
	return true, nil
}

func (s *state) putToken(id int64, row *engine.TokenRow) (old *engine.TokenRow) {
	return put(s.tokens, id, row)
}

// ownToken is a row whose hash is nobody else's.
func ownToken(k engine.TokenRow) engine.TokenRow {
	k.Hash = bytes.Clone(k.Hash)
	return k
}
