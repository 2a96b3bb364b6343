package store

import (
	"docent/auth"
	"docent/internal/fault"
)

// Scopes reads scopes as they are stored. What nobody can have written is a
// fault of the database, not of who asks.
func Scopes(text string) (auth.Scopes, error) {
	scopes, err := auth.ParseScopes(text)
	return scopes, fault.Wrap(fault.Internal, err, "stored scopes cannot be read")
}

// NoToken says that there is no such token.
func NoToken() error { return fault.New(fault.NotFound, "there is no such token") }

// NoUser says that there is no such user.
func NoUser() error { return fault.New(fault.NotFound, "there is no such user") }

// NoLogin says that there is no such login.
func NoLogin() error { return fault.New(fault.NotFound, "there is no such login") }

// TokenTaken says that a token's name is another's.
func TokenTaken(name string) error {
	return fault.New(fault.Conflict, "there is a token %q already; take another name or revoke it first", name)
}

// TooManyTokens says that a user can have no more tokens.
func TooManyTokens() error {
	return fault.New(fault.Conflict, "this user has %d tokens, which is the most there can be; revoke one first", auth.MaxUserTokens)
}

// UserTaken says that a user's name is another's.
func UserTaken(name string) error {
	return fault.New(fault.Conflict, "there is a user %q already", name)
}
