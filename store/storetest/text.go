package storetest

import (
	"encoding/json"
	"testing"

	"docent/rag/corpus"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

var textTests = map[string]func(*testing.T, Database){
	"Documents": textDocuments,
	"Messages":  textMessages,
}

// textDocuments: what Postgres cannot keep becomes one byte of something else,
// so that offsets into the text still hold.
func textDocuments(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	const dirty, clean = "a\x00b\xffc\xe2\x82d 𝄞 é \u202e \U0010ffff 你好", "a b?c??d 𝄞 é \u202e \U0010ffff 你好"
	p := put("/"+dirty, "w", 1)
	p.Document.Collection, p.Document.Title, p.Document.Text, p.Document.ETag, p.Document.Error = dirty, dirty, dirty, dirty, fault.Plain(dirty)
	p.Chunks[0].Text, p.Chunks[0].Headings, p.Chunks[0].PageLabel = dirty, []string{dirty}, dirty
	p.Embedder = dirty
	id := store(t, s, p)[0]
	want(t, "id", store(t, s, p)[0], id)
	d, err := s.Document(ctx, id)
	ok(t, err)
	want(t, "document", []string{d.Collection, d.Source, d.Title, d.Text, d.ETag, d.Error.Message}, []string{clean, "/" + clean, clean, clean, clean, clean})
	want(t, "length", len(d.Text), len(dirty))
	all := changes(t, s, 0, dirty)
	c := all[0].Chunks[0]
	want(t, "chunk", []string{c.Text, c.Headings[0], c.PageLabel}, []string{clean, clean, clean})
	want(t, "vector", all[0].Vectors[0], []float32{0, 0.5, -1})
	sources, err := s.Sources(ctx, dirty, dirty, "")
	ok(t, err)
	want(t, "sources", []int{len(sources), sources[0].Embedded}, []int{1, 1})
	left, err := s.Unembedded(ctx, dirty, 0, 10)
	ok(t, err)
	want(t, "unembedded", len(left), 0)
	list, err := s.Documents(ctx, corpus.DocumentFilter{Collection: dirty, Match: "B\xffC"})
	ok(t, err)
	want(t, "list", len(list), 1)
}

func textMessages(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	const dirty, clean = "a\x00b\xff", "a b?"
	have, _, err := s.OpenSession(ctx, journal.SessionRecord{Key: journal.SessionKey{Agent: dirty, ID: dirty}, Name: dirty, Username: dirty, Platform: "P"})
	ok(t, err)
	want(t, "session", []string{have.Key.Agent, have.Key.ID, have.Name, have.Username}, []string{clean, clean, clean, clean})
	for i, tc := range []struct{ in, out string }{
		{`"text"`, `"text"`},
		{`{"a": [1, 2.5, true, null], "é": "\u00e9\n"}`, `{"a":[1,2.5,true,null],"é":"é\n"}`},
		{`"nul \u0000 end"`, `"nul ` + "\ufffd" + ` end"`},
		{`"no nul \\u0000"`, `"no nul \\u0000"`},
		{`"nul \\\u0000"`, `"nul \\` + "\ufffd" + `"`},
		{`"pair \ud834\udd1e"`, `"pair 𝄞"`},
		{`"half \ud834 \uDD1E \ud834\ud834\udd1e"`, `"half ` + "\ufffd \ufffd \ufffd" + `𝄞"`},
		{"\"bytes \xff\xfe\"", `"bytes ??"`},
		{` null `, `null`},
		{`12345678901234567890`, `12345678901234567890`},
	} {
		receipt, err := s.Receive(ctx, journal.Incoming{Session: have.RowID, Type: "str", Content: json.RawMessage(tc.in), Event: journal.EventRecord{Name: dirty, Info: dirty}})
		ok(t, err)
		sameJSON(t, tc.in, receipt.Event.Message.Content, tc.out)
		stored, err := s.Messages(ctx, have.RowID, journal.MessageQuery{After: int64(i)})
		ok(t, err)
		sameJSON(t, tc.in, stored[0].Content, tc.out)
	}
	for _, bad := range []string{"", "{", `"a`, "'a'", `{"a":1,}`} {
		_, err := s.Receive(ctx, journal.Incoming{Session: have.RowID, Type: "str", Content: json.RawMessage(bad)})
		wantKind(t, bad, err, fault.Invalid)
		_, err = s.CommitTurn(ctx, journal.TurnRecord{Session: have.RowID, Entries: []journal.Entry{{Message: &agent.ChatMessage{Type: "str", Content: json.RawMessage(bad)}}}})
		wantKind(t, bad, err, fault.Invalid)
		_, err = s.CommitTurn(ctx, journal.TurnRecord{Session: have.RowID, Set: map[string]json.RawMessage{"v": json.RawMessage(bad)}})
		wantKind(t, bad, err, fault.Invalid)
	}
	turn := journal.TurnRecord{
		Session: have.RowID, State: dirty, Transitions: []agent.TransitionRecord{{Source: dirty, Dest: dirty, Event: dirty, Condition: dirty}},
		Entries: []journal.Entry{{Step: &agent.ReasoningRecord{Kind: dirty, StepKind: dirty, Summary: dirty, Payload: json.RawMessage(`["\u0000"]`)}}},
		Set:     map[string]json.RawMessage{dirty: json.RawMessage(`"\u0000"`)},
	}
	commit(t, s, turn)
	steps, err := s.Steps(ctx, have.RowID, journal.MessageQuery{})
	ok(t, err)
	want(t, "step", []string{steps[0].Kind, steps[0].StepKind, steps[0].Summary}, []string{clean, clean, clean})
	sameJSON(t, "payload", steps[0].Payload, `["\ufffd"]`)
	event, err := s.Receive(ctx, journal.Incoming{Session: have.RowID, Event: journal.EventRecord{
		Name: dirty, Info: dirty, Data: json.RawMessage(`"\u0000"`), Origin: json.RawMessage("\"\xff\""),
	}})
	ok(t, err)
	e := event.Event
	want(t, "event", []string{e.Name, e.Info, string(e.Origin)}, []string{clean, clean, `"?"`})
	sameJSON(t, "data", e.Data, `"\ufffd"`)
	_, err = s.Receive(ctx, journal.Incoming{Session: have.RowID, Event: journal.EventRecord{Name: "e", Data: json.RawMessage("{")}})
	wantKind(t, "data", err, fault.Invalid)
	_, err = s.Receive(ctx, journal.Incoming{Session: have.RowID, Event: journal.EventRecord{Name: "e", Origin: json.RawMessage("{")}})
	wantKind(t, "origin", err, fault.Invalid)
	turn.Entries[0].Step.Payload = nil
	_, err = s.CommitTurn(ctx, turn)
	wantKind(t, "payload", err, fault.Invalid)
}
