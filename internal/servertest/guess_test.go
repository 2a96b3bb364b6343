package servertest_test

import (
	"net/http"
	"strings"
	"testing"

	"docent/internal/servertest"
	"docent/internal/wstest"
	"docent/payload"
)

// TestGuessingByHello: wrong tokens are counted by address, whether they come in
// hello or in a header.
func TestGuessingByHello(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{})
	token, at := s.Person("token owner").Token, s.URL
	from := func(addr string) []string { return []string{"X-Forwarded-For", addr} }
	hello := func(addr, token string) string {
		c, _, err := who{}.TryDial(t, at+"/?protocol=docent.v1", from(addr)...)
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
	guess := who{Header: http.Header{"Authorization": {"Bearer docent_wrong"}}}
	status := func(addr string) int {
		resp, _ := guess.Request(t, http.MethodGet, at+"/api/me", "", from(addr)...)
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
