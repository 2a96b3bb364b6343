package ws_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	gorilla "github.com/gorilla/websocket"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/assistant"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/sqlitetest"
	"docent/internal/wstest"
	"docent/payload"
	"docent/rag"
	"docent/store/sqlite"
	"docent/ws"
	"docent/ws/typed"
)

// message is a received message of the Agent WebSocket dialect.
type message struct {
	Type      payload.TypedType
	Content   string
	Timestamp string
	Kind      string
	Docs      []payload.RAGDoc
	Data      json.RawMessage
	raw       string
}

// typed dials as a client of Agent WebSocket and returns its welcome.
func (s *site) typed(query string) (*peer, message) {
	s.t.Helper()
	p := s.dial(typed.Path+query, nil)
	m := p.hear()
	if m.Type != payload.TypedNotification || m.Kind != "welcome" {
		s.t.Fatalf("want a welcome, got %s", m.raw)
	}
	return p, m
}

func (p *peer) hear() message {
	p.t.Helper()
	m := message{raw: p.next().raw}
	if err := json.Unmarshal([]byte(m.raw), &m); err != nil {
		p.t.Fatalf("message %s: %v", m.raw, err)
	}
	return m
}

// hearUntil skips messages before the first one of the type.
func (p *peer) hearUntil(kind payload.TypedType) message {
	p.t.Helper()
	for {
		if m := p.hear(); m.Type == kind {
			return m
		}
	}
}

func (p *peer) query(text string) {
	p.t.Helper()
	p.say(fmt.Sprintf(`{"type":"query","content":%q,"timestamp":"2023-01-01T00:00:00.000Z"}`, text))
}

// ask sends a command and returns the response. It skips other messages.
func (p *peer) ask(command string) message {
	p.t.Helper()
	p.say(fmt.Sprintf(`{"type":"command","content":%q}`, command))
	for {
		if m := p.hear(); m.Kind == command && m.Type == payload.TypedResponse {
			return m
		}
	}
}

func TestTypedConversation(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	p, w := s.typed("?session_id=S&protocol=docent.v1")
	if w.Content != "Connected to Agent WebSocket. Session ID: S" || string(w.Data) != `{"session_id":"S","resumed":false}` {
		t.Errorf("welcome %s", w.raw)
	}
	if m := p.hear(); m.Type != payload.TypedNotification || m.Content != assistant.DefaultGreeting {
		t.Errorf("greeting %s", m.raw)
	}
	p.query("What is RAG?")
	if m := p.hear(); m.Type != payload.TypedStatus || m.Content != "Thinking..." {
		t.Errorf("status %s", m.raw)
	}
	m := p.hear()
	if m.Type != payload.TypedResponse || m.Content != "You asked: What is RAG?" || len(m.Docs) != 1 || m.Docs[0].Content != "chunk text" || m.Kind != "rag_answer" {
		t.Errorf("response %s", m.raw)
	}
	if at, err := time.Parse(time.RFC3339, m.Timestamp); err != nil || at.Before(began) || at.After(time.Now()) || !strings.HasSuffix(m.Timestamp, "Z") {
		t.Errorf("timestamp %s, %v", m.Timestamp, err)
	}
	p.say(`{"content":{"message":"as JSON"}}`)
	if m := p.hearUntil(payload.TypedResponse); m.Content != "You asked: as JSON" {
		t.Errorf("response %s", m.raw)
	}
	for _, empty := range []string{`{"type":"query","content":""}`, `{"type":"query"}`, `{"type":"command","content":" "}`, `{"type":"human_feedback","content":{}}`} {
		p.say(empty)
		if m := p.hear(); m.Type != payload.TypedError || m.Content != "Message content is required" || string(m.Data) != `{"code":"invalid","id":"message_content_missing","params":[],"retryable":false}` {
			t.Errorf("%s: %s", empty, m.raw)
		}
	}
	again, w := s.typed("?session_id=S")
	if string(w.Data) != `{"session_id":"S","resumed":true}` {
		t.Errorf("resumed %s", w.raw)
	}
	if m := again.ask("history"); !strings.Contains(m.Content, "user: What is RAG?\nassistant: You asked: What is RAG?") || !strings.Contains(m.raw, `{"role":"user","content":"What is RAG?","timestamp":"`) {
		t.Errorf("history %s", m.raw)
	}
	if _, w := s.typed(""); strings.HasSuffix(w.Content, ": ") || strings.Contains(w.Content, "S:") {
		t.Errorf("a new session: %s", w.raw)
	}
	if sub := s.dial(typed.Path, &wstest.DialOptions{Subprotocols: []string{ws.Protocol}}); sub.conn.Subprotocol() != "" || sub.hear().Kind != "welcome" {
		t.Errorf("subprotocol %q", sub.conn.Subprotocol())
	}
}

// A client with another library, and requests that docent's clients do not send.
func TestTypedGorilla(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	c, resp, err := gorilla.DefaultDialer.DialContext(t.Context(), s.url+typed.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	defer c.Close()
	if err := c.WriteJSON(map[string]any{"type": "query", "content": "hi", "timestamp": time.Now()}); err != nil {
		t.Fatal(err)
	}
	types := ""
	for range 4 {
		var m message
		if err := c.ReadJSON(&m); err != nil {
			t.Fatal(err)
		}
		types += string(m.Type) + " "
	}
	if types != "notification notification status response " {
		t.Errorf("got %s", types)
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		req, err := http.NewRequestWithContext(t.Context(), method, strings.Replace(s.url, "ws", "http", 1)+typed.Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body) // the test fails below if something is missing
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest || strings.TrimSpace(string(body)) != "Expected WebSocket request" {
			t.Errorf("a plain %s: %d %q", method, resp.StatusCode, body)
		}
	}
}

// Commands are executed while queries wait.
func TestTypedCommands(t *testing.T) {
	t.Parallel()
	begun, hold := make(chan struct{}, 10), make(chan struct{})
	answers := &agenttest.Answers{Answer: func(ctx context.Context, req rag.Request) (string, error) {
		begun <- struct{}{}
		select {
		case <-hold:
			return req.Question, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}}
	s := serve(t, setup{rag: answers, runtime: session.RuntimeConfig{QueueSize: 3}})
	p, _ := s.typed("?session_id=S")
	if m := p.ask("stop"); string(m.Data) != `{"turn":null}` {
		t.Errorf("stop %s", m.raw)
	}
	for i := range 4 {
		p.query(fmt.Sprintf("q%d", i))
	}
	<-begun
	if m := p.hearUntil(payload.TypedError); !strings.Contains(m.raw, `"code":"busy","id":"session_queue_full","params":[3],"retryable":true`) {
		t.Errorf("a full mailbox: %s", m.raw)
	}
	if m := p.ask("status"); string(m.Data) != `{"session_id":"S","busy":true,"waiting":2}` || m.Content != "An answer is being made; 2 waiting." || m.Docs != nil {
		t.Errorf("status %s", m.raw)
	}
	if m := p.ask("help"); strings.Count(m.Content, "\n") != 4 || strings.Count(m.raw, `"description"`) != 5 {
		t.Errorf("help %s", m.raw)
	}
	if m := p.ask("stop"); string(m.Data) != `{"turn":1}` {
		t.Errorf("stop %s", m.raw)
	}
	if m := p.hearUntil(payload.TypedResponse); m.Content != "Stopped." {
		t.Errorf("stopped %s", m.raw)
	}
	<-begun
	close(hold)
	for _, want := range []string{"q1", "q2"} {
		if m := p.hearUntil(payload.TypedResponse); m.Content != want {
			t.Errorf("response %s, want %s", m.raw, want)
		}
	}
	if m := p.ask("reset"); string(m.Data) != `{"session_id":"S"}` {
		t.Errorf("reset %s", m.raw)
	}
	if m := p.ask("history"); strings.Contains(m.Content, "q1") {
		t.Errorf("history after a reset %s", m.raw)
	}
	p.say(`{"type":"command","content":"dance"}`)
	if m := p.hearUntil(payload.TypedError); m.Content != "the commands are reset, history, status, stop, help" {
		t.Errorf("unknown command %s", m.raw)
	}
	p.query("q5")
	if m := p.hearUntil(payload.TypedResponse); m.Content != "q5" {
		t.Errorf("response %s", m.raw)
	}
}

// Clients of all dialects are in one session.
func TestTypedBesideOthers(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	p, _ := s.typed("?session_id=S")
	p.hear()
	b := s.dial("/?session_id=S", nil)
	b.joined()
	b.say(`{"action":"user_message","message":"from BAF"}`)
	if m := p.hear(); m.Type != payload.TypedResponse || m.Content != "You asked: from BAF" {
		t.Errorf("got %s", m.raw)
	}
	b.until(payload.ReplyRAG)
	v, _ := s.hello("/?session_id=S")
	p.query("from here")
	if f := v.until(payload.UserMessage); string(f.Message) != `"from here"` {
		t.Errorf("got %s", f.raw)
	}
	if f := b.until(payload.ReplyRAG); !strings.Contains(f.raw, "from here") {
		t.Errorf("got %s", f.raw)
	}
}

// Each failure is one error, and the connection stays open.
func TestTypedErrors(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{
		config: ws.Config{Burst: 1000},
		rag: &agenttest.Answers{Answer: func(_ context.Context, req rag.Request) (string, error) {
			if req.Question == "fail" {
				return "", fault.Wrap(fault.Unavailable, errors.New("secret"), "test_sentence", "the model does not answer")
			}
			return req.Question, nil
		}},
	})
	p, _ := s.typed("")
	p.hear()
	for _, bad := range append(badFrames, `{"type":"response","content":"x"}`, `{"type":"human_feedback","content":"too early"}`,
		`{"type":"human_feedback","content":{"rating":1000}}`, `{"type":"human_feedback","content":"`+strings.Repeat("x", 20<<10)+`"}`,
		`{"type":"query","content":"`+strings.Repeat("x", 20<<10)+`"}`, `{"type":"query","content":["`+strings.Repeat("x", 300<<10)+`"]}`) {
		p.say(bad)
		if m := p.hear(); m.Type != payload.TypedError || m.Content == "" || strings.Contains(m.raw, `"internal"`) {
			t.Errorf("%.60q: %s", bad, m.raw)
		}
	}
	p.query("fail")
	if m := p.hearUntil(payload.TypedError); m.Content != "the model does not answer" || string(m.Data) != `{"code":"unavailable","id":"test_sentence","params":[],"retryable":true}` {
		t.Errorf("failed: %s", m.raw)
	}
	p.query("alive?")
	if m := p.hearUntil(payload.TypedResponse); m.Content != "alive?" {
		t.Errorf("got %s", m.raw)
	}
}

// Queries that arrive too fast are refused. Commands are not.
func TestTypedRate(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{Rate: 1, Burst: 2}})
	p, _ := s.typed("")
	for range 5 {
		p.query("m")
	}
	if m := p.hearUntil(payload.TypedError); !strings.Contains(m.raw, `"code":"rate_limited","id":"frames_throttled","params":[1],"retryable":true`) {
		t.Errorf("got %s", m.raw)
	}
	for range 3 {
		p.ask("status")
	}
}

// Steps are shown while the query is answered.
func TestTypedSteps(t *testing.T) {
	t.Parallel()
	a := agent.New("thinker")
	greet, think := a.State("greet", agent.Initial), a.State("think")
	greet.OnMessage().GoTo(think)
	think.OnMessage().GoTo(think)
	think.Body(func(ctx context.Context, s *agent.Session) error {
		return errors.Join(
			s.ReplyReasoningStep(ctx, payload.ReasoningStep{Kind: payload.StepText, Summary: "hm", Details: payload.TextDetails{Text: "hm"}}),
			s.ReplyTaskList(ctx, []payload.Task{{ID: 1, Description: "d", Status: payload.TaskCompleted}}),
			s.ReplyOptions(ctx, "Yes", "No"))
	})
	s := serve(t, setup{agent: a})
	p, _ := s.typed("")
	p.query("m")
	var got []string
	for range 4 {
		m := p.hear()
		got = append(got, fmt.Sprintf("%s %s %q", m.Type, m.Kind, m.Content))
	}
	want := `status  "Thinking..." | status reasoning_step "hm" | status task_list_update "1 of 1 tasks done" | response options "Yes\nNo"`
	if all := strings.Join(got, " | "); all != want {
		t.Errorf("got %s\nwant %s", all, want)
	}
}

// Feedback refers to the last finished turn.
func TestTypedFeedback(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), sqlite.Config{Path: sqlitetest.Path(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	hold, begun := make(chan struct{}), make(chan struct{}, 1)
	s := serve(t, setup{store: store, rag: &agenttest.Answers{Answer: func(ctx context.Context, req rag.Request) (string, error) {
		if req.Question == "wait" {
			begun <- struct{}{}
			select {
			case <-hold:
			case <-ctx.Done():
			}
		}
		return req.Question, nil
	}}})
	p, _ := s.typed("?session_id=S")
	p.say(`{"type":"human_feedback","content":"too early"}`)
	if m := p.hearUntil(payload.TypedError); !strings.Contains(m.raw, `"code":"conflict"`) {
		t.Errorf("got %s", m.raw)
	}
	p.query("one")
	p.hearUntil(payload.TypedResponse)
	p.say(`{"type":"human_feedback","content":"well said"}`)
	if m := p.hear(); m.Kind != "feedback" || m.Type != payload.TypedNotification || string(m.Data) != `{"turn":1,"rating":null}` {
		t.Errorf("got %s", m.raw)
	}
	p.query("wait")
	p.query("more")
	<-begun
	p.say(`{"type":"human_feedback","content":{"rating":-1,"comment":" and now? "}}`)
	for m := p.hear(); m.Kind != "feedback"; m = p.hear() {
		if m.Type == payload.TypedError {
			t.Fatal(m.raw)
		}
	}
	close(hold)
	record, err := store.Session(t.Context(), journal.SessionKey{Agent: "docent", ID: "S"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := store.Feedback(t.Context(), record.RowID)
	if err != nil || len(got) != 2 || got[0].Turn != 1 || got[0].Rating != nil || got[0].Comment != "well said" ||
		got[1].Turn != 1 || *got[1].Rating != -1 || got[1].Comment != "and now?" {
		t.Errorf("stored %+v, %v", got, err)
	}
	p.hearUntil(payload.TypedResponse)
	p.hearUntil(payload.TypedResponse)
	p.ask("reset")
	p.say(`{"type":"human_feedback","content":{"rating":1}}`)
	if m := p.hearUntil(payload.TypedError); !strings.Contains(m.raw, `"code":"conflict"`) {
		t.Errorf("after a reset: %s", m.raw)
	}
	p.conn.CloseNow()
	s.stop()
}

// If the store keeps no feedback, the client gets an error.
func TestTypedNoFeedback(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	p, _ := s.typed("")
	p.say(`{"type":"human_feedback","content":"x"}`)
	if m := p.hearUntil(payload.TypedError); m.Content != "this agent does not store feedback" {
		t.Errorf("got %s", m.raw)
	}
}

func TestNotify(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	one, _ := s.typed("?session_id=S")
	two, _ := s.typed("?session_id=S")
	other, _ := s.typed("?session_id=T")
	b := s.dial("/?session_id=S", nil)
	b.joined()
	if n, err := s.endpoint.Notify("S", "The <report> is done."); n != 2 || err != nil {
		t.Errorf("%d told, %v", n, err)
	}
	for _, p := range []*peer{one, two} {
		for m := p.hear(); m.Content != "The <report> is done."; m = p.hear() {
			if m.Content != assistant.DefaultGreeting {
				t.Errorf("got %s", m.raw)
			}
		}
	}
	if n, err := s.endpoint.Notify("nobody", "x"); n != 0 || fault.KindOf(err) != fault.NotFound {
		t.Errorf("%d told, %v", n, err)
	}
	for _, p := range []*peer{one, two} {
		p.conn.Close(wstest.StatusNormalClosure, "")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for ctx.Err() == nil {
		if _, err := s.endpoint.Notify("S", "x"); fault.KindOf(err) == fault.NotFound && err != nil {
			break
		}
	}
	if _, err := s.endpoint.Notify("T", "x"); err != nil || ctx.Err() != nil {
		t.Error(err, ctx.Err())
	}
	for m := other.hear(); m.Content != "x"; m = other.hear() {
	}
}

// The end of the session and of the server are reported like in the other
// dialects.
func TestTypedEnds(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s := serve(t, setup{store: store})
	gone, _ := s.typed("?session_id=S")
	gone.hear()
	store.Delete("S")
	gone.query("x")
	if code := gone.closed(); code != ws.CloseGone.Code {
		t.Errorf("closed with %d", code)
	}
	p, _ := s.typed("")
	var stopping sync.WaitGroup
	stopping.Go(s.stop)
	if code := p.closed(); code != ws.CloseGoingAway.Code {
		t.Errorf("closed with %d", code)
	}
	stopping.Wait()
}
