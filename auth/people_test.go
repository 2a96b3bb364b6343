package auth_test

import (
	"testing"

	"docent/auth"
	"docent/internal/fault"
)

const remote = "192.0.2.1"

func (w *world) people() auth.People { return auth.NewPeople(w.Authenticator) }

// TestInvitation checks that an invited user signs in only after choosing a password with the link.
func TestInvitation(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	link, err := w.people().Invite(ctx, "Ann", auth.Scopes{auth.Ask})
	ok(t, err)
	for _, guess := range []string{"", password} {
		_, _, err = w.Password(ctx, "ann", guess, remote)
		fails(t, err, fault.Unauthorized, "wrong")
	}
	name, err := w.LinkUser(ctx, link.Secret, remote)
	ok(t, err)
	if name != "ann" {
		t.Errorf("the link is of %q", name)
	}
	_, _, err = w.UseLink(ctx, link.Secret, "short", remote)
	fails(t, err, fault.Invalid, "8 characters")
	cookie, p, err := w.UseLink(ctx, link.Secret, password, remote)
	w.is(p, err, "user:ann ann ask")
	p, err = w.Cookie(ctx, cookie)
	w.is(p, err, "user:ann ann ask")
	w.login("ann")
	_, _, err = w.UseLink(ctx, link.Secret, password, remote)
	fails(t, err, fault.Unauthorized, "was used")

	_, err = w.people().Invite(ctx, "ann", auth.Scopes{auth.Ask})
	fails(t, err, fault.Conflict, "already")
	_, err = w.people().Invite(ctx, "bob", auth.Scopes{auth.Chat})
	fails(t, err, fault.Invalid, "scopes")
	_, err = w.people().Invite(ctx, "b b", auth.Scopes{auth.Ask})
	fails(t, err, fault.Invalid, "letters")
}

// TestLinkEnds checks that a link ends with time, with the next link, and with the account.
func TestLinkEnds(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	w.user("ann", auth.Ask)
	old := w.login("ann")
	links := make([]auth.Link, 3)
	for i := range links {
		var err error
		links[i], err = w.people().NewLink(ctx, "Ann")
		ok(t, err)
		_, err = w.LinkUser(ctx, links[i].Secret, "")
		ok(t, err)
		switch i {
		case 1:
			ok(t, w.people().SetDisabled(ctx, "ann", true))
			ok(t, w.people().SetDisabled(ctx, "ann", false))
		case 2:
			w.clock.pass(auth.LinkLife)
		}
	}
	for i, link := range links {
		_, _, err := w.UseLink(ctx, link.Secret, "another password", "")
		fails(t, err, fault.Unauthorized, "link")
		if _, err := w.LinkUser(ctx, link.Secret, ""); err == nil {
			t.Errorf("link %d works", i)
		}
	}
	w.login("ann") // the password is the old one
	if _, err := w.Cookie(ctx, old); err == nil {
		t.Error("a login outlives the disabled account")
	}
	_, err := w.people().NewLink(ctx, "eve")
	fails(t, err, fault.NotFound, "user")
}

// TestWrongLinksAreSlowed checks that guesses of one address are slowed, and that the right
// link still works.
func TestWrongLinksAreSlowed(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	link, err := w.people().Invite(ctx, "ann", auth.Scopes{auth.Ask})
	ok(t, err)
	kinds := map[fault.Kind]int{}
	for range 25 {
		_, _, err := w.UseLink(ctx, "guess", password, remote)
		kinds[fault.KindOf(err)]++
	}
	if kinds[fault.Unauthorized] == 0 || kinds[fault.RateLimited] == 0 {
		t.Errorf("the refusals are %v", kinds)
	}
	_, _, err = w.UseLink(ctx, link.Secret, password, remote)
	ok(t, err)
}

// TestDisabled checks that nothing of a disabled user works, and that the last administrator stays.
func TestDisabled(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	w.user("ann", auth.Admin)
	w.user("bob", auth.Ask)
	token := w.token(auth.TokenSpec{Name: "t", User: "bob", Scopes: auth.Scopes{auth.Ask}})
	p, err := w.Token(ctx, token)
	ok(t, err)
	cookie := w.login("bob")
	ok(t, w.people().SetDisabled(ctx, "BOB", true))
	if _, err := w.Cookie(ctx, cookie); err == nil {
		t.Error("the login works")
	}
	_, err = w.Token(ctx, token)
	fails(t, err, fault.Unauthorized, "token")
	fails(t, w.Valid(ctx, p), fault.Unauthorized, "token")
	_, _, err = w.Password(ctx, "bob", password, remote)
	fails(t, err, fault.Unauthorized, "disabled")
	_, _, err = w.Password(ctx, "bob", "wrong", remote)
	fails(t, err, fault.Unauthorized, "wrong")
	ok(t, w.people().SetDisabled(ctx, "bob", false))
	w.login("bob")
	_, err = w.Token(ctx, token)
	ok(t, err)

	fails(t, w.people().SetDisabled(ctx, "ann", true), fault.Conflict, "only administrator")
	fails(t, w.people().Remove(ctx, "Ann"), fault.Conflict, "only administrator")
	fails(t, w.people().SetScopes(ctx, "ann", auth.Scopes{auth.Ask}), fault.Conflict, "only administrator")
	_, err = w.people().Invite(ctx, "eve", auth.Scopes{auth.Admin}) // she cannot sign in yet
	ok(t, err)
	fails(t, w.people().Remove(ctx, "ann"), fault.Conflict, "only administrator")
	ok(t, w.people().SetScopes(ctx, "bob", auth.Scopes{auth.Admin}))
	ok(t, w.people().Remove(ctx, "ann"))
}

// TestOwnAccount checks that users change their password, end their logins, and delete
// themselves, each only with the password or their own login.
func TestOwnAccount(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	w.user("root", auth.Admin)
	w.user("ann", auth.Ask)
	w.user("bob", auth.Ask)
	bob, err := w.Cookie(ctx, w.login("bob"))
	ok(t, err)
	other := w.login("ann")
	ann, err := w.Cookie(auth.WithClient(ctx, "Firefox"), w.login("ann"))
	ok(t, err)
	logins, err := w.OwnLogins(ctx, ann)
	ok(t, err)
	if len(logins) != 2 || logins[0].Current == logins[1].Current {
		t.Fatalf("the logins are %+v", logins)
	}
	for _, l := range logins {
		fails(t, w.EndOwnLogin(ctx, bob, l.ID), fault.NotFound, "login")
		if !l.Current {
			ok(t, w.EndOwnLogin(ctx, ann, l.ID))
		}
	}
	if _, err := w.Cookie(ctx, other); err == nil {
		t.Error("an ended login works")
	}

	_, _, err = w.ChangePassword(ctx, ann, "wrong", "another password", remote)
	fails(t, err, fault.Forbidden, "password")
	_, _, err = w.ChangePassword(ctx, ann, password, "short", remote)
	fails(t, err, fault.Invalid, "8 characters")
	cookie, _, err := w.ChangePassword(ctx, ann, password, "another password", remote)
	ok(t, err)
	fails(t, w.Valid(ctx, ann), fault.Unauthorized, "ended")
	ann, err = w.Cookie(ctx, cookie)
	ok(t, err)

	program, err := w.Token(ctx, w.token(auth.TokenSpec{Name: "t", User: "ann", Scopes: auth.Scopes{auth.Ask}}))
	ok(t, err)
	_, _, err = w.ChangePassword(ctx, program, "another password", password, remote)
	fails(t, err, fault.Forbidden, "only users")
	fails(t, w.DeleteOwn(ctx, program, "another password", remote), fault.Forbidden, "only users")
	fails(t, w.DeleteOwn(ctx, ann, password, remote), fault.Forbidden, "password")
	ok(t, w.DeleteOwn(ctx, ann, "another password", remote))
	if _, err := w.Cookie(ctx, cookie); err == nil {
		t.Error("the login of a deleted user works")
	}
	var kind fault.Kind
	for range 30 {
		_, _, err = w.ChangePassword(ctx, bob, "guess", "another password", "")
		kind = fault.KindOf(err)
	}
	if kind != fault.RateLimited {
		t.Errorf("the guesses end with %s", kind)
	}
}
