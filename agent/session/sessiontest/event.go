package sessiontest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
)

var eventTests = map[string]func(*testing.T, Conversations){
	"Receive":     eventReceive,
	"ReceiveRace": eventReceiveRace,
	"Once":        eventOnce,
	"Silent":      eventSilent,
	"Carries":     eventCarries,
	"Pending":     eventPending,
	"Held":        eventHeld,
	"Odd":         eventOdd,
	"Sender":      eventSender,
}

func eventReceive(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	at := time.Date(2024, 2, 29, 12, 30, 1, 123456000, time.UTC)
	in := message(row, "m1", "one")
	in.Event.Time = at
	first, err := s.Receive(ctx, in)
	storetest.OK(t, err)
	e, m := first.Event, first.Event.Message
	storetest.Want(t, "message", []any{m.ID > 0, m.Seq, m.Turn, m.ClientID, m.Type, string(m.Content), m.IsUser, m.Time},
		[]any{true, int64(1), int64(1), "m1", "str", `"one"`, true, at})
	storetest.Want(t, "event", []any{e.ID > 0, e.Turn, e.Name, e.Info, e.Human, string(e.Data), e.Origin == nil, e.Time, e.Begun},
		[]any{true, int64(1), "receive_message_text", "one", true, `"one"`, true, at, false})
	storetest.Want(t, "receipt", []any{first.Duplicate, len(first.History)}, []any{false, 0})
	reply(t, s, row, e, "re one", "re one again")

	second := say(t, s, row, "m2", "two")
	storetest.Want(t, "second", lines([]agent.ChatMessage{second.Event.Message}), []string{`4/2 user "two"`})
	storetest.Want(t, "history", lines(second.History), []string{`1/1 user "one"`, `2/1 agent "re one"`, `3/1 agent "re one again"`})

	again, err := s.Receive(ctx, journal.Incoming{
		Session: row, ClientID: "m2", Type: "other", Content: json.RawMessage(`"other"`), History: 2,
		Event: journal.EventRecord{Name: "other", Data: json.RawMessage(`1`), Origin: json.RawMessage(`{}`)},
	})
	storetest.OK(t, err)
	storetest.Want(t, "duplicate", []any{again.Duplicate, again.Event}, []any{true, second.Event})
	storetest.Want(t, "its history", lines(again.History), []string{`2/1 agent "re one"`, `3/1 agent "re one again"`})
	duplicate := say(t, db.Open(t), row, "m1", "one")
	first.Event.Handled = true
	storetest.Want(t, "the first again", duplicate.Event, first.Event)
	db.rows(t, map[string]int{"chat": 4, "event": 2})

	if say(t, s, other, "m1", "elsewhere").Duplicate {
		t.Error("a client id counts in another session")
	}
	a, b := say(t, s, row, "", "no id"), say(t, s, row, "", "no id")
	storetest.Want(t, "without an id",
		[]any{a.Duplicate, b.Duplicate, a.Event.Message.Seq, b.Event.Message.Seq, b.Event.Turn, b.Event.ID > a.Event.ID},
		[]any{false, false, int64(5), int64(6), int64(4), true})
	none, err := s.Receive(ctx, journal.Incoming{Session: row, Type: "str", Content: json.RawMessage(`"x"`)})
	storetest.OK(t, err)
	storetest.Want(t, "no history", len(none.History), 0)
}

// eventReceiveRace sends each message from several connections at once.
func eventReceiveRace(t *testing.T, db Conversations) {
	const messages, callers = 10, 4
	ctx := storetest.Within(t)
	handles := []journal.Store{db.Open(t), db.Open(t)}
	row := open(t, handles[0], "x").RowID
	for n := range messages {
		receipts := make([]journal.Receipt, callers)
		var running sync.WaitGroup
		for i := range callers {
			running.Go(func() {
				var err error
				if receipts[i], err = handles[i%2].Receive(ctx, message(row, fmt.Sprint("m", n), "text")); err != nil {
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
			storetest.Want(t, "event", r.Event, receipts[0].Event)
			storetest.Want(t, "history", len(r.History), n)
		}
		m := receipts[0].Event.Message
		storetest.Want(t, "stored", []int64{int64(fresh), m.Seq, m.Turn}, []int64{1, int64(n + 1), int64(n + 1)})
	}
}

// eventOnce stores events without a message from several connections at once. Each
// id is stored once, also if a message has the same id.
func eventOnce(t *testing.T, db Conversations) {
	const events, callers = 5, 4
	ctx := storetest.Within(t)
	handles := []journal.Store{db.Open(t), db.Open(t)}
	row := open(t, handles[0], "x").RowID
	other := open(t, handles[0], "y").RowID
	say(t, handles[0], row, "e0", "a message with the id of an event")
	for n := range events {
		in := journal.Incoming{
			Session: row, ClientID: fmt.Sprint("e", n), History: 5,
			Event: journal.EventRecord{Name: "shipped", Data: json.RawMessage(`{"order":` + fmt.Sprint(n) + `}`)},
		}
		receipts := make([]journal.Receipt, callers)
		var running sync.WaitGroup
		for i := range callers {
			running.Go(func() {
				var err error
				if receipts[i], err = handles[i%2].Receive(ctx, in); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		fresh := 0
		for _, r := range receipts {
			if !r.Duplicate {
				fresh++
				storetest.Want(t, "history", len(r.History), 1)
			}
			storetest.Want(t, "event", []any{r.Event.ID, r.Event.Turn, r.Event.Name}, []any{receipts[0].Event.ID, int64(n + 2), "shipped"})
			sameJSON(t, "data", r.Event.Data, `{"order":`+fmt.Sprint(n)+`}`)
		}
		storetest.Want(t, "stored", fresh, 1)
		in.Session = other
		elsewhere, err := handles[1].Receive(ctx, in)
		storetest.OK(t, err)
		storetest.Want(t, "in another session", elsewhere.Duplicate, false)
	}
}

// eventSilent stores an event without a message. It has a turn and no sequence number.
func eventSilent(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	say(t, s, row, "m1", "one")
	at := time.Date(2024, 2, 29, 12, 30, 1, 123456000, time.UTC)
	for range 2 { // without an id, each is another event
		r, err := s.Receive(ctx, journal.Incoming{
			Session: row, History: 5,
			Event: journal.EventRecord{
				Name: "user_update_ui", Info: "i", Human: true, Time: at, Data: json.RawMessage(`{"a": 1}`),
				Origin: json.RawMessage(`{"peer":"p"}`),
			},
		})
		storetest.OK(t, err)
		e := r.Event
		storetest.Want(t, "event", []any{e.Name, e.Info, e.Human, e.Time, e.Message, r.Duplicate},
			[]any{"user_update_ui", "i", true, at, agent.ChatMessage{}, false})
		sameJSON(t, "data", e.Data, `{"a":1}`)
		sameJSON(t, "origin", e.Origin, `{"peer":"p"}`)
		storetest.Want(t, "history", lines(r.History), []string{`1/1 user "one"`})
	}
	empty := happen(t, s, row, "tick", "")
	storetest.Want(t, "empty", []any{empty.Turn, empty.Data == nil, empty.Origin == nil, empty.Human}, []any{int64(4), true, true, false})
	next := say(t, s, row, "m2", "two")
	storetest.Want(t, "next", lines([]agent.ChatMessage{next.Event.Message}), []string{`2/5 user "two"`})
	storetest.Want(t, "reply", reply(t, s, row, empty, "ticked"), []string{`3/4 agent "ticked"`})
	got := open(t, s, "x")
	storetest.Want(t, "counters", []int64{got.Seq, got.Turn}, []int64{3, 5})
	for _, e := range got.Pending[1:3] {
		storetest.Want(t, "kept", []any{e.Name, e.Info, e.Human, e.Time, e.Message}, []any{"user_update_ui", "i", true, at, agent.ChatMessage{}})
		sameJSON(t, "kept data", e.Data, `{"a":1}`)
		sameJSON(t, "kept origin", e.Origin, `{"peer":"p"}`)
	}
}

// eventCarries stores an event whose data differs from its message.
func eventCarries(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	for i, tc := range []struct{ content, data, want string }{
		{`"said"`, `"said"`, `"said"`},
		{`"said"`, ``, `"said"`},
		{`{"name": "f"}`, `{"name": "f", "base64": "xx"}`, `{"name":"f","base64":"xx"}`},
		{`"said"`, `null`, `null`},
	} {
		in := journal.Incoming{
			Session: row, ClientID: fmt.Sprint(i), Type: "str", Content: json.RawMessage(tc.content),
			Event: journal.EventRecord{Name: "e", Data: json.RawMessage(tc.data)},
		}
		for range 2 { // new and repeated
			r, err := s.Receive(ctx, in)
			storetest.OK(t, err)
			sameJSON(t, "received", r.Event.Data, tc.want)
			sameJSON(t, "content", r.Event.Message.Content, tc.content)
		}
		kept := open(t, s, "x").Pending[i]
		sameJSON(t, "kept", kept.Data, tc.want)
		sameJSON(t, "kept content", kept.Message.Content, tc.content)
	}
}

func eventPending(t *testing.T, db Conversations) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	greet(t, s, row, "hello")
	one, two := say(t, s, row, "m1", "one").Event, say(t, s, row, "m2", "two").Event
	tick := happen(t, s, row, "tick", "1")
	three := say(t, s, row, "m3", "three").Event
	queue := open(t, s, "x").Pending
	storetest.Want(t, "as received", queue, []journal.EventRecord{one, two, tick, three})

	reply(t, s, row, one, "to one")
	got := open(t, db.Open(t), "x")
	storetest.Want(t, "pending", got.Pending, []journal.EventRecord{two, tick, three})
	storetest.Want(t, "counters", []int64{got.Seq, got.Turn}, []int64{5, 4})
	reply(t, s, row, two)
	reply(t, s, row, three, "to three")
	storetest.Want(t, "pending", pending(t, s, "x"), []string{"3 tick 1"})
	reply(t, s, row, tick)
	storetest.Want(t, "pending", pending(t, s, "x"), []string{})
}

// eventSender stores the agent that sent a message.
func eventSender(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	say(t, s, row, "m1", "the user")
	in := message(row, "m2", "an agent")
	in.Sender = "ws://peer/p"
	r, err := s.Receive(ctx, in)
	storetest.OK(t, err)
	storetest.Want(t, "receipt", r.Event.Message.Sender, "ws://peer/p")
	again, err := s.Receive(ctx, message(row, "m2", "an agent"))
	storetest.OK(t, err)
	storetest.Want(t, "duplicate", []any{again.Duplicate, again.Event}, []any{true, r.Event})
	commit(t, s, journal.TurnRecord{
		Session: row, Turn: r.Event.Turn,
		Entries: []journal.Entry{{Message: &agent.ChatMessage{Type: "str", Content: json.RawMessage(`"re"`)}}},
	})
	history := say(t, s, row, "m3", "the user again").History
	messages, err := s.Messages(ctx, row, journal.MessageQuery{})
	storetest.OK(t, err)
	senders := func(all []agent.ChatMessage) (out []string) {
		for _, m := range all {
			out = append(out, m.Sender)
		}
		return out
	}
	storetest.Want(t, "history", senders(history), []string{"", "ws://peer/p", ""})
	storetest.Want(t, "messages", senders(messages), []string{"", "ws://peer/p", "", ""})
	waiting := []string{}
	for _, e := range open(t, s, "x").Pending {
		waiting = append(waiting, e.Message.Sender)
	}
	storetest.Want(t, "pending", waiting, []string{"", "ws://peer/p", ""})
}

// eventHeld keeps events in the queue that a turn does not take.
func eventHeld(t *testing.T, db Conversations) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	held := happen(t, s, row, "held", `{"n":1}`)
	for i := range 3 {
		e := say(t, s, row, "", "x").Event
		storetest.Want(t, "reply", reply(t, s, row, e, "y"), []string{fmt.Sprintf(`%d/%d agent "y"`, 2*i+2, i+2)})
		greet(t, s, row)
		storetest.Want(t, "pending", len(open(t, s, "x").Pending), 1)
	}
	// The runtime drops an event with a turn that leaves no entries.
	other := happen(t, s, row, "other", "2")
	reply(t, s, row, held)
	storetest.Want(t, "pending", pending(t, s, "x"), []string{"5 other 2"})
	// A turn without an event may also handle events.
	commit(t, s, journal.TurnRecord{Session: row, State: "s", Handled: []int64{other.ID}})
	storetest.Want(t, "pending", pending(t, s, "x"), []string{})
	storetest.Want(t, "state", open(t, s, "x").State, "s")
}

// eventOdd stores unusual JSON. The store refuses it with the right error, or returns it unchanged.
func eventOdd(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, content := range map[string]string{
		"exponent": `1e999999`, "negative": `{"a":[-1.5e-99999]}`, "long": strings.Repeat("9", 200_000),
		"fraction": `0.` + strings.Repeat("1", 20_000),
		"many":     "[" + strings.Repeat("1e999,", 50_000) + "0]", "deep": nested(600), "very deep": nested(9_999), "deeper": nested(100_000),
		"objects": strings.Repeat(`{"a":`, 5_000) + "1" + strings.Repeat("}", 5_000),
	} {
		raw := json.RawMessage(content)
		in := message(row, "", "x")
		in.Content = raw
		_, err := s.Receive(ctx, in)
		storetest.WantKind(t, name+" message", err, fault.Invalid)
		_, err = s.Receive(ctx, journal.Incoming{Session: row, Event: journal.EventRecord{Name: "e", Data: raw}})
		storetest.WantKind(t, name+" data", err, fault.Invalid)
		for what, turn := range map[string]journal.TurnRecord{
			"reply":    {Session: row, Entries: []journal.Entry{{Message: &agent.ChatMessage{Type: "json", Content: raw}}}},
			"step":     {Session: row, Entries: []journal.Entry{{Step: &chat.Reasoning{Kind: "k", StepKind: "s", Payload: raw}}}},
			"variable": {Session: row, Set: map[string]json.RawMessage{"v": raw}},
		} {
			_, err = s.CommitTurn(ctx, turn)
			storetest.WantKind(t, name+" "+what, err, fault.Invalid)
		}
	}
	for i, content := range []string{
		nested(500), `1e999`, `-1.25E-999`, `"1e999999"`, `{"1e999999":1}`, strings.Repeat("9", 1000), `0.` + strings.Repeat("1", 900),
		`[1e300,-0.0,0,12345678901234567890]`,
	} {
		in := message(row, fmt.Sprint(i), "x")
		in.Content, in.Event.Data = json.RawMessage(content), json.RawMessage("["+content+"]")
		if i == 0 {
			in.Event.Data = in.Content
		}
		_, err := s.Receive(ctx, in)
		storetest.OK(t, err)
		commit(t, s, journal.TurnRecord{Session: row, Set: map[string]json.RawMessage{"v": in.Content}})
		got := open(t, s, "x")
		for what, stored := range map[string]json.RawMessage{"message": got.Pending[i].Message.Content, "variable": got.Variables["v"]} {
			sameNumbers(t, what+" "+content[:min(len(content), 20)], stored, content)
		}
	}
	// Characters that a key cannot have are replaced, as in text.
	in := message(row, "", "x")
	in.Content = json.RawMessage(`{"a\u0000b":"\u0000"}`)
	r, err := s.Receive(ctx, in)
	storetest.OK(t, err)
	if got := string(r.Event.Message.Content); !strings.Contains(got, "a") || db.Count != nil && strings.Contains(got, "u0000") {
		t.Errorf("a key became %s", got)
	}
}

// sameNumbers compares JSON with numbers that may exceed doubles.
func sameNumbers(t *testing.T, what string, got json.RawMessage, wanted string) {
	t.Helper()
	decode := func(raw string) any {
		d := json.NewDecoder(strings.NewReader(raw))
		d.UseNumber()
		var v any
		storetest.OK(t, d.Decode(&v))
		return numbers(t, v)
	}
	if !reflect.DeepEqual(decode(string(got)), decode(wanted)) { // cmp is too slow for deep nesting
		t.Fatalf("%s: got %.100s", what, got)
	}
}

// numbers writes the numbers of a JSON value in one form.
func numbers(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case json.Number:
		r, fine := new(big.Rat).SetString(v.String())
		if !fine {
			t.Fatalf("%s is no number", v)
		}
		return r.RatString()
	case []any:
		for i := range v {
			v[i] = numbers(t, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(t, v[k])
		}
	}
	return v
}
