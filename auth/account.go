package auth

import (
	"bytes"
	"context"
	"encoding/base64"
	"time"

	"docent/internal/fault"
)

// OwnLogin describes a login of a signed-in user.
type OwnLogin struct {
	// ID identifies the login among those of the user. It does not reveal the cookie.
	ID string
	// Client describes the program of the user.
	Client string
	// CreatedAt is when the user signed in.
	CreatedAt time.Time
	// LastUsedAt is when the login was last used, to about an hour.
	LastUsedAt time.Time
	// Current reports that it is the login of the request.
	Current bool
}

// loginIDBytes is the length of the part of a login's hash that is its ID.
const loginIDBytes = 12

func loginID(hash []byte) string { return base64.RawURLEncoding.EncodeToString(hash[:loginIDBytes]) }

// OwnLogins lists the logins of a signed-in user, the last used first. Like the methods
// below, it fails with fault.Forbidden for other principals.
func (a *Authenticator) OwnLogins(ctx context.Context, p Principal) ([]OwnLogin, error) {
	user, err := p.user()
	if err != nil {
		return nil, err
	}
	records, err := a.cfg.Logins.UserLogins(ctx, user)
	if err != nil {
		return nil, err //nolint:wrapcheck // the store names the operation
	}
	now := a.cfg.Now()
	var out []OwnLogin
	for _, r := range records {
		if now.Before(r.ExpiresAt) && now.Before(r.CreatedAt.Add(LoginMax)) {
			out = append(out, OwnLogin{loginID(r.Hash), r.Client, r.CreatedAt, r.LastUsedAt, bytes.Equal(r.Hash, p.proof.hash[:])})
		}
	}
	return out, nil
}

// EndOwnLogin ends a login of a signed-in user. It fails with fault.NotFound if the user has
// no login with the ID.
func (a *Authenticator) EndOwnLogin(ctx context.Context, p Principal, id string) error {
	user, err := p.user()
	if err != nil {
		return err
	}
	records, err := a.cfg.Logins.UserLogins(ctx, user)
	if err != nil {
		return err //nolint:wrapcheck // the store names the operation
	}
	for _, r := range records {
		if loginID(r.Hash) == id {
			return a.cfg.Logins.RemoveLogin(ctx, r.Hash) //nolint:wrapcheck // the store names the operation
		}
	}
	return fault.New(fault.NotFound, "no_login", "there is no such login")
}

// ChangePassword replaces the password of a signed-in user, who must know the old one. It ends
// all logins of the user and returns the cookie of a new one. Wrong passwords fail and are
// slowed as for Password.
func (a *Authenticator) ChangePassword(ctx context.Context, p Principal, old, password, remote string) (string, Principal, error) {
	user, err := p.user()
	if err != nil {
		return "", Principal{}, err
	}
	if err := a.confirm(ctx, user, old, remote); err != nil {
		return "", Principal{}, err
	}
	phc, err := a.hash(ctx, password)
	if err != nil {
		return "", Principal{}, err
	}
	if err := a.cfg.Users.SetPassword(ctx, user, phc); err != nil {
		return "", Principal{}, err //nolint:wrapcheck // it says what failed
	}
	return a.enterAgain(ctx, user)
}

// DeleteOwn deletes a signed-in user, who must know the password, as People.Remove does. Wrong
// passwords fail and are slowed as for Password. A user without a password must have signed in
// within freshLogin.
func (a *Authenticator) DeleteOwn(ctx context.Context, p Principal, password, remote string) error {
	user, err := p.user()
	if err != nil {
		return err
	}
	if p.NoPassword {
		err = a.fresh(ctx, p)
	} else {
		err = a.confirm(ctx, user, password, remote)
	}
	if err != nil {
		return err
	}
	return NewPeople(a).Remove(ctx, user)
}

// freshLogin is the time after a sign-in in which it confirms the user.
const freshLogin = 10 * time.Minute

// fresh fails unless the user has signed in just now.
func (a *Authenticator) fresh(ctx context.Context, p Principal) error {
	login, err := a.cfg.Logins.Login(ctx, p.proof.hash[:])
	if err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	if a.cfg.Now().Sub(login.CreatedAt) > freshLogin {
		return fault.New(fault.Forbidden, "sign_in_old", "sign out and sign in again, and repeat this within 10 minutes")
	}
	return nil
}

// errConfirm is of another kind than errPassword, because the user is still signed in.
var errConfirm = fault.New(fault.Forbidden, "password_wrong", "the password is wrong")

// confirm checks the own password of a signed-in user.
func (a *Authenticator) confirm(ctx context.Context, user, password, remote string) error {
	// Attempts are counted before the check, as in password.
	attempts := a.knownAt.attempts(user, remote)
	refund, err := a.attempt(attempts, remote)
	if err != nil {
		return err
	}
	if len(password) > MaxPasswordBytes {
		password = ""
	}
	_, right, err := a.verify(ctx, user, password)
	switch {
	case err != nil:
		refund()
		return err
	case !right:
		return errConfirm
	}
	refund()
	a.wrongUsers.forget(attempts)
	return nil
}
