package ws_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"docent/internal/sqlitetest"
	"docent/internal/wstest"
	"docent/payload"
	"docent/store/sqlite"
	"docent/ws"
	"docent/ws/typed"
)

// A replacement has the key replaces in the ack and in the frames for other
// clients. Replaced turns no longer belong to the conversation, but resuming
// clients still receive them.
func TestRevise(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: echoAgent()})
	p, _ := s.hello("/?session_id=S")
	other, _ := s.hello("/?session_id=S")
	for turn, text := range []string{"one", "two"} {
		p.say(fmt.Sprintf(`{"action":"user_message","message":%q,"id":%q}`, text, text))
		p.finished(int64(turn) + 1)
		other.finished(int64(turn) + 1)
	}
	for turn, c := range []struct{ frame, id, content string }{
		{`{"action":"regenerate","message":{"turn":2},"id":"r1"}`, "r1", `"two"`},
		{`{"action":"edit","message":{"turn":3,"message":"three"},"id":"e1"}`, "e1", `"three"`},
		{`{"action":"edit","message":{"turn":4,"message":{"message":"four"}},"id":"e2"}`, "e2", `{"message":"four"}`},
	} {
		replaces := fmt.Sprintf(`"turn":%d,"replaces":%d}`, turn+3, turn+2)
		p.say(c.frame)
		if f := p.next(); f.Action != payload.AckAction || f.ID != c.id || !strings.HasSuffix(f.raw, replaces) {
			t.Errorf("%s: %s", c.frame, f.raw)
		}
		f := other.until(payload.UserMessage)
		if string(f.Message) != c.content || f.Seq != int64(2*turn+5) || !strings.HasSuffix(f.raw, replaces) {
			t.Errorf("%s: the other gets %s", c.frame, f.raw)
		}
		for _, client := range []*peer{p, other} {
			if f := client.next(); f.Action != payload.ReplyStr || f.Seq != int64(2*turn+6) {
				t.Errorf("%s: answered by %s", c.frame, f.raw)
			}
			client.finished(int64(turn) + 3)
		}
		p.say(c.frame) // it arrives only once
		if f := p.next(); f.Action != payload.AckAction || !strings.Contains(f.raw, `"duplicate":true`) {
			t.Errorf("again: %s", f.raw)
		}
		p.until(payload.TurnFinishedAction)
	}
	b := s.dial("/?session_id=S", nil)
	b.say(`{"action":"fetch_user_messages"}`)
	for _, want := range []string{`"one"`, `"one"`, `{"message":"four"}`, `"four"`} {
		if f := b.next(); string(f.Message) != want || strings.Contains(f.raw, "replaces") {
			t.Errorf("BAF is shown %s, want %s", f.raw, want)
		}
	}
	_, _, frames := s.resume("/?session_id=S", 2)
	const want = `welcome
user_message 3 again id two "two"
agent_reply_str 4 again "two"
user_message 5 again id r1 "two"
agent_reply_str 6 again "two"
user_message 7 again id e1 "three"
agent_reply_str 8 again "three"
user_message 9 again id e2 {"message":"four"}
agent_reply_str 10 again "four"
synced {"seq":10,"turns":[],"hidden":[{"first":2,"until":3},{"first":3,"until":4},{"first":4,"until":5}]}`
	if got := told(frames); got != want {
		t.Errorf("who comes back gets\n%s", got)
	}
	for i, replaces := range map[int]string{3: `"replaces":2}`, 5: `"replaces":3}`, 7: `"replaces":4}`} {
		if !strings.HasSuffix(frames[i].raw, replaces) {
			t.Errorf("%s, want %s", frames[i].raw, replaces)
		}
	}
}

// TestShow: all clients of docent.v1 learn which turns are hidden. A client of BAF gets the shown
// version when it asks, and hears nothing before.
func TestShow(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: echoAgent()})
	p, _ := s.hello("/?session_id=S")
	other, _ := s.hello("/?session_id=S")
	p.say(`{"action":"user_message","message":"one","id":"one"}`)
	p.finished(1)
	p.say(`{"action":"edit","message":{"turn":1,"message":"eins"},"id":"e"}`)
	p.finished(2)
	b := s.dial("/?session_id=S", nil)
	p.say(`{"action":"show","message":{"turn":1},"id":"s"}`)
	for _, client := range []*peer{p, other} {
		f := client.until(payload.TurnsShownAction)
		if f.ID != "s" || string(f.Message) != `{"hidden":[{"first":2,"until":3}]}` {
			t.Errorf("told %s", f.raw)
		}
	}
	_, _, frames := s.resume("/?session_id=S", 3)
	if last := frames[len(frames)-1]; string(last.Message) != `{"seq":4,"turns":[],"hidden":[{"first":2,"until":3}]}` {
		t.Errorf("who comes back gets %s", last.raw)
	}
	b.say(`{"action":"fetch_user_messages"}`)
	for range 2 {
		if f := b.next(); string(f.Message) != `"one"` {
			t.Errorf("BAF is shown %s", f.raw)
		}
	}
	for frame, code := range map[string]string{
		`{"action":"show","message":{"turn":9},"id":"x"}`: "not_found",
		`{"action":"show","message":{"turn":0},"id":"x"}`: "invalid",
		`{"action":"show","message":{},"id":"x"}`:         "invalid",
		`{"action":"show","message":"x","id":"x"}`:        "invalid",
	} {
		p.say(frame)
		if f := p.until(payload.ErrorAction); f.ID != "x" || !strings.Contains(f.raw, `"code":"`+code+`"`) {
			t.Errorf("%s: %s", frame, f.raw)
		}
	}
}

// Invalid replacements are refused with the client's id, and nothing is stored.
func TestReviseRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: echoAgent(), store: database(t), config: ws.Config{Burst: 1000}})
	p, _ := s.hello("/?session_id=S")
	p.say(`{"action":"user_message","message":"one"}`)
	p.finished(1)
	p.say(`{"action":"edit","message":{"turn":1,"message":"two"}}`)
	p.finished(2)
	for frame, code := range map[string]string{
		`{"action":"regenerate"}`:                                         "invalid",
		`{"action":"regenerate","message":null}`:                          "invalid",
		`{"action":"regenerate","message":5}`:                             "invalid",
		`{"action":"regenerate","message":{}}`:                            "invalid",
		`{"action":"regenerate","message":{"turn":"1"}}`:                  "invalid",
		`{"action":"regenerate","message":{"turn":0}}`:                    "invalid",
		`{"action":"regenerate","message":{"turn":-1}}`:                   "invalid",
		`{"action":"regenerate","message":{"turn":99}}`:                   "not_found",
		`{"action":"regenerate","message":{"turn":1}}`:                    "conflict",
		`{"action":"edit","message":{"turn":2}}`:                          "invalid",
		`{"action":"edit","message":{"message":"x"}}`:                     "invalid",
		`{"action":"edit","message":{"turn":99,"message":"x"}}`:           "not_found",
		`{"action":"feedback","message":{"turn":99,"rating":1}}`:          "not_found",
		`{"action":"edit","message":{"turn":1,"message":"x"}}`:            "conflict",
		`{"action":"feedback"}`:                                           "invalid",
		`{"action":"feedback","message":"good"}`:                          "invalid",
		`{"action":"feedback","message":{}}`:                              "invalid",
		`{"action":"feedback","message":{"rating":101}}`:                  "invalid",
		`{"action":"feedback","message":{"rating":0.5}}`:                  "invalid",
		`{"action":"feedback","message":{"turn":0,"rating":1}}`:           "invalid",
		`{"action":"hello","message":{"last_seq":0}}`:                     "conflict",
		`{"action":"edit","message":{"turn":2,"message":"` + long + `"}}`: "invalid",
	} {
		// The schemas check frames, but they do not know the contents of a session.
		wrong := code == "invalid" && !strings.Contains(frame, "99") && !strings.Contains(frame, long)
		if err := specified(t).check(channelV1, "client", []byte(frame)); (err != nil) != wrong {
			t.Errorf("docs/asyncapi.yaml, of %s: %v", frame, err)
		}
		p.say(strings.TrimSuffix(frame, "}") + `,"id":"x"}`)
		f := p.next()
		if f.Action != payload.ErrorAction || f.ID != "x" || !strings.Contains(f.raw, `"code":"`+code+`"`) {
			t.Errorf("%.80s: %.300s", frame, f.raw)
		}
	}
	for frame, want := range map[string]string{
		`{"action":"regenerate","message":{}}`:                     "turn is missing",
		`{"action":"regenerate","message":{"turn":null}}`:          "turn is missing",
		`{"action":"edit","message":{"turn":null,"message":"x"}}`:  "turn is missing",
		`{"action":"edit","message":{}}`:                           "turn is missing",
		`{"action":"edit","message":{"turn":2}}`:                   "edit needs a message",
		`{"action":"edit","message":{"turn":0.0,"message":"x"}}`:   "turns count from 1",
		`{"action":"regenerate","message":{"turn":2.5}}`:           "needs an object",
		`{"action":"regenerate","message":{"turn":1e300}}`:         "needs an object",
		`{"action":"edit","message":{"turn":"2.0","message":"x"}}`: "needs an object",
	} {
		p.say(frame)
		if f := p.next(); f.Action != payload.ErrorAction || !strings.Contains(f.raw, want) {
			t.Errorf("%s: %s", frame, f.raw)
		}
	}
	if _, w, _ := s.resume("/?session_id=S", 0); w.Seq != 4 {
		t.Errorf("%d messages are stored", w.Seq)
	}
	// Integers may be written with decimals, as Python does.
	again := s.dial("/?protocol=docent.v1", nil)
	for _, c := range []struct {
		to    *peer
		frame string
		want  payload.Action
	}{
		{again, `{"action":"hello","message":{"last_seq":4.0}}`, payload.WelcomeAction},
		{p, `{"action":"feedback","message":{"turn":2.0,"rating":1e2}}`, payload.FeedbackStoredAction},
		{p, `{"action":"stop","message":{"turn":99.0}}`, ""}, // no frame reports it
		{p, `{"action":"regenerate","message":{"turn":2.0}}`, payload.AckAction},
	} {
		if err := specified(t).check(channelV1, "client", []byte(c.frame)); err != nil {
			t.Errorf("docs/asyncapi.yaml, of %s: %v", c.frame, err)
		}
		c.to.say(c.frame)
		if c.want == "" {
			continue
		}
		if f := c.to.next(); f.Action != c.want {
			t.Errorf("%s is answered by %s", c.frame, f.raw)
		}
	}
}

// BAF clients get a message when another client stops turns with a replacement.
func TestReviseStopsBAF(t *testing.T) {
	t.Parallel()
	begun, pieces := make(chan struct{}), make(chan string)
	s := serve(t, setup{agent: gated(begun, pieces)})
	v1, _ := s.hello("/?session_id=S")
	b := s.dial("/?session_id=S", nil)
	b.say(`{"action":"user_message","message":"talk"}`)
	pieces <- "one"
	<-begun
	b.say(`{"action":"user_message","message":"more"}`)
	v1.until(payload.UserMessage)
	v1.until(payload.UserMessage)
	v1.say(`{"action":"edit","message":{"turn":1,"message":"else"}}`)
	for _, want := range []string{`"one\n\n*Stopped.*"`, `"Stopped."`} {
		if f := b.next(); string(f.Message) != want {
			t.Errorf("BAF hears %s", f.raw)
		}
	}
	close(pieces)
	v1.finished(3)
}

// database returns an empty SQLite database.
func database(t *testing.T) *sqlite.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Path: sqlitetest.Path(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// long is a text above the limit of messages.
var long = strings.Repeat("x", 17<<10)

// BAF clients receive no additions of docent.v1 and cannot send any.
func TestReviseBAF(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: echoAgent()})
	b := s.dial("/?session_id=S", nil)
	v1, _ := s.hello("/?session_id=S")
	b.say(`{"action":"user_message","message":"one"}`)
	b.until(payload.ReplyStr)
	for _, frame := range []string{
		`{"action":"regenerate","message":{"turn":1}}`, `{"action":"edit","message":{"turn":1,"message":"x"}}`, `{"action":"stop"}`,
		`{"action":"feedback","message":{"rating":1}}`, `{"action":"hello","message":{"last_seq":0}}`,
	} {
		b.say(frame)
	}
	v1.finished(1)
	v1.say(`{"action":"regenerate","message":{"turn":1}}`)
	v1.finished(2)
	v1.say(`{"action":"reset"}`)
	v1.until(payload.SessionResetAction)
	v1.say(`{"action":"user_message","message":"end"}`)
	v1.until(payload.TurnFinishedAction)
	for _, want := range []string{`"one"`, `"end"`} {
		if f := b.next(); f.Action != payload.ReplyStr || string(f.Message) != want {
			t.Errorf("BAF hears %s", f.raw)
		}
	}
}

// Feedback is stored with its turn. Without a turn, it belongs to the last
// finished one.
func TestFeedback(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: echoAgent(), store: database(t)})
	p, _ := s.hello("/?session_id=S")
	p.say(`{"action":"feedback","message":{"rating":1},"id":"f0"}`)
	if f := p.next(); f.Action != payload.ErrorAction || f.ID != "f0" || !strings.Contains(f.raw, `"conflict"`) {
		t.Errorf("of nothing: %s", f.raw)
	}
	for turn := range int64(2) {
		p.say(`{"action":"user_message","message":"m"}`)
		p.finished(turn + 1)
	}
	for message, turn := range map[string]int64{
		`{"rating":-100}`: 2, `{"comment":"good","turn":1}`: 1, `{"rating":100,"comment":"","turn":null}`: 2, `{"rating":0,"turn":2}`: 2,
	} {
		p.say(`{"action":"feedback","message":` + message + `,"id":"f1"}`)
		f := p.next()
		var stored payload.FeedbackStored
		if err := json.Unmarshal(f.Message, &stored); err != nil || f.Action != payload.FeedbackStoredAction || stored.Turn != turn || f.ID != "f1" {
			t.Errorf("%s: %s", message, f.raw)
		}
	}
	p.say(`{"action":"feedback","message":{"rating":1,"turn":99}}`)
	if f := p.next(); f.Action != payload.ErrorAction {
		t.Errorf("of a turn that is not there: %s", f.raw)
	}
}

// BAF's newer React client receives user interfaces under its own name for them,
// live and replayed. Other clients do not.
func TestGUI(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: everything(t)})
	told := s.dial("/?session_id=S&gui=1", nil)
	told.joined()
	later := s.dial("/?session_id=S", nil)
	later.say(`{"action":"user_gui_event","message":{"button":"ok"}}`)
	later.joined()
	old := s.dial("/?session_id=S&gui=0", nil)
	old.joined()
	v1, _ := s.hello("/?session_id=S&gui=1")
	offered := s.dial("/?session_id=S&gui=1", &wstest.DialOptions{Subprotocols: []string{ws.Protocol}})
	offered.say(`{"action":"hello"}`)
	offered.until(payload.SyncedAction)
	v1.say(`{"action":"user_gui_event","message":"clicked"}`)
	v1.say(`{"action":"user_message","message":"go"}`)
	clients := map[*peer]payload.Action{
		told: payload.ReplyGUI, later: payload.ReplyGUI, old: payload.ReplyUI, v1: payload.ReplyUI, offered: payload.ReplyUI,
	}
	shown := func(p *peer) payload.Action {
		for {
			if f := p.next(); f.Action == payload.ReplyGUI || f.Action == payload.ReplyUI {
				return f.Action
			}
		}
	}
	for p, want := range clients {
		if got := shown(p); got != want {
			t.Errorf("live as %s, want %s", got, want)
		}
	}
	for query, want := range map[string]payload.Action{"&gui=1": payload.ReplyGUI, "": payload.ReplyUI} {
		p := s.dial("/?session_id=S"+query, nil)
		p.say(`{"action":"fetch_user_messages"}`)
		if got := shown(p); got != want {
			t.Errorf("again as %s, want %s", got, want)
		}
	}
	typed := s.dial(typed.Path+"?session_id=S&gui=1", nil)
	typed.query("go")
	for {
		if m := typed.hear(); m.Kind == "ui" {
			break
		}
	}
}
