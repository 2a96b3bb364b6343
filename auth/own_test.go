package auth_test

import (
	"testing"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

// TestOwnTokens: a user's token works until it is revoked. It grants only
// rights that the token and the user share, and cannot create other tokens.
func TestOwnTokens(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	w.user("ann", auth.Ask, auth.Ingest)
	w.user("root", auth.Admin)
	p, err := w.Cookie(ctx, w.login("ann"))
	ok(t, err)
	record, secret, err := w.CreateOwnToken(ctx, p, auth.OwnToken{Name: "ci", Scopes: auth.Scopes{auth.Ask}, ExpiresAt: w.clock.now().Add(time.Hour)})
	ok(t, err)
	if record.ID == 0 || record.User != "ann" || !record.ExpiresAt.Equal(w.clock.now().Add(time.Hour)) {
		t.Errorf("made %+v", record)
	}
	// The token expires at the requested time, however long its creation takes.
	ends := w.clock.now().Add(time.Hour).Truncate(time.Second)
	w.clock.creep = 7 * time.Microsecond
	exact, _, err := w.CreateOwnToken(ctx, p, auth.OwnToken{Name: "exact", Scopes: auth.Scopes{auth.Ask}, ExpiresAt: ends})
	w.clock.creep = 0
	ok(t, err)
	if !exact.ExpiresAt.Equal(ends) {
		t.Errorf("it ends at %s, not at %s", exact.ExpiresAt, ends)
	}
	ok(t, w.RevokeOwnToken(ctx, p, exact.ID))
	by, err := w.Token(ctx, secret)
	w.is(by, err, "user:ann ann ask")
	ok(t, w.Valid(ctx, by))

	plain, err := w.Token(ctx, w.token(auth.TokenSpec{Name: "plain", Scopes: auth.Scopes{auth.Admin}}))
	ok(t, err)
	for name, who := range map[string]auth.Principal{
		"the token": by, "a token of its own": plain, "nobody": {}, "anyone": auth.Anyone(),
		"of an issuer": {ID: "oidc:https://i#ann", Name: "ann", Scopes: auth.Scopes{auth.Admin}},
	} {
		_, err := w.OwnTokens(ctx, who)
		fails(t, err, fault.Forbidden, "sign in with")
		_, _, err = w.CreateOwnToken(ctx, who, auth.OwnToken{Name: "x", Scopes: auth.Scopes{auth.Ask}})
		fails(t, err, fault.Forbidden, "sign in with")
		fails(t, w.RevokeOwnToken(ctx, who, record.ID), fault.Forbidden, "sign in with")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	_, _, err = w.CreateOwnToken(ctx, p, auth.OwnToken{Name: "x", Scopes: auth.Scopes{auth.Ask, auth.Admin}})
	fails(t, err, fault.Forbidden, "scope admin")
	_, _, err = w.CreateOwnToken(ctx, p, auth.OwnToken{Name: "x", Scopes: auth.Scopes{auth.Ask}, ExpiresAt: w.clock.now()})
	fails(t, err, fault.Invalid, "in the past")
	_, _, err = w.CreateOwnToken(ctx, p, auth.OwnToken{Name: "x"})
	fails(t, err, fault.Invalid, "scope")

	root, err := w.Cookie(ctx, w.login("root"))
	ok(t, err)
	fails(t, w.RevokeOwnToken(ctx, root, record.ID), fault.NotFound, "no such token")
	own, err := w.OwnTokens(ctx, root)
	ok(t, err)
	if len(own) != 0 {
		t.Errorf("root has %+v", own)
	}
	if _, _, err := w.CreateOwnToken(ctx, root, auth.OwnToken{Name: "r", Scopes: auth.Scopes{auth.Ingest}}); err != nil {
		t.Errorf("an administrator may do all: %v", err)
	}
	ok(t, w.RevokeOwnToken(ctx, p, record.ID))
	fails(t, w.Valid(ctx, by), fault.Unauthorized, "") // so connections with the token are closed
	_, err = w.Token(ctx, secret)
	fails(t, err, fault.Unauthorized, "")
}
