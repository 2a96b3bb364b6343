package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/chat"
	"docent/agent/session"
	"docent/payload"
)

// reminding returns an agent that consumes an event and returns to it after an hour.
func reminding(body agent.Body) *agent.Agent {
	a := agent.New("reminding")
	idle, wait, remind := a.State("idle", agent.Initial), a.State("wait"), a.State("remind")
	idle.OnEvent().GoTo(wait)
	wait.After(time.Hour).GoTo(remind)
	remind.Body(body)
	remind.OnEvent().GoTo(wait)
	return a
}

// Bodies know the last consumed event even after the session was out of memory.
func TestEventAcrossEviction(t *testing.T) {
	large := payload.File{Name: "big.bin", Type: "application/octet-stream", Base64: strings.Repeat("QUJD", chat.MaxHistoryContent)}
	for name, sent := range map[string]struct {
		event agent.Event
		cut   bool // its contents are too large to read again
	}{
		"text":  {event: agent.Event{Name: agent.EventText, Text: "buy milk", Human: true, From: "ws://peer", Correlation: "c1", Hops: 3}},
		"json":  {event: agent.Event{Name: agent.EventMessage, JSON: json.RawMessage(`{"message":"milk","n":1}`), Human: true}},
		"file":  {event: agent.Event{Name: agent.EventFile, File: &payload.File{Name: "a.txt", Type: "text/plain", Base64: "QQ=="}, Human: true}},
		"event": {event: agent.Event{Name: "bell", Data: json.RawMessage(`{"rings":2}`)}},
		"large": {event: agent.Event{Name: agent.EventFile, File: &large, Human: true}, cut: true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var heard []string
				rt := start(t, session.RuntimeConfig{Agent: reminding(func(_ context.Context, s *agent.Session) error {
					e := s.Event()
					file := ""
					if e.File != nil && !sent.cut {
						file = e.File.Name + e.File.Base64
					}
					ago := e.Time.UnixMicro() - time.Now().UnixMicro()
					heard = append(heard, fmt.Sprint(e.ID > 0, e.Turn, e.Name, e.Human, e.Text, string(e.JSON), file,
						string(e.Data), e.From, e.Correlation, e.Hops, ago))
					return nil
				}), Store: agenttest.NewStore(), Now: realTime})
				if err := rt.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, evict := range []bool{false, true} {
					sub, _, _ := open(t, rt, fmt.Sprint("S", evict))
					synctest.Wait()
					if err := rt.Dispatch(t.Context(), sub.SessionID(), sent.event); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					if evict {
						sub.Close()
						synctest.Wait()
						if n := rt.Sessions(); n != 1 {
							t.Fatalf("%d sessions in memory", n)
						}
					}
					pass(3601)
				}
				if len(heard) != 2 || heard[1] != heard[0] {
					t.Errorf("in memory and out of it: %.300q", heard)
				}
			})
		})
	}
}
