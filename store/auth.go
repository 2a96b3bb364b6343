package store

import (
	"docent/auth"
	"docent/internal/fault"
)

// Scopes reads scopes as they are stored. What nobody can have written is a
// fault of the database, not of who asks.
func Scopes(text string) (auth.Scopes, error) {
	scopes, err := auth.ParseScopes(text)
	return scopes, fault.Wrap(fault.Internal, err, "stored_scopes_invalid", "stored scopes cannot be read")
}

// NoToken says that there is no such token.
func NoToken() error { return fault.New(fault.NotFound, "no_token", "there is no such token") }

// NoUser says that there is no such user.
func NoUser() error { return fault.New(fault.NotFound, "no_user", "there is no such user") }

// NoLogin says that there is no such login.
func NoLogin() error { return fault.New(fault.NotFound, "no_login", "there is no such login") }

// TokenTaken says that a token's name is another's.
func TokenTaken(name string) error {
	return fault.New(fault.Conflict, "token_name_taken", "there is already a token %q; choose another name or revoke it first", name)
}

// TooManyTokens says that a user can have no more tokens.
func TooManyTokens() error {
	return fault.New(fault.Conflict,
		"tokens_full", "this user already has %d tokens, the most possible; revoke one first", auth.MaxUserTokens)
}

// UserTaken says that a user's name is another's.
func UserTaken(name string) error {
	return fault.New(fault.Conflict, "user_name_taken", "there is already a user %q", name)
}
