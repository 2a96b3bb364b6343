package store

import (
	"docent/auth"
	"docent/internal/fault"
)

// Scopes parses stored scopes. Invalid scopes are an internal error, because the
// caller did not send them.
func Scopes(text string) (auth.Scopes, error) {
	scopes, err := auth.ParseScopes(text)
	return scopes, fault.Wrap(fault.Internal, err, "stored_scopes_invalid", "stored scopes cannot be read")
}

// NoToken is the error for a token that does not exist.
func NoToken() error { return fault.New(fault.NotFound, "no_token", "there is no such token") }

// NoUser is the error for a user who does not exist.
func NoUser() error { return fault.New(fault.NotFound, "no_user", "there is no such user") }

// NoLogin is the error for a login that does not exist.
func NoLogin() error { return fault.New(fault.NotFound, "no_login", "there is no such login") }

// NoLink is the error for a link that does not exist.
func NoLink() error { return fault.New(fault.NotFound, "no_link", "there is no such link") }

// TokenTaken is the error for a token's name that is in use.
func TokenTaken(name string) error {
	return fault.New(fault.Conflict, "token_name_taken", "there is already a token %q; choose another name or revoke it first", name)
}

// TooManyTokens is the error for a user who has auth.MaxUserTokens tokens.
func TooManyTokens() error {
	return fault.New(fault.Conflict,
		"tokens_full", "this user already has %d tokens, and no more are allowed; revoke one first", auth.MaxUserTokens)
}

// IdentityTaken is the error for an identity that belongs to a user.
func IdentityTaken() error {
	return fault.New(fault.Conflict, "identity_taken", "this sign-in already belongs to another user")
}

// UserTaken is the error for a user's name that is in use.
func UserTaken(name string) error {
	return fault.New(fault.Conflict, "user_name_taken", "there is already a user %q", name)
}
