package auth

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
)

// Scope is a kind of thing that a principal may do.
type Scope string

// The scopes.
const (
	// Ask is searching, asking, reading documents, and conversations of one's own.
	Ask Scope = "ask"
	// Ingest is adding and removing documents.
	Ingest Scope = "ingest"
	// Admin is everything, also what belongs to others.
	Admin Scope = "admin"
)

// Scopes are what a principal may do.
type Scopes []Scope

// ParseScopes reads scopes separated by blanks or commas; fault.Invalid if there
// is none or one is not known.
func ParseScopes(text string) (Scopes, error) {
	var out Scopes
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		scope := Scope(word)
		if !slices.Contains([]Scope{Ask, Ingest, Admin}, scope) {
			return nil, fault.New(fault.Invalid, "scope_unknown", "%.64q is not a scope; use ask, ingest, or admin", word)
		}
		if !slices.Contains(out, scope) {
			out = append(out, scope)
		}
	}
	if len(out) == 0 {
		return nil, fault.New(fault.Invalid, "scope_missing", "the scope is missing; use ask, ingest, or admin")
	}
	return out, nil
}

// String are the scopes with a blank between.
func (s Scopes) String() string {
	words := make([]string, len(s))
	for i, scope := range s {
		words[i] = string(scope)
	}
	return strings.Join(words, " ")
}

// Principal is who asks.
type Principal struct {
	// ID is what owns things: user:NAME, token:NAME, or oidc:ISSUER#SUBJECT; ""
	// is everybody while authentication is off.
	ID string
	// Name is for people to read.
	Name string
	// Scopes are what it may do.
	Scopes Scopes
	// Expires is when it stops counting unless it is shown again; the zero time
	// is never. What outlives a request asks [Authenticator.Valid] as well.
	Expires time.Time

	proof proof
}

// kind says what a principal was known by.
type kind int

const (
	byNothing kind = iota // or by a JWT, which nobody can take back
	byToken
	byCookie
)

// proof is what a principal was known by, as the store has it.
type proof struct {
	kind kind
	hash [sha256.Size]byte
}

// Credential tells apart what principals were known by, and with which scopes; it
// can be compared.
type Credential struct {
	id, scopes string
	expires    int64
	proof      proof
}

// Credential is what the principal was known by. Of those who have the same,
// [Authenticator.Valid] says the same.
func (p Principal) Credential() Credential {
	return Credential{id: p.ID, scopes: p.Scopes.String(), expires: p.Expires.UnixMicro(), proof: p.proof}
}

// Anyone is who asks while authentication is off: it may do everything.
func Anyone() Principal { return Principal{Scopes: Scopes{Admin}} }

// May reports whether the principal may do things of that kind.
func (p Principal) May(scope Scope) bool {
	return slices.Contains(p.Scopes, scope) || slices.Contains(p.Scopes, Admin)
}

// both are the scopes that two principals have in common.
func both(a, b Scopes) Scopes {
	var out Scopes
	for _, scope := range []Scope{Ask, Ingest, Admin} {
		if (Principal{Scopes: a}).May(scope) && (Principal{Scopes: b}).May(scope) {
			out = append(out, scope)
		}
	}
	return out
}

// Owns reports whether what belongs to owner is the principal's to use.
func (p Principal) Owns(owner string) bool { return p.ID == owner || p.May(Admin) }

type contextKey struct{}

// NewContext returns ctx with who asks.
func NewContext(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// FromContext returns who asks; false if nobody is known to.
func FromContext(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(contextKey{}).(Principal)
	return p, ok
}
