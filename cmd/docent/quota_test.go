package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/internal/wstest"
	"docent/llm/llmtest"
)

// quotaSite starts a server with a model whose every answer reports 100 tokens.
func quotaSite(t *testing.T, env []string, args ...string) *site {
	t.Helper()
	model := llmtest.NewServer(func(int, llmtest.Request) llmtest.Reply {
		reply := llmtest.Say("The feed pump stops at noon [1].")
		reply.Usage = &llmtest.Usage{Prompt: 90, Completion: 10}
		return reply
	})
	t.Cleanup(model.Close)
	env = append(env, "DOCENT_LLM_URL="+model.URL, "DOCENT_MODEL=scripted", "OPENAI_API_KEY=none")
	return guarded(t, env, args...)
}

// TestQuotaSurvivesKills checks that a restart keeps the counts.
func TestQuotaSurvivesKills(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	onBothStores(t, func(t *testing.T, env []string) {
		s := quotaSite(t, env, "--quota-questions", "1")
		owner := s.as(t, "token owner")
		if resp, body := s.ask(t, owner); resp.StatusCode != http.StatusOK {
			t.Fatalf("below the limit: %d %s", resp.StatusCode, body)
		}
		s.server.kill(t)
		_, s.at = serve(t, env, "--auth", "--quota-questions", "1")
		resp, body := s.ask(t, owner)
		if resp.StatusCode != http.StatusTooManyRequests || !strings.Contains(body, `"id":"quota_questions"`) {
			t.Errorf("above the limit: %d %s", resp.StatusCode, body)
		}
	})
}

// TestTimedQuota checks that a timed transition that asks a model counts for the address
// of the client that opened the conversation, also after a restart and without clients.
func TestTimedQuota(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	file := filepath.Join(t.TempDir(), "agent.yaml")
	text := "name: waiter\nstates:\n  wait: {initial: true, body: [{reply: ready}], on: [{message: any, to: late}, {after: 10s, to: late}]}\n" +
		"  late: {body: [{llm: {prompt: Say hello}}], on: [{message: any, to: wait}]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	onBothStores(t, func(t *testing.T, env []string) {
		args := []string{"--agent", file, "--quota-tokens", "1000", "--address-quota-tokens", "50"}
		s := quotaSite(t, env, args...)
		w := s.as(t, "token site")
		open := func(address, id string) *wstest.Conn {
			t.Helper()
			c, _, err := w.TryDial(t, s.at+"/?protocol=docent.v1&session_id="+id+strings.Repeat("x", 22), "X-Forwarded-For", address)
			if err != nil {
				t.Fatal(err)
			}
			say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
			until(t, c, "ready")
			return c
		}
		open("203.0.113.1", "a")
		s.server.kill(t)
		s.server, s.at = serve(t, s.env, append([]string{"--auth", "--trusted-proxies", "127.0.0.1"}, args...)...)
		record, err := s.db.Sessions.Session(t.Context(), journal.SessionKey{Agent: "waiter", ID: "a" + strings.Repeat("x", 22)})
		if err != nil {
			t.Fatal(err)
		}
		deadline := time.After(2 * time.Minute)
		for said := ""; !strings.Contains(said, "stops at noon"); {
			select {
			case <-time.After(50 * time.Millisecond):
			case <-deadline:
				t.Fatalf("the transition did not run: %s", said)
			}
			messages, err := s.db.Sessions.Messages(t.Context(), record.RowID, journal.MessageQuery{Last: 1})
			if err != nil || len(messages) == 0 {
				t.Fatalf("messages %v: %v", messages, err)
			}
			said = string(messages[0].Content)
		}
		for address, want := range map[string]string{"203.0.113.1": "quota_tokens", "203.0.113.2": "stops at noon"} {
			c := open(address, "b"+address)
			say(t, c, wstest.MessageText, `{"action":"user_message","message":"hello"}`)
			until(t, c, want)
		}
	})
}
