package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
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

// ask asks over HTTP and returns the response.
func (s *site) ask(t *testing.T, w who, header ...string) (*http.Response, string) {
	t.Helper()
	return w.request(t, http.MethodPost, s.at+"/api/ask", `{"question":"When does the feed pump stop?"}`,
		append([]string{"Content-Type", "application/json"}, header...)...)
}

// wantExceeded checks a refusal that names its limit and the time of its reset.
func wantExceeded(t *testing.T, resp *http.Response, body, id string) {
	t.Helper()
	after, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if resp.StatusCode != http.StatusTooManyRequests || err != nil || after < 0 || after > 24*60*60 {
		t.Errorf("status %d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
	if !strings.Contains(body, `"id":"`+id+`"`) || !strings.Contains(body, "after 00:00 UTC, in ") {
		t.Errorf("refused with %s, want %s", body, id)
	}
}

// notAtMidnight waits for the next day if it begins too soon for a test.
func notAtMidnight(t *testing.T) {
	t.Helper()
	for time.Until(time.Now().UTC().Truncate(24*time.Hour).Add(24*time.Hour)) < 2*time.Minute {
		select {
		case <-time.After(time.Second):
		case <-t.Context().Done():
		}
	}
}

// TestQuestionQuota checks that questions over HTTP and WebSocket count together
// for each principal, that another principal has its own quota, and that a restart
// keeps the counts.
func TestQuestionQuota(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	onBothStores(t, func(t *testing.T, env []string) {
		s := quotaSite(t, env, "--quota-questions", "3")
		owner, other := s.as(t, "token owner"), s.as(t, "token other")
		for range 2 {
			if resp, body := s.ask(t, owner); resp.StatusCode != http.StatusOK {
				t.Fatalf("below the limit: %d %s", resp.StatusCode, body)
			}
		}
		c := owner.dial(t, s.at+"/?protocol=docent.v1&session_id=quota")
		say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
		say(t, c, wstest.MessageText, frame("user_message", `"When does it stop?"`))
		until(t, c, `"turn_finished"`)
		say(t, c, wstest.MessageText, frame("user_message", `"And the next one?"`))
		if got := until(t, c, `"rate_limited"`); !strings.Contains(got, "quota_questions") {
			t.Errorf("a fourth question over WebSocket: %s", got)
		}
		resp, body := s.ask(t, owner)
		wantExceeded(t, resp, body, "quota_questions")
		event := `{"name":"receive_message_text","text":"When does it stop?"}`
		resp, body = owner.request(t, http.MethodPost, s.at+"/api/sessions/quota/events", event, "Content-Type", "application/json")
		wantExceeded(t, resp, body, "quota_questions")
		say(t, c, wstest.MessageText, `{"action":"user_update_ui","message":{"pressed":"again"}}`)
		until(t, c, "quota_questions")
		if resp, body := s.ask(t, other); resp.StatusCode != http.StatusOK {
			t.Errorf("another user: %d %s", resp.StatusCode, body)
		}
		if _, body := s.as(t, "token root").request(t, http.MethodGet, s.at+"/metrics", ""); !strings.Contains(body, `docent_quota_refused_total{resource="questions"} 4`) {
			t.Error("the refusals are not counted")
		}
		s.server.kill(t)
		_, s.at = serve(t, env, "--auth", "--quota-questions", "3")
		resp, body = s.ask(t, owner)
		wantExceeded(t, resp, body, "quota_questions")
	})
}

// until reads until a frame contains a text, and returns the frame.
func until(t *testing.T, c *wstest.Conn, text string) string {
	t.Helper()
	for {
		frame, err := json.Marshal(hear(t, c))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(frame), text) {
			return string(frame)
		}
	}
}

// TestTokenQuota checks that the tokens of an agent and of /api/ask count together.
func TestTokenQuota(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	onBothStores(t, func(t *testing.T, env []string) {
		s := quotaSite(t, env, "--quota-tokens", "150")
		owner := s.as(t, "token owner")
		if resp, body := s.ask(t, owner); resp.StatusCode != http.StatusOK {
			t.Fatalf("below the limit: %d %s", resp.StatusCode, body)
		}
		c := owner.dial(t, s.at+"/?protocol=docent.v1&session_id=quota")
		say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
		say(t, c, wstest.MessageText, frame("user_message", `"When does the feed pump stop?"`))
		until(t, c, `"turn_finished"`)
		resp, body := s.ask(t, owner)
		wantExceeded(t, resp, body, "quota_tokens")
		say(t, c, wstest.MessageText, frame("user_message", `"When does the feed pump stop?"`))
		if got := until(t, c, `"quota_tokens"`); !strings.Contains(got, "150 tokens of the chat model") {
			t.Errorf("the agent does not name the limit: %s", got)
		}
	})
}

// TestByteQuota checks files in conversations and uploads. A file that begins
// below the limit is stored.
func TestByteQuota(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	onBothStores(t, func(t *testing.T, env []string) {
		s := quotaSite(t, env, "--quota-bytes", "2KiB")
		w := s.as(t, "token both")
		body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n" + strings.Repeat("Pumps move water. ", 200) + "\r\n--b--\r\n"
		send := func() (*http.Response, string) {
			return w.request(t, http.MethodPost, s.at+"/api/documents", body, "Content-Type", "multipart/form-data; boundary=b")
		}
		if resp, body := send(); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"added"`) {
			t.Fatalf("below the limit: %d %s", resp.StatusCode, body)
		}
		var packed bytes.Buffer // smaller than the limit, unlike its content
		z := zip.NewWriter(&packed)
		part, err := z.Create("b.txt")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, strings.Repeat("Valves stop water. ", 2000)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		other := s.as(t, "token root")
		archive := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"b.zip\"\r\n\r\n" + packed.String() + "\r\n--b--\r\n"
		for i, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
			resp, body := other.request(t, http.MethodPost, s.at+"/api/documents", archive, "Content-Type", "multipart/form-data; boundary=b")
			if resp.StatusCode != want {
				t.Errorf("upload %d of an archive of %d bytes: %d %s", i+1, packed.Len(), resp.StatusCode, body)
			}
		}
		resp, got := send()
		wantExceeded(t, resp, got, "quota_bytes")
		resp, got = s.ask(t, w) // nothing is stored
		if resp.StatusCode != http.StatusOK {
			t.Errorf("a question: %d %s", resp.StatusCode, got)
		}
		c := w.dial(t, s.at+"/?protocol=docent.v1&session_id=bytes")
		say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
		for _, stored := range []string{
			`{"action":"feedback","message":{"comment":"good"}}`, `{"action":"user_set_variable","message":{"a":1}}`,
			`{"action":"user_gui_event","message":{"messageId":"f","action":"onChange","name":"city","value":"Rome"}}`,
		} {
			say(t, c, wstest.MessageText, stored)
			until(t, c, "quota_bytes")
		}
	})
}

// TestVisitorsHaveOwnLimits checks that visitors with the public token of a widget do not
// use up the connections and frames of visitors at other addresses.
func TestVisitorsHaveOwnLimits(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		s := quotaSite(t, env, "--user-connections", "2", "--user-burst", "6", "--user-rate", "0.001")
		w := s.as(t, "token site")
		dial := func(address, id string) (*wstest.Conn, int) {
			t.Helper()
			c, resp, err := w.tryDial(t, s.at+"/?protocol=docent.v1&session_id="+id+strings.Repeat("x", 22), "X-Forwarded-For", address)
			if err != nil {
				return nil, resp.StatusCode
			}
			say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
			until(t, c, `"welcome"`)
			return c, http.StatusOK
		}
		loud, _ := dial("203.0.113.1", "a")
		if _, status := dial("203.0.113.1", "b"); status != http.StatusOK {
			t.Fatalf("a second connection: %d", status)
		}
		if _, status := dial("203.0.113.1", "c"); status != http.StatusTooManyRequests {
			t.Errorf("a third connection of an address: %d", status)
		}
		for range 5 {
			say(t, loud, wstest.MessageText, `{"action":"fetch_user_messages"}`)
		}
		until(t, loud, "frames_throttled_all")
		quiet, status := dial("203.0.113.2", "d")
		if status != http.StatusOK {
			t.Fatalf("another address: %d", status)
		}
		say(t, quiet, wstest.MessageText, frame("user_message", `"When does the feed pump stop?"`))
		until(t, quiet, `"turn_finished"`)
	})
}

// TestAddressQuota checks that the visitors of a widget have a quota for each
// address, and that a refused address does not use up the quota of the token.
func TestAddressQuota(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	onBothStores(t, func(t *testing.T, env []string) {
		s := quotaSite(t, env, "--quota-questions", "4", "--address-quota-questions", "2")
		w := s.as(t, "token site")
		asks := func(address, id string, want ...string) {
			t.Helper()
			at := s.at + "/?protocol=docent.v1&session_id=" + id + strings.Repeat("x", 22)
			c, _, err := w.tryDial(t, at, "X-Forwarded-For", address)
			if err != nil {
				t.Fatal(err)
			}
			say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
			for _, text := range want {
				say(t, c, wstest.MessageText, frame("user_message", `"When does the feed pump stop?"`))
				until(t, c, text)
			}
		}
		asks("203.0.113.1", "a", `"turn_finished"`, `"turn_finished"`, "quota_questions", "quota_questions", "quota_questions")
		asks("203.0.113.2", "b", `"turn_finished"`, `"turn_finished"`, "quota_questions")
		asks("203.0.113.3", "c", "quota_questions") // of the token
	})
}

// TestGreetingQuota checks that the greetings of an agent that asks a model count for the
// address of the client that opens the conversation.
func TestGreetingQuota(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	file := filepath.Join(t.TempDir(), "agent.yaml")
	text := "name: greeter\nstates:\n  hello: {initial: true, body: [{llm: {prompt: Say hello}}], on: [{message: any, to: hello}]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	onBothStores(t, func(t *testing.T, env []string) {
		s := quotaSite(t, env, "--agent", file, "--quota-tokens", "1000", "--address-quota-tokens", "150")
		w := s.as(t, "token site")
		greets := func(address, id, want string) {
			t.Helper()
			at := s.at + "/?protocol=docent.v1&session_id=" + id + strings.Repeat("x", 22)
			c, _, err := w.tryDial(t, at, "X-Forwarded-For", address)
			if err != nil {
				t.Fatal(err)
			}
			say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
			until(t, c, want)
		}
		// The tokens count when the reply is final. Deltas come earlier.
		greets("203.0.113.1", "a", `"agent_reply_str"`)
		greets("203.0.113.1", "b", `"agent_reply_str"`)
		greets("203.0.113.1", "c", "quota_tokens")
		greets("203.0.113.2", "d", `"agent_reply_str"`)
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
			c, _, err := w.tryDial(t, s.at+"/?protocol=docent.v1&session_id="+id+strings.Repeat("x", 22), "X-Forwarded-For", address)
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
