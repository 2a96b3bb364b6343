package main

import (
	"net/http"
	"strings"
	"testing"

	"docent/auth"
	"docent/internal/wstest"
	"docent/payload"
)

// TestGuessingByHello: wrong tokens are counted by address, whether they come in
// hello or in a header.
func TestGuessingByHello(t *testing.T) {
	t.Parallel()
	env := []string{"DOCENT_DATA=" + t.TempDir()}
	token := strings.TrimSpace(docent(t, env, 0, "token", "create", "--name", "ci"))
	_, at := serve(t, env, "--auth", "--trusted-proxies", "127.0.0.1")
	from := func(addr string) []string { return []string{"X-Forwarded-For", addr} }
	hello := func(addr, token string) string {
		c, _, err := who{}.tryDial(t, at+"/?protocol=docent.v1", from(addr)...)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.CloseNow() }()
		say(t, c, wstest.MessageText, frame(payload.HelloAction, `{"token":"`+token+`"}`))
		_, data, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	const guesses = 100 // more would take longer on a slow machine, and more of them would be due
	refused := map[bool]int{}
	for range guesses {
		refused[strings.Contains(hello("192.0.2.1", "docent_wrong"), `"code":"rate_limited"`)]++
	}
	if refused[false] < 20 || refused[false] > 25 { // and one after each of a few pauses
		t.Errorf("%d of %d wrong tokens were not slowed, want 20", refused[false], guesses)
	}
	guess := who{shows: http.Header{"Authorization": {"Bearer docent_wrong"}}}
	status := func(addr string) int {
		resp, _ := guess.request(t, http.MethodGet, at+"/api/me", "", from(addr)...)
		return resp.StatusCode
	}
	slowed := status("192.0.2.1")
	if slowed == http.StatusUnauthorized { // on a slow machine, one more guess was due
		slowed = status("192.0.2.1")
	}
	if other := status("192.0.2.2"); slowed != http.StatusTooManyRequests || other != http.StatusUnauthorized {
		t.Errorf("by a header from the same address: %d, from another one: %d", slowed, other)
	}
	if text := hello("192.0.2.1", token); !strings.Contains(text, string(payload.WelcomeAction)) {
		t.Errorf("a right token: %s", text)
	}
}

// TestUserScopes: docent user scopes changes the scopes of an existing user.
func TestUserScopes(t *testing.T) {
	t.Parallel()
	env := []string{"DOCENT_DATA=" + t.TempDir()}
	db := opened(t, env)
	a, err := db.Authenticator(auth.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.CreateUser(t.Context(), "Ann", password, auth.Scopes{auth.Ask}); err != nil {
		t.Fatal(err)
	}
	if out := docent(t, env, 0, "user", "scopes", "ANN", "ask,ingest"); out != "ann may ask,ingest\n" {
		t.Errorf("it says %q", out)
	}
	user, err := db.Users.User(t.Context(), "ann")
	if err != nil || user.Scopes.String() != "ask ingest" {
		t.Errorf("%+v, %v", user, err)
	}
	docent(t, env, 2, "user", "scopes", "ann", "all")
	docent(t, env, 1, "user", "scopes", "eve", "ask")
}
