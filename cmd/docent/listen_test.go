package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestListen: an IPv4 address is listened on by IPv4 alone, and what is printed
// can be opened.
func TestListen(t *testing.T) {
	t.Parallel()
	l, err := listen(t.Context(), "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := strings.Cut(l.Addr().String(), ":")
	if want := "http://127.0.0.1:" + port; l.Addr().String() != "0.0.0.0:"+port || urlOf(l.Addr()) != want {
		t.Errorf("it listens on %s and is said to be at %s", l.Addr(), urlOf(l.Addr()))
	}
	for ip, want := range map[string]string{"127.0.0.1": "http://127.0.0.1:80", "::": "http://localhost:80", "::1": "http://[::1]:80", "192.0.2.7": "http://192.0.2.7:80"} {
		if got := urlOf(&net.TCPAddr{IP: net.ParseIP(ip), Port: 80}); got != want {
			t.Errorf("%s is at %s, want %s", ip, got, want)
		}
	}
}

// TestServeWarns: of an address that others can reach, serve says what that
// means.
func TestServeWarns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ addr, flag, want, not string }{
		{"0.0.0.0:0", "--insecure", "WARNING: authentication is off", "in the clear"},
		{"0.0.0.0:0", "--auth", "in the clear", "WARNING"},
		{"127.0.0.1:0", "--auth", "docent is at", "in the clear"},
	} {
		p := start(t, []string{"DOCENT_DATA=" + t.TempDir()}, "serve", "--addr", c.addr, c.flag)
		at := p.log.line(t, "docent is at ")
		if said := p.log.String(); !strings.Contains(said, c.want) || strings.Contains(said, c.not) || !strings.HasPrefix(at, "http://127.0.0.1:") {
			t.Errorf("%s %s: it says %s", c.addr, c.flag, said)
		}
	}
}

// TestHTTPConnectionsAreBounded: what is over the bound is closed, and there is
// room again when others have gone.
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

func TestShellWord(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"/data/docent-1": "/data/docent-1", "/my data": "'/my data'", "/it's": `'/it'\''s'`, "/$HOME;x": "'/$HOME;x'"} {
		if got := shellWord(in); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}
