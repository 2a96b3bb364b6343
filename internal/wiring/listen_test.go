package wiring

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// patience limits the wait for a connection.
const patience = 60 * time.Second

// TestHTTPConnectionsAreBounded checks that connections over the bound are closed, and
// that closed connections make room.
func TestHTTPConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	c := &connections{max: 2}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ConnState = c.watch
	s.Start()
	defer s.Close()
	answers := func() (net.Conn, bool) {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		n, _ := conn.Read(make([]byte, 1))
		return conn, n == 1
	}
	one, ok1 := answers()
	two, ok2 := answers()
	defer two.Close()
	three, ok3 := answers()
	defer three.Close()
	if !ok1 || !ok2 || ok3 {
		t.Errorf("of three connections %v %v %v are served", ok1, ok2, ok3)
	}
	_ = one.Close()
	for end := time.After(patience); ; {
		again, ok := answers()
		_ = again.Close()
		if ok {
			return
		}
		select {
		case <-end:
			t.Fatal("there is no room again")
		default:
		}
	}
}
