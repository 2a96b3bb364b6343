package auth_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"docent/auth"
	"docent/internal/fault"
)

// TestUserNamesFold: names that differ only in case or in Unicode form belong
// to one user.
func TestUserNamesFold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("Ångström", auth.Ask)
	for _, name := range []string{"ångström", "ÅNGSTRÖM", "A\u030angstro\u0308m", "\u212bngström", "ａngström"} {
		if got := auth.UserName(name); (got == "ångström") != (name != "ａngström") {
			t.Errorf("%q is %q", name, got)
		}
	}
	fails(t, w.CreateUser(t.Context(), "ÅNGSTRÖM", password, auth.Scopes{auth.Admin}), fault.Conflict, "already")
	_, p, err := w.Password(t.Context(), "A\u030aNGSTRÖM", password, "")
	w.is(p, err, "user:ångström ångström ask")
	p, err = w.Token(t.Context(), w.token(auth.TokenSpec{Name: "Ci", Scopes: auth.Scopes{auth.Ask}, User: "ÅNGSTRÖM"}))
	w.is(p, err, "user:ångström ångström ask")
	ok(t, w.SetPassword(t.Context(), "ÅngStröm", "another password"))
	ok(t, w.SetScopes(t.Context(), "ÅngStröm", auth.Scopes{auth.Admin}))
	ok(t, w.DeleteUser(t.Context(), "ÅNGSTRÖM"))
	fails(t, w.DeleteUser(t.Context(), "ångström"), fault.NotFound, "no such user")
	fails(t, w.CreateUser(t.Context(), "ann\xff", password, auth.Scopes{auth.Ask}), fault.Invalid, "letters")
	for r := range unicode.MaxRune {
		once := auth.UserName(string(r))
		twice, upper := auth.UserName(once), auth.UserName(string(unicode.ToUpper(r)))
		if utf8.ValidRune(r) && (twice != once || upper != once && unicode.SimpleFold(r) != r) {
			t.Errorf("%q is %q, then %q; in capitals %q", r, once, twice, upper)
		}
	}
}

// TestScopesOfAUser: a user who loses a scope must authenticate again, and a
// user who gains one need not.
func TestScopesOfAUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	p, err := w.Cookie(t.Context(), w.login("ann"))
	w.is(p, err, "user:ann ann ask")
	token := w.token(auth.TokenSpec{Name: "t", Scopes: auth.Scopes{auth.Admin}, User: "ann"})
	ok(t, w.SetScopes(t.Context(), "ann", auth.Scopes{auth.Ask, auth.Ingest}))
	ok(t, w.Valid(t.Context(), p))
	more, err := w.Token(t.Context(), token)
	w.is(more, err, "user:ann ann ask ingest")
	ok(t, w.SetScopes(t.Context(), "ann", auth.Scopes{auth.Ask}))
	ok(t, w.Valid(t.Context(), p))
	fails(t, w.Valid(t.Context(), more), fault.Unauthorized, "fewer")
	ok(t, w.SetScopes(t.Context(), "ann", auth.Scopes{auth.Ingest}))
	fails(t, w.Valid(t.Context(), p), fault.Unauthorized, "fewer")
	fails(t, w.SetScopes(t.Context(), "eve", auth.Scopes{auth.Ask}), fault.NotFound, "no such user")
	fails(t, w.SetScopes(t.Context(), "ann", nil), fault.Invalid, "scope")
}
