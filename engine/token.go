package engine

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// RoleAdmin is the role that makes and revokes tokens; one that is valid is always left.
const RoleAdmin = "admin"

// A TokenRow is an API token as it is kept: its secret is not.
type TokenRow struct {
	ID        int64
	Name      string // of the principal: what the history names as the actor
	Hash      []byte // SHA-256 of the secret
	Role      string
	CreatedAt time.Time
	ExpiresAt time.Time // the first instant at which it is refused; zero is never
}

// valid reports whether the token is let in at a time.
func (k *TokenRow) valid(at time.Time) bool { return k.ExpiresAt.IsZero() || at.Before(k.ExpiresAt) }

// TokenView reads tokens. One that was revoked is not there any more.
type TokenView interface {
	// Token returns one; ErrNotFound when there is none.
	Token(id int64) (TokenRow, error)
	// TokensAfter lists those with an id above after, expired ones too, by id, at most limit.
	TokensAfter(after int64, limit int) ([]TokenRow, error)
	// TokensOfRole lists those of a role, expired ones too, by id.
	TokensOfRole(role string) ([]TokenRow, error)
}

// TokenTx writes them.
type TokenTx interface {
	// PutToken inserts a token. Two of one hash are an error.
	PutToken(TokenRow) error
	// RevokeToken ends a token for good. False and no change when there is none that can be revoked.
	RevokeToken(id int64, at time.Time) (bool, error)
}

// maxTokenName bounds the name of a principal, in characters.
const maxTokenName = 100

// CreateToken records a token, of which the caller has made the secret, and who made it. Errors are of kind ErrInvalid.
func (e *Engine) CreateToken(ctx context.Context, k TokenRow, actor, note string, now time.Time) (TokenRow, error) {
	switch {
	case strings.TrimSpace(k.Name) == "" || utf8.RuneCountInString(k.Name) > maxTokenName || !utf8.ValidString(k.Name) || strings.ContainsFunc(k.Name, isUnseen):
		return k, fmt.Errorf("make a token: %w: its name has 1 to %d characters, and none that cannot be seen", ErrInvalid, maxTokenName)
	case k.Role == "":
		return k, fmt.Errorf("make a token: %w: it has no role", ErrInvalid)
	case !k.valid(now):
		return k, fmt.Errorf("make a token: %w: it would have expired already", ErrInvalid)
	}
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		id, err := tx.Reserve(1)
		if err != nil {
			return err
		}
		k.ID, k.CreatedAt = id, now.Truncate(time.Millisecond)
		if err := tx.PutToken(k); err != nil {
			return err
		}
		until := "for ever"
		if !k.ExpiresAt.IsZero() {
			until = "until " + k.ExpiresAt.UTC().Format(time.RFC3339)
		}
		return recordToken(tx, "token-created", &k, fmt.Sprintf("as %s, %s", k.Role, until), actor, note, now)
	})
	return k, wrap(err, "make a token for %s", k.Name)
}

// isUnseen reports whether a character changes how a line is shown, or is none that is shown.
func isUnseen(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// RevokeToken ends a token for good: from the next request on its bearer is nobody. Errors are of kind ErrNotFound, or ErrConflict when no valid token
// of an admin would be left.
func (e *Engine) RevokeToken(ctx context.Context, id int64, actor, note string, now time.Time) (k TokenRow, err error) {
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		if k, err = tx.Token(id); err != nil {
			return err
		}
		if k.Role == RoleAdmin && k.valid(now) {
			admins, err := tx.TokensOfRole(RoleAdmin)
			if err != nil {
				return err
			}
			others := 0
			for n := range admins {
				if admins[n].ID != id && admins[n].valid(now) {
					others++
				}
			}
			if others == 0 {
				return fmt.Errorf("%w: it is the last valid token of an admin; make another one first", ErrConflict)
			}
		}
		ok, err := tx.RevokeToken(id, now)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%w: token %d", ErrNotFound, id)
		}
		return recordToken(tx, "token-revoked", &k, "as "+k.Role, actor, note, now)
	})
	return k, wrap(err, "revoke token %d", id)
}

func recordToken(tx Tx, kind string, k *TokenRow, what, actor, note string, now time.Time) error {
	detail := fmt.Sprintf("token %d of %s, %s", k.ID, k.Name, what)
	if note != "" {
		detail += ": " + note
	}
	return tx.Record(EventRow{At: now, Kind: kind, Actor: actor, Reason: Reason{Code: ReasonPerson, Actor: actor, Detail: detail}})
}

// Tokens lists the tokens that were not revoked, by id, those above after, at most limit.
func (e *Engine) Tokens(ctx context.Context, after int64, limit int) (list []TokenRow, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		list, err = v.TokensAfter(after, limit)
		return err
	})
	return list, wrap(err, "list tokens")
}
