package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"
)

const (
	tokenPrefix = "alm_" // lets secret scanners find a token that leaked
	tokenBytes  = 32
)

// A Token is an API token as it is kept: its secret is not.
type Token struct {
	ID        int64
	Name      string // of the principal: what the history names as the actor
	Hash      []byte // SHA-256 of the secret
	Role      Role
	CreatedAt time.Time
	ExpiresAt time.Time // the first instant at which it is refused; zero is never
}

// NewToken makes the secret of a token, 256 random bits, and the hash to keep. The secret is shown once and kept nowhere.
func NewToken() (secret string, hash []byte) {
	var b [tokenBytes]byte
	_, _ = rand.Read(b[:]) // does not fail: it ends the program instead
	secret = tokenPrefix + base64.RawURLEncoding.EncodeToString(b[:])
	return secret, HashToken(secret)
}

// HashToken returns what is kept of a token's secret: its SHA-256. A secret of 256 random bits needs no slow hash.
func HashToken(secret string) []byte {
	hash := sha256.Sum256([]byte(secret))
	return hash[:]
}

// wellFormed reports whether a text can be a token at all, so that nothing else costs a look-up.
func wellFormed(secret string) bool {
	body, ok := strings.CutPrefix(secret, tokenPrefix)
	if !ok || len(body) != base64.RawURLEncoding.EncodedLen(tokenBytes) {
		return false
	}
	_, err := base64.RawURLEncoding.Strict().DecodeString(body)
	return err == nil
}
