package ws_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/sqlitetest"
	"docent/payload"
	"docent/store/sqlite"
	"docent/ws"
)

// same returns a key that only one of got and want has, or whose types differ. It
// returns "" if there is none.
func same(at string, want, got any) string {
	if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
		return fmt.Sprintf("%s is %T, want %T", at, got, want)
	}
	switch want := want.(type) {
	case map[string]any:
		for key := range want {
			if diff := same(at+"."+key, want[key], got.(map[string]any)[key]); diff != "" {
				return diff
			}
		}
	case []any:
		if len(want) > 0 && len(got.([]any)) > 0 {
			return same(at+"[0]", want[0], got.([]any)[0])
		}
	}
	return ""
}

// golden returns BAF's own frame of an action. If both sides send the action, it
// returns the server's frame.
func golden(t *testing.T, action payload.Action) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "payload", "testdata", "baf_frames.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var found map[string]any
	for line := range strings.Lines(string(data)) {
		var f map[string]any
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		if f["action"] == string(action) { // the frames of clients come first
			found = f
		}
	}
	if found == nil {
		t.Fatalf("no golden frame of %s", action)
	}
	return found
}

// Frames for BAF clients have BAF's four keys and types, live and replayed.
func TestGolden(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	check := func(f frame, history bool) {
		t.Helper()
		var got map[string]any
		if err := json.Unmarshal([]byte(f.raw), &got); err != nil {
			t.Fatal(err)
		}
		want := golden(t, f.Action)
		want["timestamp"] = "a time" // the golden frames of users have none
		if diff := same("frame", want, got); diff != "" || len(got) != 4 || f.History != history {
			t.Errorf("%s: %s", diff, f.raw)
		}
		if _, err := time.ParseInLocation(payload.TimeLayout, got["timestamp"].(string), time.Local); err != nil {
			t.Error(err)
		}
	}
	p := s.dial("/?session_id=S", nil)
	check(p.next(), false)
	p.say(`{"action": "user_message", "message": "What is RAG?", "history": false, "timestamp": null}`)
	live := p.next()
	check(live, false)
	p.say(`{"action": "fetch_user_messages", "message": null, "history": false, "timestamp": null}`)
	p.say(`{"action": "user_set_variable", "message": {"user_profile": "Ada"}, "history": false, "timestamp": null}`)
	p.say(`{"action": "reset", "message": null, "history": false, "timestamp": null}`)
	check(p.next(), false) // nothing was replayed, because everything came after the connection
	p.say(`{"action":"user_message","message":"What is RAG?"}`)
	check(p.next(), false)

	again := s.dial("/?session_id=S", nil)
	again.say(`{"action":"fetch_user_messages","message":null}`)
	actions := ""
	for range 3 {
		f := again.next()
		check(f, true)
		actions += string(f.Action) + " "
		if f.Action == payload.ReplyRAG && string(f.Message) != string(live.Message) {
			t.Errorf("replayed %s, live %s", f.Message, live.Message)
		}
	}
	if actions != "agent_reply_str user_message agent_reply_rag " {
		t.Errorf("replayed %s", actions)
	}
}

// Frames of docent.v1, each with its keys.
func TestV1Frames(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	p, w := s.hello("/?session_id=S")
	if w.SessionID != "S" || w.Seq != 0 || w.Resumed {
		t.Errorf("welcome %+v", w)
	}
	p.say(`{"action":"user_message","message":"two words","id":"m1"}`)
	var got []string
	text := ""
	for {
		f := p.next()
		switch {
		case f.Action == payload.DeltaAction:
			var d payload.Delta
			if err := json.Unmarshal(f.Message, &d); err != nil {
				t.Fatal(err)
			}
			text += d.Text
			continue
		case f.Seq != 0:
			f.raw = fmt.Sprint(f.Action, " seq ", f.Seq, " turn ", *f.Turn)
		default:
			f.raw = fmt.Sprint(f.Action, " id ", f.ID, " turn ", *f.Turn, " ", string(f.Message))
		}
		got = append(got, f.raw)
		if f.Action == payload.TurnFinishedAction {
			break
		}
	}
	want := []string{
		`agent_reply_str seq 1 turn 0`,
		`ack id m1 turn 1 {"id":"m1","seq":2,"duplicate":false}`,
		`status id  turn 1 {"phase":"searching"}`,
		`status id  turn 1 {"phase":"answering"}`,
		`agent_reply_rag seq 3 turn 1`,
		`turn_finished id  turn 1 {"outcome":"done","usage":{"prompt_tokens":7,"completion_tokens":3}}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || text != "You asked: two words" {
		t.Errorf("got %q and\n%s\nwant\n%s", text, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	again, w := s.hello("/?session_id=S")
	if w.Seq != 3 || !w.Resumed {
		t.Errorf("welcome %+v", w)
	}
	again.say(`{"action":"fetch_user_messages"}`)
	for i, want := range []payload.Action{payload.ReplyStr, payload.UserMessage, payload.ReplyRAG} {
		f := again.next()
		if f.Action != want || f.Seq != int64(i+1) || !f.History || want == payload.UserMessage && f.ID != "m1" {
			t.Errorf("replayed %s", f.raw)
		}
	}
}

// Two sockets of one session receive the same frames. The same message from both
// is one turn. Closing one socket does not affect the other.
func TestTwoSockets(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s := serve(t, setup{store: store})
	one, _ := s.hello("/?session_id=S")
	two := s.dial("/?session_id=S", nil)
	two.joined()
	one.until(payload.ReplyStr)
	one.say(`{"action":"user_message","message":"first"}`)
	for _, p := range []*peer{one, two} {
		p.until(payload.ReplyRAG)
	}
	three, _ := s.hello("/?session_id=S")
	var running sync.WaitGroup
	for range 3 {
		for _, p := range []*peer{one, three} {
			running.Go(func() { p.say(`{"action":"user_message","message":"same","id":"same"}`) })
		}
	}
	running.Wait()
	for _, p := range []*peer{one, three} {
		acks, replies := 0, 0
		for acks < 3 || replies < 1 {
			switch f := p.next(); f.Action {
			case payload.AckAction:
				acks += strings.Count(f.raw, `"id":"same","seq":4`)
			case payload.ReplyRAG:
				replies += strings.Count(f.raw, `"question":"same"`)
			}
		}
	}
	one.conn.CloseNow()
	two.until(payload.ReplyRAG)
	three.say(`{"action":"user_message","message":"last"}`)
	if f := two.until(payload.ReplyRAG); !strings.Contains(f.raw, `"question":"last"`) {
		t.Errorf("got %s", f.raw)
	}
	if _, messages, _ := store.Stored("S"); len(messages) != 7 {
		t.Errorf("%d messages stored", len(messages))
	}
}

// The session continues after a restart of the server with a real database:
// state, variables, history, and the queued message.
func TestRestart(t *testing.T) {
	t.Parallel()
	path := sqlitetest.Path(t)
	remembering := func() *agent.Agent {
		a := agent.New("remembering")
		greet, answer := a.State("greet", agent.Initial), a.State("answer")
		greet.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "hello") })
		greet.OnMessage().GoTo(answer)
		answer.Body(func(ctx context.Context, s *agent.Session) error {
			said := ""
			if _, err := s.Get("said", &said); err != nil {
				return err
			}
			said += s.Message()
			return s.Reply(ctx, said)
		})
		answer.OnMessage().GoTo(answer)
		return a
	}
	up := func() (*site, *sqlite.Store) {
		db, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return serve(t, setup{agent: remembering(), store: db}), db
	}
	s, db := up()
	down := func(p *peer) {
		var running sync.WaitGroup
		running.Go(s.stop)
		if code := p.closed(); code != ws.CloseGoingAway.Code {
			t.Errorf("closed with %d", code)
		}
		running.Wait()
	}
	p := s.dial("/?session_id=S&user_id=ada", nil)
	p.next()
	p.say(`{"action":"user_set_variable","message":{"said":"kept \ud83d\ude00 "}}`)
	p.say(`{"action":"user_message","message":"one"}`)
	if f := p.next(); string(f.Message) != `"kept 😀 one"` {
		t.Errorf("got %s", f.raw)
	}
	down(p)
	record, err := db.Session(t.Context(), journal.SessionKey{Agent: "remembering", ID: "S"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Receive(t.Context(), journal.Incoming{Session: record.RowID, Type: payload.TypeStr, Content: json.RawMessage(`"waiting"`)}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	s, db = up()
	p = s.dial("/?session_id=S", nil)
	if f := p.next(); string(f.Message) != `"kept 😀 waiting"` || f.History {
		t.Errorf("got %s", f.raw)
	}
	p.say(`{"action":"fetch_user_messages"}`)
	var got []string
	for range 4 {
		got = append(got, string(p.next().Message))
	}
	if want := `"hello" "one" "kept 😀 one" "waiting"`; strings.Join(got, " ") != want {
		t.Errorf("replayed %s, want %s", got, want)
	}
	p.say(`{"action":"user_message","message":"two"}`)
	if f := p.next(); string(f.Message) != `"kept 😀 two"` {
		t.Errorf("got %s", f.raw)
	}
	down(p)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeletedSession(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s := serve(t, setup{store: store})
	p, w := s.hello("/")
	p.until(payload.ReplyStr)
	store.Delete(w.SessionID)
	p.say(`{"action":"user_message","message":"m","id":"m1"}`)
	if f := p.next(); f.Action != payload.ErrorAction || !strings.Contains(f.raw, `"code":"not_found"`) {
		t.Errorf("got %s", f.raw)
	}
	if code := p.closed(); code != ws.CloseGone.Code {
		t.Errorf("closed with %d", code)
	}
	if again, w := s.hello("/?session_id=" + w.SessionID); w.Resumed || again.next().Action != payload.ReplyStr {
		t.Error("its id does not make a new session")
	}
}

// directory deletes the sessions of a store.
type directory struct {
	journal.Directory
	store *agenttest.Store
}

func (d directory) DeleteSession(_ context.Context, key journal.SessionKey) error {
	d.store.Delete(key.ID)
	return nil
}

// The server closes a client that only listens when its session is deleted.
func TestListenerOfDeletedSession(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s := serve(t, setup{store: store})
	p, w := s.hello("/")
	p.until(payload.ReplyStr)
	key := journal.SessionKey{Agent: "docent", ID: w.SessionID}
	if err := s.runtime.Directory(directory{store: store}).DeleteSession(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if code := p.closed(); code != ws.CloseGone.Code {
		t.Errorf("closed with %d", code)
	}
}

// TestResetOfGreeting checks that nobody reads the greeting twice: the reset of a BAF
// session that contains only its greeting changes nothing.
func TestResetOfGreeting(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	p := s.dial("/?session_id=S", nil)
	greeting := p.next()
	for range 2 {
		p.say(`{"action":"reset"}`)
	}
	p.say(`{"action":"user_message","message":"What is RAG?"}`)
	if f := p.next(); f.Action != payload.ReplyRAG {
		t.Errorf("after the reset of a greeting it says %s", f.raw)
	}
	p.say(`{"action":"reset"}`)
	if f := p.next(); string(f.Message) != string(greeting.Message) {
		t.Errorf("after a conversation it greets with %s", f.raw)
	}
	again := s.dial("/?session_id=S", nil)
	again.say(`{"action":"reset"}`)
	again.say(`{"action":"user_set_variable","message":{"k":1}}`)
	again.say(`{"action":"reset"}`)
	if f := again.next(); string(f.Message) != string(greeting.Message) {
		t.Errorf("after a variable it greets with %s", f.raw)
	}
	p.next() // p hears it too
	again.say(`{"action":"user_message","message":"What is RAG?"}`)
	if f := again.next(); f.Action != payload.ReplyRAG {
		t.Errorf("it greets twice: %s", f.raw)
	}
}

// TestForm holds a conversation of BAF 4.5's React client with an agent that shows a
// form. Other clients see the form's id in the same key.
func TestForm(t *testing.T) {
	t.Parallel()
	a := agent.New("booking")
	ask, book := a.State("ask", agent.Initial), a.State("book")
	ask.Body(func(ctx context.Context, s *agent.Session) error {
		return s.ReplyGUI(ctx, "trip", map[string]any{"name": "trip", "modules": []any{}})
	})
	ask.OnForm("trip").GoTo(book)
	book.Body(func(ctx context.Context, s *agent.Session) error {
		in := agent.GUIInputs(s, "trip")
		return s.Reply(ctx, fmt.Sprint(in["city"], " ", in["days"], " ", len(s.Variables())))
	})
	book.GoTo(ask)
	s := serve(t, setup{agent: a})
	p := s.dial("/?session_id=S", nil)
	shown := p.next()
	if !strings.Contains(shown.raw, `"action":"agent_reply_gui","message":{"modules":[],"name":"trip"},"history":false,`) || !strings.HasSuffix(shown.raw, `,"message_id":"trip"}`) {
		t.Errorf("it shows %s", shown.raw)
	}
	p.say(`{"action":"user_gui_event","message":{"elementId":"city","action":"onChange","name":"city","value":"Rom","messageId":"trip"}}`)
	p.say(`{"action":"user_gui_event","message":{"elementId":"city","action":"onChange","name":"city","value":"Rome","messageId":"trip"}}`)
	p.say(`{"action":"user_gui_event","message":{"elementId":"f","action":"onSubmit","value":{"days":3},"messageId":"other"}}`)
	p.say(`{"action":"user_gui_event","message":"{\"elementId\":\"f\",\"action\":\"onSubmit\",\"value\":{\"days\":3},\"messageId\":\"trip\"}"}`)
	if f := p.next(); string(f.Message) != `"Rome 3 3"` {
		t.Errorf("it says %s", f.raw)
	}
	again := s.dial("/?session_id=S", nil)
	again.say(`{"action":"fetch_user_messages"}`)
	if f := again.next(); !strings.HasSuffix(f.raw, `,"message_id":"trip"}`) {
		t.Errorf("again it shows %s", f.raw)
	}
}

// Clients that only connect leave nothing in the database.
func TestUnusedSessionsAreNotStored(t *testing.T) {
	t.Parallel()
	db := database(t)
	s := serve(t, setup{store: db, runtime: session.RuntimeConfig{Unused: db}})
	name := strings.Repeat("n", journal.MaxNameBytes)
	query := "?user_id=" + name + "&session_name=" + name
	stored := func() int {
		all, err := db.Sessions(t.Context(), journal.SessionFilter{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	for range 50 {
		p, _ := s.hello("/" + query)
		p.until(payload.ReplyStr)
		if err := p.conn.CloseNow(); err != nil {
			t.Fatal(err)
		}
	}
	kept, _ := s.hello("/" + query + "&session_id=kept")
	kept.say(`{"action":"user_message","message":"m","id":"m1"}`)
	kept.until(payload.TurnFinishedAction)
	if err := kept.conn.CloseNow(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the sessions left memory", func() bool { return s.runtime.Sessions() == 0 })
	if n := stored(); n != 1 {
		t.Errorf("%d sessions are stored, want the one with a message", n)
	}
}
