package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// counting returns an agent that counts its messages in a variable.
func counting() *agent.Agent {
	return echo(func(ctx context.Context, s *agent.Session) error {
		n := 0
		if _, err := s.Get("n", &n); err != nil {
			return err
		}
		if err := s.Set("n", n+1); err != nil {
			return err
		}
		return s.Reply(ctx, fmt.Sprintf("%d %s %s %s", n+1, s.ID(), s.Username(), s.SessionName()))
	})
}

// After a restart, a session is unchanged and does not greet again.
//
// BAF W24
func TestResume(t *testing.T) { bubble(t, testResume) }

func testResume(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: counting(), Store: store})
	c := newClient(t)
	sub, err := rt.Open(t.Context(), session.OpenRequest{ID: "S", Username: "ada", Name: "first"}, c)
	if err != nil {
		t.Fatal(err)
	}
	c.Until(payload.ReplyStr)
	send(t, sub, "", "x")
	c.Until(payload.TurnFinishedAction)
	stop(t, rt)
	if err := sub.Send(t.Context(), session.Message{Content: quoted("x"), Wait: true, Human: true}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("send after Shutdown: %v", err)
	}
	if _, err := rt.Open(t.Context(), session.OpenRequest{}, newClient(t)); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("open after Shutdown: %v", err)
	}
	sub.Close()

	rt = start(t, session.RuntimeConfig{Agent: counting(), Store: store})
	c = newClient(t)
	sub, err = rt.Open(t.Context(), session.OpenRequest{ID: "S", Username: "eve", Name: "second"}, c)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if o := <-c.Openings; o != (session.Opened{SessionID: "S", Agent: "echo", Seq: 4, Resumed: true}) {
		t.Errorf("opened %+v", o)
	}
	synctest.Wait()
	c.Quiet()
	send(t, sub, "", "x")
	if d := c.Until(payload.ReplyStr); text(t, d) != "2 S ada first" {
		t.Errorf("got %s", d.Frame.Message)
	}
}

// When a session is opened after the process was killed, its waiting messages are answered in
// order. A greeting that was not stored comes again.
func TestLeftOver(t *testing.T) { bubble(t, testLeftOver) }

func testLeftOver(t *testing.T) {
	store := agenttest.NewStore()
	key := journal.SessionKey{Agent: "echo", ID: "S"}
	record, _, err := store.OpenSession(t.Context(), journal.SessionRecord{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"one", "two"} {
		_, err := store.Receive(t.Context(), journal.Incoming{
			Session: record.RowID, Type: payload.TypeStr, Content: quoted(said), ClientID: said,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
	_, c, opened := open(t, rt, "S")
	if !opened.Resumed || opened.Seq != 2 {
		t.Errorf("opened %+v", opened)
	}
	for i, want := range []string{"hello", "one", "two"} {
		if d := c.Until(payload.ReplyStr); text(t, d) != want || *d.Frame.Turn != int64(i) {
			t.Errorf("got turn %d %s, want %q", *d.Frame.Turn, d.Frame.Message, want)
		}
	}
}

// Reset stops the running turn, empties the session, keeps its names, and greets. Later messages
// belong to the empty session.
//
// BAF W18
func TestReset(t *testing.T) { bubble(t, testReset) }

func testReset(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		if err := s.Set("said", s.Message()); err != nil {
			return err
		}
		if s.Message() == "hang" {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})})
	c := newClient(t)
	sub, err := rt.Open(t.Context(), session.OpenRequest{ID: "S", Username: "ada", Name: "mine"}, c)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	c.Until(payload.ReplyStr)
	send(t, sub, "a", "hang")
	send(t, sub, "b", "waiting")
	synctest.Wait()
	if err := sub.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	send(t, sub, "c", "after")
	synctest.Wait()
	var got []string
	for len(c.Heard) > 0 {
		d := c.Next()
		turn := int64(-1)
		if d.Frame.Turn != nil {
			turn = *d.Frame.Turn
		}
		got = append(got, fmt.Sprintf("%s %d %s", d.Frame.Action, turn, d.Frame.Message))
	}
	want := []string{
		`ack 1 {"id":"a","seq":2,"duplicate":false}`,
		`ack 2 {"id":"b","seq":3,"duplicate":false}`,
		`turn_finished 2 {"outcome":"failed"}`,
		`turn_finished 1 {"outcome":"failed"}`,
		`session_reset -1 {"seq":3}`,
		`agent_reply_str 0 "hello"`,
		`ack 3 {"id":"c","seq":5,"duplicate":false}`,
		`agent_reply_str 3 "after"`,
		`turn_finished 3 {"outcome":"done"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("heard\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	record, messages, _ := store.Stored("S")
	if record.Username != "ada" || record.Name != "mine" || record.State != "answer" || len(messages) != 3 ||
		len(record.Variables) != 1 || string(record.Variables["said"]) != `"after"` {
		t.Errorf("stored %+v %+v", record, messages)
	}
	if err := sub.Reset(t.Context()); err != nil { // while idle
		t.Fatal(err)
	}
	if d := c.Until(payload.ReplyStr); text(t, d) != "hello" {
		t.Errorf("got %s", d.Frame.Message)
	}
}

// Disconnecting does not cancel the turn. Afterwards the session leaves memory.
func TestDisconnect(t *testing.T) { bubble(t, testDisconnect) }

func testDisconnect(t *testing.T) {
	hold := make(chan struct{})
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(context.Context, *agent.Session) error { <-hold; return nil })})
	sub, _, _ := open(t, rt, "S")
	send(t, sub, "", "hi")
	sub.Close()
	sub.Close()
	synctest.Wait()
	if n := rt.Sessions(); n != 1 {
		t.Errorf("%d sessions while a turn runs", n)
	}
	close(hold)
	synctest.Wait()
	if n := rt.Sessions(); n != 0 {
		t.Errorf("%d sessions without work and clients", n)
	}
	if _, messages, _ := store.Stored("S"); len(messages) != 3 {
		t.Errorf("stored %+v", messages)
	}
	_, c, opened := open(t, rt, "S")
	if !opened.Resumed || opened.Seq != 3 {
		t.Errorf("opened %+v", opened)
	}
	synctest.Wait()
	c.Quiet()
}

// Each client of a session receives all frames. A client that leaves changes nothing for the
// others.
//
// BAF W17
func TestTwoClients(t *testing.T) { bubble(t, testTwoClients) }

func testTwoClients(t *testing.T) {
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: agenttest.NewStore()})
	one, c1, _ := open(t, rt, "S")
	two, c2, _ := open(t, rt, "S")
	synctest.Wait()
	c1.Until(payload.ReplyStr)
	send(t, one, "", "a")
	for _, c := range []*client{c1, c2} {
		for text(t, c.Until(payload.ReplyStr)) != "a" {
			continue
		}
	}
	one.Close()
	send(t, two, "", "b")
	if d := c2.Until(payload.ReplyStr); text(t, d) != "b" {
		t.Errorf("got %s", d.Frame.Message)
	}
}

// Clients that open a session while it is loaded share it.
//
// BAF W17
func TestOpenTogether(t *testing.T) { bubble(t, testOpenTogether) }

func testOpenTogether(t *testing.T) {
	store := agenttest.NewStore()
	g := newGate(agenttest.Open)
	store.SetBefore(g.before)
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
	clients := []*client{newClient(t), newClient(t), newClient(t)}
	subs := make(chan *session.Subscription, len(clients))
	for _, c := range clients {
		go func() {
			sub, err := rt.Open(t.Context(), session.OpenRequest{ID: "S"}, c)
			if err != nil {
				t.Error(err)
			}
			subs <- sub
		}()
	}
	<-g.reached
	synctest.Wait()
	g.pass <- nil
	for _, c := range clients {
		defer (<-subs).Close()
		if o := <-c.Openings; o.Resumed {
			t.Error("it is new for all of them")
		}
		if d := c.Next(); text(t, d) != "hello" {
			t.Errorf("got %s", d.Frame.Message)
		}
	}
	if n := store.Calls(agenttest.Open); n != 1 {
		t.Errorf("opened %d times", n)
	}
}

func TestOpenFails(t *testing.T) { bubble(t, testOpenFails) }

func testOpenFails(t *testing.T) {
	store := agenttest.NewStore()
	store.SetBefore(func(context.Context, agenttest.Operation) error {
		return fault.New(fault.Unavailable, "test_sentence", "no database")
	})
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store}.With(session.Limits{Sessions: 1}))
	if _, err := rt.Open(t.Context(), session.OpenRequest{ID: "S"}, newClient(t)); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v, want unavailable", err)
	}
	store.SetBefore(nil)
	_, c, _ := open(t, rt, "S")
	c.Until(payload.ReplyStr)
	if _, err := rt.Open(t.Context(), session.OpenRequest{ID: "T"}, newClient(t)); fault.KindOf(err) != fault.Busy {
		t.Errorf("got %v, want busy", err)
	}
	for _, req := range []session.OpenRequest{{ID: strings.Repeat("x", 256)}, {Name: "a\x00b"}, {Username: "\xff"}, {ID: "a\nb"}} {
		if _, err := rt.Open(t.Context(), req, newClient(t)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v, want invalid", req, err)
		}
	}
}

// A client learns that its session was deleted. The id is then free.
func TestDeleted(t *testing.T) { bubble(t, testDeleted) }

func testDeleted(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
	sub, c, _ := open(t, rt, "S")
	c.Until(payload.ReplyStr)
	store.Delete("S")
	for range 2 {
		if err := sub.Send(t.Context(), session.Message{Content: quoted("x"), Human: true}); fault.KindOf(err) != fault.NotFound {
			t.Errorf("got %v, want not found", err)
		}
	}
	if err := sub.Reset(t.Context()); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v, want not found", err)
	}
	_, _, opened := open(t, rt, "S")
	if opened.Resumed {
		t.Error("it is a new session")
	}
}

// BAF W18
func TestVariables(t *testing.T) { bubble(t, testVariables) }

func testVariables(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		var profile string
		found, err := s.Get("profile", &profile)
		if err != nil {
			return err
		}
		s.Delete("profile")
		s.Delete("missing")
		if again, _ := s.Get("profile", &profile); again {
			return fmt.Errorf("profile is there after Delete")
		}
		if err := s.Set("bad", func() {}); err == nil {
			return fmt.Errorf("a function was stored")
		}
		return s.Reply(ctx, fmt.Sprint(found, " ", profile))
	})})
	sub, c, _ := open(t, rt, "S")
	c.Until(payload.ReplyStr)
	set := func(values map[string]json.RawMessage) {
		t.Helper()
		if err := sub.SetVariables(t.Context(), values); err != nil {
			t.Fatal(err)
		}
	}
	set(map[string]json.RawMessage{"profile": quoted("Ada"), "n": json.RawMessage("1")})
	send(t, sub, "", "x") // runs after the variable was set
	if d := c.Until(payload.ReplyStr); text(t, d) != "true Ada" {
		t.Errorf("got %s", d.Frame.Message)
	}
	c.Until(payload.TurnFinishedAction)
	set(map[string]json.RawMessage{"big": quoted(strings.Repeat("x", agent.MaxVariableBytes))})
	if d := c.Next(); d.Frame.Action != payload.ErrorAction || !strings.Contains(string(d.Frame.Message), `"invalid"`) {
		t.Errorf("too much: %s", d.Frame.Message)
	}
	many := map[string]json.RawMessage{}
	for i := range agent.MaxVariables {
		many[fmt.Sprint(i)] = json.RawMessage("0")
	}
	set(many)
	if d := c.Until(payload.ErrorAction); !strings.Contains(string(d.Frame.Message), `"invalid"`) {
		t.Errorf("too many: %s", d.Frame.Message)
	}
	synctest.Wait()
	record, _, _ := store.Stored("S")
	if keys := slices.Sorted(maps.Keys(record.Variables)); !slices.Equal(keys, []string{"n"}) {
		t.Errorf("stored %v", keys)
	}
}

// History has the messages that were stored before the client joined.
func TestHistory(t *testing.T) { bubble(t, testHistory) }

func testHistory(t *testing.T) {
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: agenttest.NewStore()}.With(session.Limits{Replay: 5}))
	one, c1, _ := open(t, rt, "S")
	if h, err := one.History(t.Context()); err != nil || len(h) != 0 {
		t.Errorf("history of a new session: %v %v", h, err)
	}
	for i := range 3 {
		send(t, one, "", fmt.Sprint(i))
		c1.Until(payload.TurnFinishedAction)
	}
	two, _, _ := open(t, rt, "S")
	send(t, one, "", "later")
	c1.Until(payload.TurnFinishedAction)
	h, err := two.History(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range h {
		f, ok := journal.Replay(m)
		got = append(got, fmt.Sprint(f.Action, " ", string(f.Message), " ", f.History, ok))
	}
	want := []string{`agent_reply_str "0" true true`, `user_message "1" true true`, `agent_reply_str "1" true true`, `user_message "2" true true`, `agent_reply_str "2" true true`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
