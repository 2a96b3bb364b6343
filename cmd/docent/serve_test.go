package main

import (
	"strings"
	"testing"

	"docent/internal/wiring"
)

// TestListen checks that the server accepts only IPv4 on an IPv4 address.
func TestListen(t *testing.T) {
	t.Parallel()
	l, err := wiring.Listen(t.Context(), "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, port, _ := strings.Cut(l.Addr().String(), ":"); l.Addr().String() != "0.0.0.0:"+port {
		t.Errorf("it listens on %s", l.Addr())
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
		p := start(t, []string{"DOCENT_DATA=" + dataFolder(t)}, "serve", "--addr", c.addr, c.flag)
		at := p.log.line(t, "docent is at ")
		if said := p.log.String(); !strings.Contains(said, c.want) || strings.Contains(said, c.not) || !strings.HasPrefix(at, "http://127.0.0.1:") {
			t.Errorf("%s %s: it says %s", c.addr, c.flag, said)
		}
	}
}
