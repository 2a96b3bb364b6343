package auth

import (
	"net/http"
	"time"
)

// Internals for the external tests of this package.
const (
	MaxTokenBytes = maxTokenBytes
	MaxHashing    = maxHashing
	MaxWaiting    = maxWaiting
	MaxKeys       = maxKeys
	ForgetAfter   = forgetAfter
	IssuerPause   = issuerPause
	IssuerBytes   = issuerBytes
	ClockSkew     = clockSkew
)

// fullCost is cost outside of these tests.
var fullCost = cost

func init() { cost.memory, cost.time = 64, 1 }

// HashAtFullCost is HashPassword outside of these tests.
func HashAtFullCost(password string) (string, error) { return fullCost.of(password) }

// Hashing returns a channel that is full while no further password check may
// start.
func (a *Authenticator) Hashing() chan struct{} { return a.hashing }

// Waiting returns a channel that is full while no further login may wait.
func (a *Authenticator) Waiting() chan struct{} { return a.waiting }

// Noted waits until all recorded uses are stored.
func (a *Authenticator) Noted() { a.uses.wait.Wait() }

// ParsePHC parses a hash and formats it again.
func ParsePHC(s string) (string, error) {
	h, err := parsePHC(s)
	return h.String(), err
}

// Matches reports whether a password matches a hash.
func Matches(hash, password string) bool {
	h, err := parsePHC(hash)
	return err == nil && h.matches(password)
}

// LooksLikeJWT is looksLikeJWT.
func LooksLikeJWT(s string) bool { return looksLikeJWT(s) }

// WithoutQueryToken is withoutQueryToken.
func WithoutQueryToken(r *http.Request) (*http.Request, string) { return withoutQueryToken(r) }

// Throttle is a throttle.
type Throttle struct{ t *throttle }

// NewThrottle returns a throttle.
func NewThrottle(now func() time.Time, free int, most time.Duration) Throttle {
	return Throttle{newThrottle(now, limit{free, most})}
}

// Attempt counts an attempt.
func (t Throttle) Attempt(key string) error { return t.t.attempt(key) }

// Refund undoes an attempt.
func (t Throttle) Refund(key string) { t.t.refund(key) }

// Forget removes all attempts.
func (t Throttle) Forget(key string) { t.t.forget(key) }

// Keys returns the number of keys.
func (t Throttle) Keys() int { return len(t.t.keys) }
