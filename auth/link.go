package auth

import (
	"context"
	"crypto/sha256"

	"docent/internal/fault"
)

var errLink = fault.New(fault.Unauthorized, "link_wrong", "this link is wrong, was used, or has expired; ask an administrator for a new one")

// LinkUser returns the user of a link. It fails with fault.Unauthorized for wrong links,
// and with fault.RateLimited after too many of them from one address, as Token does.
func (a *Authenticator) LinkUser(ctx context.Context, secret, remote string) (string, error) {
	hash := sha256.Sum256([]byte(secret))
	link, err := look(ctx, func(ctx context.Context) (LinkRecord, error) { return a.cfg.Links.Link(ctx, hash[:]) })
	if err != nil && fault.KindOf(err) == fault.NotFound || err == nil && !a.cfg.Now().Before(link.ExpiresAt) {
		err = errLink
		if slowed := a.wrongTokens.attempt(remote); slowed != nil {
			err = slowed
		}
	}
	a.count("link", err)
	return link.User, err
}

// UseLink sets the password of the user of a link, ends the user's logins, and signs the user
// in. A link works once. Wrong links fail as for LinkUser.
func (a *Authenticator) UseLink(ctx context.Context, secret, password, remote string) (string, Principal, error) {
	name, err := a.LinkUser(ctx, secret, remote)
	if err != nil {
		return "", Principal{}, err
	}
	phc, err := a.hash(ctx, password)
	if err != nil {
		return "", Principal{}, err
	}
	hash := sha256.Sum256([]byte(secret))
	if err := a.cfg.Links.UseLink(ctx, hash[:], phc); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			err = errLink
		}
		return "", Principal{}, err
	}
	return a.enterAgain(ctx, name)
}

// enterAgain signs in a user whose password has just been set.
func (a *Authenticator) enterAgain(ctx context.Context, name string) (string, Principal, error) {
	user, err := a.cfg.Users.User(ctx, name)
	if err != nil {
		return "", Principal{}, err //nolint:wrapcheck // it says what failed
	}
	return a.enter(ctx, user)
}

// hash is HashPassword in one of the slots for checks, so that many requests together use a
// bounded amount of memory.
func (a *Authenticator) hash(ctx context.Context, password string) (string, error) {
	var out string
	err := a.slot(ctx, func() (err error) {
		out, err = HashPassword(password)
		return err
	})
	return out, err
}
