package sessiontest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"docent/agent/session/journal"
	"docent/internal/storetest"
	"docent/payload"
)

var documentTests = map[string]func(*testing.T, Conversations){
	"Kept":     documentKept,
	"Replaced": documentReplaced,
}

var fileTests = map[string]func(*testing.T, Database){"Removed": fileRemoved}

// attach stores a file of the user.
func attach(t *testing.T, s journal.Store, session int64, name string) journal.EventRecord {
	t.Helper()
	content, err := json.Marshal(payload.NewFile(name, "text/plain", []byte("a secret")).Text())
	storetest.OK(t, err)
	r, err := s.Receive(t.Context(), journal.Incoming{
		Session: session, ClientID: name, Type: payload.TypeFile, Content: content,
		Event: journal.EventRecord{Name: "receive_file", Info: name, Human: true},
	})
	storetest.OK(t, err)
	return r.Event
}

// learn commits a turn that adds documents.
func learn(t *testing.T, s journal.Store, session int64, e journal.EventRecord, names ...string) {
	t.Helper()
	record := begun(session, e, told("read"))
	for _, name := range names {
		content, err := json.Marshal(map[string]any{"source": name, "nul": "\x00"})
		storetest.OK(t, err)
		record.Documents = append(record.Documents, journal.Document{Content: content})
	}
	commit(t, s, record)
}

// documents lists the documents of a session.
func documents(t *testing.T, s journal.Store, session int64) []string {
	t.Helper()
	stored, err := s.SessionDocuments(t.Context(), session)
	storetest.OK(t, err)
	out := []string{}
	last := int64(0)
	for _, d := range stored {
		var content struct{ Source string }
		storetest.OK(t, json.Unmarshal(d.Content, &content))
		if d.ID <= last {
			t.Errorf("document %s has the id %d after %d", content.Source, d.ID, last)
		}
		last = d.ID
		out = append(out, fmt.Sprintf("%d %s", d.Turn, content.Source))
	}
	return out
}

// documentKept keeps the documents of a session until it is reset, and no other session has them.
func documentKept(t *testing.T, db Conversations) {
	s := db.Open(t)
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	storetest.Want(t, "none", documents(t, s, row), []string{})
	storetest.Want(t, "nobody's", documents(t, s, 999), []string{})
	first := attach(t, s, row, "a.md")
	learn(t, s, row, first, "a.md", "b.md")
	learn(t, s, row, first, "twice") // the turn is committed already
	learn(t, s, other, attach(t, s, other, "c.md"), "c.md")
	commit(t, s, journal.TurnRecord{Session: row, Documents: []journal.Document{{Content: json.RawMessage(`{"source":"greeting"}`)}}})
	storetest.Want(t, "documents", documents(t, db.Open(t), row), []string{"1 a.md", "1 b.md", "0 greeting"})
	storetest.Want(t, "another's", documents(t, s, other), []string{"1 c.md"})
	storetest.WantKind(t, "not JSON", func() error {
		_, err := s.CommitTurn(t.Context(), journal.TurnRecord{Session: row, Documents: []journal.Document{{Content: json.RawMessage(`{`)}}})
		return err
	}(), "invalid")

	forget := begun(row, say(t, s, row, "2", "forget").Event, told("forgotten"))
	forget.Forget, forget.Documents = true, []journal.Document{{Content: json.RawMessage(`{"source":"new"}`)}}
	commit(t, s, forget)
	storetest.Want(t, "after forgetting", documents(t, s, row), []string{"2 new"})
	reset(t, s, row)
	storetest.Want(t, "after a reset", documents(t, s, row), []string{})
	storetest.Want(t, "another's", documents(t, s, other), []string{"1 c.md"})
	db.rows(t, map[string]int{"session_document": 1})
}

// documentReplaced leaves out the documents of replaced turns.
func documentReplaced(t *testing.T, db Conversations) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	converse(t, s, row, "one")
	learn(t, s, row, attach(t, s, row, "a.md"), "a.md")
	storetest.Want(t, "documents", documents(t, s, row), []string{"2 a.md"})
	revise(t, s, row, "r", "uno", 1)
	storetest.Want(t, "after the change of an earlier question", documents(t, s, row), []string{})
}

// fileRemoved removes a file with its documents.
func fileRemoved(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	converse(t, s, row, "one")
	for _, session := range []int64{row, other} {
		learn(t, s, session, attach(t, s, session, "a.md"), "a.md")
	}
	read := attach(t, s, row, "b.md")
	storetest.WantKind(t, "a file that is still read", s.Directory.RemoveFile(ctx, row, 3, json.RawMessage(`"gone"`)), "conflict")
	learn(t, s, row, read, "b.md")
	messages, err := s.Messages(ctx, row, journal.MessageQuery{Turn: 3})
	storetest.OK(t, err)
	if !strings.Contains(string(messages[0].Content), "base64") {
		t.Errorf("the refused removal left %s", messages[0].Content)
	}
	left := json.RawMessage(`"gone"`)
	for _, turn := range []int64{0, 1, 9} {
		if err := s.Directory.RemoveFile(ctx, row, turn, left); !errors.Is(err, journal.ErrNoTurn) {
			t.Errorf("turn %d without a file: %v", turn, err)
		}
	}
	storetest.OK(t, s.Directory.RemoveFile(ctx, row, 2, left))
	storetest.Want(t, "documents", documents(t, s, row), []string{"3 b.md"})
	storetest.Want(t, "another's", documents(t, s, other), []string{"1 a.md"})
	messages, err = s.Messages(ctx, row, journal.MessageQuery{Turn: 2})
	storetest.OK(t, err)
	storetest.Want(t, "the message", string(messages[0].Content), string(left))
}
