package ws_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/internal/fault"
	"docent/payload"
	"docent/ws"
)

// reporter is an agent that reports each event in one line.
func reporter() *agent.Agent {
	a := agent.New("reporter")
	greet := a.State("greet", agent.Initial)
	report := a.State("report")
	report.Body(func(ctx context.Context, s *agent.Session) error {
		e := s.Event()
		text := fmt.Sprintf("%s human=%v text=%q json=%s data=%s", e.Name, e.Human, e.Text, e.JSON, e.Data)
		if e.File != nil {
			content, err := e.File.Bytes()
			if err != nil {
				return err
			}
			text = fmt.Sprintf("%s human=%v %q %q %d bytes", e.Name, e.Human, e.File.Name, e.File.Type, len(content))
		}
		return s.Reply(ctx, text)
	})
	greet.OnEvent().GoTo(report)
	report.OnEvent().GoTo(report)
	return a
}

// both runs a test with a client of each dialect. The docent.v1 client has
// already received its welcome.
func both(t *testing.T, s setup, test func(t *testing.T, p *peer, v1 bool)) {
	t.Helper()
	for name, v1 := range map[string]bool{"BAF": false, "docent.v1": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s
			s.store = agenttest.NewStore()
			site := serve(t, s)
			if !v1 {
				test(t, site.dial("/?session_id=S", nil), false)
				return
			}
			p, _ := site.hello("/?session_id=S")
			test(t, p, true)
		})
	}
}

// said returns the text of the next reply.
func (p *peer) said() string {
	p.t.Helper()
	f := p.until(payload.ReplyStr)
	var text string
	if err := json.Unmarshal(f.Message, &text); err != nil {
		p.t.Fatalf("%s: %v", f.raw, err)
	}
	return text
}

// refused returns the message of a refusal. For a BAF client, this is the
// apology.
func (p *peer) refused(v1 bool) (fault.Kind, string) {
	p.t.Helper()
	if !v1 {
		text, ok := strings.CutPrefix(p.said(), "Sorry, that did not work: ")
		if !ok {
			p.t.Fatalf("not refused: %s", text)
		}
		return fault.Invalid, text
	}
	f := p.until(payload.ErrorAction)
	var e payload.Error
	if err := json.Unmarshal(f.Message, &e); err != nil {
		p.t.Fatal(err)
	}
	return fault.Kind(e.Code), e.Message
}

// Files arrive as objects or strings, small or large, with or without a type.
// Invalid files get an error message, and the connection stays open.
func TestFiles(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("QUJD", 1<<15)                                         // 96 KiB, 128 KiB in base64
	config := ws.Config{MessageBytes: 16 << 10, FileBytes: 192 << 10, Burst: 1000} // a frame is large from 100 KiB
	both(t, setup{agent: reporter(), config: config}, func(t *testing.T, p *peer, v1 bool) {
		t.Helper()
		for message, want := range map[string]string{
			`{"name":"n.txt","type":"text/plain","base64":"aGk="}`:                    `"n.txt" "text/plain" 2 bytes`,
			`"{\"name\": \"n.txt\", \"type\": \"text/plain\", \"base64\": \"aGk=\"}"`: `"n.txt" "text/plain" 2 bytes`,
			`"{\"name\": \"n.md\", \"type\": \"\", \"base64\": \"\"}"`:                `"n.md" "file" 0 bytes`,
			`{"name":"n.md","type":"","base64":"aGk="}`:                               `"n.md" "file" 2 bytes`,
			`{"base64":"aGk="}`:                               `"default_filename" "file" 2 bytes`,
			`{"name":"l","base64":"` + large + `"}`:           `"l" "file" 98304 bytes`,
			`"{\"name\":\"l\",\"base64\":\"` + large + `\"}"`: `"l" "file" 98304 bytes`,
		} {
			for _, frame := range []string{`{"action":"user_file","message":` + message + `}`, `{"message":` + message + `,"action":"user_file"}`} {
				p.say(frame)
				if got := p.said(); got != "receive_file human=true "+want {
					t.Errorf("%.80s: %s, want %s", frame, got, want)
				}
			}
		}
		for message, want := range map[string]string{
			`{"name":"n.txt","type":"text/plain"}`: "the file has no content; send it in the field base64",
			`{"name":"n.txt","base64":"?"}`:        "a file's content must be base64",
			`"n.txt"`:                              "a file must be an object of name, type and base64, which are strings",
			`5`:                                    "a file must be an object of name, type and base64, which are strings",
			`null`:                                 "a file must be an object of name, type and base64, which are strings",
			`{"name":"` + strings.Repeat("n", 300) + `","base64":""}`:  "a file's name and type may have at most 255 bytes, without control characters",
			`{"base64":"` + large + large + `"}`:                       "a file may have at most 196608 bytes in base64",
			`{"base64":"` + large + strings.Repeat("Q", 64<<10) + `"}`: "a file may have at most 196608 bytes in base64",
		} {
			p.say(`{"action":"user_file","message":` + message + `}`)
			if kind, got := p.refused(v1); got != want || kind != fault.Invalid {
				t.Errorf("%.60s: %s %q, want %q", message, kind, got, want)
			}
		}
		p.say(`{"action":"user_file"}`)
		p.refused(v1)
		// Other messages have a lower limit than files, regardless of the position of
		// the action in the frame.
		p.say(`{"action":"user_message","message":{"x":"` + large + `"}}`)
		if _, got := p.refused(v1); !strings.HasPrefix(got, "a message may have at most 16384 bytes") {
			t.Error(got)
		}
		p.say(`{"message":{"x":"` + large + `"},"action":"user_message"}`)
		if _, got := p.refused(v1); !strings.HasPrefix(got, "a message may have at most 16384 bytes") {
			t.Error(got)
		}
		p.say(`{"action":"user_message","message":"alive?"}`)
		if got := p.said(); !strings.HasPrefix(got, `receive_message_text human=true text="alive?"`) {
			t.Error(got)
		}
	})
}

// A file keeps its id in docent.v1. If a client sends it again, it is not stored
// again.
func TestFileTwice(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: reporter()})
	p, _ := s.hello("/?session_id=S")
	const file = `{"action":"user_file","message":{"name":"n.txt","base64":"aGk="},"id":"f1"}`
	p.say(file)
	if f := p.until(payload.AckAction); f.ID != "f1" || !strings.Contains(f.raw, `"duplicate":false`) {
		t.Errorf("got %s", f.raw)
	}
	p.until(payload.TurnFinishedAction)
	p.say(file)
	if f := p.until(payload.AckAction); f.ID != "f1" || !strings.Contains(f.raw, `"duplicate":true`) {
		t.Errorf("got %s", f.raw)
	}
	again := s.dial("/?session_id=S", nil)
	again.say(`{"action":"fetch_user_messages"}`)
	if f := again.next(); f.Action != payload.UserFile || !f.History ||
		string(f.Message) != `"{\"name\": \"n.txt\", \"type\": \"file\", \"base64\": \"aGk=\"}"` {
		t.Errorf("replayed %s", f.raw)
	}
}

// Concurrent uploads cannot fill the memory. Another file is refused until memory
// is free.
func TestUploads(t *testing.T) {
	t.Parallel()
	small, large := strings.Repeat("QUJD", 1<<15), strings.Repeat("QUJD", 300<<10)
	config := ws.Config{MessageBytes: 16 << 10}.With(ws.Limits{UploadBytes: 1 << 20})
	both(t, setup{agent: reporter(), config: config}, func(t *testing.T, p *peer, v1 bool) {
		t.Helper()
		for range 3 {
			p.say(`{"action":"user_file","message":{"base64":"` + small + `"}}`)
			if got := p.said(); got != `receive_file human=true "default_filename" "file" 98304 bytes` {
				t.Error(got)
			}
			p.say(`{"action":"user_file","message":{"base64":"` + large + `"}}`)
			if kind, got := p.refused(v1); v1 && kind != fault.Busy || !strings.HasPrefix(got, "too many files") {
				t.Errorf("%s %s", kind, got)
			}
		}
	})
}

// The default limits accept a file of several megabytes.
func TestLargeFile(t *testing.T) {
	t.Parallel()
	p := serve(t, setup{agent: reporter()}).dial("/", nil)
	p.say(`{"action":"user_file","message":"{\"name\": \"large\", \"type\": \"\", \"base64\": \"` + strings.Repeat("QUJD", 1<<20) + `\"}"}`)
	if got := p.said(); got != `receive_file human=true "large" "file" 3145728 bytes` {
		t.Error(got)
	}
}

// Recordings are declined with a message, and never become messages of the user.
//
// BAF W39
func TestVoice(t *testing.T) {
	t.Parallel()
	both(t, setup{agent: reporter(), config: ws.Config{MessageBytes: 16 << 10}}, func(t *testing.T, p *peer, v1 bool) {
		t.Helper()
		for _, message := range []string{`"UklGRiQAAABXQVZF"`, `5`, `null`, `{"audio":[]}`, `"` + strings.Repeat("QUJD", 1<<15) + `"`} {
			p.say(`{"action":"user_voice","message":` + message + `}`)
			if kind, got := p.refused(v1); kind != fault.Invalid || got != "I cannot listen to recordings here. Please write instead." {
				t.Errorf("%.20s: %s %s", message, kind, got)
			}
		}
		p.say(`{"action":"fetch_user_messages"}`)
		p.say(`{"action":"user_message","message":"hi"}`)
		if got := p.said(); !strings.HasPrefix(got, `receive_message_text human=true text="hi"`) {
			t.Error(got)
		}
	})
}

// A change in a user interface is an event with its data.
func TestUIEvents(t *testing.T) {
	t.Parallel()
	both(t, setup{agent: reporter()}, func(t *testing.T, p *peer, _ bool) {
		t.Helper()
		for _, action := range []payload.Action{payload.UserUpdateUI, payload.UserGUIEvent} {
			for message, data := range map[string]string{`{"button": "ok"}`: `{"button": "ok"}`, `"clicked"`: `"clicked"`, `{}`: `{}`, `null`: `null`} {
				p.say(fmt.Sprintf(`{"action":%q,"message":%s}`, action, message))
				if got := p.said(); got != `user_update_ui human=true text="" json= data=`+data {
					t.Errorf("%s %s: %s", action, message, got)
				}
			}
		}
	})
}

// A message of another agent is not an event of a human. Responses carry its
// correlation and one more hop, in both dialects.
func TestPeerFrames(t *testing.T) {
	t.Parallel()
	both(t, setup{agent: reporter()}, func(t *testing.T, p *peer, _ bool) {
		t.Helper()
		n := 0
		for message, want := range map[string]string{
			`"do"`:                        `receive_message_text human=false text="do" json= data=`,
			`{"request":"do","code":"x"}`: `receive_message human=false text="{\"request\":\"do\",\"code\":\"x\"}" json={"request":"do","code":"x"} data=`,
			`"{\"message\":\"do\"}"`:      `receive_message human=false text="do" json={"message":"do"} data=`,
			`5`:                           `receive_message_text human=false text="5" json= data=`,
		} {
			for more, keys := range map[string]string{
				``:                             ``,
				`,"correlation":"%s","hops":2`: `,"correlation":"%s","hops":3}`,
				`,"correlation":"%s","hops":0`: `,"correlation":"%s","hops":1}`,
			} {
				if n++; keys != "" {
					more, keys = fmt.Sprintf(more, fmt.Sprint("c", n)), fmt.Sprintf(keys, fmt.Sprint("c", n))
				}
				p.say(`{"action":"agent_reply_str","message":` + message + more + `}`)
				f := p.until(payload.ReplyStr)
				var got string
				if err := json.Unmarshal(f.Message, &got); err != nil || !strings.HasPrefix(got, want) {
					t.Errorf("%s: %s, want %s", message, got, want)
				}
				if keys == "" && strings.Contains(f.raw, "correlation") || !strings.HasSuffix(f.raw, keys) {
					t.Errorf("%s: %s", more, f.raw)
				}
			}
		}
		p.say(`{"action":"user_message","message":"hi"}`)
		if f := p.until(payload.ReplyStr); strings.Contains(f.raw, "correlation") || strings.Contains(f.raw, "hops") {
			t.Errorf("a user is answered with %s", f.raw)
		}
	})
}

// In docent.v1, clients can distinguish messages of other agents from those of
// the user. BAF's frames do not make this distinction.
func TestPeerSender(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: reporter()})
	other, _ := s.hello("/?session_id=S")
	p := s.dial("/?session_id=S", nil)
	for _, frame := range []string{`{"action":"agent_reply_str","message":"do"}`, `{"action":"user_message","message":"do"}`} {
		p.say(frame)
		p.until(payload.ReplyStr)
	}
	late, _ := s.hello("/?session_id=S")
	late.say(`{"action":"fetch_user_messages"}`)
	for _, c := range []*peer{other, late} {
		if f := c.until(payload.UserMessage); !strings.Contains(f.raw, `,"sender":"agent"`) {
			t.Errorf("an agent's message is %s", f.raw)
		}
		if f := c.until(payload.UserMessage); strings.Contains(f.raw, "sender") {
			t.Errorf("the user's message is %s", f.raw)
		}
	}
	baf := s.dial("/?session_id=S", nil)
	baf.say(`{"action":"fetch_user_messages"}`)
	if f := baf.until(payload.UserMessage); strings.Contains(f.raw, "sender") {
		t.Errorf("BAF gets %s", f.raw)
	}
}

// A repeated request is stored once, and answered again to its sender.
func TestPeerAgain(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s := serve(t, setup{agent: reporter(), store: store})
	const request = `{"action":"agent_reply_str","message":"do","correlation":"c1"}`
	p := s.dial("/?session_id=S", nil)
	p.say(request)
	first := p.until(payload.ReplyStr)
	again := s.dial("/?session_id=S", nil)
	again.say(request)
	if f := again.until(payload.ReplyStr); string(f.Message) != string(first.Message) || !strings.Contains(f.raw, `"correlation":"c1"`) {
		t.Errorf("answered with %s, then %s", first.raw, f.raw)
	}
	if _, messages, _ := store.Stored("S"); len(messages) != 2 {
		t.Errorf("%d messages are stored", len(messages))
	}
}

// Messages with too many hops are refused. In BAF's dialect the refusal is
// silent.
func TestPeerHops(t *testing.T) {
	t.Parallel()
	both(t, setup{agent: reporter()}, func(t *testing.T, p *peer, v1 bool) {
		t.Helper()
		p.say(`{"action":"agent_reply_str","message":"far","hops":17}`)
		if v1 {
			if f := p.until(payload.ErrorAction); !strings.Contains(f.raw, `"conflict"`) {
				t.Errorf("refused with %s", f.raw)
			}
		}
		p.say(`{"action":"agent_reply_str","message":"near","hops":16}`)
		if f := p.until(payload.ReplyStr); !strings.Contains(f.raw, "near") {
			t.Errorf("answered with %s", f.raw)
		}
	})
}

// BAF agents receive answers as text, because they accept only text from other
// agents. docent.v1 agents receive answers as stored.
func TestPeerText(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	other, _ := s.hello("/?session_id=S")
	other.until(payload.ReplyStr) // the greeting
	p := s.dial("/?session_id=S", nil)
	p.say(`{"action":"agent_reply_str","message":"How do I drop a table?"}`)
	if f := p.next(); f.Action != payload.ReplyStr || !strings.HasPrefix(string(f.Message), `"`) {
		t.Errorf("an agent hears %s", f.raw)
	}
	other.until(payload.ReplyRAG)
	p.say(`{"action":"user_message","message":"How do I drop a table?"}`)
	p.until(payload.ReplyRAG)
}

// A refused peer receives the refusal with its correlation.
func TestPeerRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: reporter()})
	p := s.dial("/", nil)
	p.say(`{"action":"agent_reply_str","message":"` + strings.Repeat("x", agent.MaxTextBytes+1) + `","correlation":"c","hops":9}`)
	f := p.next()
	if f.Action != payload.ReplyStr || !strings.HasSuffix(f.raw, `"correlation":"c","hops":10}`) || !strings.Contains(f.raw, "Sorry") {
		t.Errorf("got %s", f.raw)
	}
}

// Some messages cannot be stored, and clients may not set some variables. Both
// are refused with a message in both dialects.
//
// BAF W3, W14
func TestRefusedInWords(t *testing.T) {
	t.Parallel()
	both(t, setup{agent: reporter()}, func(t *testing.T, p *peer, v1 bool) {
		for text, want := range map[string]string{
			`{"action":"user_message","message":{"x":1e999999}}`:                  "exponent",
			`{"action":"user_set_variable","message":{"prev_state":"nowhere"}}`:   "prev_state",
			`{"action":"user_set_variable","message":{"reasoning_x":1,"y":2}}`:    "reasoning_x",
			`{"action":"user_set_variable","message":{"peer_session_1":"other"}}`: "peer_session_1",
		} {
			p.say(text)
			if kind, said := p.refused(v1); v1 && kind != fault.Invalid || !strings.Contains(said, want) {
				t.Errorf("%s: %s %q", text, kind, said)
			}
		}
	})
}
