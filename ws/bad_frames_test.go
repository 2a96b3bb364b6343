package ws_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/internal/wstest"
	"docent/payload"
	"docent/ws"
)

// badFrames are frames that no client should send.
var badFrames = []string{
	"", " ", "garbage", "null", "5", `"text"`, "[1,2]", "{}", `{"message":"x"}`, `{"action":"user_message"`, `{"action":5,"message":1}`,
	`{"action":"no_such_thing","message":1}`, `{"action":"user_message"}`, `{"action":"user_set_variable"}`,
	`{"action":"user_set_variable","message":"x"}`, `{"action":"user_set_variable","message":{}}`, `{"action":"user_set_variable","message":[1]}`,
	`{"action":"agent_reply_markdown","message":"x"}`, "\xff\xfe\x00", `{"action":"agent_reply_str"}`, `{"action":"stop","message":5}`, `{"action":"user_message","message":1,"action":"none"}`,
	`{"action":"user_message","message":` + strings.Repeat("[", 20000), strings.Repeat("x", 2<<20),
	`{"action":"user_message","message":"` + strings.Repeat("x", 2<<20) + `"}`,
	`{"action":"user_message","message":"` + strings.Repeat("x", 300<<10) + `"}`,
}

// In BAF's dialect, bad frames are ignored, except that a too long message gets
// an apology. The connection stays open.
func TestBadFramesBAF(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{Burst: 1000}})
	p := s.dial("/", nil)
	p.next()
	for _, bad := range badFrames {
		p.say(bad)
		p.write(wstest.MessageBinary, []byte(bad))
	}
	p.say(`{"action":"user_message","message":"alive?"}`)
	long := 0
	f := p.next()
	for ; f.Action == payload.ReplyStr; f = p.next() {
		if !strings.Contains(f.raw, "Sorry, that did not work: a message may have at most ") {
			t.Errorf("got %s", f.raw)
		}
		long++
	}
	if f.Action != payload.ReplyRAG || long != 6 {
		t.Errorf("%d answers to long messages, then %s", long, f.raw)
	}
}

// In docent.v1, each bad frame gets one error.
func TestBadFramesV1(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{Burst: 1000}})
	p := s.dial("/?protocol=docent.v1", nil)
	p.say("garbage") // before hello too
	p.say(`{"action":"user_message","message":"early","id":"m0"}`)
	p.say(`{"action":"user_file","id":"m0","message":{"base64":"` + strings.Repeat("QUJD", 1<<18) + `"}}`)
	p.say(`{"action":"hello","id":"` + strings.Repeat("x", 70<<10) + `"}`)
	for _, id := range []string{"", "m0", "m0", ""} {
		if f := p.next(); f.Action != payload.ErrorAction || f.ID != id {
			t.Errorf("before hello: %s", f.raw)
		}
	}
	p.say(`{"action":"hello"}`)
	p.until(payload.ReplyStr)
	bad := append([]string{
		`{"action":"user_message","message":"x","id":5}`, `{"action":"agent_reply_str","message":"x","hops":-1}`,
		`{"action":"agent_reply_str","message":"x","correlation":{}}`, `{"action":"user_file","message":[]}`, `{"action":"user_voice","message":{}}`,
	}, badFrames...)
	for _, text := range bad {
		p.say(text)
		f := p.next()
		var e payload.Error
		if err := json.Unmarshal(f.Message, &e); err != nil || f.Action != payload.ErrorAction || e.Code != "invalid" || e.Retryable || e.Message == "" {
			t.Errorf("%.60q: %s", text, f.raw)
		}
	}
	p.say(`{"action":"no_such_thing","id":"m7"}`)
	if f := p.next(); f.ID != "m7" {
		t.Errorf("the id is not echoed: %s", f.raw)
	}
	p.say(`{"action":"user_message","message":"alive?"}`)
	p.until(payload.ReplyRAG)
}

// The server handles every action in docs/reference/websocket.md that clients
// may send, and refuses all others.
func TestDocumentedActions(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "docs", "reference", "websocket.md"))
	if err != nil {
		t.Fatal(err)
	}
	actions := func(begin, end string) (out []string) {
		_, text, _ := strings.Cut(string(data), begin)
		text, _, _ = strings.Cut(text, end)
		for line := range strings.Lines(text) {
			if name, ok := strings.CutPrefix(line, "| `"); ok {
				name, _, _ = strings.Cut(name, "`")
				out = append(out, name)
			}
		}
		return out
	}
	theirs := slices.Concat(actions("### What clients send", "###"), actions("### Additional client actions", "###"))
	ours := slices.Concat(actions("### What the server sends", "### Files"), actions("### Additional server actions", "### Turns"))
	if len(theirs) < 11 || len(ours) < 25 {
		t.Fatalf("documented are %d and %d", len(theirs), len(ours))
	}
	s := serve(t, setup{config: ws.Config{Burst: 1000}})
	p, _ := s.hello("/")
	for _, action := range slices.Concat(theirs, ours) {
		p.say(fmt.Sprintf(`{"action":%q,"id":%q,"message":5}`, action, action))
		p.say(`{"action":"no_such_thing","id":"the end"}`)
		unknown := false
		for {
			f := p.until(payload.ErrorAction)
			if f.ID == "the end" {
				break
			}
			unknown = unknown || f.ID == action && strings.Contains(f.raw, "unknown action")
		}
		if want := !slices.Contains(theirs, action); unknown != want {
			t.Errorf("%s is unknown: %v, documented: %v", action, unknown, want)
		}
	}
}

// A frame over the frame limit closes the connection with its code.
func TestFrameLimit(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{FrameBytes: 1 << 20}})
	p := s.dial("/", nil)
	p.next()
	p.say(strings.Repeat("x", 4<<20))
	if code := p.closed(); code != ws.CloseTooBig.Code {
		t.Errorf("closed with %d", code)
	}
}

// Binary frames with JSON text work like text frames. Any JSON can be a message.
// Escapes in the JSON do not count toward the message limit.
func TestAccepted(t *testing.T) {
	t.Parallel()
	answers, store := &agenttest.Answers{}, agenttest.NewStore()
	s := serve(t, setup{rag: answers, store: store})
	p := s.dial("/", nil)
	p.next()
	p.write(wstest.MessageBinary, []byte(`{"action":"user_message","message":"binary"}`))
	p.until(payload.ReplyRAG)
	for _, message := range []string{
		`"text"`, `{"message":"object"}`, `5`, `true`, `["md"]`, `"{\"q\":1}"`, `"\ud83d\ude00 \u0000"`,
		`"` + strings.Repeat("x", agent.MaxTextBytes) + `"`, `"` + strings.Repeat(`\u4e2d`, agent.MaxTextBytes/3) + `"`,
		`{"message":"object","more":"` + strings.Repeat("x", 200<<10) + `"}`,
	} {
		p.say(`{"action":"user_message","message":` + message + `}`)
		p.until(payload.ReplyRAG)
	}
	for _, message := range []string{
		`"` + strings.Repeat("x", agent.MaxTextBytes+1) + `"`, `"` + strings.Repeat("x", 300<<10) + `"`, `{"message":"` + strings.Repeat("x", 17<<10) + `"}`,
	} {
		p.say(`{"action":"user_message","message":` + message + `}`)
		if f := p.next(); f.Action != payload.ReplyStr || !strings.Contains(f.raw, "at most 16384 bytes") {
			t.Errorf("too long: %s", f.raw)
		}
	}
	if n := store.Calls(agenttest.Receive); n != 11 {
		t.Errorf("%d messages stored, want 11", n)
	}
	for _, message := range []string{`null`, `""`} {
		p.say(`{"action":"user_message","message":` + message + `,"id":7}`)
		if f := p.next(); f.Action != payload.ReplyStr || !strings.Contains(f.raw, "empty") {
			t.Errorf("%s: %s", message, f.raw)
		}
	}
	want := []string{"binary", "text", "object", "5", "true", `["md"]`, `{"q":1}`}
	for i, r := range answers.Requests() {
		if i < len(want) && r.Question != want[i] {
			t.Errorf("question %d is %q, want %q", i, r.Question, want[i])
		}
	}
}

// FuzzFrames sends arbitrary data in each dialect, also before hello. No
// connection is closed, and all responses match docs/asyncapi.yaml.
func FuzzFrames(f *testing.F) {
	for _, seed := range badFrames[:20] {
		f.Add([]byte(seed))
	}
	for _, seed := range []string{
		`{"action":"user_message","message":"x","id":"1"}`, `{"action":"user_set_variable","message":{"a":1}}`, `{"action":"fetch_user_messages"}`,
		`{"action":"user_file","message":"{\"name\": \"n\", \"type\": \"\", \"base64\": \"aGk=\"}"}`, `{"action":"user_voice","message":"AAAA"}`,
		`{"action":"user_gui_event","message":{"a":[1]}}`, `{"action":"stop","message":{"turn":0}}`, `{"action":"reset"}`,
		`{"action":"agent_reply_str","message":{"a":1},"correlation":"c","hops":1000}`, `{"action":"hello","message":{"last_seq":0,"token":"x"}}`,
		`{"action":"hello","message":{"last_seq":9223372036854775807}}`, `{"action":"regenerate","message":{"turn":1},"id":"r"}`,
		`{"action":"edit","message":{"turn":1,"message":"x"},"id":"e"}`, `{"action":"edit","message":{"turn":9223372036854775807,"message":null}}`,
		`{"action":"feedback","message":{"turn":1,"rating":1,"comment":"c"},"id":"f"}`, `{"action":"synced","message":{"seq":1,"turns":[]}}`,
		`{"type":"query","content":"x"}`, `{"type":"command","content":"history"}`, `{"type":"human_feedback","content":{"rating":1}}`, `{"type":5,"content":{}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<20 {
			return
		}
		s := serve(t, setup{})
		baf := s.dial("/?session_id=S", nil)
		v1, _ := s.hello("/?session_id=S")
		typed, _ := s.typed("?session_id=S")
		early := s.dial("/?session_id=S&protocol=docent.v1", nil)
		v1.say(`{"action":"user_message","message":"What is RAG?"}`)
		v1.finished(1)
		for _, p := range []*peer{early, baf, v1, typed} {
			p.write(wstest.MessageText, data)
			p.write(wstest.MessageBinary, data)
		}
		early.say(`{"action":"hello"}`)
		early.until(payload.WelcomeAction)
		for _, p := range []*peer{early, v1} {
			p.say(`{"action":"no_such_thing","id":"the-end"}`)
			for p.until(payload.ErrorAction).ID != "the-end" {
			}
		}
		baf.joined()
		typed.ask("help")
		for _, p := range []*peer{early, baf, v1, typed} {
			p.conn.CloseNow()
		}
	})
}

// An unreadable frame of a BAF client causes one log line without its content,
// because the client receives no error.
func TestBadFramesLogged(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	s := serve(t, setup{agent: reporter(), config: ws.Config{Burst: 1000, Logger: slog.New(slog.NewTextHandler(&log, nil))}})
	for range 2 {
		p := s.dial("/", nil)
		for _, bad := range []string{`{"secret":`, `{"action":"secret"}`, "secret"} {
			p.say(bad)
		}
		p.say(`{"action":"user_message","message":"hi"}`)
		p.said()
	}
	if text := log.String(); strings.Count(text, "frame refused") != 2 || strings.Count(text, "level=INFO") != 2 || strings.Contains(text, "secret") {
		t.Error(text)
	}
}
