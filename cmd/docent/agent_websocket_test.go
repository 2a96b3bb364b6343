package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"docent/agent/session/journal"
	"docent/internal/wstest"
)

// post sends JSON and returns the status and the answer.
func post(t *testing.T, at, body string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(text))
}

// TestAgentWebSocket: a client of Agent WebSocket asks, gives feedback, gets a
// notification, and continues after a kill -9 of the server.
func TestAgentWebSocket(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		docs := t.TempDir()
		write(t, docs, "pump.md", "# Pump\n\nThe feed pump moves 40 litres per minute.\n")
		docent(t, env, 0, "ingest", docs)
		server, at := serve(t, env)
		c := dial(t, at+"/agent_websocket?session_id=S")
		next := func(kind string) map[string]any {
			t.Helper()
			m := hear(t, c)
			if m["type"] != kind {
				t.Fatalf("want a %s, got %v", kind, m)
			}
			return m
		}
		welcome := next("notification")
		if welcome["content"] != "Connected to Agent WebSocket. Session ID: S" {
			t.Errorf("welcome %v", welcome)
		}
		next("notification") // the greeting
		ask := func() {
			t.Helper()
			say(t, c, wstest.MessageText, `{"type":"query","content":"how much does the feed pump move?","timestamp":"2023-01-01T00:00:00.000Z"}`)
			if m := next("status"); m["content"] != "Thinking..." {
				t.Errorf("status %v", m)
			}
			m := next("response")
			docs, _ := m["docs"].([]any)
			if !strings.Contains(m["content"].(string), "40 litres") || len(docs) == 0 {
				t.Errorf("response %v", m)
			}
		}
		ask()
		say(t, c, wstest.MessageText, `{"type":"human_feedback","content":{"rating":5,"comment":"right"}}`)
		next("notification")
		say(t, c, wstest.MessageText, `{"type":"query","content":""}`)
		if m := next("error"); m["content"] != "Message content is required" {
			t.Errorf("error %v", m)
		}
		if status, body := post(t, at+"/notify_websocket", `{"sessionId":"S","message":"The pump stops at noon."}`); status != http.StatusOK || body != `{"delivered":1}` {
			t.Errorf("notify: %d %s", status, body)
		}
		if m := next("notification"); m["content"] != "The pump stops at noon." {
			t.Errorf("notification %v", m)
		}
		if status, body := post(t, at+"/notify_websocket", `{"sessionId":"other","message":"x"}`); status != http.StatusNotFound {
			t.Errorf("notify another: %d %s", status, body)
		}
		if status, body := post(t, at+"/agent_websocket", ""); status != http.StatusBadRequest || body != "Expected WebSocket request" {
			t.Errorf("no upgrade: %d %s", status, body)
		}
		server.kill(t)
		_, at = serve(t, env)
		c = dial(t, at+"/agent_websocket?session_id=S")
		if m := next("notification"); m["data"].(map[string]any)["resumed"] != true {
			t.Errorf("welcome back %v", m)
		}
		ask()
		say(t, c, wstest.MessageText, `{"type":"command","content":"history"}`)
		if m := next("response"); strings.Count(m["content"].(string), "user: how much") != 2 || strings.Contains(m["content"].(string), "noon") {
			t.Errorf("history %v", m)
		}
		wantFeedback(t, env, "S")
	})
}

// wantFeedback checks what TestAgentWebSocket left in the database.
func wantFeedback(t *testing.T, env []string, sessionID string) {
	t.Helper()
	record, _, _ := inDatabase(t, env, "docent", sessionID)
	db := opened(t, env)
	keeper, ok := db.Sessions.(journal.Feedbacks)
	if !ok {
		t.Fatal("the database keeps no feedback")
	}
	got, err := keeper.Feedback(t.Context(), record.RowID)
	if err != nil || len(got) != 1 || got[0].Turn != 1 || *got[0].Rating != 5 || got[0].Comment != "right" {
		t.Errorf("feedback %+v, %v", got, err)
	}
}

// TestAgentWebSocketTimeout: the environment variable of Agent WebSocket sets
// the idle timeout in minutes.
func TestAgentWebSocketTimeout(t *testing.T) {
	t.Parallel()
	_, at := serve(t, []string{"DOCENT_DATA=" + dataFolder(t), "SESSION_TIMEOUT=0.02"}) // 1.2 s
	c, idle := dial(t, at+"/agent_websocket"), dial(t, at+"/other")
	hear(t, idle)
	m := hear(t, c)
	for m["content"] != "Session closed due to inactivity" { // the welcome and the greeting
		m = hear(t, c)
	}
	if m["type"] != "notification" {
		t.Errorf("got %v", m)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, _, err := c.Read(ctx)
	var closed *wstest.CloseError
	if !errors.As(err, &closed) || closed.Code != wstest.StatusNormalClosure || closed.Text != "Session timeout" {
		t.Errorf("ended with %v", err)
	}
	say(t, idle, wstest.MessageText, `{"action":"user_message","message":"still there?"}`)
	hear(t, idle)
}
