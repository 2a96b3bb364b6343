package sessiontest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
)

var reviseTests = map[string]func(*testing.T, Conversations){
	"Left out": reviseLeftOut,
	"Refused":  reviseRefused,
	"Queue":    reviseQueue,
	"Reset":    reviseReset,
}

// revise stores a user's message that replaces a turn.
func revise(t *testing.T, s journal.Store, session int64, clientID, text string, turn int64) journal.Receipt {
	t.Helper()
	in := message(session, clientID, text)
	in.Replaces = turn
	r, err := s.Receive(t.Context(), in)
	storetest.OK(t, err)
	return r
}

// converse stores turns with a step and a reply each.
func converse(t *testing.T, s journal.Store, session int64, turns ...string) {
	t.Helper()
	for _, text := range turns {
		e := say(t, s, session, text, text).Event
		commit(t, s, begun(session, e, thought(text, 2), told("re "+text)))
	}
}

// conversation describes the messages and steps that a query selects.
func conversation(t *testing.T, s journal.Store, session int64, q journal.MessageQuery) (said, steps []string) {
	t.Helper()
	messages, err := s.Messages(t.Context(), session, q)
	storetest.OK(t, err)
	reasoned, err := s.Steps(t.Context(), session, q)
	storetest.OK(t, err)
	return lines(messages), stepLines(reasoned)
}

// reviseLeftOut excludes replaced turns from reads, unless the query includes them. This also holds
// for turns that are replaced again and for late commits.
func reviseLeftOut(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	converse(t, s, other, "stays", "as it is")
	converse(t, s, row, "one", "two")
	late := say(t, s, row, "late", "late").Event
	first := revise(t, s, row, "r1", "zwei", 2)
	storetest.Want(t, "receipt", []any{first.Event.Turn, first.Event.Message.Seq, first.Event.Message.Replaces, first.Duplicate},
		[]any{int64(4), int64(8), int64(2), false})
	storetest.Want(t, "history", lines(first.History), []string{`1/1 user "one"`, `3/1 agent "re one"`})
	again := revise(t, s, row, "r1", "zwei", 2)
	storetest.Want(t, "again", []any{again.Event.Turn, again.Event.Message.Replaces, again.Duplicate, len(again.History)},
		[]any{int64(4), int64(2), true, 2})
	reply(t, s, row, late, "too late")
	commit(t, s, begun(row, first.Event, thought("zwei", 2), told("re zwei")))
	said, steps := conversation(t, s, row, journal.MessageQuery{})
	storetest.Want(t, "messages", said, []string{`1/1 user "one"`, `3/1 agent "re one"`, `8/4 user "zwei"`, `11/4 agent "re zwei"`})
	storetest.Want(t, "steps", steps, []string{`2/1 thought one`, `10/4 thought zwei`})
	for what, q := range map[string]journal.MessageQuery{
		"a page":    {After: 1, Before: 11, Last: 2, Bytes: 1000},
		"until now": {After: 1, Before: 11, Until: time.Now().Add(time.Hour), MaxContent: 1000},
	} {
		said, _ := conversation(t, s, row, q)
		storetest.Want(t, what, said, []string{`3/1 agent "re one"`, `8/4 user "zwei"`})
	}
	said, steps = conversation(t, s, row, journal.MessageQuery{Turn: 2})
	storetest.Want(t, "of a turn", [][]string{said, steps}, [][]string{{`4/2 user "two"`, `6/2 agent "re two"`}, {`5/2 thought two`}})
	said, steps = conversation(t, s, row, journal.MessageQuery{Replaced: true})
	storetest.Want(t, "all", []int{len(said), len(steps)}, []int{8, 3})
	storetest.Want(t, "late", said[6], `9/3 agent "too late"`)
	messages, err := s.Messages(ctx, row, journal.MessageQuery{Replaced: true})
	storetest.OK(t, err)
	storetest.Want(t, "replaces", []int64{messages[5].Replaces, messages[4].Replaces}, []int64{2, 0})

	next := say(t, s, row, "n", "next")
	storetest.Want(t, "history",
		lines(next.History), []string{`1/1 user "one"`, `3/1 agent "re one"`, `8/4 user "zwei"`, `11/4 agent "re zwei"`})
	event, err := s.Receive(ctx, journal.Incoming{Session: row, History: 2, Event: journal.EventRecord{Name: "e"}})
	storetest.OK(t, err)
	storetest.Want(t, "history of an event", lines(event.History), []string{`11/4 agent "re zwei"`, `12/5 user "next"`})
	old := say(t, s, row, "two", "two") // replaced
	storetest.Want(t, "a replaced one again", []any{old.Duplicate, old.Event.Turn, old.Event.Message.Seq, lines(old.History)},
		[]any{true, int64(2), int64(4), []string{`1/1 user "one"`, `3/1 agent "re one"`}})
	whole := revise(t, s, row, "r2", "eins", 1)
	storetest.Want(t, "history of the first", lines(whole.History), []string{})
	said, steps = conversation(t, s, row, journal.MessageQuery{})
	storetest.Want(t, "at last", [][]string{said, steps}, [][]string{{`13/7 user "eins"`}, {}})
	said, _ = conversation(t, s, other, journal.MessageQuery{})
	storetest.Want(t, "another's", len(said), 4)
}

// reviseRefused refuses to replace a message that no person sent or that was replaced already.
func reviseRefused(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	converse(t, s, other, "one", "two", "three", "four", "five")
	converse(t, s, row, "one", "two")
	happen(t, s, row, "e", "")
	agents := message(row, "", "by an agent")
	agents.Event.Human, agents.Sender = false, chat.SenderAgent
	_, err := s.Receive(ctx, agents)
	storetest.OK(t, err)
	revise(t, s, row, "r", "zwei", 2)
	before := open(t, s, "x")
	for turn, kind := range map[int64]fault.Kind{
		2: fault.Conflict, 3: fault.Invalid, 4: fault.Invalid, 6: fault.NotFound, 99: fault.NotFound,
	} {
		in := message(row, fmt.Sprint("bad ", turn), "x")
		in.Replaces = turn
		_, err := s.Receive(ctx, in)
		storetest.WantKind(t, fmt.Sprint("turn ", turn), err, kind)
		storetest.Want(t, fmt.Sprint("no turn ", turn), errors.Is(err, journal.ErrNoTurn), kind == fault.NotFound)
	}
	in := message(999, "", "x")
	in.Replaces = 1
	_, err = s.Receive(ctx, in)
	storetest.WantKind(t, "no session", err, fault.NotFound)
	after := open(t, s, "x")
	storetest.Want(t, "session", []int64{after.Seq, after.Turn}, []int64{before.Seq, before.Turn})
	revise(t, s, row, "r2", "drei", 5) // the new one
	revise(t, s, row, "r3", "eins", 1)
	said, _ := conversation(t, s, row, journal.MessageQuery{})
	storetest.Want(t, "messages", said, []string{`10/7 user "eins"`})
}

// reviseQueue removes events of replaced turns from the queue and from the session's last event.
func reviseQueue(t *testing.T, db Conversations) {
	s := db.Open(t)
	session := open(t, s, "x").RowID
	taken := say(t, s, session, "a", "a").Event
	done := begun(session, taken, told("re"))
	done.Last = taken.ID
	commit(t, s, done)
	storetest.Want(t, "last", open(t, s, "x").Last.ID, taken.ID)
	say(t, s, session, "b", "b")
	happen(t, s, session, "e", "1")
	revise(t, s, session, "r", "new", 2)
	storetest.Want(t, "queue", pending(t, s, "x"), []string{`4 receive_message_text "new"`})
	storetest.Want(t, "last", open(t, s, "x").Last.ID, taken.ID)
	newest := revise(t, s, session, "r2", "newer", 1)
	storetest.Want(t, "queue", pending(t, s, "x"), []string{`5 receive_message_text "newer"`})
	got := open(t, s, "x")
	storetest.Want(t, "last", got.Last.ID, int64(0))
	storetest.Want(t, "what waits", []int64{got.Pending[0].Message.Replaces, got.Pending[0].Message.Seq}, []int64{1, newest.Event.Message.Seq})
}

// reviseReset resets a session with replaced turns and returns the sequence number of the reset.
func reviseReset(t *testing.T, db Conversations) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	storetest.Want(t, "never", open(t, s, "x").ResetSeq, int64(0))
	converse(t, s, row, "one")
	revise(t, s, row, "r", "eins", 1)
	storetest.Want(t, "reset", reset(t, s, row), int64(4))
	got := open(t, db.Open(t), "x")
	storetest.Want(t, "session", []int64{got.Seq, got.ResetSeq}, []int64{4, 4})
	converse(t, s, row, "anew")
	said, _ := conversation(t, s, row, journal.MessageQuery{Until: time.Now().Add(time.Hour)})
	storetest.Want(t, "messages", said, []string{`5/3 user "anew"`, `7/3 agent "re anew"`})
	storetest.Want(t, "again", reset(t, s, row), int64(7))
	storetest.Want(t, "session", open(t, s, "x").ResetSeq, int64(7))
}
