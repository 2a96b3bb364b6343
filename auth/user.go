package auth

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"docent/internal/fault"
)

// MaxName bounds the names of users and tokens, in characters.
const MaxName = 64

// compose normalizes a name: equal letters get equal bytes.
func compose(name string) string { return norm.NFC.String(name) }

// UserName returns the stored form of a user's name. It is in lower case and
// normalized (NFKC), so that Ann and ann are the same user. Invalid UTF-8 becomes
// a character that no name may contain.
func UserName(name string) string {
	return norm.NFKC.String(strings.Map(fold, norm.NFKC.String(name)))
}

// fold maps letters that differ only in case to one letter.
func fold(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}

// checkName fails if a name is not valid for a user or a token.
func checkName(what, name string) error {
	bad := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("._@+-", r)
	}
	n := utf8.RuneCountInString(name)
	if n < 1 || n > MaxName || !utf8.ValidString(name) || strings.ContainsFunc(name, bad) || name[0] == '-' {
		return fault.New(fault.Invalid,
			"name_characters", "the name of a %s has 1 to %d letters, digits, and characters of . _ @ + -", what, MaxName)
	}
	return nil
}

// userID returns the principal ID of a user.
func userID(name string) string { return "user:" + name }

var errNoScope = fault.New(fault.Invalid, "user_without_scope", "a user needs the scopes ask, ingest, or admin")

// checkScopes fails if a user cannot have the scopes.
func checkScopes(scopes Scopes) error {
	if len(scopes) == 0 || slices.Contains(scopes, Chat) {
		return errNoScope
	}
	return nil
}

// CreateUser creates a user with a password.
func (a *Authenticator) CreateUser(ctx context.Context, name, password string, scopes Scopes) error {
	name = UserName(name)
	if err := checkName("user", name); err != nil {
		return err
	}
	if err := checkScopes(scopes); err != nil {
		return err
	}
	hash, err := HashPassword(password)
	if err != nil {
		return err
	}
	record := UserRecord{Name: name, Password: hash, Scopes: scopes, CreatedAt: a.cfg.Now()}
	return a.cfg.Users.AddUser(ctx, record) //nolint:wrapcheck // it says what failed
}

// SetPassword replaces a user's password and ends the user's logins. The user's
// tokens keep working.
func (a *Authenticator) SetPassword(ctx context.Context, name, password string) error {
	hash, err := HashPassword(password)
	if err != nil {
		return err
	}
	return a.cfg.Users.SetPassword(ctx, UserName(name), hash) //nolint:wrapcheck // it says what failed
}

// SetScopes replaces a user's scopes. It also limits the user's tokens.
func (a *Authenticator) SetScopes(ctx context.Context, name string, scopes Scopes) error {
	if err := checkScopes(scopes); err != nil {
		return err
	}
	return a.cfg.Users.SetScopes(ctx, UserName(name), scopes) //nolint:wrapcheck // it says what failed
}

// DeleteUser deletes a user with all logins and tokens. It fails with
// fault.NotFound if the user does not exist. The user's other data stays. A new
// user with the same name gets it.
func (a *Authenticator) DeleteUser(ctx context.Context, name string) error {
	return a.cfg.Users.RemoveUser(ctx, UserName(name)) //nolint:wrapcheck // it says what failed
}

// errPassword does not reveal which of the two is wrong.
var errPassword = fault.New(fault.Unauthorized, "sign_in_wrong", "the user name or the password is wrong")

// Password signs a user in and returns the value of a cookie for the new login.
// remote is the client's address. It fails with fault.Unauthorized if the name or
// the password is wrong. It fails with fault.RateLimited after too many wrong
// attempts for the name or from the address; see [RetryAfter]. It fails with
// fault.Busy if too many users sign in at the same time.
func (a *Authenticator) Password(ctx context.Context, name, password, remote string) (string, Principal, error) {
	cookie, p, err := a.password(ctx, name, password, remote)
	a.count("password", err)
	return cookie, p, err
}

func (a *Authenticator) password(ctx context.Context, name, password, remote string) (string, Principal, error) {
	name = UserName(name)
	if err := checkName("user", name); err != nil || len(password) > MaxPasswordBytes {
		name = "" // no user has it; the attempt is counted and takes as long as others
	}
	// Attempts are counted before the check. Otherwise concurrent attempts
	// would not count.
	attempts := a.knownAt.attempts(name, remote)
	refund, err := a.attempt(attempts, remote)
	if err != nil {
		return "", Principal{}, err
	}
	user, right, err := a.verify(ctx, name, password)
	if err == nil && !right {
		return "", Principal{}, errPassword
	}
	if err != nil {
		refund()
		return "", Principal{}, err
	}
	cookie, p, err := a.enter(ctx, user)
	if err != nil {
		if fault.KindOf(err) != fault.Unauthorized {
			refund()
		}
		return "", Principal{}, err
	}
	// Refund only this attempt of the address. Otherwise an attacker with an account
	// could reset the count.
	refund()
	a.wrongUsers.forget(attempts)
	a.knownAt.add(name, remote)
	return cookie, p, nil
}

// attempt counts an attempt to sign in, for its address, its network, and its user.
// If one of them is slowed, it counts for none.
func (a *Authenticator) attempt(user, remote string) (refund func(), err error) {
	var counted []func()
	refund = func() {
		for _, undo := range counted {
			undo()
		}
	}
	for _, c := range []struct {
		throttle *throttle
		key      string
	}{{a.wrongAddresses, remote}, {a.wrongSites, siteOf(remote)}, {a.wrongUsers, user}} {
		if err := c.throttle.attempt(c.key); err != nil {
			refund()
			return nil, err
		}
		counted = append(counted, func() { c.throttle.refund(c.key) })
	}
	return refund, nil
}

// verify reports whether a user has the password. Unknown users take as long as
// others.
func (a *Authenticator) verify(ctx context.Context, name, password string) (UserRecord, bool, error) {
	user, err := look(ctx, func(ctx context.Context) (UserRecord, error) { return a.cfg.Users.User(ctx, name) })
	known := err == nil
	if !known && fault.KindOf(err) != fault.NotFound {
		return user, false, err
	}
	hash := nobody()
	if known && user.Password != "" { // invited users have none yet
		if hash, err = parsePHC(user.Password); err != nil {
			return user, false, err
		}
	}
	if len(password) > MaxPasswordBytes {
		password = ""
	}
	right, err := a.check(ctx, hash, password)
	return user, right && known && user.Password != "", err
}

// CheckGroupName fails if a name is not valid for a group. The rules are those of
// the names of users.
func CheckGroupName(name string) error { return checkName("group", name) }
