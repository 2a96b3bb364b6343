package ws_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"docent/agent/agenttest"
	"docent/agent/assistant"
	"docent/agent/session"
	"docent/payload"
	"docent/rag"
	"docent/ws"
	"docent/ws/typed"
)

// pipes is a listener in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.conns <- server
	return client, nil
}

// A client that sends nothing for 30 minutes gets a notification and is closed.
// Pongs do not count as messages. A client that waits for an answer is not idle.
func TestTypedIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, err := assistant.New(assistant.Config{})
		if err != nil {
			t.Fatal(err)
		}
		slow := &agenttest.Answers{Answer: func(_ context.Context, req rag.Request) (string, error) {
			<-time.After(40 * time.Minute)
			return req.Question, nil
		}}
		rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), RAG: slow, TurnTimeout: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		server, err := ws.NewServer(ws.Config{Runtime: rt, Dialects: map[string]ws.Dialect{typed.Path: typedDialect(typed.New(typed.Config{}))}})
		if err != nil {
			t.Fatal(err)
		}
		listener := &pipes{make(chan net.Conn), make(chan struct{})}
		h := &http.Server{Handler: server, ReadHeaderTimeout: time.Minute}
		served := make(chan error, 1)
		go func() { served <- h.Serve(listener) }()
		dialer := websocket.Dialer{NetDialContext: listener.dial}
		c, resp, err := dialer.DialContext(t.Context(), "ws://memory"+typed.Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		hear := func(want payload.TypedType, text string) {
			t.Helper()
			var m payload.Typed
			if err := c.ReadJSON(&m); err != nil || m.Type != want || !strings.Contains(m.Content, text) {
				t.Fatalf("%+v, %v", m, err)
			}
		}
		hear(payload.TypedNotification, "Connected")
		hear(payload.TypedNotification, "Hi!")
		begun := time.Now()
		if err := c.WriteJSON(payload.NewTyped(payload.TypedQuery, "slowly", begun)); err != nil {
			t.Fatal(err)
		}
		hear(payload.TypedStatus, "Thinking...")
		hear(payload.TypedResponse, "slowly")
		if took := time.Since(begun); took != 40*time.Minute {
			t.Errorf("answered after %s", took)
		}
		answered := time.Now()
		hear(payload.TypedNotification, "Session closed due to inactivity")
		if idle := time.Since(answered); idle != 30*time.Minute {
			t.Errorf("ended after %s", idle)
		}
		_, _, err = c.ReadMessage()
		if !websocket.IsCloseError(err, websocket.CloseNormalClosure) || !strings.Contains(err.Error(), "Session timeout") {
			t.Errorf("ended with %v", err)
		}
		c.Close()
		if err := server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		h.Close()
		<-served
	})
}
