package auth_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

func TestLoginSlidesAndEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	idle, used := w.login("ann"), w.login("ann")
	began := w.clock.now()
	for w.clock.now().Sub(began) < 80*24*time.Hour {
		w.clock.pass(20 * 24 * time.Hour)
		_, err := w.Cookie(t.Context(), used)
		ok(t, err)
		w.Noted()
	}
	_, err := w.Cookie(t.Context(), idle)
	fails(t, err, fault.Unauthorized, "sign in again")
	p, err := w.Cookie(t.Context(), used)
	ok(t, err)
	if !p.Expires.Equal(began.Add(auth.LoginMax)) {
		t.Errorf("it ends at %s", p.Expires)
	}
	w.clock.pass(auth.LoginMax - 80*24*time.Hour - time.Second)
	ok(t, w.Valid(t.Context(), p))
	w.clock.pass(time.Second)
	_, err = w.Cookie(t.Context(), used)
	fails(t, err, fault.Unauthorized, "sign in again")
	fails(t, w.Valid(t.Context(), p), fault.Unauthorized, "sign in again")
}

func TestLoginUnusedFor30Days(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	a, b := w.login("ann"), w.login("ann")
	w.clock.pass(auth.LoginIdle - time.Second)
	_, err := w.Cookie(t.Context(), a)
	ok(t, err)
	w.Noted()
	w.clock.pass(time.Second)
	_, err = w.Cookie(t.Context(), a)
	ok(t, err)
	_, err = w.Cookie(t.Context(), b)
	fails(t, err, fault.Unauthorized, "sign in again")
}

func TestLogout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	a, b := w.login("ann"), w.login("ann")
	p, err := w.Cookie(t.Context(), a)
	ok(t, err)
	ok(t, w.Logout(t.Context(), a))
	ok(t, w.Logout(t.Context(), a))
	ok(t, w.Logout(t.Context(), ""))
	_, err = w.Cookie(t.Context(), a)
	fails(t, err, fault.Unauthorized, "sign in again")
	fails(t, w.Valid(t.Context(), p), fault.Unauthorized, "sign in again")
	_, err = w.Cookie(t.Context(), b)
	ok(t, err)
	ok(t, w.DeleteUser(t.Context(), "ann"))
	_, err = w.Cookie(t.Context(), b)
	fails(t, err, fault.Unauthorized, "sign in again")
}

func TestNewCookie(t *testing.T) {
	t.Parallel()
	plain := httptest.NewRequest(http.MethodPost, "/api/login", http.NoBody)
	secure := plain.Clone(t.Context())
	secure.TLS = &tls.ConnectionState{}
	proxied := plain.Clone(t.Context())
	proxied.Header.Set("X-Forwarded-Proto", "HTTPS, http")
	for _, test := range []struct {
		r           *http.Request
		value, want string
	}{
		{plain, "v", "docent_session=v; Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict"},
		{secure, "v", "__Host-docent_session=v; Path=/; Max-Age=7776000; HttpOnly; Secure; SameSite=Strict"},
		{proxied, "v", "__Host-docent_session=v; Path=/; Max-Age=7776000; HttpOnly; Secure; SameSite=Strict"},
		{plain, "", "docent_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"},
	} {
		c := auth.NewCookie(test.r, test.value)
		if got := c.String(); got != test.want {
			t.Errorf("cookie is %s, want %s", got, test.want)
		}
	}
}

func TestValidOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ok(t, w.Valid(t.Context(), auth.Anyone()))
	p := auth.Principal{ID: "oidc:x#y", Expires: w.clock.now().Add(time.Second)}
	ok(t, w.Valid(t.Context(), p))
	w.clock.pass(time.Second)
	fails(t, w.Valid(t.Context(), p), fault.Unauthorized, "ended")
}

// TestSecureCookie checks that only the cookie with the prefix __Host- counts with
// TLS, so that another subdomain cannot plant a login.
func TestSecureCookie(t *testing.T) {
	t.Parallel()
	request := func(secure bool, cookies ...string) *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		if secure {
			r.Header.Set("X-Forwarded-Proto", "https")
		}
		for _, c := range cookies {
			r.Header.Add("Cookie", c)
		}
		return r
	}
	planted, own := auth.CookieName+"=planted", auth.SecureCookieName+"=own"
	for _, c := range []struct {
		r    *http.Request
		want string
	}{
		{request(true, planted), ""},
		{request(true, planted, own), "own"},
		{request(false, planted, own), "planted"},
		{request(false), ""},
	} {
		if got := auth.LoginCookie(c.r); got != c.want {
			t.Errorf("%v: the login is %q, want %q", c.r.Header, got, c.want)
		}
	}
	cookie := auth.NewCookie(request(true), "x")
	if cookie.Name != auth.SecureCookieName || !cookie.Secure || cookie.Path != "/" || cookie.Domain != "" {
		t.Errorf("the cookie is %+v", cookie)
	}
}
