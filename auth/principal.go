package auth

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
	"docent/internal/quota"
	"docent/rag/corpus"
)

// Scope is a right of a principal.
type Scope string

// The scopes.
const (
	// Chat allows starting conversations over WebSocket and rejoining them by their
	// id, and nothing else. It is for tokens that everybody can read, such as those
	// of widgets. Ask includes Chat.
	Chat Scope = "chat"
	// Ask allows searching, asking questions, and reading documents and one's own
	// conversations.
	Ask Scope = "ask"
	// Ingest allows adding and removing documents.
	Ingest Scope = "ingest"
	// Admin allows everything except the conversations of others; see Principal.Owns.
	Admin Scope = "admin"
)

// Scopes are the rights of a principal.
type Scopes []Scope

// ParseScopes parses scopes separated by spaces or commas. It fails with
// fault.Invalid for an empty list and for unknown scopes.
func ParseScopes(text string) (Scopes, error) {
	var out Scopes
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		scope := Scope(word)
		if !slices.Contains([]Scope{Chat, Ask, Ingest, Admin}, scope) {
			return nil, fault.New(fault.Invalid, "scope_unknown", "%.64q is not a scope; use chat, ask, ingest, or admin", word)
		}
		if !slices.Contains(out, scope) {
			out = append(out, scope)
		}
	}
	if len(out) == 0 {
		return nil, fault.New(fault.Invalid, "scope_missing", "the scope is missing; use chat, ask, ingest, or admin")
	}
	return out, nil
}

// String joins the scopes with spaces.
func (s Scopes) String() string {
	words := make([]string, len(s))
	for i, scope := range s {
		words[i] = string(scope)
	}
	return strings.Join(words, " ")
}

// Principal is an authenticated user or program.
type Principal struct {
	// ID identifies the owner of data: user:NAME, token:NAME, or
	// oidc:ISSUER#SUBJECT. Without authentication it is "".
	ID string
	// Name is the display name.
	Name string
	// Scopes are the principal's rights.
	Scopes Scopes
	// Expires is the time at which the principal must authenticate again. The zero
	// time means never. Long-lived connections also call [Authenticator.Valid].
	Expires time.Time
	// NoPassword reports that the user signs in only with an OpenID Connect provider.
	NoPassword bool

	proof proof
}

// kind is a kind of credential.
type kind int

const (
	byNothing kind = iota // none, or a JWT, which cannot be revoked
	byToken
	byCookie
)

// proof is the credential of a principal, as it is stored.
type proof struct {
	kind kind
	hash [sha256.Size]byte
}

// Credential identifies a credential and its scopes. Values can be compared with
// ==.
type Credential struct {
	id, scopes string
	expires    int64
	proof      proof
}

// Credential returns the principal's credential. [Authenticator.Valid] gives
// the same result for principals with equal credentials.
func (p Principal) Credential() Credential {
	return Credential{id: p.ID, scopes: p.Scopes.String(), expires: p.Expires.UnixMicro(), proof: p.proof}
}

// Anyone is the principal of all requests without authentication. It may do
// everything.
func Anyone() Principal { return Principal{Scopes: Scopes{Admin}} }

// May reports whether the principal has a right.
func (p Principal) May(scope Scope) bool {
	return slices.Contains(p.Scopes, scope) || slices.Contains(p.Scopes, Admin) || scope == Chat && slices.Contains(p.Scopes, Ask)
}

// MayOnlyChat reports whether Chat is the only scope of the principal.
func (p Principal) MayOnlyChat() bool { return slices.Equal(p.Scopes, Scopes{Chat}) }

// both returns the rights that two sets of scopes share.
func both(a, b Scopes) Scopes {
	var out Scopes
	for _, scope := range []Scope{Ask, Ingest, Admin} {
		if (Principal{Scopes: a}).May(scope) && (Principal{Scopes: b}).May(scope) {
			out = append(out, scope)
		}
	}
	return out
}

// Owns reports whether the principal may read, change, and join the conversations of an
// owner. Everybody owns only their own. The scope admin makes no difference.
func (p Principal) Owns(owner string) bool { return p.ID == owner || p.OwnsAll() }

// OwnerName returns the name of an owner for people: the name of a user or a token, or the
// subject at an OpenID Connect issuer.
func OwnerName(owner string) string {
	kind, name, _ := strings.Cut(owner, ":")
	if kind == "oidc" {
		if _, subject, found := strings.Cut(name, "#"); found {
			return subject
		}
	}
	return name
}

// OwnsAll reports whether the principal owns all conversations. Without authentication,
// docent does not tell users apart, so everybody does.
func (p Principal) OwnsAll() bool { return p.ID == "" && p.May(Admin) }

// Client returns the client for quotas. remote is its address, see [Remote]. The
// address counts only if the principal is not one person: without authentication,
// and for tokens that everybody can read. Without authentication, clients on the
// same machine have no quota.
func (p Principal) Client(remote string) quota.Client {
	if p.ID != "" && !p.MayOnlyChat() {
		return quota.Client{Principal: p.ID}
	}
	if addr, err := netip.ParseAddr(remote); p.ID == "" && err == nil && addr.IsLoopback() {
		return quota.Client{}
	}
	return quota.Client{Principal: p.ID, Address: remote}
}

type contextKey struct{}

// NewContext returns ctx with a principal. The principal is also the corpus.Reader of
// ctx. Without the scope admin, the reader is limited.
func NewContext(ctx context.Context, p Principal) context.Context {
	return corpus.WithReader(context.WithValue(ctx, contextKey{}, p), corpus.Reader{Principal: p.ID, Limited: !p.May(Admin)})
}

// FromContext returns the principal of ctx; false if there is none.
func FromContext(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(contextKey{}).(Principal)
	return p, ok
}
