package auth

import (
	"context"
	"slices"
	"time"

	"docent/internal/fault"
)

// errNotUser is the error for principals that cannot have tokens of their own.
// A token that creates tokens would outlive its own revocation, and users of an
// issuer are not stored here.
var errNotUser = fault.New(fault.Forbidden,
	"tokens_need_password", "only users who sign in with a name and a password can manage tokens here; ask an administrator to run docent token create")

// OwnToken describes a token that a user creates.
type OwnToken struct {
	// Name is as in TokenSpec.
	Name string
	// Scopes are the token's rights. The user must have them too.
	Scopes Scopes
	// ExpiresAt is when the token expires. The zero time means never.
	ExpiresAt time.Time
}

// user returns the name of a user who signed in with a password.
func (p Principal) user() (string, error) {
	if p.proof.kind != byCookie {
		return "", errNotUser
	}
	return p.Name, nil
}

// OwnTokens lists the tokens of a signed-in user by name. Like the methods
// below, it fails with fault.Forbidden for other principals.
func (a *Authenticator) OwnTokens(ctx context.Context, p Principal) ([]TokenRecord, error) {
	user, err := p.user()
	if err != nil {
		return nil, err
	}
	return a.cfg.Tokens.UserTokens(ctx, user) //nolint:wrapcheck // the store names the operation
}

// CreateOwnToken creates a token for a signed-in user. It returns the token
// itself, which is not stored, and its record. It fails with fault.Forbidden if
// the token would have rights that the user lacks, and with fault.Conflict if
// the name is taken or the user has MaxUserTokens tokens.
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

// RevokeOwnToken deletes a token of a signed-in user. It fails with
// fault.NotFound if the user has no token with the ID.
func (a *Authenticator) RevokeOwnToken(ctx context.Context, p Principal, id int64) error {
	user, err := p.user()
	if err != nil {
		return err
	}
	return a.cfg.Tokens.RemoveUserToken(ctx, user, id) //nolint:wrapcheck // the store names the operation
}
