package auth

import (
	"context"
	"time"
)

// MaxList bounds a list of tokens or users.
const MaxList = 10_000

// MaxUserTokens bounds the tokens of one user.
const MaxUserTokens = 50

// MaxLogins bounds the logins of one user. Further logins end the oldest ones.
const MaxLogins = 100

// TokenRecord is a stored API token.
type TokenRecord struct {
	// ID is the row's id. The store sets it.
	ID int64
	// Name identifies the token. No two tokens have the same name.
	Name string
	// Hash is the SHA-256 of the token.
	Hash []byte
	// Scopes are the token's rights.
	Scopes Scopes
	// User is the name of the token's user; "" if the token belongs to no user.
	User string
	// UserScopes are the rights of that user. They are read, not written.
	UserScopes Scopes
	// UserDisabled reports that the user is disabled. It is read, not written.
	UserDisabled bool
	// CreatedAt is when the token was created.
	CreatedAt time.Time
	// ExpiresAt is when the token expires. The zero time means never.
	ExpiresAt time.Time
	// LastUsedAt is when the token was last used, to about a minute. The zero
	// time means never.
	LastUsedAt time.Time
}

// Tokens stores API tokens. It is safe for concurrent use, also by several
// processes. Once a method has returned, every process sees its change.
type Tokens interface {
	// AddToken stores a token. It fails with fault.Conflict if the name is taken
	// or the user already has MaxUserTokens tokens, and with fault.NotFound if
	// the user does not exist.
	AddToken(ctx context.Context, token TokenRecord) error
	// Token returns the token with the hash, even if it has expired. Without
	// one it fails with fault.NotFound.
	Token(ctx context.Context, hash []byte) (TokenRecord, error)
	// Tokens lists at most MaxList tokens by name.
	Tokens(ctx context.Context) ([]TokenRecord, error)
	// UseToken records when the token with the hash was used. An unknown hash is
	// ignored.
	UseToken(ctx context.Context, hash []byte, at time.Time) error
	// RemoveToken deletes the token with the name. Without one it fails with
	// fault.NotFound.
	RemoveToken(ctx context.Context, name string) error
	// UserTokens lists the tokens of a user by name.
	UserTokens(ctx context.Context, user string) ([]TokenRecord, error)
	// RemoveUserToken deletes a user's token by its ID. It fails with
	// fault.NotFound if the user has no such token.
	RemoveUserToken(ctx context.Context, user string, id int64) error
}

// UserRecord is a stored user.
type UserRecord struct {
	// Name identifies the user. No two users have the same name.
	Name string
	// Password is the hash of the password, made by HashPassword. It is "" for a user who
	// has been invited and has not chosen a password.
	Password string
	// Scopes are the user's rights.
	Scopes Scopes
	// Disabled reports that the user cannot sign in, and that the user's tokens do not work.
	Disabled bool
	// Identified reports that the user signs in with an OpenID Connect provider. It is read,
	// not written.
	Identified bool
	// CreatedAt is when the user was created.
	CreatedAt time.Time
	// LastSeenAt is when the user last signed in or used a login or a token, to about an
	// hour. The zero time means never.
	LastSeenAt time.Time
}

// Users stores users with their passwords. It is safe for concurrent use, also
// by several processes. Methods that change a user fail with fault.NotFound if
// the user does not exist.
type Users interface {
	// AddUser stores a user. It fails with fault.Conflict if the name is taken.
	AddUser(ctx context.Context, user UserRecord) error
	// User returns the user with the name. Without one it fails with
	// fault.NotFound.
	User(ctx context.Context, name string) (UserRecord, error)
	// Users lists at most MaxList users by name.
	Users(ctx context.Context) ([]UserRecord, error)
	// SetPassword replaces the hash of the password. It ends the user's logins and deletes
	// the user's link.
	SetPassword(ctx context.Context, name, password string) error
	// SetScopes replaces the user's rights.
	SetScopes(ctx context.Context, name string, scopes Scopes) error
	// SetDisabled disables a user or enables one again. Disabling also ends the user's logins
	// and deletes the user's link.
	SetDisabled(ctx context.Context, name string, disabled bool) error
	// RemoveUser deletes a user with the user's tokens, logins, and link.
	RemoveUser(ctx context.Context, name string) error
}

// LoginRecord is a stored login: a browser in which a user has signed in.
type LoginRecord struct {
	// Hash is the SHA-256 of the cookie.
	Hash []byte
	// User is the name of the user.
	User string
	// Password is the hash that the password was checked against. The store
	// accepts the login only if it is still the user's hash. It is written, not
	// read.
	Password string
	// UserScopes are the user's rights. They are read, not written.
	UserScopes Scopes
	// UserDisabled reports that the user is disabled. It is read, not written.
	UserDisabled bool
	// NoPassword reports that the user has no password. It is read, not written.
	NoPassword bool
	// Client describes the program of the user, at most MaxClient characters.
	Client string
	// CreatedAt is when the user signed in.
	CreatedAt time.Time
	// ExpiresAt is when the login ends unless it is used before.
	ExpiresAt time.Time
	// LastUsedAt is when the login was last used, to about an hour.
	LastUsedAt time.Time
}

// Logins stores the logins of users. It is safe for concurrent use, also by
// several processes.
type Logins interface {
	// AddLogin stores a login. It deletes logins that expired before CreatedAt, and
	// keeps only the MaxLogins newest logins of the user. It fails with
	// fault.NotFound if the user does not exist or has a new password.
	AddLogin(ctx context.Context, login LoginRecord) error
	// Login returns the login with the hash, even if it has expired. Without one
	// it fails with fault.NotFound.
	Login(ctx context.Context, hash []byte) (LoginRecord, error)
	// UseLogin records when the login with the hash was used and when it expires
	// now. An unknown hash is ignored.
	UseLogin(ctx context.Context, hash []byte, at, expires time.Time) error
	// RemoveLogin deletes the login with the hash. An unknown hash is ignored.
	RemoveLogin(ctx context.Context, hash []byte) error
	// UserLogins lists the logins of a user, the last used first. Some may have expired.
	UserLogins(ctx context.Context, user string) ([]LoginRecord, error)
	// RemoveUserLogins deletes all logins of a user. An unknown user is ignored.
	RemoveUserLogins(ctx context.Context, user string) error
}

// MaxClient is the maximum length of LoginRecord.Client, in characters.
const MaxClient = 200

// LinkRecord is a stored link with which a user sets the password once.
type LinkRecord struct {
	// Hash is the SHA-256 of the secret in the link.
	Hash []byte
	// User is the name of the user.
	User string
	// ExpiresAt is when the link stops working.
	ExpiresAt time.Time
}

// Links stores the links of users. It is safe for concurrent use, also by several
// processes.
type Links interface {
	// SetLink stores a link. It replaces the user's earlier link. It fails with
	// fault.NotFound if the user does not exist.
	SetLink(ctx context.Context, link LinkRecord) error
	// Link returns the link with the hash, even if it has expired. Without one it fails
	// with fault.NotFound.
	Link(ctx context.Context, hash []byte) (LinkRecord, error)
	// UseLink deletes the link with the hash, sets the hash of the password of its user, and
	// ends the user's logins. Without the link it changes nothing and fails with
	// fault.NotFound, so that only one of several concurrent calls succeeds.
	UseLink(ctx context.Context, hash []byte, password string) error
}
