package ws_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docent/auth"
	"docent/payload"
	"docent/ws"
)

// Unauthenticated clients do not use the connections of others. Only a few may
// come from one address.
func TestStrangers(t *testing.T) {
	t.Parallel()
	const places = 400 // plus a tenth for unauthenticated clients
	s := guarded(t, setup{config: ws.Config{MaxConnections: places, UserConnections: 1000, UserBurst: 1000}.
		With(ws.Limits{HelloTimeout: time.Minute})})
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.server.ServeHTTP(w, r.WithContext(auth.WithRemote(r.Context(), r.URL.Query().Get("from"))))
	}))
	t.Cleanup(h.Close)
	t.Cleanup(s.stop)
	open := &site{t: t, url: "ws" + strings.TrimPrefix(h.URL, "http")}
	const path = "/?protocol=docent.v1&from="
	var unknown []*peer
	for range 32 {
		unknown = append(unknown, open.dial(path+"here", nil))
	}
	if status, _ := open.refusal(path+"here", nil); status != http.StatusTooManyRequests {
		t.Errorf("one more from there: status %d", status)
	}
	for i := range places/10 - 32 {
		open.dial(path+fmt.Sprint(i), nil)
	}
	if status, _ := open.refusal(path+"elsewhere", nil); status != http.StatusServiceUnavailable {
		t.Errorf("one more from elsewhere: status %d", status)
	}
	known := make([]*peer, places-1)
	for i := range known {
		known[i] = s.dial("/?protocol=docent.v1", bearer("ada"))
	}
	unknown[0].say(`{"action":"hello","message":{"token":"bob"}}`) // the last place
	unknown[0].until(payload.WelcomeAction)
	if status, _ := s.refusal("/", bearer("ada")); status != http.StatusServiceUnavailable {
		t.Errorf("one more who is known: status %d", status)
	}
	unknown[1].say(`{"action":"hello","message":{"token":"bob"}}`)
	if f := unknown[1].next(); !strings.Contains(f.raw, `"code":"unavailable"`) {
		t.Errorf("a hello without room is answered by %s", f.raw)
	}
	if code := unknown[1].closed(); code != ws.CloseUnavailable.Code {
		t.Errorf("closed with %d", code)
	}
	waitFor(t, "there is room from that address", func() bool {
		status, _ := open.refusal(path+"here", nil)
		return status == http.StatusSwitchingProtocols
	})
}

// A client may authenticate again even if its principal has no more connections
// left.
func TestSameTokenAgain(t *testing.T) {
	t.Parallel()
	s := guarded(t, setup{config: ws.Config{UserConnections: 1, UserRate: 0.001, UserBurst: 1}})
	p := s.dial("/?protocol=docent.v1", bearer("ada"))
	p.say(`{"action":"hello","message":{"token":"ada"}}`)
	p.until(payload.WelcomeAction)
}

// Reconnecting does not reset the rate, whether the client authenticates with a
// header or a hello.
func TestHandshakeRate(t *testing.T) {
	t.Parallel()
	s := guarded(t, setup{config: ws.Config{UserRate: 0.001, UserBurst: 4}})
	for i := range 4 {
		o := bearer("ada")
		if i%2 == 1 {
			o = nil
		}
		p := s.dial("/?protocol=docent.v1", o)
		p.say(`{"action":"hello","message":{"token":"ada"}}`)
		p.until(payload.WelcomeAction)
		p.conn.CloseNow()
		waitFor(t, "it is gone", func() bool { return s.server.Connections() == 0 })
	}
	if status, body := s.refusal("/", bearer("ada")); status != http.StatusTooManyRequests || !strings.Contains(body, "too often") {
		t.Errorf("status %d %s", status, body)
	}
	late := s.dial("/?protocol=docent.v1", nil)
	late.say(`{"action":"hello","message":{"token":"ada"}}`)
	if f := late.next(); !strings.Contains(f.raw, `"code":"rate_limited"`) {
		t.Errorf("got %s", f.raw)
	}
	s.dial("/", bearer("bob")).next()
}
