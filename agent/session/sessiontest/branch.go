package sessiontest

import (
	"encoding/json"
	"errors"
	"testing"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/payload"
)

var branchTests = map[string]func(*testing.T, Database){
	"Shown":   branchShown,
	"Nested":  branchNested,
	"Refused": branchRefused,
	"Reset":   branchReset,
	"Copy":    branchCopy,
}

// texts returns the shown messages.
func texts(t *testing.T, s journal.Store, session int64) (out []string) {
	t.Helper()
	messages, err := s.Messages(t.Context(), session, journal.MessageQuery{})
	storetest.OK(t, err)
	for _, m := range messages {
		out = append(out, m.Said())
	}
	return out
}

// show shows a turn.
func show(t *testing.T, s Store, session, turn int64) []payload.TurnRange {
	t.Helper()
	hidden, err := s.Versions.ShowTurn(t.Context(), session, 0, turn)
	storetest.OK(t, err)
	b, err := s.Versions.Branches(t.Context(), session)
	storetest.OK(t, err)
	storetest.Want(t, "stored", b.Hidden, hidden)
	return hidden
}

// branchShown switches between two versions. Reads, the history of new messages, the search, and the
// documents of the session have only the shown turns.
func branchShown(t *testing.T, db Database) {
	s := db.Open(t)
	key := journal.SessionKey{Agent: "a", ID: "x"}
	row := open(t, s, "x").RowID
	converse(t, s, row, "one", "two", "three")
	edited := revise(t, s, row, "r", "zwei", 2).Event
	done := begun(row, edited, told("re zwei"))
	done.Documents = []journal.Document{{Turn: edited.Turn, Content: []byte(`{"of":"zwei"}`)}}
	done.Last = edited.ID
	commit(t, s, done)
	storetest.Want(t, "edited", texts(t, s, row), []string{"one", "re one", "zwei", "re zwei"})

	storetest.Want(t, "hidden", show(t, s, row, 2), []payload.TurnRange{{First: 4, Until: 5}})
	storetest.Want(t, "the first version", texts(t, s, row), []string{"one", "re one", "two", "re two", "three", "re three"})
	documents, err := s.SessionDocuments(t.Context(), row)
	storetest.OK(t, err)
	storetest.Want(t, "documents", len(documents), 0)
	storetest.Want(t, "last", open(t, s, "x").Last.ID, int64(0))
	found, err := s.Directory.Sessions(t.Context(), journal.SessionFilter{Agent: key.Agent, Match: "zwei"})
	storetest.OK(t, err)
	storetest.Want(t, "search", len(found), 0)
	next := say(t, s, row, "four", "four")
	storetest.Want(t, "history", len(next.History), 6)
	commit(t, s, begun(row, next.Event, told("re four")))

	storetest.Want(t, "hidden", show(t, s, row, 4), []payload.TurnRange{{First: 2, Until: 4}, {First: 5, Until: 6}})
	storetest.Want(t, "reopened", open(t, db.Open(t), "x").Hidden, []payload.TurnRange{{First: 2, Until: 4}, {First: 5, Until: 6}})
	storetest.Want(t, "last", open(t, s, "x").Last.ID, edited.ID)
	converse(t, s, row, "five")
	storetest.Want(t, "the second version", texts(t, s, row), []string{"one", "re one", "zwei", "re zwei", "five", "re five"})
	show(t, s, row, 3) // a turn of the first version
	storetest.Want(t, "back", texts(t, s, row), []string{"one", "re one", "two", "re two", "three", "re three", "four", "re four"})
}

// branchNested replaces a turn of a version that was shown again. To lists the turns of a version,
// and Through prefers the branch with the newest turn.
func branchNested(t *testing.T, db Database) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	converse(t, s, row, "1", "2")
	revise(t, s, row, "r3", "3 for 2", 2)
	show(t, s, row, 2)
	converse(t, s, row, "4 after 2")
	revise(t, s, row, "r5", "5 for 4", 4)
	revise(t, s, row, "r6", "6 for 5", 5)
	storetest.Want(t, "now", texts(t, s, row), []string{"1", "re 1", "2", "re 2", "6 for 5"})
	b, err := s.Versions.Branches(t.Context(), row)
	storetest.OK(t, err)
	var parents []int64
	for turn := int64(1); turn <= b.Turn; turn++ {
		parents = append(parents, b.Parent(turn))
	}
	storetest.Want(t, "parents", parents, []int64{0, 1, 1, 2, 2, 2})
	storetest.Want(t, "to", b.To(4), []int64{1, 2, 4})
	storetest.Want(t, "to none", len(b.To(7)), 0)
	storetest.Want(t, "through", b.Through(2), []int64{1, 2, 6})
	show(t, s, row, 3)
	storetest.Want(t, "3", texts(t, s, row), []string{"1", "re 1", "3 for 2"})
	show(t, s, row, 4)
	storetest.Want(t, "4", texts(t, s, row), []string{"1", "re 1", "2", "re 2", "4 after 2", "re 4 after 2"})
	revise(t, s, row, "r7", "7 for 1", 1)
	storetest.Want(t, "7", texts(t, s, row), []string{"7 for 1"})
	show(t, s, row, 1)
	storetest.Want(t, "1", texts(t, s, row), []string{"1", "re 1", "2", "re 2", "6 for 5"})
}

// branchRefused refuses turns that no user's message began, and old fences.
func branchRefused(t *testing.T, db Database) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	converse(t, s, row, "one")
	happen(t, s, row, "e", "")
	for turn, kind := range map[int64]fault.Kind{0: fault.NotFound, 2: fault.Invalid, 3: fault.NotFound} {
		_, err := s.Versions.ShowTurn(t.Context(), row, 0, turn)
		storetest.WantKind(t, "turn", err, kind)
		storetest.Want(t, "no turn", errors.Is(err, journal.ErrNoTurn), kind == fault.NotFound)
	}
	_, err := s.Versions.ShowTurn(t.Context(), 999, 0, 1)
	storetest.WantKind(t, "no session", err, fault.NotFound)
	_, err = s.Versions.ShowTurn(t.Context(), row, 12, 1)
	storetest.Want(t, "an old fence", errors.Is(err, journal.ErrStale), true)
	b, err := s.Versions.Branches(t.Context(), 999)
	storetest.OK(t, err)
	storetest.Want(t, "branches of no session", b.Turn, int64(0))
}

// branchReset shows all turns of a session that was reset.
func branchReset(t *testing.T, db Database) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	converse(t, s, row, "one")
	revise(t, s, row, "r", "eins", 1)
	show(t, s, row, 1)
	reset(t, s, row)
	storetest.Want(t, "hidden", len(open(t, s, "x").Hidden), 0)
	converse(t, s, row, "two")
	b, err := s.Versions.Branches(t.Context(), row)
	storetest.OK(t, err)
	storetest.Want(t, "parent", b.Parent(3), int64(2))
}

// branchCopy copies the shown form of a session up to a turn: a copied question can be edited, and
// its text is found.
func branchCopy(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	greet(t, s, row, "hello")
	converse(t, s, row, "one", "two", "three")
	edited := revise(t, s, row, "r", "zwei", 2).Event
	done := begun(row, edited, thought("zwei", 2), told("re zwei"))
	done.Documents = []journal.Document{{Turn: edited.Turn, Content: []byte(`{"of":"zwei"}`)}}
	commit(t, s, done)
	converse(t, s, row, "later")
	size := 0
	to := journal.SessionRecord{
		Key: journal.SessionKey{Agent: "a", ID: "copy"}, Name: "Copy", Owner: "user:ann", State: "answer", Platform: "p",
		Variables: map[string]json.RawMessage{"language": json.RawMessage(`"de"`)},
	}
	storetest.OK(t, s.Versions.CopySession(ctx, row, edited.Turn, to, func(bytes int) error {
		size = bytes
		greet(t, s, open(t, s, "other").RowID, "written before the copy")
		return nil
	}))
	storetest.Want(t, "size", size > 0, true)
	got := open(t, s, "copy")
	storetest.Want(t, "session", []any{got.Name, got.Owner, got.State, got.Seq, got.Turn, string(got.Variables["language"]), len(got.Pending)},
		[]any{"Copy", "user:ann", "answer", int64(7), int64(2), `"de"`, 0})
	said, steps := conversation(t, s, got.RowID, journal.MessageQuery{})
	storetest.Want(t, "messages", said, []string{
		`1/0 agent "hello"`, `2/1 user "one"`, `4/1 agent "re one"`, `5/2 user "zwei"`, `7/2 agent "re zwei"`,
	})
	storetest.Want(t, "steps", steps, []string{`3/1 thought one`, `6/2 thought zwei`})
	documents, err := s.SessionDocuments(ctx, got.RowID)
	storetest.OK(t, err)
	storetest.Want(t, "documents", []any{len(documents), documents[0].Turn}, []any{1, int64(2)})
	if s.Directory != nil { // the store in memory does not search
		found, err := s.Directory.Sessions(ctx, journal.SessionFilter{Agent: "a", Match: "zwei", Owner: "user:ann"})
		storetest.OK(t, err)
		storetest.Want(t, "found", []any{len(found), found[0].Found.Turn}, []any{1, int64(2)})
	}
	storetest.Want(t, "edit", revise(t, s, got.RowID, "r2", "deux", 2).Event.Turn, int64(3))
	storetest.Want(t, "original", len(texts(t, s, row)), 7)

	refused := errors.New("too much")
	storetest.Want(t, "not allowed", errors.Is(s.Versions.CopySession(ctx, row, 1, to, func(int) error { return refused }), refused), true)
	allow := func(int) error { return nil }
	storetest.WantKind(t, "no turn", s.Versions.CopySession(ctx, row, 99, to, allow), fault.NotFound)
	storetest.WantKind(t, "no session", s.Versions.CopySession(ctx, 999, 1, to, allow), fault.NotFound)
	running := say(t, s, row, "running", "running").Event
	storetest.WantKind(t, "running", s.Versions.CopySession(ctx, row, running.Turn, to, allow), fault.Conflict)
}
