package sessiontest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/storetest"
)

var turnTests = map[string]func(*testing.T, Conversations){
	"Commit":     turnCommit,
	"CommitOnce": turnCommitOnce,
	"Several":    turnSeveral,
	"Unknown":    turnUnknown,
	"Failed":     turnFailed,
	"Variables":  turnVariables,
	"Messages":   turnMessages,
}

func turnCommit(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	e := say(t, s, row, "m", "one").Event
	at := time.Date(2024, 2, 29, 12, 30, 1, 123456000, time.UTC)
	turn := begun(row, e, journal.Entry{Message: &agent.ChatMessage{
		Type: "rag_answer", Content: json.RawMessage(`{"answer": "yes", "docs": []}`), Time: at, ID: 77, Seq: 77, Turn: 77,
	}}, journal.Entry{Message: &agent.ChatMessage{Type: "str", Content: json.RawMessage(`"more"`), ClientID: "m", Time: at}})
	turn.Transitions = []chat.Transition{
		{Source: "greet", Dest: "answer", Event: "receive_message_text", Condition: "text", Time: at}, {Source: "answer", Dest: "answer"},
	}
	written := commit(t, s, turn)
	storetest.Want(t, "given", []int64{turn.Entries[0].Message.ID, turn.Entries[0].Message.Seq}, []int64{77, 77})
	storetest.Want(t, "repeated", written.Repeated, false)
	got := []agent.ChatMessage{*written.Entries[0].Message, *written.Entries[1].Message}
	storetest.Want(t, "replies", []any{got[0].Seq, got[1].Seq, got[0].Turn, got[0].Type, got[0].IsUser, got[0].Time, got[1].ID > got[0].ID},
		[]any{int64(2), int64(3), int64(1), "rag_answer", false, at, true})
	sameJSON(t, "content", got[0].Content, `{"answer":"yes","docs":[]}`)
	stored, err := db.Open(t).Messages(ctx, row, journal.MessageQuery{After: 1})
	storetest.OK(t, err)
	for i := range got {
		sameJSON(t, "stored content", stored[i].Content, string(got[i].Content))
		stored[i].Content, got[i].Content = nil, nil
	}
	storetest.Want(t, "stored", stored, got)
	db.rows(t, map[string]int{"transition": 2})
	after := open(t, s, "x")
	storetest.Want(t, "session", []any{after.State, after.Seq, after.Turn, len(after.Pending)}, []any{"answer", int64(3), int64(1), 0})

	storetest.Want(t, "no replies", reply(t, s, row, say(t, s, row, "", "two").Event), []string{})
	storetest.Want(t, "seq", open(t, s, "x").Seq, 4)
	// Entries without an event belong to turn 0.
	storetest.Want(t, "greeting", greet(t, s, row, "by itself"), []string{`5/0 agent "by itself"`})
	storetest.Want(t, "next", lines([]agent.ChatMessage{say(t, s, row, "", "next").Event.Message}), []string{`6/3 user "next"`})
	// A user's message that an agent saves is no answer.
	kept := told("kept")
	kept.Message.IsUser, kept.Message.ClientID = true, "m"
	commit(t, s, journal.TurnRecord{Session: row, State: "answer", Entries: []journal.Entry{kept, kept}})
	storetest.Want(t, "record", all(t, s, row)[6:], []string{`7/0 user "kept"`, `8/0 user "kept"`})
	storetest.Want(t, "the id", say(t, s, row, "m", "one").Event.ID, e.ID)
}

// turnCommitOnce commits turns twice. The store writes nothing the second time and returns the
// first result.
func turnCommitOnce(t *testing.T, db Conversations) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	one, two := say(t, s, row, "m1", "one").Event, say(t, s, row, "m2", "two").Event
	first := commit(t, s, begun(row, two, thought("hm", 2), told("re two")))
	// Turns may be committed in another order than they began.
	storetest.Want(t, "first", reply(t, s, row, one, "re one", "more"), []string{`5/1 agent "re one"`, `6/1 agent "more"`})
	before := open(t, s, "x")
	for _, handle := range []journal.Store{s, db.Open(t)} {
		turn := begun(row, two, told("other"), told("other"), thought("other", 1))
		turn.State, turn.Set, turn.WakeAt = "elsewhere", map[string]json.RawMessage{"v": json.RawMessage("1")}, time.Now()
		turn.Transitions = []chat.Transition{{Source: "a", Dest: "b"}}
		turn.Predictions = []chat.Prediction{{Message: "m", Intent: "i"}}
		got := commit(t, handle, turn)
		storetest.Want(t, "again", entryLines(got.Entries), []string{"3/2 thought hm", `4/2 agent "re two"`})
		storetest.Want(t, "repeated", got.Repeated, true)
		storetest.Want(t, "ids", []int64{got.Entries[0].Step.ID, got.Entries[0].Step.ChatID, got.Entries[1].Message.ID},
			[]int64{first.Entries[0].Step.ID, first.Entries[1].Message.ID, first.Entries[1].Message.ID})
		turn.Partial = true
		storetest.Want(t, "a part again", entryLines(commit(t, handle, turn).Entries), []string{"3/2 thought hm", `4/2 agent "re two"`})
	}
	storetest.Want(t, "session", open(t, s, "x"), before)
	db.rows(t, map[string]int{"chat": 5, "transition": 0, "reasoning_step": 1, "intent_prediction": 0})
	// Each commit of turn 0 is written.
	greet(t, s, row, "by itself")
	greet(t, s, row, "by itself")
	storetest.Want(t, "record", len(all(t, s, row)), 8)
}

// turnSeveral commits a turn that took several events. It ends all of them.
func turnSeveral(t *testing.T, db Conversations) {
	s := db.Open(t)
	session := open(t, s, "x").RowID
	one, tick, two := say(t, s, session, "m1", "one").Event, happen(t, s, session, "tick", "1"), say(t, s, session, "m2", "two").Event
	turn := begun(session, one, told("to both"))
	turn.Handled = []int64{one.ID, two.ID}
	storetest.Want(t, "written", entryLines(commit(t, s, turn).Entries), []string{`3/1 agent "to both"`})
	storetest.Want(t, "pending", pending(t, s, "x"), []string{"2 tick 1"})
	own := commit(t, s, begun(session, two, told("too late")))
	storetest.Want(t, "its own turn", []any{own.Repeated, entryLines(own.Entries)}, []any{true, []string{}})
	reply(t, s, session, tick)
	storetest.Want(t, "record", all(t, s, session), []string{`1/1 user "one"`, `2/3 user "two"`, `3/1 agent "to both"`})
}

// turnUnknown commits events that do not exist or belong to another session. The store writes
// nothing.
func turnUnknown(t *testing.T, db Conversations) {
	s := db.Open(t)
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	e := say(t, s, other, "", "one").Event
	got := commit(t, s, begun(row, e, told("astray")))
	storetest.Want(t, "astray", []any{got.Repeated, entryLines(got.Entries)}, []any{true, []string{}})
	say(t, s, row, "", "mine")
	commit(t, s, journal.TurnRecord{Session: row, Handled: []int64{e.ID}})
	storetest.Want(t, "pending", pending(t, s, "y"), []string{`1 receive_message_text "one"`})
	storetest.Want(t, "record", all(t, s, row), []string{`1/1 user "mine"`})
}

// turnFailed commits a failed turn, and then the same turn again.
func turnFailed(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	one, two := say(t, s, row, "m1", "one").Event, say(t, s, row, "m2", "two").Event
	fail := func() journal.Written {
		return commit(t, s, begun(row, one, told("wait"), sorry(), thought("why", 0)))
	}
	failed := []string{`3/1 agent "wait"`, `4/1 agent "sorry"`, "5/1 thought why"}
	storetest.Want(t, "failed", entryLines(fail().Entries), failed)
	reply(t, s, row, two, "re two")
	again := fail()
	storetest.Want(t, "failed again", []any{again.Repeated, entryLines(again.Entries)}, []any{true, failed})
	storetest.Want(t, "then done", reply(t, s, row, one, "re one"), []string{`7/1 agent "re one"`})
	all := slices.Concat(failed, []string{`7/1 agent "re one"`})
	storetest.Want(t, "failed late", entryLines(fail().Entries), all)
	storetest.Want(t, "done again", reply(t, s, row, one, "re one"), all)
	got, err := s.Messages(ctx, row, journal.MessageQuery{Turn: 1})
	storetest.OK(t, err)
	storetest.Want(t, "the turn", lines(got), []string{`1/1 user "one"`, failed[0], failed[1], all[3]})
	storetest.Want(t, "pending", pending(t, s, "x"), []string{})

	// A user's message with that id is no apology.
	three := say(t, s, row, chat.FailedID, "three").Event
	storetest.Want(t, "silent", reply(t, s, row, three), []string{})
	storetest.Want(t, "silent again", reply(t, s, row, three, "late"), []string{})
}

func turnVariables(t *testing.T, db Conversations) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	set := func(values map[string]string, remove ...string) map[string]json.RawMessage {
		record := journal.TurnRecord{Session: row, Delete: remove}
		for name, value := range values {
			if record.Set == nil {
				record.Set = map[string]json.RawMessage{}
			}
			record.Set[name] = json.RawMessage(value)
		}
		commit(t, s, record)
		return open(t, s, "x").Variables
	}
	check := func(got map[string]json.RawMessage, wanted string) {
		t.Helper()
		b, err := json.Marshal(got)
		storetest.OK(t, err)
		sameJSON(t, "variables", b, wanted)
	}
	check(set(map[string]string{"a": "1", "b": `{"x": [1]}`, "né": `"é"`}), `{"a":1,"b":{"x":[1]},"né":"é"}`)
	check(set(map[string]string{"a": "null", "b": `{"y": 2}`}, "né", "never was"), `{"a":null,"b":{"y":2}}`)
	check(set(nil), `{"a":null,"b":{"y":2}}`)
	check(set(map[string]string{"c": "3"}, "c", "a"), `{"b":{"y":2}}`)
	check(set(nil, "b"), `{}`)
}

func turnMessages(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	var entries []journal.Entry
	for i := range 5 { // message and step alternate
		said, step := told(fmt.Sprint(i+1)), thought(fmt.Sprint(i+1), 0)
		said.Message.Time = start.Add(time.Duration(i) * time.Minute)
		step.Step.Time = said.Message.Time
		entries = append(entries, said, step)
	}
	commit(t, s, journal.TurnRecord{Session: row, Entries: entries})
	e := happen(t, s, row, "e", "")
	last := begun(row, e, told("6"), thought("6", 0))
	last.Entries[0].Message.Time, last.Entries[1].Step.Time = start.Add(time.Hour), start.Add(time.Hour)
	commit(t, s, last)
	for name, tc := range map[string]struct {
		query journal.MessageQuery
		want  []int64 // of the messages; each step has the next sequence number
	}{
		"all":        {journal.MessageQuery{}, []int64{1, 3, 5, 7, 9, 11}},
		"after":      {journal.MessageQuery{After: 6}, []int64{7, 9, 11}},
		"until":      {journal.MessageQuery{Until: start.Add(2 * time.Minute)}, []int64{1, 3, 5}},
		"last":       {journal.MessageQuery{Last: 2}, []int64{9, 11}},
		"turn":       {journal.MessageQuery{Turn: e.Turn}, []int64{11}},
		"all three":  {journal.MessageQuery{After: 2, Until: start.Add(3 * time.Minute), Last: 2}, []int64{5, 7}},
		"none after": {journal.MessageQuery{After: 12}, []int64{}},
		"no turn":    {journal.MessageQuery{Turn: 99}, []int64{}},
	} {
		messages, err := s.Messages(ctx, row, tc.query)
		storetest.OK(t, err)
		steps, err := s.Steps(ctx, row, tc.query)
		storetest.OK(t, err)
		seqs, after := []int64{}, []int64{}
		for _, m := range messages {
			seqs = append(seqs, m.Seq)
		}
		for _, r := range steps {
			after = append(after, r.Seq-1)
		}
		storetest.Want(t, "messages "+name, seqs, tc.want)
		if name == "after" { // the step with sequence number 6 is older
			continue
		}
		storetest.Want(t, "steps "+name, after, tc.want)
	}
}
