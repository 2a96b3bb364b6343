package ws_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/auth"
	"docent/payload"
	"docent/ws"
)

// Who has not said who it is takes no place of others, and few of them come from
// one address.
func TestStrangers(t *testing.T) {
	t.Parallel()
	const places = 400 // and a tenth for strangers
	s := guarded(t, setup{config: ws.Config{MaxConnections: places, UserConnections: 1000, UserBurst: 1000, HelloTimeout: time.Minute}})
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.server.ServeHTTP(w, r.WithContext(auth.WithRemote(r.Context(), r.URL.Query().Get("from"))))
	}))
	t.Cleanup(h.Close)
	t.Cleanup(s.stop)
	open := &site{t: t, url: "ws" + strings.TrimPrefix(h.URL, "http")}
	const path = "/?protocol=docent.v1&from="
	var strangers []*peer
	for range 32 {
		strangers = append(strangers, open.dial(path+"here", nil))
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
	strangers[0].say(`{"action":"hello","message":{"token":"bob"}}`) // the last place
	strangers[0].until(payload.WelcomeAction)
	if status, _ := s.refusal("/", bearer("ada")); status != http.StatusServiceUnavailable {
		t.Errorf("one more who is known: status %d", status)
	}
	strangers[1].say(`{"action":"hello","message":{"token":"bob"}}`)
	if f := strangers[1].next(); !strings.Contains(f.raw, `"code":"unavailable"`) {
		t.Errorf("a hello without room is answered by %s", f.raw)
	}
	if code := strangers[1].closed(); code != ws.CloseUnavailable.Code {
		t.Errorf("closed with %d", code)
	}
	waitFor(t, "there is room from that address", func() bool {
		status, _ := open.refusal(path+"here", nil)
		return status == http.StatusSwitchingProtocols
	})
}

// A client at the bound of its principal may say again who it is.
func TestSameTokenAgain(t *testing.T) {
	t.Parallel()
	s := guarded(t, setup{config: ws.Config{UserConnections: 1, UserRate: 0.001, UserBurst: 1}})
	p := s.dial("/?protocol=docent.v1", bearer("ada"))
	p.say(`{"action":"hello","message":{"token":"ada"}}`)
	p.until(payload.WelcomeAction)
}

// Who comes and goes keeps to the rate all the same, by the header and by hello.
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

// Accounts of those who went are forgotten when their rate is, and not before.
func TestAccountsAreForgotten(t *testing.T) {
	t.Parallel()
	l := ws.NewLedger(ws.Config{UserConnections: 2, UserRate: 10, UserBurst: 20})
	begin := time.Now()
	for i := range 20_000 {
		if err := l.Visit(fmt.Sprint(i), begin); err != nil {
			t.Fatal(err)
		}
	}
	if n := l.Accounts(); n > 10_002 {
		t.Errorf("%d accounts are kept", n)
	}
	for range 20 {
		if err := l.Visit("ada", begin); err != nil {
			t.Fatal(err)
		}
	}
	if l.Visit("ada", begin) == nil {
		t.Error("its rate is forgotten")
	}
	if err := l.Visit("ada", begin.Add(time.Minute)); err != nil || l.Accounts() != 1 {
		t.Errorf("after a minute there are %d, %v", l.Accounts(), err)
	}
}

// One that keeps coming and going holds up nobody behind it, and keeps its rate.
func TestAccountsBehindOneThatComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := ws.NewLedger(ws.Config{UserConnections: 2, UserRate: 0.5, UserBurst: 10}) // kept for 20 s
		for i := range 100 {
			for _, id := range []string{"ada", fmt.Sprint(i)} {
				if err := l.Visit(id, time.Now()); err != nil && id != "ada" {
					t.Fatal(err)
				}
			}
			<-time.After(time.Second) // the bubble's
		}
		if n := l.Accounts(); n > 22 {
			t.Errorf("%d accounts are kept, of 21 that may be", n)
		}
		first, second := l.Visit("ada", time.Now()), l.Visit("ada", time.Now())
		if first == nil && second == nil {
			t.Error("the rate of who comes back is forgotten")
		}
	})
}
