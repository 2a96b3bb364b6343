package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docent/agent"
	"docent/internal/fault"
)

var sessionTests = map[string]func(*testing.T, Database){
	"Open":      sessionOpen,
	"OpenRace":  sessionOpenRace,
	"Pending":   sessionPending,
	"Reset":     sessionReset,
	"Directory": sessionDirectory,
	"Delete":    sessionDelete,
	"Missing":   sessionMissing,
	"Invalid":   sessionInvalid,
}

// open opens a session of the agent "a".
func open(t *testing.T, s Store, id string) agent.SessionRecord {
	t.Helper()
	r, _, err := s.OpenSession(t.Context(), agent.SessionRecord{Key: agent.SessionKey{Agent: "a", ID: id}, Platform: "WebSocketPlatform"})
	ok(t, err)
	return r
}

// say stores a user's message.
func say(t *testing.T, s Store, session int64, clientID, text string) agent.Receipt {
	t.Helper()
	r, err := s.Receive(t.Context(), message(session, clientID, text))
	ok(t, err)
	return r
}

func message(session int64, clientID, text string) agent.Incoming {
	content, _ := json.Marshal(text) // a string always marshals
	return agent.Incoming{
		Session: session, ClientID: clientID, Type: "str", Content: content, History: 100,
		Event: agent.EventRecord{Name: "receive_message_text", Info: text},
	}
}

// reply commits a turn with replies.
func reply(t *testing.T, s Store, session, turn int64, replies ...string) []agent.ChatMessage {
	t.Helper()
	record := agent.TurnRecord{Session: session, Turn: turn, State: "answer"}
	for _, r := range replies {
		content, err := json.Marshal(r)
		ok(t, err)
		record.Replies = append(record.Replies, agent.ChatMessage{Type: "str", Content: content})
	}
	out, err := s.CommitTurn(t.Context(), record)
	ok(t, err)
	return out
}

// lines are messages in short: seq, turn, who, text.
func lines(messages []agent.ChatMessage) []string {
	out := []string{}
	for _, m := range messages {
		who := "agent"
		if m.IsUser {
			who = "user"
		}
		out = append(out, fmt.Sprintf("%d/%d %s %s", m.Seq, m.Turn, who, m.Content))
	}
	return out
}

func sessionOpen(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	at := time.Date(2024, 2, 29, 12, 30, 1, 123456789, time.FixedZone("", 3600))
	record := agent.SessionRecord{
		Key: agent.SessionKey{Agent: "a", ID: "one"}, Name: "My chat", Username: "ann", Owner: "token:1", Platform: "WebSocketPlatform",
		State: "greet", Variables: map[string]json.RawMessage{"n": json.RawMessage(`1`), "o": json.RawMessage(`{"k":[true]}`)}, CreatedAt: at,
	}
	got, created, err := s.OpenSession(ctx, record)
	ok(t, err)
	if !created || got.RowID == 0 || got.UpdatedAt.Before(time.Now().Add(-time.Minute)) {
		t.Errorf("created %v: %+v", created, got)
	}
	sameJSON(t, "variable", got.Variables["o"], `{"k":[true]}`)
	wanted := record
	wanted.RowID, wanted.CreatedAt, wanted.UpdatedAt, wanted.Variables = got.RowID, at.UTC().Truncate(time.Microsecond), got.UpdatedAt, got.Variables
	want(t, "new session", got, wanted)

	again, created, err := db.Open(t).OpenSession(ctx, agent.SessionRecord{Key: record.Key, Name: "other", Username: "bob", Platform: "P"})
	ok(t, err)
	want(t, "the same session", again, wanted)
	want(t, "created", created, false)

	other, created, err := s.OpenSession(ctx, agent.SessionRecord{Key: agent.SessionKey{Agent: "b", ID: "one"}, Platform: "P"})
	ok(t, err)
	if !created || other.RowID == got.RowID || other.Name != "" || other.Variables == nil {
		t.Errorf("another agent's session: %+v", other)
	}
	found, err := s.Session(ctx, record.Key)
	ok(t, err)
	want(t, "found", found, wanted)
}

func sessionOpenRace(t *testing.T, db Database) {
	const callers = 8
	ctx := within(t)
	handles := []Store{db.Open(t), db.Open(t)}
	var created atomic.Int32
	var rows sync.Map
	var running sync.WaitGroup
	for i := range callers {
		running.Go(func() {
			r, c, err := handles[i%2].OpenSession(ctx, agent.SessionRecord{Key: agent.SessionKey{Agent: "a", ID: "x"}, Platform: "P"})
			if err != nil {
				t.Error(err)
			}
			if c {
				created.Add(1)
			}
			rows.Store(r.RowID, true)
		})
	}
	running.Wait()
	n := 0
	rows.Range(func(any, any) bool { n++; return true })
	want(t, "created and rows", []int{int(created.Load()), n, db.Count(t, "session")}, []int{1, 1, 1})
}

func sessionPending(t *testing.T, db Database) {
	s := db.Open(t)
	session := open(t, s, "x")
	reply(t, s, session.RowID, 0, "hello")
	for _, text := range []string{"one", "two", "three"} {
		say(t, s, session.RowID, text, text)
	}
	reply(t, s, session.RowID, 1, "to one")
	got := open(t, db.Open(t), "x")
	want(t, "pending", lines(got.Pending), []string{`3/2 user "two"`, `4/3 user "three"`})
	want(t, "client id", got.Pending[0].ClientID, "two")
	want(t, "counters", []int64{got.Seq, got.Turn}, []int64{5, 3})
	reply(t, s, session.RowID, 2)
	reply(t, s, session.RowID, 3, "to three")
	want(t, "pending", len(open(t, s, "x").Pending), 0)
}

func sessionReset(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	session, other := open(t, s, "x"), open(t, s, "y")
	say(t, s, other.RowID, "", "stays")
	say(t, s, session.RowID, "m1", "one")
	_, err := s.CommitTurn(ctx, agent.TurnRecord{
		Session: session.RowID, Turn: 1, State: "answer", Set: map[string]json.RawMessage{"v": json.RawMessage("1")},
		Replies: []agent.ChatMessage{{Type: "str", Content: json.RawMessage(`"r"`)}}, Transitions: []agent.TransitionRecord{{Source: "a", Dest: "b"}},
	})
	ok(t, err)
	say(t, s, session.RowID, "m2", "two")
	ok(t, s.RenameSession(ctx, session.Key, "named"))
	ok(t, s.ResetSession(ctx, session.RowID))
	got := open(t, s, "x")
	want(t, "session", []any{got.RowID, got.Name, got.State, len(got.Variables), got.Seq, got.Turn, len(got.Pending)},
		[]any{session.RowID, "named", "", 0, int64(3), int64(2), 0})
	messages, err := s.Messages(ctx, session.RowID, agent.MessageQuery{})
	ok(t, err)
	want(t, "messages", len(messages), 0)
	want(t, "rows", []int{db.Count(t, "chat"), db.Count(t, "event"), db.Count(t, "transition")}, []int{1, 1, 0})
	want(t, "next", lines([]agent.ChatMessage{say(t, s, session.RowID, "m1", "one").Message}), []string{`4/3 user "one"`})
}

func sessionDirectory(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	for i, r := range []agent.SessionRecord{
		{Key: agent.SessionKey{Agent: "a", ID: "1"}, Username: "ann", Owner: "o1"},
		{Key: agent.SessionKey{Agent: "a", ID: "2"}, Username: "bob", Owner: "o1"},
		{Key: agent.SessionKey{Agent: "b", ID: "3"}, Username: "ann", Owner: "o2"},
		{Key: agent.SessionKey{Agent: "a", ID: "4"}, Username: "ann", Owner: "o2"},
	} {
		r.Platform = "P"
		r.UpdatedAt = time.Unix(1700000000+int64(i), 0)
		_, _, err := s.OpenSession(ctx, r)
		ok(t, err)
	}
	first, err := s.Session(ctx, agent.SessionKey{Agent: "a", ID: "1"})
	ok(t, err)
	reply(t, s, first.RowID, 0, "hi")
	say(t, s, first.RowID, "", "used last")
	list := func(filter agent.SessionFilter) string {
		got, err := s.Sessions(ctx, filter)
		ok(t, err)
		var ids []string
		for _, r := range got {
			ids = append(ids, fmt.Sprintf("%s:%d", r.Key.ID, r.Messages))
			want(t, "pending", len(r.Pending), 0)
		}
		return strings.Join(ids, " ")
	}
	want(t, "all", list(agent.SessionFilter{}), "1:2 4:0 3:0 2:0")
	want(t, "agent", list(agent.SessionFilter{Agent: "a"}), "1:2 4:0 2:0")
	want(t, "user", list(agent.SessionFilter{Username: "ann"}), "1:2 4:0 3:0")
	want(t, "owner", list(agent.SessionFilter{Owner: "o1", Agent: "a"}), "1:2 2:0")
	want(t, "limit", list(agent.SessionFilter{Limit: 2}), "1:2 4:0")
	want(t, "none", list(agent.SessionFilter{Username: "eve"}), "")
	fourth, err := s.Session(ctx, agent.SessionKey{Agent: "a", ID: "4"})
	ok(t, err)
	reply(t, s, fourth.RowID, 0, "greeting")
	want(t, "greeted", list(agent.SessionFilter{}), "4:1 1:2 3:0 2:0")
	want(t, "spoken", list(agent.SessionFilter{Spoken: true}), "1:2")

	ok(t, s.RenameSession(ctx, first.Key, "renamed"))
	got, err := s.Session(ctx, first.Key)
	ok(t, err)
	want(t, "name and messages", []any{got.Name, got.Messages}, []any{"renamed", 2})
	ok(t, s.RenameSession(ctx, first.Key, ""))
	got, err = s.Session(ctx, first.Key)
	ok(t, err)
	want(t, "no name", got.Name, "")
}

func sessionDelete(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	session, other := open(t, s, "x"), open(t, s, "y")
	say(t, s, other.RowID, "", "stays")
	say(t, s, session.RowID, "m1", "one")
	_, err := s.CommitTurn(ctx, agent.TurnRecord{Session: session.RowID, Turn: 1, Transitions: []agent.TransitionRecord{{Source: "a", Dest: "b"}}})
	ok(t, err)
	ok(t, s.DeleteSession(ctx, session.Key))
	want(t, "rows", []int{db.Count(t, "session"), db.Count(t, "chat"), db.Count(t, "event"), db.Count(t, "transition")}, []int{1, 1, 1, 0})
	if again := open(t, s, "x"); again.RowID <= session.RowID || again.Seq != 0 {
		t.Errorf("made again: %+v", again)
	}
}

func sessionMissing(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	nobody := agent.SessionKey{Agent: "a", ID: "nobody"}
	_, err := s.Session(ctx, nobody)
	wantKind(t, "Session", err, fault.NotFound)
	wantKind(t, "RenameSession", s.RenameSession(ctx, nobody, "x"), fault.NotFound)
	wantKind(t, "DeleteSession", s.DeleteSession(ctx, nobody), fault.NotFound)
	wantKind(t, "ResetSession", s.ResetSession(ctx, 99), fault.NotFound)
	_, err = s.Receive(ctx, message(99, "id", "x"))
	wantKind(t, "Receive", err, fault.NotFound)
	_, err = s.CommitTurn(ctx, agent.TurnRecord{
		Session: 99, Replies: []agent.ChatMessage{{Type: "str", Content: json.RawMessage(`"r"`)}}, Transitions: []agent.TransitionRecord{{Source: "a", Dest: "b"}},
	})
	wantKind(t, "CommitTurn", err, fault.NotFound)
	_, err = s.Messages(ctx, 99, agent.MessageQuery{})
	wantKind(t, "Messages", err, fault.NotFound)
	want(t, "rows", []int{db.Count(t, "chat"), db.Count(t, "event"), db.Count(t, "transition")}, []int{0, 0, 0})
}

func sessionInvalid(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	for name, r := range map[string]agent.SessionRecord{
		"no agent":  {Key: agent.SessionKey{ID: "x"}},
		"no id":     {Key: agent.SessionKey{Agent: "a"}},
		"long id":   {Key: agent.SessionKey{Agent: "a", ID: strings.Repeat("x", 5000)}},
		"long user": {Key: agent.SessionKey{Agent: "a", ID: "x"}, Username: strings.Repeat("x", 5000)},
	} {
		_, _, err := s.OpenSession(ctx, r)
		wantKind(t, name, err, fault.Invalid)
	}
	session := open(t, s, "x")
	_, err := s.Receive(ctx, message(session.RowID, strings.Repeat("x", 5000), "x"))
	wantKind(t, "long client id", err, fault.Invalid)
}
