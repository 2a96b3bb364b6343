package authtest

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docent/auth"
	"docent/internal/fault"
	"docent/internal/storetest"
)

// ask are the rights of the users in these tests.
var ask = auth.Scopes{auth.Ask}

// signIn adds a login of a user with the password "p".
func signIn(t *testing.T, k Store, cookie, user string, hour int) {
	t.Helper()
	storetest.OK(t, k.Logins.AddLogin(t.Context(), auth.LoginRecord{
		Hash: hash(cookie), User: user, Password: "p", Client: "Firefox " + cookie,
		CreatedAt: anHour(hour), ExpiresAt: anHour(99), LastUsedAt: anHour(hour),
	}))
}

// disabled: a disabled user has no logins and no link, and the user's tokens say so.
func disabled(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	for _, name := range []string{"ann", "bob"} {
		storetest.OK(t, k.Users.AddUser(ctx, auth.UserRecord{Name: name, Password: "p", Scopes: ask}))
		signIn(t, k, name, name, 0)
		storetest.OK(t, k.Links.SetLink(ctx, auth.LinkRecord{Hash: hash("link " + name), User: name, ExpiresAt: anHour(1)}))
	}
	storetest.OK(t, add(t, k, "a", "ann"))
	storetest.OK(t, k.Users.SetDisabled(ctx, "ann", true))
	for _, disabled := range []bool{true, false} {
		storetest.OK(t, k.Users.SetDisabled(ctx, "ann", disabled))
		got, err := k.Users.User(ctx, "ann")
		storetest.OK(t, err)
		storetest.Want(t, "the user is disabled", got.Disabled, disabled)
		token, err := k.Tokens.Token(ctx, hash("a"))
		storetest.OK(t, err)
		storetest.Want(t, "the user of the token is disabled", token.UserDisabled, disabled)
		_, err = k.Logins.Login(ctx, hash("ann"))
		storetest.WantKind(t, "the login", err, fault.NotFound)
		_, err = k.Links.Link(ctx, hash("link ann"))
		storetest.WantKind(t, "the link", err, fault.NotFound)
	}
	_, err := k.Logins.Login(ctx, hash("bob"))
	storetest.OK(t, err)
	_, err = k.Links.Link(ctx, hash("link bob"))
	storetest.OK(t, err)
	storetest.WantKind(t, "nobody", k.Users.SetDisabled(ctx, "eve", true), fault.NotFound)
}

// userLogins: a user's logins are listed and ended, and their use tells when the user was seen.
func userLogins(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	for _, name := range []string{"ann", "bob"} {
		storetest.OK(t, k.Users.AddUser(ctx, auth.UserRecord{Name: name, Password: "p", Scopes: ask, CreatedAt: anHour(0)}))
	}
	seen := func() time.Time {
		u, err := k.Users.User(ctx, "ann")
		storetest.OK(t, err)
		return u.LastSeenAt
	}
	storetest.Want(t, "seen at first", seen(), time.Time{})
	signIn(t, k, "1", "ann", 1)
	signIn(t, k, "2", "ann", 2)
	signIn(t, k, "3", "bob", 3)
	storetest.Want(t, "seen at the sign-in", seen(), anHour(2))
	storetest.OK(t, k.Logins.UseLogin(ctx, hash("1"), anHour(5), anHour(99)))
	storetest.Want(t, "seen with a login", seen(), anHour(5))
	storetest.OK(t, add(t, k, "a", "ann"))
	storetest.OK(t, k.Tokens.UseToken(ctx, hash("a"), anHour(4)))
	storetest.Want(t, "seen with a token, earlier", seen(), anHour(5))
	storetest.OK(t, k.Tokens.UseToken(ctx, hash("a"), anHour(6)))
	storetest.Want(t, "seen with a token", seen(), anHour(6))
	all, err := k.Logins.UserLogins(ctx, "ann")
	storetest.OK(t, err)
	clients := []string{}
	for _, l := range all {
		clients = append(clients, l.Client)
	}
	storetest.Want(t, "logins, last used first", strings.Join(clients, ", "), "Firefox 1, Firefox 2")
	storetest.OK(t, k.Logins.RemoveUserLogins(ctx, "ann"))
	storetest.OK(t, k.Logins.RemoveUserLogins(ctx, "eve"))
	storetest.Want(t, "logins of others", db.Count(t, "login"), 1)
}

// links: a user has one link, which sets the password and ends the logins.
func links(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	storetest.OK(t, k.Users.AddUser(ctx, auth.UserRecord{Name: "ann", Scopes: ask}))
	link := auth.LinkRecord{Hash: hash("1"), User: "ann", ExpiresAt: anHour(1)}
	storetest.OK(t, k.Links.SetLink(ctx, link))
	got, err := db.Open(t).Links.Link(ctx, hash("1"))
	storetest.OK(t, err)
	storetest.Want(t, "the link", got, link)
	link.Hash = hash("2")
	storetest.OK(t, k.Links.SetLink(ctx, link))
	_, err = k.Links.Link(ctx, hash("1"))
	storetest.WantKind(t, "the earlier link", err, fault.NotFound)
	storetest.WantKind(t, "its use", k.Links.UseLink(ctx, hash("1"), "p"), fault.NotFound)
	storetest.OK(t, k.Links.UseLink(ctx, hash("2"), "p"))
	storetest.WantKind(t, "a second use", k.Links.UseLink(ctx, hash("2"), "q"), fault.NotFound)
	signIn(t, k, "3", "ann", 0) // with the password of the first use
	storetest.OK(t, k.Links.SetLink(ctx, link))
	storetest.OK(t, k.Links.UseLink(ctx, hash("2"), "q"))
	_, err = k.Logins.Login(ctx, hash("3"))
	storetest.WantKind(t, "the login before the link", err, fault.NotFound)
	storetest.OK(t, k.Links.SetLink(ctx, link))
	storetest.OK(t, k.Users.SetPassword(ctx, "ann", "r"))
	storetest.Want(t, "links after another password", db.Count(t, "password_link"), 0)
	storetest.OK(t, k.Links.SetLink(ctx, link))
	storetest.OK(t, k.Users.RemoveUser(ctx, "ann"))
	storetest.Want(t, "links of a deleted user", db.Count(t, "password_link"), 0)
	storetest.WantKind(t, "a link of nobody", k.Links.SetLink(ctx, link), fault.NotFound)
}

// linkOnce: of concurrent uses of a link, one succeeds.
func linkOnce(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	storetest.OK(t, k.Users.AddUser(ctx, auth.UserRecord{Name: "ann", Scopes: ask}))
	storetest.OK(t, k.Links.SetLink(ctx, auth.LinkRecord{Hash: hash("1"), User: "ann", ExpiresAt: anHour(1)}))
	var used atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			switch err := k.Links.UseLink(ctx, hash("1"), "p"); {
			case err == nil:
				used.Add(1)
			case fault.KindOf(err) != fault.NotFound:
				t.Errorf("another error: %v", err)
			}
		})
	}
	all.Wait()
	storetest.Want(t, "successful uses", used.Load(), 1)
}

// identities: an identity belongs to one user, and ends with the user.
func identities(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	one, two := auth.Identity{Issuer: "https://i", Subject: "1"}, auth.Identity{Issuer: "https://i", Subject: "2"}
	_, err := k.Identities.Identified(ctx, one)
	storetest.WantKind(t, "an unknown identity", err, fault.NotFound)
	storetest.OK(t, k.Identities.AddIdentified(ctx, one, auth.UserRecord{Name: "ann", Scopes: ask, CreatedAt: anHour(0)}))
	ann, err := db.Open(t).Identities.Identified(ctx, one)
	storetest.OK(t, err)
	storetest.Want(t, "the user", ann.Name+" "+ann.Scopes.String()+" "+ann.Password, "ann ask ")
	storetest.Want(t, "the user is identified", ann.Identified, true)
	err = k.Identities.AddIdentified(ctx, two, auth.UserRecord{Name: "ann", Scopes: ask})
	storetest.WantKind(t, "another user with the name", err, fault.Conflict)
	err = k.Identities.AddIdentified(ctx, one, auth.UserRecord{Name: "eve", Scopes: ask})
	storetest.WantKind(t, "another user with the identity", err, fault.Conflict)
	_, err = k.Users.User(ctx, "eve")
	storetest.WantKind(t, "this user", err, fault.NotFound)

	storetest.OK(t, k.Users.AddUser(ctx, auth.UserRecord{Name: "bob", Scopes: ask}))
	storetest.OK(t, k.Links.SetLink(ctx, auth.LinkRecord{Hash: hash("1"), User: "bob", ExpiresAt: anHour(1)}))
	storetest.WantKind(t, "an identity of ann", k.Identities.LinkIdentity(ctx, hash("1"), one), fault.Conflict)
	storetest.WantKind(t, "a wrong link", k.Identities.LinkIdentity(ctx, hash("2"), two), fault.NotFound)
	storetest.OK(t, k.Identities.LinkIdentity(ctx, hash("1"), two))
	err = k.Identities.LinkIdentity(ctx, hash("1"), auth.Identity{Issuer: "https://i", Subject: "3"})
	storetest.WantKind(t, "the link again", err, fault.NotFound)
	bob, err := k.Identities.Identified(ctx, two)
	storetest.OK(t, err)
	storetest.Want(t, "the user of the link", bob.Name, "bob")
	storetest.OK(t, k.Users.RemoveUser(ctx, "bob"))
	_, err = k.Identities.Identified(ctx, two)
	storetest.WantKind(t, "the identity of a deleted user", err, fault.NotFound)
}
