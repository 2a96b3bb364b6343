package auth

import (
	"context"
	"slices"
	"time"

	"docent/internal/fault"
)

// errNotUser answers who has no tokens of their own: a token that could make
// others would outlive its being revoked, and what an issuer says of people is
// not kept here.
var errNotUser = fault.New(fault.Forbidden,
	"tokens_need_password", "only users who sign in with a name and a password can manage tokens here; ask an administrator to run docent token create")

// OwnToken describes a token that a user makes.
type OwnToken struct {
	// Name is as in TokenSpec.
	Name string
	// Scopes are what it may do, none that the user may not.
	Scopes Scopes
	// ExpiresAt is when it stops counting; the zero time is never.
	ExpiresAt time.Time
}

// user is the name of the user who is signed in with a password.
func (p Principal) user() (string, error) {
	if p.proof.kind != byCookie {
		return "", errNotUser
	}
	return p.Name, nil
}

// OwnTokens lists the tokens on behalf of a user who is signed in, by name;
// fault.Forbidden for all others, as of the methods below.
func (a *Authenticator) OwnTokens(ctx context.Context, p Principal) ([]TokenRecord, error) {
	user, err := p.user()
	if err != nil {
		return nil, err
	}
	return a.cfg.Tokens.UserTokens(ctx, user) //nolint:wrapcheck // it says what failed
}

// CreateOwnToken makes a token on behalf of a user who is signed in, and returns
// it with its record: the store has only its hash. fault.Forbidden if it were to
// do what the user may not, fault.Conflict if its name is taken or the user has
// MaxUserTokens.
func (a *Authenticator) CreateOwnToken(ctx context.Context, p Principal, t OwnToken) (TokenRecord, string, error) {
	user, err := p.user()
	if err != nil {
		return TokenRecord{}, "", err
	}
	if i := slices.IndexFunc(t.Scopes, func(s Scope) bool { return !p.May(s) }); i >= 0 {
		return TokenRecord{}, "", fault.New(fault.Forbidden,
			"token_scope_not_yours", "a token cannot have more rights than you; you do not have the scope %s", t.Scopes[i])
	}
	if !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(a.cfg.Now()) {
		return TokenRecord{}, "", fault.New(fault.Invalid, "token_expiry_past", "a token cannot expire in the past")
	}
	return a.create(ctx, TokenSpec{Name: t.Name, Scopes: t.Scopes, User: user, until: t.ExpiresAt})
}

// RevokeOwnToken deletes a token on behalf of a user who is signed in;
// fault.NotFound if they have none of that ID.
func (a *Authenticator) RevokeOwnToken(ctx context.Context, p Principal, id int64) error {
	user, err := p.user()
	if err != nil {
		return err
	}
	return a.cfg.Tokens.RemoveUserToken(ctx, user, id) //nolint:wrapcheck // it says what failed
}
