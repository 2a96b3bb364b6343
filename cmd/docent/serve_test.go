package main

import (
	"net"
	"strings"
	"testing"

	"docent/internal/wiring"
)

// TestListen checks that the server accepts only IPv4 on an IPv4 address, and that a
// browser can open the printed URL.
func TestListen(t *testing.T) {
	t.Parallel()
	l, err := wiring.Listen(t.Context(), "0.0.0.0:0")
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

// TestServeWarns checks the warnings for an address that others can reach.
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

func TestShellWord(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"/data/docent-1": "/data/docent-1", "/my data": "'/my data'", "/it's": `'/it'\''s'`, "/$HOME;x": "'/$HOME;x'"} {
		if got := shellWord(in); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}
