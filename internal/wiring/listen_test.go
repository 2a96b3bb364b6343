package wiring

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"
)

// patience limits the wait for a connection.
const patience = 60 * time.Second

// TestHTTPConnectionsAreBounded checks that a connection over the bound takes the
// place of the one that is idle longest, and is closed if none is idle.
func TestHTTPConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	c := newConnections(2)
	busy, free := make(chan struct{}, 3), make(chan struct{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/busy" {
			busy <- struct{}{}
			<-free
		}
	}))
	s.Config.ConnState = c.watch
	s.Start()
	defer s.Close()
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(patience))
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	ask := func(conn net.Conn, path string) {
		_, _ = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	answers := func(conn net.Conn) bool {
		ask(conn, "/")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err == nil
	}
	idle := func(want int) {
		t.Helper()
		for end := time.Now().Add(patience); ; runtime.Gosched() {
			c.mu.Lock()
			got, active := 0, 0
			for _, h := range c.hosts {
				got, active = got+h.waiting.Len(), active+h.active.Len()
			}
			c.mu.Unlock()
			if got == want && active == 0 {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%d connections are idle, want %d", got, want)
			}
		}
	}
	one, two := dial(), dial()
	if !answers(one) {
		t.Fatal("the first connection is not served")
	}
	idle(2)
	if !answers(two) {
		t.Fatal("the second connection is not served")
	}
	idle(2)
	three := dial() // in place of an idle one
	if !answers(three) {
		t.Error("a connection over the bound did not get the place of an idle one")
	}
	idle(2)
	if answers(one) || !answers(two) {
		t.Error("the connection that was idle longest is open, or another one is closed")
	}
	ask(two, "/busy")
	ask(three, "/busy")
	<-busy
	<-busy
	if answers(dial()) {
		t.Error("a connection over the bound is served while all others of its address are busy")
	}
	close(free)
}

// remote is a connection of another host.
type remote struct {
	net.Conn
	host string
}

func (r *remote) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(r.host), Port: 7} }

// TestHTTPConnectionsAreShared checks that a host that fills all connections, in any
// state, shuts out no other host.
func TestHTTPConnectionsAreShared(t *testing.T) {
	t.Parallel()
	for _, state := range []http.ConnState{http.StateNew, http.StateActive, http.StateIdle} {
		c := newConnections(10)
		held := map[net.Conn]bool{}
		for range 10 {
			conn := &remote{host: "2001:db8::1"}
			if c.note(conn, http.StateNew) != nil {
				t.Fatal("a connection is closed below the bound")
			}
			if state != http.StateNew {
				c.note(conn, state)
			}
			held[conn] = true
		}
		var others []net.Conn
		for range 5 {
			conn := &remote{host: "192.0.2.7"}
			excess := c.note(conn, http.StateNew)
			if !held[excess] {
				t.Fatalf("%s: %v makes room", state, excess)
			}
			delete(held, excess)
			c.note(excess, http.StateActive) // it comes too late
			c.note(excess, http.StateClosed)
			c.note(conn, http.StateActive)
			others = append(others, conn)
		}
		last := &remote{host: "2001:db8::ffff"} // the same /64 network
		if excess := c.note(last, http.StateNew); excess != last && !held[excess] {
			t.Errorf("%s: a connection of another host makes room", state)
		}
		for _, conn := range others {
			c.note(conn, http.StateClosed)
		}
		if c.open != 6 || len(c.hosts) != 1 {
			t.Errorf("%s: %d connections of %d hosts are counted", state, c.open, len(c.hosts))
		}
	}
}
