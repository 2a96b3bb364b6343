package auth

import (
	"context"
	"time"
)

// Store keeps tokens, users and logins. Its methods may be called at the same
// time, also by several processes; what one has returned from is what all see.
type Store interface {
	Tokens
	UserTokens
	Users
	UserChanges
	Logins
}

// MaxList bounds the tokens and the users that a list has.
const MaxList = 10_000

// MaxUserTokens is how many tokens there are on behalf of one user.
const MaxUserTokens = 50

// MaxLogins is how many logins a user has: the newest ones.
const MaxLogins = 100

// TokenRecord is a stored API token.
type TokenRecord struct {
	// ID is the row's. It is read, not written.
	ID int64
	// Name is the token's, unlike that of any other.
	Name string
	// Hash is the SHA-256 of the token.
	Hash []byte
	// Scopes are what it may do.
	Scopes Scopes
	// User is the name of the user on whose behalf it acts; "" if it stands for
	// itself.
	User string
	// UserScopes are what that user may do. They are read, not written.
	UserScopes Scopes
	// CreatedAt is when it was made.
	CreatedAt time.Time
	// ExpiresAt is when it stops counting; the zero time is never.
	ExpiresAt time.Time
	// LastUsedAt is when it was used, a minute more or less; the zero time is
	// never.
	LastUsedAt time.Time
}

// Tokens keeps API tokens.
type Tokens interface {
	// AddToken stores a token; fault.Conflict if its name is taken or its user
	// has MaxUserTokens, fault.NotFound if its user does not exist.
	AddToken(ctx context.Context, token TokenRecord) error
	// Token returns the token with that hash, expired or not; fault.NotFound if
	// there is none.
	Token(ctx context.Context, hash []byte) (TokenRecord, error)
	// Tokens lists at most MaxList by name.
	Tokens(ctx context.Context) ([]TokenRecord, error)
	// UseToken notes when the token with that hash was used, if there is one.
	UseToken(ctx context.Context, hash []byte, at time.Time) error
	// RemoveToken deletes a token by its name; fault.NotFound if there is none.
	RemoveToken(ctx context.Context, name string) error
}

// UserTokens keeps the tokens that act on behalf of users.
type UserTokens interface {
	// UserTokens lists those of a user by name.
	UserTokens(ctx context.Context, user string) ([]TokenRecord, error)
	// RemoveUserToken deletes one of a user's by its ID; fault.NotFound if the
	// user has none of that ID.
	RemoveUserToken(ctx context.Context, user string, id int64) error
}

// UserRecord is a stored user.
type UserRecord struct {
	// Name is the user's, unlike that of any other.
	Name string
	// Password is the hash of the password, as HashPassword makes it.
	Password string
	// Scopes are what the user may do.
	Scopes Scopes
	// CreatedAt is when the user was made.
	CreatedAt time.Time
}

// Users keeps who has a password.
type Users interface {
	// AddUser stores a user; fault.Conflict if the name is taken.
	AddUser(ctx context.Context, user UserRecord) error
	// User returns the user of that name; fault.NotFound if there is none.
	User(ctx context.Context, name string) (UserRecord, error)
	// Users lists at most MaxList by name.
	Users(ctx context.Context) ([]UserRecord, error)
}

// UserChanges changes them. Each fails with fault.NotFound if there is no such
// user.
type UserChanges interface {
	// SetPassword replaces the hash of a password and ends the user's logins.
	SetPassword(ctx context.Context, name, password string) error
	// SetScopes replaces what a user may do.
	SetScopes(ctx context.Context, name string, scopes Scopes) error
	// RemoveUser deletes a user with their tokens and logins.
	RemoveUser(ctx context.Context, name string) error
}

// LoginRecord is a stored login: a user who has shown the password.
type LoginRecord struct {
	// Hash is the SHA-256 of the cookie.
	Hash []byte
	// User is the name of the user.
	User string
	// Password is the hash that the password was checked against; the login is
	// stored only if it is still the user's. It is written, not read.
	Password string
	// UserScopes are what the user may do. They are read, not written.
	UserScopes Scopes
	// CreatedAt is when the password was shown.
	CreatedAt time.Time
	// ExpiresAt is when it ends unless it is used before.
	ExpiresAt time.Time
	// LastUsedAt is when it was used, an hour more or less.
	LastUsedAt time.Time
}

// Logins keeps who is logged in.
type Logins interface {
	// AddLogin stores a login and deletes those that had ended when it was
	// created, and of its user all but the MaxLogins newest. fault.NotFound if
	// there is no such user, or none with that password any more.
	AddLogin(ctx context.Context, login LoginRecord) error
	// Login returns the login with that hash, ended or not; fault.NotFound if
	// there is none.
	Login(ctx context.Context, hash []byte) (LoginRecord, error)
	// UseLogin notes when the login with that hash was used and when it ends
	// now, if there is one.
	UseLogin(ctx context.Context, hash []byte, at, expires time.Time) error
	// RemoveLogin deletes the login with that hash, if there is one.
	RemoveLogin(ctx context.Context, hash []byte) error
}
