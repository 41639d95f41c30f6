package storetest

import (
	"crypto/sha256"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func hashOf(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}

// token puts one of a role; expires "" is never.
func (w *world) token(name, role, expires string) (k engine.TokenRow) {
	w.write(func(tx engine.Tx) {
		k = engine.TokenRow{ID: w.reserve(tx, 1), Name: name, Hash: hashOf(name), Role: role, CreatedAt: at("00:00").UTC()}
		if expires != "" {
			k.ExpiresAt = at(expires).UTC()
		}
		require.NoError(w, tx.PutToken(k))
	})
	return k
}

var tokenCases = []testCase{
	{"a token is there until it is revoked", func(w *world) {
		ci, root, old := w.token("ci", "operator", "05:00"), w.token("root", "admin", ""), w.token("old", "admin", "01:00")
		list := func(v engine.View, after int64, limit int) []engine.TokenRow {
			rows, err := v.TokensAfter(after, limit)
			require.NoError(w, err)
			return rows
		}
		w.read(func(v engine.View) {
			one, err := v.Token(ci.ID)
			require.NoError(w, err)
			require.Equal(w, ci, one)
			require.Equal(w, []engine.TokenRow{ci, root, old}, list(v, 0, 10))
			require.Equal(w, []engine.TokenRow{root}, list(v, ci.ID, 1))
			require.Empty(w, list(v, old.ID, 10))
			admins, err := v.TokensOfRole("admin")
			require.NoError(w, err)
			require.Equal(w, []engine.TokenRow{root, old}, admins)
		})
		w.write(func(tx engine.Tx) {
			w.yes(tx.RevokeToken(ci.ID, at("02:00")))
			w.no(tx.RevokeToken(ci.ID, at("02:00")))
			w.no(tx.RevokeToken(1<<40, at("02:00")))
			_, err := tx.Token(ci.ID)
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
		w.read(func(v engine.View) { require.Equal(w, []engine.TokenRow{root, old}, list(v, 0, 10)) })
	}},
	{"a secret belongs to one token, and only hashes are kept", func(w *world) {
		w.token("ci", "operator", "")
		for _, k := range []engine.TokenRow{
			{ID: 1 << 40, Name: "again", Hash: hashOf("ci"), Role: "admin", CreatedAt: at("00:00")},
			{ID: 1 << 40, Name: "plain", Hash: []byte("secret"), Role: "admin", CreatedAt: at("00:00")},
			{ID: 1 << 40, Hash: hashOf("x"), Role: "admin", CreatedAt: at("00:00")},
		} {
			require.Error(w, w.store.Write(w.ctx, func(tx engine.Tx) error { return tx.PutToken(k) }), k.Name)
		}
	}},
}
