//go:build linux

package ws_test

import (
	"testing"
	"time"

	"docent/payload"
	"docent/ws"
)

// doze waits until so many connections have no goroutine.
func (s *site) doze(n int) {
	s.t.Helper()
	end := time.After(patience)
	for s.server.Dozing() != n {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-end:
			s.t.Fatalf("%d connections doze, not %d", s.server.Dozing(), n)
		}
	}
}

// Idle connections have no goroutine; each is heard again, doze again, and is
// told when the server ends.
func TestDoze(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{Silence: time.Hour}}) // they do not read, and so answer no pings
	const clients = 20
	peers := make([]*peer, clients)
	for i := range peers {
		peers[i] = s.dial("/", nil)
		peers[i].next()
	}
	for range 2 {
		s.doze(clients)
		for _, p := range peers {
			p.say(`{"action":"user_message","message":"awake?"}`)
			p.until(payload.ReplyRAG)
		}
	}
	s.doze(clients)
	peers[0].conn.CloseNow()
	s.doze(clients - 1)
	if err := s.server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	for _, p := range peers[1:] {
		if code := p.closed(); code != ws.CloseGoingAway.Code {
			t.Errorf("closed with %d", code)
		}
	}
}

// A client that dozes and is not heard of is closed in time.
func TestDozeSilent(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{Silence: 10 * time.Second}})
	p := s.dial("/", nil)
	p.next()
	s.doze(1)
	begun := time.Now()
	if code := p.closed(); code != ws.CloseSilent.Code {
		t.Errorf("closed with %d after %s", code, time.Since(begun))
	}
}
