package auth_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

// TestDatabaseThatHangs: while the database hangs, calls fail soon with that
// reason. No attempt counts as a failed one.
func TestDatabaseThatHangs(t *testing.T) {
	t.Parallel()
	before := newWorld(t)
	token := before.token(auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Ask}})
	byToken, err := before.Token(t.Context(), token)
	ok(t, err)
	before.user("ada", auth.Ask)
	byCookie, err := before.Cookie(t.Context(), before.login("ada"))
	ok(t, err)
	synctest.Test(t, func(t *testing.T) {
		a, err := auth.New(config(hung{}))
		ok(t, err)
		defer a.Close()
		const attempts = 25 // more attempts than may be wrong
		ctx := auth.WithRemote(t.Context(), "192.0.2.1")
		for range attempts {
			for what, ask := range map[string]func() error{
				"token":  func() error { _, err := a.Token(ctx, token); return err },
				"cookie": func() error { _, err := a.Cookie(ctx, "x"); return err },
				"valid":  func() error { return a.Valid(ctx, byToken) },
				"login":  func() error { return a.Valid(ctx, byCookie) },
				"logout": func() error { return a.Logout(ctx, "x") },
				"user":   func() error { _, _, err := a.Password(ctx, "ada", "wrong word", "192.0.2.1"); return err },
				"enter":  func() error { _, _, err := a.Password(ctx, "bob", password, "192.0.2.1"); return err },
			} {
				begin := time.Now()
				err := ask()
				if took := time.Since(begin); took != 5*time.Second || fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "try again") {
					t.Fatalf("%s: after %s it says %v", what, took, err)
				}
			}
		}
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody)
		r.Header.Set("Authorization", "Bearer "+token)
		a.Middleware(http.NotFoundHandler()).ServeHTTP(w, r)
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `"retryable":true`) {
			t.Errorf("the answer is %d %s", w.Code, w.Body)
		}
	})
}
