package ws_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docent/agent/agenttest"
	"docent/auth"
	"docent/internal/wstest"
	"docent/payload"
	"docent/ws"
	"docent/ws/typed"
)

// authenticated is a server with a real auth.Authenticator that knows one token.
func authenticated(t *testing.T, store *agenttest.Store) (s *site, token string) {
	t.Helper()
	db := database(t)
	a, err := auth.New(auth.Config{Tokens: db, Users: db, Logins: db, Links: db, Late: ws.AsksV1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	if token, err = a.CreateToken(t.Context(), auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Ask}}); err != nil {
		t.Fatal(err)
	}
	s = serve(t, setup{store: store, config: ws.Config{Authenticate: a.Token, Valid: a.Valid}})
	h := httptest.NewServer(a.Middleware(s.server))
	t.Cleanup(h.Close)
	t.Cleanup(s.stop) // before the HTTP server waits for its connections
	s.url = "ws" + strings.TrimPrefix(h.URL, "http")
	return s, token
}

// A page cannot see the status of a handshake. If it asks for docent.v1, a frame
// and a close code report a wrong token or too many attempts. No session is
// created.
func TestRefusedAfterHandshake(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s, token := authenticated(t, store)
	page := func(token string) *wstest.DialOptions {
		return &wstest.DialOptions{Subprotocols: []string{ws.Protocol, auth.SubprotocolPrefix + token}}
	}
	refused := func(path string, o *wstest.DialOptions, code string, want ws.CloseCode, says string) {
		t.Helper()
		p := s.dial(path, o)
		f := p.next()
		if f.Action != payload.ErrorAction || !strings.Contains(f.raw, `"code":"`+code+`"`) || !strings.Contains(f.raw, says) {
			t.Errorf("%s: %s", path, f.raw)
		}
		if got := p.closed(); got != want.Code {
			t.Errorf("%s: closed with %d", path, got)
		}
	}
	const wrong = "docent_wrong"
	for range 5 {
		refused("/?session_id=S", page(wrong), "unauthorized", ws.CloseUnauthorized, "mistyped")
		refused("/?session_id=S&protocol=docent.v1&token="+wrong, nil, "unauthorized", ws.CloseUnauthorized, "mistyped")
		refused("/?session_id=S&protocol=docent.v1", bearer(wrong), "unauthorized", ws.CloseUnauthorized, "mistyped")
	}
	// Clients of BAF and of the typed dialect get the status of the handshake.
	for _, path := range []string{"/?token=" + wrong, typed.Path + "?protocol=docent.v1&token=" + wrong, typed.Path + "?token=" + wrong} {
		if status, _ := s.refusal(path, nil); status != http.StatusUnauthorized {
			t.Errorf("%s: status %d", path, status)
		}
	}
	req, err := http.NewRequest(http.MethodGet, strings.Replace(s.url, "ws", "http", 1)+"/?protocol=docent.v1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = bearer(wrong).HTTPHeader
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("no handshake: %v %v", resp, err)
	}
	resp.Body.Close()
	refused("/?session_id=S", page(wrong), "unauthorized", ws.CloseUnauthorized, "mistyped") // the twentieth wrong attempt
	// The next one must come within a second of that, and later ones within twice the time before.
	slowed := func() bool {
		p := s.dial("/?session_id=S", page(wrong))
		text := p.next().raw
		return p.closed() == ws.CloseUnavailable.Code && strings.Contains(text, `"code":"rate_limited"`) && strings.Contains(text, "try again in")
	}
	tries := 1
	for ; !slowed() && tries < 4; tries++ {
		continue
	}
	if tries == 4 {
		t.Error("wrong attempts are not slowed")
	}
	if n := store.Calls(agenttest.Open); n != 0 {
		t.Errorf("%d sessions were opened", n)
	}
	right := s.dial("/?session_id=S", page(token))
	right.say(`{"action":"hello"}`)
	right.until(payload.WelcomeAction)
}
