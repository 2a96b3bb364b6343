package auth

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"docent/internal/fault"
)

// LinkLife is the lifetime of a link with which a user sets the password.
const LinkLife = 72 * time.Hour

// Link is a link with which a user sets the password once.
type Link struct {
	// Secret is the part of the link that nobody can guess. It is not stored.
	Secret string
	// ExpiresAt is when the link stops working.
	ExpiresAt time.Time
}

// People manages the users of an Authenticator for administrators. The caller checks the scope
// of the administrator. It is safe for concurrent use.
type People struct{ a *Authenticator }

// NewPeople returns the users of an Authenticator.
func NewPeople(a *Authenticator) People { return People{a} }

// List lists the users by name.
func (p People) List(ctx context.Context) ([]UserRecord, error) {
	return p.a.cfg.Users.Users(ctx) //nolint:wrapcheck // the store names the operation
}

// Invite creates a user without a password. With the link, the user chooses one.
func (p People) Invite(ctx context.Context, name string, scopes Scopes) (Link, error) {
	name = UserName(name)
	if err := checkName("user", name); err != nil {
		return Link{}, err
	}
	if err := checkScopes(scopes); err != nil {
		return Link{}, err
	}
	if err := p.a.cfg.Users.AddUser(ctx, UserRecord{Name: name, Scopes: scopes, CreatedAt: p.a.cfg.Now()}); err != nil {
		return Link{}, err //nolint:wrapcheck // it says what failed
	}
	return p.NewLink(ctx, name)
}

// NewLink makes a link for a user. The user's earlier link stops working. The user's
// password and logins work until the user uses the link.
func (p People) NewLink(ctx context.Context, name string) (Link, error) {
	link := Link{newSecret(), p.a.cfg.Now().Add(LinkLife)}
	hash := sha256.Sum256([]byte(link.Secret))
	err := p.a.cfg.Links.SetLink(ctx, LinkRecord{Hash: hash[:], User: UserName(name), ExpiresAt: link.ExpiresAt})
	return link, err //nolint:wrapcheck // it says what failed
}

// SetScopes is [Authenticator.SetScopes] for administrators who are signed in. It fails with
// fault.Conflict if no administrator would be left.
func (p People) SetScopes(ctx context.Context, name string, scopes Scopes) error {
	if !slices.Contains(scopes, Admin) {
		if err := p.keepAdmin(ctx, name); err != nil {
			return err
		}
	}
	return p.a.SetScopes(ctx, name, scopes)
}

// SetDisabled disables a user, or enables one again. A disabled user cannot sign in, and
// the user's tokens do not work. It fails with fault.Conflict if no administrator would be
// left.
func (p People) SetDisabled(ctx context.Context, name string, disabled bool) error {
	if disabled {
		if err := p.keepAdmin(ctx, name); err != nil {
			return err
		}
	}
	return p.a.cfg.Users.SetDisabled(ctx, UserName(name), disabled) //nolint:wrapcheck // it says what failed
}

// SignOut ends all logins of a user.
func (p People) SignOut(ctx context.Context, name string) error {
	name = UserName(name)
	if _, err := p.a.cfg.Users.User(ctx, name); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	return p.a.cfg.Logins.RemoveUserLogins(ctx, name) //nolint:wrapcheck // it says what failed
}

// Remove is [Authenticator.DeleteUser] for administrators who are signed in. It fails with
// fault.Conflict if no administrator would be left.
func (p People) Remove(ctx context.Context, name string) error {
	if err := p.keepAdmin(ctx, name); err != nil {
		return err
	}
	return p.a.DeleteUser(ctx, name)
}

// administers reports whether the user can sign in as an administrator.
func (u UserRecord) administers() bool {
	return !u.Disabled && u.Password != "" && slices.Contains(u.Scopes, Admin)
}

// Administered reports whether an administrator can sign in.
func Administered(ctx context.Context, users Users) (bool, error) {
	all, err := users.Users(ctx)
	return slices.ContainsFunc(all, UserRecord.administers), err //nolint:wrapcheck // it says what failed
}

// keepAdmin fails if no other administrator can sign in. Operators can correct a mistake at
// the command line, which changes every user.
func (p People) keepAdmin(ctx context.Context, name string) error {
	users, err := p.a.cfg.Users.Users(ctx)
	if err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	name = UserName(name)
	others := slices.ContainsFunc(users, func(u UserRecord) bool { return u.Name != name && u.administers() })
	is := slices.ContainsFunc(users, func(u UserRecord) bool { return u.Name == name && u.administers() })
	if is && !others {
		return fault.New(fault.Conflict, "last_administrator", "%s is the only administrator; make somebody else an administrator first", name)
	}
	return nil
}
