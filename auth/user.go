package auth

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"docent/internal/fault"
)

// MaxName bounds the names of users and tokens, in characters.
const MaxName = 64

// compose makes the ways to write a name one.
func compose(name string) string { return norm.NFC.String(name) }

// UserName is a user's name as it is kept: in small letters and without the
// differences of letters that look the same, so that Ann and ann are one.
// What is not UTF-8 becomes a character that no name has.
func UserName(name string) string {
	return norm.NFKC.String(strings.Map(fold, norm.NFKC.String(name)))
}

// fold is one letter for all that differ in case only.
func fold(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}

// checkName fails if a name of a user or a token cannot be one.
func checkName(what, name string) error {
	bad := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("._@+-", r)
	}
	if n := utf8.RuneCountInString(name); n < 1 || n > MaxName || !utf8.ValidString(name) || strings.ContainsFunc(name, bad) || name[0] == '-' {
		return fault.New(fault.Invalid,
			"name_characters", "the name of a %s has 1 to %d letters, digits, and characters of . _ @ + -", what, MaxName)
	}
	return nil
}

// userID is the id of a user as a principal.
func userID(name string) string { return "user:" + name }

var errNoScope = fault.New(fault.Invalid, "user_without_scope", "a user needs a scope: ask, ingest, or admin")

// CreateUser makes a user with a password.
func (a *Authenticator) CreateUser(ctx context.Context, name, password string, scopes Scopes) error {
	name = UserName(name)
	if err := checkName("user", name); err != nil {
		return err
	}
	if len(scopes) == 0 {
		return errNoScope
	}
	hash, err := HashPassword(password)
	if err != nil {
		return err
	}
	return a.cfg.Users.AddUser(ctx, UserRecord{Name: name, Password: hash, Scopes: scopes, CreatedAt: a.cfg.Now()}) //nolint:wrapcheck // it says what failed
}

// SetPassword gives a user another password and ends their logins; tokens on
// their behalf stay.
func (a *Authenticator) SetPassword(ctx context.Context, name, password string) error {
	hash, err := HashPassword(password)
	if err != nil {
		return err
	}
	return a.cfg.Users.SetPassword(ctx, UserName(name), hash) //nolint:wrapcheck // it says what failed
}

// SetScopes says anew what a user may do. Tokens on their behalf may do no more
// either.
func (a *Authenticator) SetScopes(ctx context.Context, name string, scopes Scopes) error {
	if len(scopes) == 0 {
		return errNoScope
	}
	return a.cfg.Users.SetScopes(ctx, UserName(name), scopes) //nolint:wrapcheck // it says what failed
}

// DeleteUser deletes a user with their logins and tokens; fault.NotFound if
// there is none. What belonged to them stays, for the next user of that name.
func (a *Authenticator) DeleteUser(ctx context.Context, name string) error {
	return a.cfg.Users.RemoveUser(ctx, UserName(name)) //nolint:wrapcheck // it says what failed
}

// errPassword does not say which of the two is wrong.
var errPassword = fault.New(fault.Unauthorized, "sign_in_wrong", "the user name or the password is wrong")

// Password logs a user in who asks from that address and returns the value of a
// cookie for it. fault.Unauthorized if name or password is wrong;
// fault.RateLimited, with [RetryAfter], after too many wrong ones for the name
// or from the address; fault.Busy if too many log in at once.
func (a *Authenticator) Password(ctx context.Context, name, password, remote string) (string, Principal, error) {
	cookie, p, err := a.password(ctx, name, password, remote)
	a.count("password", err)
	return cookie, p, err
}

func (a *Authenticator) password(ctx context.Context, name, password, remote string) (string, Principal, error) {
	name = UserName(name)
	if err := checkName("user", name); err != nil || len(password) > MaxPasswordBytes {
		name = "" // nobody's; it is counted and takes as long as another
	}
	// Each is counted before it is checked, or many at once would not be.
	if err := a.wrongAddresses.attempt(remote); err != nil {
		return "", Principal{}, err
	}
	if err := a.wrongUsers.attempt(name); err != nil {
		return "", Principal{}, err
	}
	user, right, err := a.verify(ctx, name, password)
	if err == nil && !right {
		return "", Principal{}, errPassword
	}
	if err != nil {
		a.wrongUsers.refund(name)
		a.wrongAddresses.refund(remote)
		return "", Principal{}, err
	}
	cookie, p, err := a.enter(ctx, user)
	if err != nil && fault.KindOf(err) != fault.Unauthorized {
		a.wrongUsers.refund(name)
		a.wrongAddresses.refund(remote)
	}
	if err != nil {
		return "", Principal{}, err
	}
	a.wrongUsers.forget(name)
	// Only this one: who has an account must not guess at others' for ever.
	a.wrongAddresses.refund(remote)
	return cookie, p, nil
}

// verify reports whether a user has that password.
func (a *Authenticator) verify(ctx context.Context, name, password string) (UserRecord, bool, error) {
	user, err := look(ctx, func(ctx context.Context) (UserRecord, error) { return a.cfg.Users.User(ctx, name) })
	known := err == nil
	if !known && fault.KindOf(err) != fault.NotFound {
		return user, false, err
	}
	hash := nobody()
	if known {
		if hash, err = parsePHC(user.Password); err != nil {
			return user, false, err
		}
	}
	if len(password) > MaxPasswordBytes {
		password = ""
	}
	right, err := a.check(ctx, hash, password)
	return user, right && known, err
}
