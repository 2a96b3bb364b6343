package servertest_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"docent/internal/servertest"
	"docent/internal/wstest"
	"docent/llm/llmtest"
)

// quotaSite starts a server with a model whose every answer reports 100 tokens.
func quotaSite(t *testing.T, store servertest.Store, settings map[string]string) *site {
	t.Helper()
	model := llmtest.NewServer(func(int, llmtest.Request) llmtest.Reply {
		reply := llmtest.Say("The feed pump stops at noon [1].")
		reply.Usage = &llmtest.Usage{Prompt: 90, Completion: 10}
		return reply
	})
	t.Cleanup(model.Close)
	return guarded(t, servertest.Config{Store: store, Settings: with(scripted(model), settings)})
}

// ask asks over HTTP and returns the response.
func (s *site) ask(t *testing.T, w who, header ...string) (*http.Response, string) {
	t.Helper()
	return w.Request(t, http.MethodPost, s.URL+"/api/ask", `{"question":"When does the feed pump stop?"}`,
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

// TestQuestionQuota checks that questions over HTTP and WebSocket count together
// for each principal, and that another principal has its own quota.
func TestQuestionQuota(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := quotaSite(t, store, map[string]string{"quota.questions": "3"})
		owner, other := s.Person("token owner"), s.Person("token other")
		for range 2 {
			if resp, body := s.ask(t, owner); resp.StatusCode != http.StatusOK {
				t.Fatalf("below the limit: %d %s", resp.StatusCode, body)
			}
		}
		c := owner.Dial(t, s.URL+"/?protocol=docent.v1&session_id=quota")
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
		resp, body = owner.Request(t, http.MethodPost, s.URL+"/api/sessions/quota/events", event, "Content-Type", "application/json")
		wantExceeded(t, resp, body, "quota_questions")
		say(t, c, wstest.MessageText, `{"action":"user_update_ui","message":{"pressed":"again"}}`)
		until(t, c, "quota_questions")
		if resp, body := s.ask(t, other); resp.StatusCode != http.StatusOK {
			t.Errorf("another user: %d %s", resp.StatusCode, body)
		}
		if _, body := s.Person("token root").Request(t, http.MethodGet, s.URL+"/metrics", ""); !strings.Contains(body, `docent_quota_refused_total{resource="questions"} 4`) {
			t.Error("the refusals are not counted")
		}
	})
}

// TestTokenQuota checks that the tokens of an agent and of /api/ask count together.
func TestTokenQuota(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	s := quotaSite(t, servertest.SQLite, map[string]string{"quota.tokens": "150"})
	owner := s.Person("token owner")
	if resp, body := s.ask(t, owner); resp.StatusCode != http.StatusOK {
		t.Fatalf("below the limit: %d %s", resp.StatusCode, body)
	}
	c := owner.Dial(t, s.URL+"/?protocol=docent.v1&session_id=quota")
	say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
	say(t, c, wstest.MessageText, frame("user_message", `"When does the feed pump stop?"`))
	until(t, c, `"turn_finished"`)
	resp, body := s.ask(t, owner)
	wantExceeded(t, resp, body, "quota_tokens")
	say(t, c, wstest.MessageText, frame("user_message", `"When does the feed pump stop?"`))
	if got := until(t, c, `"quota_tokens"`); !strings.Contains(got, "150 tokens of the chat model") {
		t.Errorf("the agent does not name the limit: %s", got)
	}
}

// TestByteQuota checks files in conversations and uploads. A file that begins
// below the limit is stored.
func TestByteQuota(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := quotaSite(t, store, map[string]string{"quota.bytes": "2KiB"})
		w := s.Person("token both")
		body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n" + strings.Repeat("Pumps move water. ", 200) + "\r\n--b--\r\n"
		send := func() (*http.Response, string) {
			return w.Request(t, http.MethodPost, s.URL+"/api/documents", body, "Content-Type", "multipart/form-data; boundary=b")
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
		other := s.Person("token root")
		archive := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"b.zip\"\r\n\r\n" + packed.String() + "\r\n--b--\r\n"
		for i, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
			resp, body := other.Request(t, http.MethodPost, s.URL+"/api/documents", archive, "Content-Type", "multipart/form-data; boundary=b")
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
		c := w.Dial(t, s.URL+"/?protocol=docent.v1&session_id=bytes")
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
	s := quotaSite(t, servertest.SQLite, map[string]string{"sockets.user-connections": "2", "sockets.user-burst": "6", "sockets.user-rate": "0.001"})
	w := s.Person("token site")
	dial := func(address, id string) (*wstest.Conn, int) {
		t.Helper()
		c, resp, err := w.TryDial(t, s.URL+"/?protocol=docent.v1&session_id="+id+strings.Repeat("x", 22), "X-Forwarded-For", address)
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
}

// TestAddressQuota checks that the visitors of a widget have a quota for each
// address, and that a refused address does not use up the quota of the token.
func TestAddressQuota(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	s := quotaSite(t, servertest.SQLite, map[string]string{"quota.questions": "4", "address-quota.questions": "2"})
	w := s.Person("token site")
	asks := func(address, id string, want ...string) {
		t.Helper()
		at := s.URL + "/?protocol=docent.v1&session_id=" + id + strings.Repeat("x", 22)
		c, _, err := w.TryDial(t, at, "X-Forwarded-For", address)
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
	s := quotaSite(t, servertest.SQLite, map[string]string{"agent-file": file, "quota.tokens": "1000", "address-quota.tokens": "150"})
	w := s.Person("token site")
	greets := func(address, id, want string) {
		t.Helper()
		at := s.URL + "/?protocol=docent.v1&session_id=" + id + strings.Repeat("x", 22)
		c, _, err := w.TryDial(t, at, "X-Forwarded-For", address)
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
}
