package sessiontest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/storetest"
)

var partialTests = map[string]func(*testing.T, Conversations){
	"Final":  partialFinal,
	"Crash":  partialCrash,
	"Failed": partialFailed,
	"Zero":   partialZero,
	"Again":  partialAgain,
}

// part commits a part of the turn that an event began.
func part(t *testing.T, s journal.Store, session int64, e journal.EventRecord, entries ...journal.Entry) journal.Written {
	t.Helper()
	turn := begun(session, e, entries...)
	turn.Partial = true
	return commit(t, s, turn)
}

// partialFinal writes a turn in parts. The parts and the end make one record.
func partialFinal(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	e, waits := say(t, s, row, "m1", "one").Event, say(t, s, row, "m2", "two").Event
	before := open(t, s, "x")
	turn := begun(row, e, told("wait"), thought("first", 0))
	turn.Partial, turn.State, turn.EnteredAt, turn.WakeAt = true, "elsewhere", time.Now(), time.Now()
	turn.Set, turn.Delete = map[string]json.RawMessage{"v": json.RawMessage("1")}, []string{"w"}
	turn.Transitions = []chat.Transition{{Source: "a", Dest: "b"}}
	turn.Predictions = []chat.Prediction{{Message: "m", Intent: "i"}}
	got := commit(t, s, turn)
	storetest.Want(t, "part", []any{got.Repeated, entryLines(got.Entries)}, []any{false, []string{`3/1 agent "wait"`, "4/1 thought first"}})
	first := got.Entries[1].Step.ID
	storetest.Want(t, "another part", entryLines(part(t, s, row, e, told("more")).Entries), []string{`5/1 agent "more"`})
	storetest.Want(t, "an empty part", entryLines(part(t, s, row, e).Entries), []string{})

	after := open(t, db.Open(t), "x")
	storetest.Want(t, "session", []any{after.State, after.EnteredAt, after.WakeAt, len(after.Variables), after.Seq, after.Turn},
		[]any{before.State, before.EnteredAt, before.WakeAt, 0, int64(5), int64(2)})
	storetest.Want(t, "pending", pending(t, s, "x"), []string{`1 receive_message_text "one" begun`, `2 receive_message_text "two"`})
	db.rows(t, map[string]int{"transition": 0, "intent_prediction": 0})

	turn.Partial, turn.Entries = false, []journal.Entry{thought("second", 2), told("done")}
	turn.Links = []journal.Link{{Step: first, Answer: 2}}
	got = commit(t, s, turn)
	storetest.Want(t, "end", []any{got.Repeated, entryLines(got.Entries)}, []any{false, []string{"6/1 thought second", `7/1 agent "done"`}})
	steps, err := s.Steps(ctx, row, journal.MessageQuery{})
	storetest.OK(t, err)
	done := got.Entries[1].Message.ID
	storetest.Want(t, "links", []int64{steps[0].ChatID, steps[1].ChatID}, []int64{done, done})
	storetest.Want(t, "pending", pending(t, s, "x"), []string{`2 receive_message_text "two"`})
	storetest.Want(t, "state", open(t, s, "x").State, "elsewhere")

	// A part after the end of its turn writes nothing.
	late := part(t, s, row, e, told("late"))
	storetest.Want(t, "late", []any{late.Repeated, len(late.Entries)}, []any{true, 5})
	storetest.Want(t, "record", all(t, s, row), []string{
		`1/1 user "one"`, `2/2 user "two"`, `3/1 agent "wait"`, "4/1 thought first", `5/1 agent "more"`, "6/1 thought second", `7/1 agent "done"`,
	})
	reply(t, s, row, waits)
	storetest.Want(t, "pending", pending(t, s, "x"), []string{})
}

// partialCrash opens a session with an interrupted turn and a turn that has not begun. An apology
// ends the interrupted turn.
func partialCrash(t *testing.T, db Conversations) {
	s := db.Open(t)
	session := open(t, s, "x").RowID
	say(t, s, session, "m1", "one")
	part(t, s, session, say(t, s, session, "m2", "two").Event, told("wait"))
	part(t, s, session, happen(t, s, session, "tick", "1"), thought("hm", 0))
	happen(t, s, session, "tock", "2")

	s = db.Open(t)
	storetest.Want(t, "pending", pending(t, s, "x"), []string{
		`1 receive_message_text "one"`, `2 receive_message_text "two" begun`, "3 tick 1 begun", "4 tock 2",
	})
	cut := open(t, s, "x").Pending[1]
	got := commit(t, s, begun(session, cut, sorry()))
	storetest.Want(t, "apology", entryLines(got.Entries), []string{`5/2 agent "sorry"`})
	storetest.Want(t, "pending", pending(t, s, "x"), []string{`1 receive_message_text "one"`, "3 tick 1 begun", "4 tock 2"})
	again := say(t, s, session, "m2", "two")
	storetest.Want(t, "sent again", []any{again.Duplicate, again.Event.ID}, []any{true, cut.ID})
	storetest.Want(t, "runs again", reply(t, s, session, again.Event, "re two"), []string{`6/2 agent "re two"`})
	storetest.Want(t, "record", all(t, s, session), []string{
		`1/1 user "one"`, `2/2 user "two"`, `3/2 agent "wait"`, "4/3 thought hm", `5/2 agent "sorry"`, `6/2 agent "re two"`,
	})
}

// partialFailed runs a failed turn again, in parts. After its first part the turn is open, so a
// crash interrupts it again.
func partialFailed(t *testing.T, db Conversations) {
	s := db.Open(t)
	session := open(t, s, "x").RowID
	e := say(t, s, session, "m1", "one").Event
	commit(t, s, begun(session, e, sorry()))
	storetest.Want(t, "pending", pending(t, s, "x"), []string{})
	got := part(t, s, session, e, told("now"))
	storetest.Want(t, "part", []any{got.Repeated, entryLines(got.Entries)}, []any{false, []string{`3/1 agent "now"`}})
	storetest.Want(t, "pending", pending(t, s, "x"), []string{`1 receive_message_text "one" begun`})
	storetest.Want(t, "another", entryLines(part(t, s, session, e, thought("hm", 0)).Entries), []string{"4/1 thought hm"})
	storetest.Want(t, "end", reply(t, s, session, e, "done"), []string{`5/1 agent "done"`})
	storetest.Want(t, "pending", pending(t, s, "x"), []string{})
	storetest.Want(t, "again",
		reply(t, s, session, e, "done"), []string{`2/1 agent "sorry"`, `3/1 agent "now"`, "4/1 thought hm", `5/1 agent "done"`})
}

// partialZero writes turn 0 in parts. Turn 0 is never a repeat.
func partialZero(t *testing.T, db Conversations) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	part(t, s, row, journal.EventRecord{}, told("hel"))
	storetest.Want(t, "state", open(t, s, "x").State, "")
	storetest.Want(t, "end", greet(t, s, row, "lo"), []string{`2/0 agent "lo"`})
	part(t, s, row, journal.EventRecord{}, told("again"))
	storetest.Want(t, "record", all(t, s, row), []string{`1/0 agent "hel"`, `2/0 agent "lo"`, `3/0 agent "again"`})
	storetest.Want(t, "state", open(t, s, "x").State, "answer")
}

// partialAgain repeats commits with the same key. The store writes each once, even if an event is
// stored in between, and returns the first result again.
func partialAgain(t *testing.T, db Conversations) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	e := happen(t, s, row, "e", "1")
	at := time.Date(2024, 2, 29, 12, 30, 1, 123456789, time.UTC)
	move := journal.TurnRecord{
		Session: row, State: "b", EnteredAt: at, Entries: []journal.Entry{told("moved")},
		Transitions: []chat.Transition{{Source: "a", Dest: "b", Time: at}},
	}
	part := journal.TurnRecord{Session: row, Turn: e.Turn, Partial: true, Entries: []journal.Entry{thought("hm", 0), told("part")}}
	took := journal.TurnRecord{
		Session: row, Turn: e.Turn, State: "b", EnteredAt: at, Handled: []int64{e.ID}, Entries: []journal.Entry{told("took")},
		Transitions: []chat.Transition{{Source: "b", Dest: "b", Time: at}},
	}
	for i, turn := range []journal.TurnRecord{move, part, took, move} {
		turn.Key = fmt.Sprintf("key %d", i)
		first := entryLines(commit(t, s, turn).Entries)
		say(t, s, row, turn.Key, "between")
		for range 2 {
			got := commit(t, s, turn)
			storetest.Want(t, "repeated and written", []any{got.Repeated, entryLines(got.Entries)}, []any{false, first})
		}
	}
	storetest.Want(t, "record", all(t, s, row), []string{
		`1/0 agent "moved"`, `2/2 user "between"`, "3/1 thought hm", `4/1 agent "part"`, `5/3 user "between"`, `6/1 agent "took"`,
		`7/4 user "between"`, `8/0 agent "moved"`, `9/5 user "between"`,
	})
	took.Key = "another"
	got := commit(t, s, took)
	storetest.Want(t, "by another", []any{got.Repeated, entryLines(got.Entries)},
		[]any{true, []string{"3/1 thought hm", `4/1 agent "part"`, `6/1 agent "took"`}})
	db.rows(t, map[string]int{"transition": 3})
}
