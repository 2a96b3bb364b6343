package peer

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"docent/agent/chat"
	"docent/payload"
)

// Messages from any peer become JSON, and text becomes a valid message.
func FuzzCrossing(f *testing.F) {
	for _, seed := range []string{
		`{"action":"agent_reply_str","message":"B greets"}`,
		`{"action":"agent_reply_str","message":{"message":"hi","code":[1]},"correlation":"c1"}`,
		`{"action":"agent_reply_str","message":null}`,
		`{"action":"agent_reply_str","message":5,"history":true}`,
		`{"action":"agent_reply_markdown","message":"*hi*","correlation":"c1"}`,
		`{"action":"agent_reply_rag","message":{"llm_name":"m","question":"q","answer":"a [1]","docs":[]},"correlation":"c1"}`,
		`{"action":"agent_reply_rag","message":{"answer":5}}`,
		`{"action":"agent_reply_str","message":"` + strings.Repeat("ü", chat.MaxTextBytes) + `"}`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, docent bool) {
		frame, err := payload.DecodeBAF(data)
		if err != nil {
			return
		}
		content, ok := crossing(frame, docent)
		if !ok {
			return
		}
		if !json.Valid(content) {
			t.Errorf("crossing %q is no JSON", content)
		}
		if event := chat.MessageEvent(content); content[0] == '"' && len(event.Text) > chat.MaxTextBytes {
			t.Errorf("%d bytes of text cross", len(event.Text))
		}
		if !docent && frame.Action != payload.ReplyStr {
			t.Errorf("%s crosses", frame.Action)
		}
	})
}

// The shown URL of a peer contains no secret and does not change when shortened again.
func FuzzPeerName(f *testing.F) {
	for _, seed := range []string{
		"ws://ada:hunter2@peer.example:8765/agent?token=hunter2#part", "wss://[::1]:80", "ws://a@b@c/", "WS://A/%2f", "ws://a\\b/", "wss://:1/", "ws:a", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		name, err := peerName(raw)
		if err != nil {
			return
		}
		u, err := url.Parse(name)
		if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Hostname() == "" {
			t.Fatalf("%q is told as %q", raw, name)
		}
		if again, err := peerName(name); err != nil || again != name {
			t.Errorf("%q is told again as %q, %v", name, again, err)
		}
	})
}

// An answer that is too long is cut between two letters.
func TestCrossingCut(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"x", "ü", "中", "🙂"} {
		said, err := payload.Marshal(strings.Repeat(letter, chat.MaxTextBytes+1))
		if err != nil {
			t.Fatal(err)
		}
		content, ok := crossing(payload.Frame{Action: payload.ReplyStr, Message: said}, false)
		var text string
		if !ok || json.Unmarshal(content, &text) != nil {
			t.Fatalf("got %.100s", content)
		}
		if len(text) > chat.MaxTextBytes || len(text) < chat.MaxTextBytes-8 || strings.Trim(text, letter) != ellipsis {
			t.Errorf("%s: %d bytes, ending %q", letter, len(text), text[len(text)-12:])
		}
	}
}
