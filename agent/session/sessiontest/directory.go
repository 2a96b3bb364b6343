package sessiontest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
)

var directoryTests = map[string]func(*testing.T, Database){
	"List":    directoryList,
	"Waiting": directoryWaiting,
	"Pins":    directoryPins,
	"Archive": directoryArchive,
	"Others":  directoryOthers,
	"Match":   directoryMatch,
	"Find":    directoryFind,
	"Delete":  directoryDelete,
	"Expire":  directoryExpire,
	"Missing": directoryMissing,
	"Invalid": directoryInvalid,
}

// directoryWaiting checks which sessions have a message or an event that no turn has handled.
func directoryWaiting(t *testing.T, db Database) {
	s := db.Open(t)
	rows := map[string]int64{}
	for _, id := range []string{"d", "c", "b", "a", "none"} {
		rows[id] = open(t, s, id).RowID
	}
	waiting := func() string {
		t.Helper()
		got, err := s.Sessions(t.Context(), journal.SessionFilter{Waiting: true})
		storetest.OK(t, err)
		var ids []string
		for _, r := range got {
			ids = append(ids, r.Key.ID)
		}
		slices.Sort(ids)
		return strings.Join(ids, " ")
	}
	storetest.Want(t, "without messages", waiting(), "")
	happen(t, s, rows["d"], "bell", `{}`)
	for _, id := range []string{"a", "b", "c"} {
		say(t, s, rows[id], "", "x")
	}
	storetest.Want(t, "all", waiting(), "a b c d")
	commit(t, s, begun(rows["a"], say(t, s, rows["a"], "", "y").Event, told("r")))
	reset(t, s, rows["b"])
	storetest.Want(t, "one of two messages is handled, and a reset", waiting(), "a c d")
	better := revise(t, s, rows["c"], "", "better", 1)
	commit(t, s, begun(rows["c"], better.Event, told("r")))
	storetest.Want(t, "a replaced message", waiting(), "a d")
}

func directoryList(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	for i, r := range []journal.SessionRecord{
		{Key: journal.SessionKey{Agent: "a", ID: "1"}, Username: "ann", Owner: "o1"},
		{Key: journal.SessionKey{Agent: "a", ID: "2"}, Username: "bob", Owner: "o1"},
		{Key: journal.SessionKey{Agent: "b", ID: "3"}, Username: "ann", Owner: "o2"},
		{Key: journal.SessionKey{Agent: "a", ID: "4"}, Username: "ann", Owner: "o2"},
	} {
		r.Platform = "P"
		r.UpdatedAt = time.Unix(1700000000+int64(i), 0)
		_, _, err := s.OpenSession(ctx, r)
		storetest.OK(t, err)
	}
	first, err := s.Session(ctx, journal.SessionKey{Agent: "a", ID: "1"})
	storetest.OK(t, err)
	greet(t, s, first.RowID, "hi")
	say(t, s, first.RowID, "", "used last")
	list := func(filter journal.SessionFilter) string {
		got, err := s.Sessions(ctx, filter)
		storetest.OK(t, err)
		var ids []string
		for _, r := range got {
			ids = append(ids, fmt.Sprintf("%s:%d", r.Key.ID, r.Messages))
			storetest.Want(t, "pending", len(r.Pending), 0)
		}
		return strings.Join(ids, " ")
	}
	storetest.Want(t, "all", list(journal.SessionFilter{}), "1:2 4:0 3:0 2:0")
	storetest.Want(t, "agent", list(journal.SessionFilter{Agent: "a"}), "1:2 4:0 2:0")
	storetest.Want(t, "user", list(journal.SessionFilter{Username: "ann"}), "1:2 4:0 3:0")
	storetest.Want(t, "owner", list(journal.SessionFilter{Owner: "o1", Agent: "a"}), "1:2 2:0")
	storetest.Want(t, "limit", list(journal.SessionFilter{Limit: 2}), "1:2 4:0")
	storetest.Want(t, "none", list(journal.SessionFilter{Username: "eve"}), "")
	fourth, err := s.Session(ctx, journal.SessionKey{Agent: "a", ID: "4"})
	storetest.OK(t, err)
	greet(t, s, fourth.RowID, "greeting")
	storetest.Want(t, "greeted", list(journal.SessionFilter{}), "4:1 1:2 3:0 2:0")
	storetest.Want(t, "spoken", list(journal.SessionFilter{Spoken: true}), "1:2")
	second, err := s.Session(ctx, journal.SessionKey{Agent: "a", ID: "2"})
	storetest.OK(t, err)
	other := message(second.RowID, "", "from afar")
	other.Sender = "ws://peer/"
	_, err = s.Receive(ctx, other)
	storetest.OK(t, err)
	storetest.Want(t, "spoken by an agent", list(journal.SessionFilter{Spoken: true}), "1:2")
	say(t, s, second.RowID, "", strings.Repeat("ü", 101))
	say(t, s, second.RowID, "", "later")
	begins := func() []string {
		got, err := s.Sessions(ctx, journal.SessionFilter{Agent: "a"})
		storetest.OK(t, err)
		firsts := []string{}
		for _, r := range got {
			firsts = append(firsts, r.Key.ID+":"+r.First)
		}
		return firsts
	}
	storetest.Want(t, "first said", begins(), []string{"2:" + strings.Repeat("ü", 100), "4:", "1:used last"})
	revise(t, s, second.RowID, "", "better", 2)
	storetest.Want(t, "first said, revised", begins()[0], "2:better")
	reset(t, s, second.RowID)
	second, err = s.Session(ctx, second.Key)
	storetest.OK(t, err)
	storetest.Want(t, "reset", []int64{second.Seq, second.ResetSeq}, []int64{4, 4})

	name := "renamed"
	storetest.OK(t, s.Directory.ChangeSession(ctx, first.Key, journal.SessionChange{Name: &name}))
	got, err := s.Session(ctx, first.Key)
	storetest.OK(t, err)
	storetest.Want(t, "first said, named", begins()[2], "1:")
	storetest.Want(t, "name and messages", []any{got.Name, got.Messages}, []any{"renamed", 2})
	reset(t, s, first.RowID)
	storetest.Want(t, "after a reset", open(t, s, "1").Name, "renamed")
	name = ""
	storetest.OK(t, s.Directory.ChangeSession(ctx, first.Key, journal.SessionChange{Name: &name}))
	got, err = s.Session(ctx, first.Key)
	storetest.OK(t, err)
	storetest.Want(t, "no name", got.Name, "")
	name = "\u202ePay\u2069 סל\u200f"
	storetest.OK(t, s.Directory.ChangeSession(ctx, first.Key, journal.SessionChange{Name: &name}))
	got, err = s.Session(ctx, first.Key)
	storetest.OK(t, err)
	storetest.Want(t, "a name that would turn what follows", got.Name, "Pay סל")
	fresh, _, err := s.OpenSession(ctx,
		journal.SessionRecord{Key: journal.SessionKey{Agent: first.Key.Agent, ID: "turned"}, Name: name, Platform: "p"})
	storetest.OK(t, err)
	storetest.Want(t, "such a name at the beginning", fresh.Name, "Pay סל")
	found, err := s.Sessions(ctx, journal.SessionFilter{Match: "pay סל"})
	storetest.OK(t, err)
	storetest.Want(t, "found by it", len(found), 2)
}

// directoryFind finds sessions as they were opened, with the stored precision of times.
func directoryFind(t *testing.T, db Database) {
	s := db.Open(t)
	at := time.Date(2024, 2, 29, 12, 30, 1, 123456789, time.FixedZone("", 3600))
	opened, _, err := s.OpenSession(t.Context(), journal.SessionRecord{
		Key: journal.SessionKey{Agent: "a", ID: "x"}, Platform: "P", CreatedAt: at, EnteredAt: at, WakeAt: at,
	})
	storetest.OK(t, err)
	kept := at.UTC().Truncate(time.Microsecond)
	storetest.Want(t, "times", []time.Time{opened.CreatedAt, opened.EnteredAt, opened.WakeAt}, []time.Time{kept, kept, kept})
	if opened.UpdatedAt.Before(time.Now().Add(-time.Minute)) || opened.Variables == nil {
		t.Errorf("opened %+v", opened)
	}
	found, err := s.Session(t.Context(), opened.Key)
	storetest.OK(t, err)
	storetest.Want(t, "found", found, opened)
}

func directoryDelete(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	session, other := open(t, s, "x"), open(t, s, "y")
	say(t, s, other.RowID, "", "stays")
	e := say(t, s, session.RowID, "m1", "one").Event
	turn := begun(session.RowID, e, thought("hm", 2), told("re"))
	turn.WakeAt = time.Now()
	turn.Transitions = []chat.Transition{{Source: "a", Dest: "b"}}
	turn.Predictions = []chat.Prediction{{Message: "one", Intent: "i", Parameters: []chat.Parameter{{Name: "p"}}}}
	commit(t, s, turn)
	learn(t, s, session.RowID, attach(t, s, session.RowID, "a.md"), "a.md")
	happen(t, s, session.RowID, "waits", "")
	storetest.OK(t, s.Directory.DeleteSession(ctx, session.Key))
	conversations(db).rows(t, map[string]int{
		"session": 1, "chat": 1, "event": 1, "transition": 0, "reasoning_step": 0, "intent_prediction": 0, "parameter": 0, "session_document": 0,
	})
	storetest.Want(t, "alarms", alarms(t, s, "a", 10), []string{})
	if again := open(t, s, "x"); again.RowID <= session.RowID || again.Seq != 0 || len(again.Pending) > 0 {
		t.Errorf("made again: %+v", again)
	}
}

// directoryExpire removes sessions by their last use. Those that a user keeps, and those that wait for a time, stay.
func directoryExpire(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	start := time.Unix(1700000000, 0)
	for i, r := range []journal.SessionRecord{
		{Key: journal.SessionKey{Agent: "a", ID: "1"}},
		{Key: journal.SessionKey{Agent: "b", ID: "2"}},
		{Key: journal.SessionKey{Agent: "a", ID: "pinned"}},
		{Key: journal.SessionKey{Agent: "a", ID: "folder"}},
		{Key: journal.SessionKey{Agent: "a", ID: "timed"}, WakeAt: start},
		{Key: journal.SessionKey{Agent: "a", ID: "archived"}},
		{Key: journal.SessionKey{Agent: "a", ID: "used"}},
	} {
		r.Platform, r.UpdatedAt = "P", start.Add(time.Duration(i)*time.Minute)
		stored, _, err := s.OpenSession(ctx, r)
		storetest.OK(t, err)
		yes, folder, change := true, "work", journal.SessionChange{}
		switch r.Key.ID {
		case "pinned":
			change.Pinned = &yes
		case "folder":
			change.Folder = &folder
		case "archived":
			change.Archived = &yes
		case "used":
			say(t, s, stored.RowID, "m", "hi")
		}
		storetest.OK(t, s.Directory.ChangeSession(ctx, r.Key, change))
	}
	for _, step := range []struct {
		before time.Time
		limit  int
		want   []journal.SessionKey
	}{
		{start, 10, []journal.SessionKey{}},
		{start.Add(time.Hour), 1, []journal.SessionKey{{Agent: "a", ID: "1"}}},
		{start.Add(time.Hour), 1, []journal.SessionKey{{Agent: "b", ID: "2"}}},
		{start.Add(time.Hour), 10, []journal.SessionKey{{Agent: "a", ID: "archived"}}},
		{start.Add(time.Hour), 10, []journal.SessionKey{}},
	} {
		got, err := s.Directory.ExpireSessions(ctx, step.before, step.limit)
		storetest.OK(t, err)
		storetest.Want(t, "removed", append([]journal.SessionKey{}, got...), step.want)
	}
	conversations(db).rows(t, map[string]int{"session": 4})
}

func directoryMissing(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	nobody := journal.SessionKey{Agent: "a", ID: "nobody"}
	_, err := s.Session(ctx, nobody)
	storetest.WantKind(t, "Session", err, fault.NotFound)
	pinned := true
	storetest.WantKind(t, "ChangeSession", s.Directory.ChangeSession(ctx, nobody, journal.SessionChange{Pinned: &pinned}), fault.NotFound)
	storetest.WantKind(t, "DeleteSession", s.Directory.DeleteSession(ctx, nobody), fault.NotFound)
}

func directoryInvalid(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	for name, r := range map[string]journal.SessionRecord{
		"no agent":  {Key: journal.SessionKey{ID: "x"}},
		"no id":     {Key: journal.SessionKey{Agent: "a"}},
		"long id":   {Key: journal.SessionKey{Agent: "a", ID: strings.Repeat("x", 5000)}},
		"long user": {Key: journal.SessionKey{Agent: "a", ID: "x"}, Username: strings.Repeat("x", 5000)},
	} {
		_, _, err := s.OpenSession(ctx, r)
		storetest.WantKind(t, name, err, fault.Invalid)
	}
	row := open(t, s, "x").RowID
	_, err := s.Receive(ctx, message(row, strings.Repeat("x", 5000), "x"))
	storetest.WantKind(t, "long client id", err, fault.Invalid)
	e := say(t, s, row, "", "x").Event
	for name, turn := range map[string]journal.TurnRecord{
		"neither":          begun(row, e, journal.Entry{}),
		"both":             begun(row, e, journal.Entry{Message: told("x").Message, Step: thought("x", 0).Step}),
		"answer to a step": begun(row, e, thought("x", 1)),
		"answer to none":   begun(row, e, told("x"), thought("x", 3)),
		"link to a step": {
			Session: row, Turn: e.Turn, Handled: []int64{e.ID}, Entries: []journal.Entry{thought("x", 0)},
			Links: []journal.Link{{Step: 1, Answer: 1}},
		},
		"link to none": {Session: row, Turn: e.Turn, Handled: []int64{e.ID}, Links: []journal.Link{{Step: 1, Answer: 1}}},
		"negative":     {Session: row, Turn: e.Turn, Handled: []int64{e.ID}, Links: []journal.Link{{Step: 1, Answer: -1}}},
	} {
		_, err := s.CommitTurn(ctx, turn)
		storetest.WantKind(t, name, err, fault.Invalid)
	}
	storetest.Want(t, "pending", pending(t, s, "x"), []string{`1 receive_message_text "x"`})
}
