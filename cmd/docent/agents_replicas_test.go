package main

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"docent/internal/pgtest"
	"docent/internal/wstest"
)

// TestAgentsOnReplicas: two servers with one database have two agents. A session has its agent at both servers, also after the
// server that ran it was killed, and beside a session of the other agent with the same id.
func TestAgentsOnReplicas(t *testing.T) {
	t.Parallel()
	database := "DATABASE_URL=" + pgtest.URL(t)
	var args []string
	for _, name := range []string{"one", "two"} {
		args = append(args, "--agent", yamlAgent(t, `name: `+name+`
states:
  say: {initial: true, body: [{if: {variable: heard}, then: [{reply: "`+name+` {{.message}}"}], else: [{set: {heard: true}}]}], on: [{message: any, to: say}]}
`))
	}
	server, at := serve(t, []string{database, "DOCENT_DATA=" + t.TempDir()}, args...)
	_, other := serve(t, []string{database, "DOCENT_DATA=" + t.TempDir()}, args...)
	here := join(t, at, "x", true, "&agent=two")
	here.tell(t, "hi", "a")
	here.waitReply(t, "two hi")
	there := join(t, other, "x", true) // the stored session decides
	there.tell(t, "again", "b")
	there.waitReply(t, "two again")
	here.waitReply(t, "two again")
	same := join(t, other, "x", true, "&agent=one")
	same.tell(t, "hi", "a")
	same.waitReply(t, "one hi")
	server.kill(t)
	<-here.gone
	var back *guest
	eventually(t, "the other server has the session", func() bool {
		back = visit(t, other, "x", "&agent=two")
		return back != nil
	})
	defer back.leave()
	back.tell(t, "still", "c")
	back.waitReply(t, "two still")
}

// visit joins a session. It returns nil if the server is gone. more is for the query.
func visit(t *testing.T, at, id string, more ...string) *guest {
	t.Helper()
	c, _, err := wstest.Dial(t.Context(), "ws"+strings.TrimPrefix(at, "http")+"/?session_id="+url.QueryEscape(id)+strings.Join(more, ""),
		&wstest.DialOptions{Subprotocols: []string{"docent.v1"}})
	if err != nil {
		return nil
	}
	c.SetReadLimit(8 << 20)
	g := &guest{c: c, gone: make(chan struct{}), came: make(chan struct{})}
	go g.listen(context.WithoutCancel(t.Context()))
	g.send(t, map[string]any{"action": "hello", "message": map[string]any{}})
	if !g.until(t, "welcome", func(heard []line) bool { return tally(heard, "welcome") > 0 }) {
		g.leave()
		return nil
	}
	return g
}
