package docent

import (
	"net"
	"strings"
	"testing"

	"docent/config"
)

// TestURL checks that a browser on this machine can open the printed URL.
func TestURL(t *testing.T) {
	t.Parallel()
	for ip, want := range map[string]string{
		"127.0.0.1": "http://127.0.0.1:80", "0.0.0.0": "http://127.0.0.1:80", "::": "http://localhost:80",
		"::1": "http://[::1]:80", "192.0.2.7": "http://192.0.2.7:80",
	} {
		if got := urlOf(&net.TCPAddr{IP: net.ParseIP(ip), Port: 80}); got != want {
			t.Errorf("%s is at %s, want %s", ip, got, want)
		}
	}
}

// TestAnnounce checks that the printed address has the base path.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	announce(&out, config.Config{Addr: "127.0.0.1:80", BasePath: "/docent"}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}, false)
	if got, want := out.String(), "docent is at http://127.0.0.1:80/docent\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
