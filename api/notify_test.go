package api

import (
	"strings"
	"testing"

	"docent/internal/fault"
)

// clients is a Notifier with a number of clients for each session.
type clients map[string]int

func (c clients) Notify(session, message string) (int, error) {
	if c[session] == 0 || message != "Hello <you>" {
		return 0, fault.New(fault.NotFound, "test_sentence", "nobody at all") // the same answer for all sessions, so it reveals nothing
	}
	return c[session], nil
}

func TestNotify(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t, func(cfg *Config) { cfg.Notifier = clients{"s 1": 2} })
	const path = "/notify_websocket"
	c.want(200, `{"delivered":2}`, "POST", path, `{"sessionId":"s 1","message":"Hello <you>"}`)
	c.wantError(404, fault.NotFound, "no client of this session is connected", "POST", path, `{"sessionId":"s2","message":"Hello <you>"}`)
	c.wantError(400, fault.Invalid, "empty", "POST", path, `{"sessionId":"s 1","message":" \n"}`)
	c.wantError(400, fault.Invalid, "at most 16384 bytes", "POST", path, `{"sessionId":"s 1","message":"`+strings.Repeat("x", 20000)+`"}`)
	c.wantError(400, fault.Invalid, "body.sessionId", "POST", path, `{"sessionId":"","message":"x"}`)
	c.wantError(400, fault.Invalid, "message", "POST", path, `{"sessionId":"s 1"}`)
	c.wantError(400, fault.Invalid, "sessionId", "POST", path, `{"sessionId":"\u0000","message":"x"}`)
	c.wantError(413, fault.Invalid, "", "POST", path, `{"sessionId":"s 1","message":"`+strings.Repeat("x", 200000)+`"}`)
	newWorld().serve(t).wantError(404, fault.NotFound, "no client", "POST", path, `{"sessionId":"s 1","message":"x"}`)
}
