package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"docent/agent"
)

var turnTests = map[string]func(*testing.T, Database){
	"Receive":     turnReceive,
	"ReceiveRace": turnReceiveRace,
	"Commit":      turnCommit,
	"CommitOnce":  turnCommitOnce,
	"CommitRace":  turnCommitRace,
	"Failed":      turnFailed,
	"Variables":   turnVariables,
	"Messages":    turnMessages,
	"NoGaps":      turnNoGaps,
}

func turnReceive(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	session, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	at := time.Date(2024, 2, 29, 12, 30, 1, 123456789, time.UTC)
	in := message(session, "m1", "one")
	in.Event.Time = at
	first, err := s.Receive(ctx, in)
	ok(t, err)
	m := first.Message
	want(t, "message", []any{m.ID > 0, m.Seq, m.Turn, m.ClientID, m.Type, string(m.Content), m.IsUser, m.Time},
		[]any{true, int64(1), int64(1), "m1", "str", `"one"`, true, at.Truncate(time.Microsecond)})
	want(t, "receipt", []any{first.Duplicate, len(first.History)}, []any{false, 0})
	reply(t, s, session, 1, "re one", "re one again")

	second := say(t, s, session, "m2", "two")
	want(t, "second", lines([]agent.ChatMessage{second.Message}), []string{`4/2 user "two"`})
	want(t, "history", lines(second.History), []string{`1/1 user "one"`, `2/1 agent "re one"`, `3/1 agent "re one again"`})

	again, err := s.Receive(ctx, agent.Incoming{Session: session, ClientID: "m2", Type: "other", Content: json.RawMessage(`"other"`), History: 2})
	ok(t, err)
	want(t, "duplicate", []any{again.Duplicate, again.Message}, []any{true, second.Message})
	want(t, "its history", lines(again.History), []string{`2/1 agent "re one"`, `3/1 agent "re one again"`})
	first.Duplicate = true
	duplicate := say(t, db.Open(t), session, "m1", "one")
	want(t, "the first again", duplicate.Message, first.Message)
	want(t, "rows", []int{db.Count(t, "chat"), db.Count(t, "event")}, []int{4, 2})

	if say(t, s, other, "m1", "elsewhere").Duplicate {
		t.Error("a client id counts in another session")
	}
	a, b := say(t, s, session, "", "no id"), say(t, s, session, "", "no id")
	want(t, "without an id", []any{a.Duplicate, b.Duplicate, a.Message.Seq, b.Message.Seq, b.Message.Turn}, []any{false, false, int64(5), int64(6), int64(4)})
	none, err := s.Receive(ctx, agent.Incoming{Session: session, Type: "str", Content: json.RawMessage(`"x"`)})
	ok(t, err)
	want(t, "no history", len(none.History), 0)
}

// turnReceiveRace sends each message from several connections at once.
func turnReceiveRace(t *testing.T, db Database) {
	const messages, callers = 10, 4
	ctx := within(t)
	handles := []Store{db.Open(t), db.Open(t)}
	session := open(t, handles[0], "x").RowID
	for n := range messages {
		receipts := make([]agent.Receipt, callers)
		var running sync.WaitGroup
		for i := range callers {
			running.Go(func() {
				var err error
				if receipts[i], err = handles[i%2].Receive(ctx, message(session, fmt.Sprint("m", n), "text")); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		fresh := 0
		for _, r := range receipts {
			if !r.Duplicate {
				fresh++
			}
			want(t, "message", r.Message, receipts[0].Message)
			want(t, "history", len(r.History), n)
		}
		want(t, "stored", []int64{int64(fresh), receipts[0].Message.Seq, receipts[0].Message.Turn}, []int64{1, int64(n + 1), int64(n + 1)})
	}
}

func turnCommit(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	session := open(t, s, "x").RowID
	say(t, s, session, "m", "one")
	at := time.Date(2024, 2, 29, 12, 30, 1, 123456000, time.UTC)
	got, err := s.CommitTurn(ctx, agent.TurnRecord{
		Session: session, Turn: 1, State: "answer",
		Replies: []agent.ChatMessage{
			{Type: "rag_answer", Content: json.RawMessage(`{"answer": "yes", "docs": []}`), Time: at, ID: 77, Seq: 77, Turn: 77},
			{Type: "str", Content: json.RawMessage(`"more"`), ClientID: "m"},
		},
		Transitions: []agent.TransitionRecord{
			{Source: "greet", Dest: "answer", Event: "receive_message_text", Condition: "text", Time: at}, {Source: "answer", Dest: "answer"},
		},
	})
	ok(t, err)
	want(t, "replies", []any{len(got), got[0].Seq, got[1].Seq, got[0].Turn, got[0].Type, got[0].IsUser, got[0].Time, got[1].ID > got[0].ID, got[1].Time.IsZero()},
		[]any{2, int64(2), int64(3), int64(1), "rag_answer", false, at, true, false})
	sameJSON(t, "content", got[0].Content, `{"answer":"yes","docs":[]}`)
	stored, err := db.Open(t).Messages(ctx, session, agent.MessageQuery{After: 1})
	ok(t, err)
	for i := range got {
		sameJSON(t, "stored content", stored[i].Content, string(got[i].Content))
		stored[i].Content, got[i].Content = nil, nil
	}
	want(t, "stored", stored, got)
	want(t, "rows", db.Count(t, "transition"), 2)
	after := open(t, s, "x")
	want(t, "session", []any{after.State, after.Seq, after.Turn}, []any{"answer", int64(3), int64(1)})

	say(t, s, session, "", "two")
	none := reply(t, s, session, 2)
	want(t, "no replies", len(none), 0)
	want(t, "seq", open(t, s, "x").Seq, 4)
	// A turn that no message began counts too: the next message gets a later one.
	reply(t, s, session, 5, "by itself")
	want(t, "next", lines([]agent.ChatMessage{say(t, s, session, "", "next").Message}), []string{`6/6 user "next"`})
}

// turnCommitOnce commits turns again: nothing is written, and the replies
// stored first are returned.
func turnCommitOnce(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	session := open(t, s, "x").RowID
	say(t, s, session, "m1", "one")
	say(t, s, session, "m2", "two")
	second := reply(t, s, session, 2, "re two")
	// Turns may be committed in another order than they began.
	want(t, "first", lines(reply(t, s, session, 1, "re one", "more")), []string{`4/1 agent "re one"`, `5/1 agent "more"`})
	before := open(t, s, "x")
	for _, handle := range []Store{s, db.Open(t)} {
		got, err := handle.CommitTurn(ctx, agent.TurnRecord{
			Session: session, Turn: 2, State: "elsewhere", Set: map[string]json.RawMessage{"v": json.RawMessage("1")},
			Replies:     []agent.ChatMessage{{Type: "str", Content: json.RawMessage(`"other"`)}, {Type: "str", Content: json.RawMessage(`"other"`)}},
			Transitions: []agent.TransitionRecord{{Source: "a", Dest: "b"}},
		})
		ok(t, err)
		want(t, "again", lines(got), lines(second))
		want(t, "its id", got[0].ID, second[0].ID)
	}
	want(t, "session", open(t, s, "x"), before)
	want(t, "rows", []int{db.Count(t, "chat"), db.Count(t, "transition")}, []int{5, 0})
	// What no message began is written each time.
	reply(t, s, session, 0, "by itself")
	reply(t, s, session, 0, "by itself")
	want(t, "chat", db.Count(t, "chat"), 7)
	// A turn whose message a reset removed leaves nothing.
	say(t, s, session, "m3", "three")
	ok(t, s.ResetSession(ctx, session))
	want(t, "after a reset", len(reply(t, s, session, 3, "too late")), 0)
	want(t, "chat after a reset", db.Count(t, "chat"), 0)
}

// turnCommitRace commits each turn from several connections at once.
func turnCommitRace(t *testing.T, db Database) {
	const turns, callers = 10, 4
	ctx := within(t)
	handles := []Store{db.Open(t), db.Open(t)}
	session := open(t, handles[0], "x").RowID
	for n := range turns {
		turn := say(t, handles[0], session, "", "text").Message.Turn
		var running sync.WaitGroup
		got := make([][]agent.ChatMessage, callers)
		for i := range callers {
			running.Go(func() {
				var err error
				got[i], err = handles[i%2].CommitTurn(ctx, agent.TurnRecord{
					Session: session, Turn: turn, State: "s",
					Replies: []agent.ChatMessage{{Type: "str", Content: json.RawMessage(fmt.Sprint(i))}},
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		for i := range callers {
			want(t, "replies", lines(got[i]), lines(got[0]))
		}
		want(t, "seq", open(t, handles[0], "x").Seq, int64(2*(n+1)))
	}
	want(t, "chat", db.Count(t, "chat"), 2*turns)
}

// turnFailed commits a turn that failed, and then again.
func turnFailed(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	session := open(t, s, "x").RowID
	say(t, s, session, "m1", "one")
	say(t, s, session, "m2", "two")
	fail := func() []string {
		got, err := s.CommitTurn(ctx, agent.TurnRecord{Session: session, Turn: 1, Replies: []agent.ChatMessage{
			{Type: "str", Content: json.RawMessage(`"wait"`)}, {Type: "str", Content: json.RawMessage(`"sorry"`), ClientID: agent.FailedID},
		}})
		ok(t, err)
		return lines(got)
	}
	sorry := []string{`3/1 agent "wait"`, `4/1 agent "sorry"`}
	want(t, "failed", fail(), sorry)
	reply(t, s, session, 2, "re two")
	want(t, "failed again", fail(), sorry)
	want(t, "then done", lines(reply(t, s, session, 1, "re one")), []string{`6/1 agent "re one"`})
	all := slices.Concat(sorry, []string{`6/1 agent "re one"`})
	want(t, "failed late", fail(), all)
	want(t, "done again", lines(reply(t, s, session, 1, "re one")), all)
	got, err := s.Messages(ctx, session, agent.MessageQuery{Turn: 1})
	ok(t, err)
	want(t, "the turn", lines(got), append([]string{`1/1 user "one"`}, all...))
	want(t, "pending", len(open(t, s, "x").Pending), 0)
}

func turnVariables(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	session := open(t, s, "x").RowID
	commit := func(set map[string]string, remove ...string) map[string]json.RawMessage {
		record := agent.TurnRecord{Session: session, Delete: remove}
		for name, value := range set {
			if record.Set == nil {
				record.Set = map[string]json.RawMessage{}
			}
			record.Set[name] = json.RawMessage(value)
		}
		_, err := s.CommitTurn(ctx, record)
		ok(t, err)
		return open(t, s, "x").Variables
	}
	check := func(got map[string]json.RawMessage, wanted string) {
		t.Helper()
		b, err := json.Marshal(got)
		ok(t, err)
		sameJSON(t, "variables", b, wanted)
	}
	check(commit(map[string]string{"a": "1", "b": `{"x": [1]}`, "né": `"\u0000"`}), `{"a":1,"b":{"x":[1]},"né":"\ufffd"}`)
	check(commit(map[string]string{"a": "null", "b": `{"y": 2}`}, "né", "never was"), `{"a":null,"b":{"y":2}}`)
	check(commit(nil), `{"a":null,"b":{"y":2}}`)
	check(commit(map[string]string{"c": "3"}, "c", "a"), `{"b":{"y":2}}`)
	check(commit(nil, "b"), `{}`)
}

func turnMessages(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	session := open(t, s, "x").RowID
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	record := agent.TurnRecord{Session: session}
	for i := range 5 {
		record.Replies = append(record.Replies, agent.ChatMessage{Type: "str", Content: json.RawMessage(fmt.Sprint(i + 1)), Time: start.Add(time.Duration(i) * time.Minute)})
	}
	_, err := s.CommitTurn(ctx, record)
	ok(t, err)
	for name, tc := range map[string]struct {
		query agent.MessageQuery
		want  []int64
	}{
		"all":        {agent.MessageQuery{}, []int64{1, 2, 3, 4, 5}},
		"after":      {agent.MessageQuery{After: 3}, []int64{4, 5}},
		"until":      {agent.MessageQuery{Until: start.Add(2 * time.Minute)}, []int64{1, 2, 3}},
		"last":       {agent.MessageQuery{Last: 2}, []int64{4, 5}},
		"all three":  {agent.MessageQuery{After: 1, Until: start.Add(3 * time.Minute), Last: 2}, []int64{3, 4}},
		"none after": {agent.MessageQuery{After: 5}, nil},
	} {
		got, err := s.Messages(ctx, session, tc.query)
		ok(t, err)
		var seqs []int64
		for _, m := range got {
			seqs = append(seqs, m.Seq)
		}
		want(t, name, seqs, tc.want)
	}
}

// turnNoGaps writes to one session from everywhere at once.
func turnNoGaps(t *testing.T, db Database) {
	const callers, each = 4, 10
	ctx := within(t)
	handles := []Store{db.Open(t), db.Open(t)}
	session := open(t, handles[0], "x").RowID
	var running sync.WaitGroup
	for i := range callers {
		running.Go(func() {
			for n := range each {
				r, err := handles[i%2].Receive(ctx, message(session, fmt.Sprintf("%d-%d", i, n), "x"))
				if err != nil {
					t.Error(err)
					return
				}
				_, err = handles[(i+1)%2].CommitTurn(ctx, agent.TurnRecord{
					Session: session, Turn: r.Message.Turn, State: "s", Set: map[string]json.RawMessage{fmt.Sprint("v", i): json.RawMessage(fmt.Sprint(n))},
					Replies: []agent.ChatMessage{{Type: "str", Content: json.RawMessage(`"a"`)}, {Type: "str", Content: json.RawMessage(`"b"`)}},
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	all, err := handles[0].Messages(ctx, session, agent.MessageQuery{})
	ok(t, err)
	want(t, "messages", len(all), callers*each*3)
	var turns []int64
	for i, m := range all {
		want(t, "seq", m.Seq, int64(i+1))
		if m.IsUser {
			turns = append(turns, m.Turn)
		}
	}
	slices.Sort(turns)
	for i, turn := range turns {
		want(t, "turn", turn, int64(i+1))
	}
	want(t, "variables", len(open(t, handles[0], "x").Variables), callers)
}
