package client_test

import (
	"strings"
	"testing"

	"docent/client"
	"docent/internal/fault"
	"docent/payload"
	"docent/ws"
)

// Close codes decide about reconnecting, by the same rule as on the server.
func TestReconnect(t *testing.T) {
	t.Parallel()
	for _, c := range ws.CloseCodes() {
		if got := client.Reconnect(c.Code); got != c.Reconnect() {
			t.Errorf("%d %s: reconnect %v", c.Code, c.Reason, got)
		}
	}
	for code, want := range map[int]bool{1000: false, 1006: true, 1008: false, 1012: true, 4499: true, 4500: false, 4999: false} {
		if got := client.Reconnect(code); got != want {
			t.Errorf("%d: reconnect %v", code, got)
		}
	}
}

// A session that must not reconnect ends with the reason.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	_, v, l := begin(t)
	done := v.send("hello")
	l.read(payload.UserMessage)
	if err := l.conn.Close(4501, "the session was deleted"); err != nil {
		t.Fatal(err)
	}
	v.ends(fault.Conflict, "the session was deleted")
	if got := wait(t, done); got.err == nil {
		t.Error("sent")
	}
	if _, err := v.s.Send(t.Context(), "more"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("Send: %v", err)
	}
}

// Open returns the reason for a failure.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	for name, tc := range map[string]struct {
		play func(l *scriptLine)
		kind fault.Kind
		says string
	}{
		"unauthorized": {func(l *scriptLine) {
			l.say(`error {"code":"unauthorized","message":"Say who you are.","retryable":false}`)
			_ = l.conn.Close(4502, "unauthorized")
		}, fault.Unauthorized, "Say who you are."},
		"for now": {func(l *scriptLine) {
			l.say(`error {"code":"unavailable","message":"The database is away.","retryable":true}`)
			_ = l.conn.Close(4002, "try again later")
		}, fault.Unavailable, "The database is away."},
		"cut": {func(l *scriptLine) { l.cut() }, fault.Unavailable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			go func() { tc.play(s.next(-1)) }()
			_, err := client.Open(t.Context(), s.config())
			if fault.KindOf(err) != tc.kind || !strings.Contains(fault.Message(err), tc.says) {
				t.Errorf("%s: %v", fault.KindOf(err), err)
			}
		})
	}
	o := serve(t, false)
	if _, err := client.Open(t.Context(), client.SessionConfig{URL: o.url}); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "docent.v1") {
		t.Errorf("a server that does not speak it: %v", err)
	}
	last := int64(-1)
	for _, cfg := range []client.SessionConfig{{}, {URL: "ftp://a"}, {URL: "ws://a", QueueBytes: -1}, {URL: "ws://a", LastSeq: &last}, {URL: "ws://a", Token: "a\nb"}} {
		if _, err := client.Open(t.Context(), cfg); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}
