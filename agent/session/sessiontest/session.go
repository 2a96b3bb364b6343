package sessiontest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
)

var sessionTests = map[string]func(*testing.T, Conversations){
	"Open":     sessionOpen,
	"OpenRace": sessionOpenRace,
	"Reset":    sessionReset,
	"Alarms":   sessionAlarms,
	"Missing":  sessionMissing,
	"Last":     sessionLast,
}

func sessionOpen(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	at := time.Date(2024, 2, 29, 12, 30, 1, 123456000, time.UTC)
	record := journal.SessionRecord{
		Key: journal.SessionKey{Agent: "a", ID: "one"}, Name: "My chat", Username: "ann", Owner: "token:1", Address: "203.0.113.1",
		Platform: "WebSocketPlatform",
		State:    "greet", EnteredAt: at.Add(time.Second), WakeAt: at.Add(time.Minute),
		Variables: map[string]json.RawMessage{"n": json.RawMessage(`1`), "o": json.RawMessage(`{"k":[true]}`)}, CreatedAt: at,
	}
	got, created, err := s.OpenSession(ctx, record)
	storetest.OK(t, err)
	if !created || got.RowID == 0 {
		t.Errorf("created %v: %+v", created, got)
	}
	sameJSON(t, "variable", got.Variables["o"], `{"k":[true]}`)
	wanted := record
	wanted.RowID, wanted.UpdatedAt, wanted.Variables = got.RowID, got.UpdatedAt, got.Variables
	storetest.Want(t, "new session", got, wanted)

	again, created, err := db.Open(t).OpenSession(ctx, journal.SessionRecord{Key: record.Key, Name: "other", Username: "bob", Platform: "P"})
	storetest.OK(t, err)
	storetest.Want(t, "the same session", again, wanted)
	storetest.Want(t, "created", created, false)

	other, created, err := s.OpenSession(ctx, journal.SessionRecord{Key: journal.SessionKey{Agent: "b", ID: "one"}, Platform: "P"})
	storetest.OK(t, err)
	if !created || other.RowID == got.RowID || other.Name != "" || !other.EnteredAt.IsZero() || !other.WakeAt.IsZero() {
		t.Errorf("another agent's session: %+v", other)
	}
}

func sessionOpenRace(t *testing.T, db Conversations) {
	const callers = 8
	ctx := storetest.Within(t)
	handles := []journal.Store{db.Open(t), db.Open(t)}
	var created atomic.Int32
	var rows sync.Map
	var running sync.WaitGroup
	for i := range callers {
		running.Go(func() {
			r, c, err := handles[i%2].OpenSession(ctx, journal.SessionRecord{Key: journal.SessionKey{Agent: "a", ID: "x"}, Platform: "P"})
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
	storetest.Want(t, "created and ids", []int{int(created.Load()), n}, []int{1, 1})
	db.rows(t, map[string]int{"session": 1})
}

func sessionReset(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	say(t, s, other, "", "stays")
	first := say(t, s, row, "m1", "one").Event
	now := time.Now()
	commit(t, s, journal.TurnRecord{
		Session: row, Turn: 1, Handled: []int64{first.ID}, State: "answer", EnteredAt: now, WakeAt: now,
		Set: map[string]json.RawMessage{"v": json.RawMessage("1")}, Entries: []journal.Entry{thought("hm", 2), told("r")},
		Transitions: []chat.Transition{{Source: "a", Dest: "b"}},
		Predictions: []chat.Prediction{{Message: "one", Intent: "i", Parameters: []chat.Parameter{{Name: "p"}}}},
	})
	late := say(t, s, row, "m2", "two").Event
	happen(t, s, row, "e", "")
	reset(t, s, row)
	got := open(t, s, "x")
	storetest.Want(t, "session", []any{
		got.RowID, got.State, len(got.Variables), got.Seq, got.Turn, len(got.Pending), got.EnteredAt.IsZero(),
		got.WakeAt.IsZero(),
	},
		[]any{row, "", 0, int64(4), int64(3), 0, true, true})
	storetest.Want(t, "record", all(t, s, other), []string{`1/1 user "stays"`})
	messages, err := s.Messages(ctx, row, journal.MessageQuery{})
	storetest.OK(t, err)
	steps, err := s.Steps(ctx, row, journal.MessageQuery{})
	storetest.OK(t, err)
	storetest.Want(t, "messages and steps", []int{len(messages), len(steps)}, []int{0, 0})
	db.rows(t, map[string]int{"chat": 1, "event": 1, "transition": 0, "intent_prediction": 0, "parameter": 0, "reasoning_step": 0})
	storetest.Want(t, "alarms", alarms(t, s, "a", 10), []string{})
	storetest.Want(t, "too late", reply(t, s, row, late, "re two"), []string{})
	late.Turn++
	part := begun(row, late, told("part"))
	part.Partial, part.Handled = true, nil
	storetest.Want(t, "a part too late", entryLines(commit(t, s, part).Entries), []string{})
	again := say(t, s, row, "m1", "one")
	storetest.Want(t, "next", lines([]agent.ChatMessage{again.Event.Message}), []string{`5/4 user "one"`})
	storetest.Want(t, "its history", []any{len(again.History), again.Duplicate}, []any{0, false})
}

// sessionLast keeps the last consumed event until the next one or a reset.
func sessionLast(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	last := func() journal.EventRecord { return open(t, db.Open(t), "x").Last }
	storetest.Want(t, "none", last(), journal.EventRecord{})
	in := message(row, "m1", "one")
	in.Event.Origin = json.RawMessage(`{"hops":3}`)
	r, err := s.Receive(ctx, in)
	storetest.OK(t, err)
	done := begun(row, r.Event, told("r"))
	done.Last = r.Event.ID
	part := done
	part.Partial, part.Handled = true, nil
	commit(t, s, part)
	storetest.Want(t, "not yet", last().ID, 0)
	commit(t, s, done)
	got := last()
	storetest.Want(t, "last", []any{got.ID, got.Turn, got.Name, got.Info, got.Human},
		[]any{r.Event.ID, r.Event.Turn, r.Event.Name, r.Event.Info, r.Event.Human})
	storetest.Want(t, "its message", []any{got.Message.Seq, got.Message.ClientID, got.Message.IsUser, got.Time.Equal(r.Event.Time)},
		[]any{int64(1), "m1", true, true})
	sameJSON(t, "its content", got.Message.Content, `"one"`)
	sameJSON(t, "its data", got.Data, `"one"`)
	sameJSON(t, "its origin", got.Origin, `{"hops":3}`)

	commit(t, s, journal.TurnRecord{Session: row, State: "s"})
	storetest.Want(t, "kept", last().ID, r.Event.ID)
	large, err := json.Marshal(strings.Repeat("x", chat.MaxHistoryContent))
	storetest.OK(t, err)
	in = message(row, "m2", "x")
	in.Content, in.Event.Data = large, large
	if r, err = s.Receive(ctx, in); err != nil {
		t.Fatal(err)
	}
	done = begun(row, r.Event)
	done.Last = r.Event.ID
	commit(t, s, done)
	got = last()
	storetest.Want(t, "a large one",
		[]any{got.ID, len(got.Data), len(got.Message.Content), got.Message.ClientID}, []any{r.Event.ID, 0, 0, "m2"})
	e := happen(t, s, row, "e", `{"a":1}`)
	done = begun(row, e)
	done.Last = e.ID
	commit(t, s, done)
	got = last()
	storetest.Want(t, "without a message", []any{got.ID, got.Name, got.Message}, []any{e.ID, "e", agent.ChatMessage{}})
	sameJSON(t, "its data", got.Data, `{"a":1}`)
	reset(t, s, row)
	storetest.Want(t, "after a reset", last(), journal.EventRecord{})
}

// alarms describes the alarms of an agent: the session, and minutes after wakeStart.
func alarms(t *testing.T, s journal.Store, name string, limit int) []string {
	t.Helper()
	all, err := s.Alarms(t.Context(), name, time.Time{}, limit)
	storetest.OK(t, err)
	out := []string{}
	for _, a := range all {
		out = append(out, fmt.Sprintf("%s %v", a.ID, a.At.Sub(wakeStart).Minutes()))
	}
	return out
}

var wakeStart = time.Date(2024, 2, 29, 12, 30, 1, 123456000, time.UTC)

func sessionAlarms(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	rows := map[string]int64{}
	for i, id := range []string{"d", "b", "c", "a", "none"} {
		record := journal.SessionRecord{Key: journal.SessionKey{Agent: "a", ID: id}, Platform: "P"}
		if id != "none" {
			record.WakeAt = wakeStart.Add(time.Duration(10-i) * time.Minute)
		}
		r, _, err := s.OpenSession(ctx, record)
		storetest.OK(t, err)
		rows[id] = r.RowID
	}
	_, _, err := s.OpenSession(ctx, journal.SessionRecord{Key: journal.SessionKey{Agent: "b", ID: "other"}, Platform: "P", WakeAt: wakeStart})
	storetest.OK(t, err)
	storetest.Want(t, "all", alarms(t, s, "a", 10), []string{"a 7", "c 8", "b 9", "d 10"})
	storetest.Want(t, "soonest", alarms(t, db.Open(t), "a", 2), []string{"a 7", "c 8"})
	late, err := s.Alarms(ctx, "a", wakeStart.Add(9*time.Minute), 10)
	storetest.OK(t, err)
	storetest.Want(t, "late", []any{len(late), late[0].ID, late[1].ID}, []any{2, "b", "d"})
	storetest.Want(t, "none", alarms(t, s, "a", 0), []string{})
	storetest.Want(t, "nobody's", alarms(t, s, "nobody", 10), []string{})

	commit(t, s, journal.TurnRecord{Session: rows["d"], State: "s", EnteredAt: wakeStart, WakeAt: wakeStart.Add(time.Minute)})
	commit(t, s, journal.TurnRecord{Session: rows["c"], State: "s"})
	e := say(t, s, rows["b"], "", "x").Event
	part := begun(rows["b"], e, told("part"))
	part.Partial = true
	commit(t, s, part)
	storetest.Want(t, "set and cleared", alarms(t, s, "a", 10), []string{"d 1", "a 7", "b 9"})
	got := open(t, s, "d")
	storetest.Want(t, "entered", []time.Time{got.EnteredAt, got.WakeAt}, []time.Time{wakeStart, wakeStart.Add(time.Minute)})
	got = open(t, s, "c")
	storetest.Want(t, "cleared", []bool{got.EnteredAt.IsZero(), got.WakeAt.IsZero()}, []bool{true, true})
}

func sessionMissing(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	_, err := s.ResetSession(ctx, 99, 0)
	storetest.WantKind(t, "ResetSession", err, fault.NotFound)
	_, err = s.Receive(ctx, message(99, "id", "x"))
	storetest.WantKind(t, "Receive", err, fault.NotFound)
	_, err = s.Receive(ctx, journal.Incoming{Session: 99, Event: journal.EventRecord{Name: "e"}})
	storetest.WantKind(t, "Receive an event", err, fault.NotFound)
	for _, partial := range []bool{false, true} {
		for _, turn := range []int64{0, 1} {
			_, err = s.CommitTurn(ctx, journal.TurnRecord{
				Session: 99, Turn: turn, Partial: partial, Entries: []journal.Entry{told("r"), thought("s", 0)},
				Transitions: []chat.Transition{{Source: "a", Dest: "b"}},
			})
			storetest.WantKind(t, "CommitTurn", err, fault.NotFound)
		}
	}
	_, err = s.Messages(ctx, 99, journal.MessageQuery{})
	storetest.WantKind(t, "Messages", err, fault.NotFound)
	_, err = s.Steps(ctx, 99, journal.MessageQuery{})
	storetest.WantKind(t, "Steps", err, fault.NotFound)
	db.rows(t, map[string]int{"chat": 0, "event": 0, "transition": 0, "reasoning_step": 0})
}
