package sessiontest

import (
	"encoding/json"
	"testing"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
)

var textTests = map[string]func(*testing.T, Database){
	"Messages": textMessages,
}

func textMessages(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	const dirty, clean = "a\x00b\xff", "a b?"
	have, _, err := s.OpenSession(ctx,
		journal.SessionRecord{Key: journal.SessionKey{Agent: dirty, ID: dirty}, Name: dirty, Username: dirty, Platform: "P"})
	storetest.OK(t, err)
	storetest.Want(t, "session", []string{have.Key.Agent, have.Key.ID, have.Name, have.Username}, []string{clean, clean, clean, clean})
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
		receipt, err := s.Receive(ctx, journal.Incoming{
			Session: have.RowID, Type: "str", Content: json.RawMessage(tc.in),
			Event: journal.EventRecord{Name: dirty, Info: dirty},
		})
		storetest.OK(t, err)
		sameJSON(t, tc.in, receipt.Event.Message.Content, tc.out)
		stored, err := s.Messages(ctx, have.RowID, journal.MessageQuery{After: int64(i)})
		storetest.OK(t, err)
		sameJSON(t, tc.in, stored[0].Content, tc.out)
	}
	for _, bad := range []string{"", "{", `"a`, "'a'", `{"a":1,}`} {
		_, err := s.Receive(ctx, journal.Incoming{Session: have.RowID, Type: "str", Content: json.RawMessage(bad)})
		storetest.WantKind(t, bad, err, fault.Invalid)
		_, err = s.CommitTurn(ctx, journal.TurnRecord{
			Session: have.RowID,
			Entries: []journal.Entry{{Message: &agent.ChatMessage{Type: "str", Content: json.RawMessage(bad)}}},
		})
		storetest.WantKind(t, bad, err, fault.Invalid)
		_, err = s.CommitTurn(ctx, journal.TurnRecord{Session: have.RowID, Set: map[string]json.RawMessage{"v": json.RawMessage(bad)}})
		storetest.WantKind(t, bad, err, fault.Invalid)
	}
	turn := journal.TurnRecord{
		Session: have.RowID, State: dirty, Transitions: []chat.Transition{{Source: dirty, Dest: dirty, Event: dirty, Condition: dirty}},
		Entries: []journal.Entry{{Step: &chat.Reasoning{Kind: dirty, StepKind: dirty, Summary: dirty, Payload: json.RawMessage(`["\u0000"]`)}}},
		Set:     map[string]json.RawMessage{dirty: json.RawMessage(`"\u0000"`)},
	}
	commit(t, s, turn)
	steps, err := s.Steps(ctx, have.RowID, journal.MessageQuery{})
	storetest.OK(t, err)
	storetest.Want(t, "step", []string{steps[0].Kind, steps[0].StepKind, steps[0].Summary}, []string{clean, clean, clean})
	sameJSON(t, "payload", steps[0].Payload, `["\ufffd"]`)
	event, err := s.Receive(ctx, journal.Incoming{Session: have.RowID, Event: journal.EventRecord{
		Name: dirty, Info: dirty, Data: json.RawMessage(`"\u0000"`), Origin: json.RawMessage("\"\xff\""),
	}})
	storetest.OK(t, err)
	e := event.Event
	storetest.Want(t, "event", []string{e.Name, e.Info, string(e.Origin)}, []string{clean, clean, `"?"`})
	sameJSON(t, "data", e.Data, `"\ufffd"`)
	_, err = s.Receive(ctx, journal.Incoming{Session: have.RowID, Event: journal.EventRecord{Name: "e", Data: json.RawMessage("{")}})
	storetest.WantKind(t, "data", err, fault.Invalid)
	_, err = s.Receive(ctx, journal.Incoming{Session: have.RowID, Event: journal.EventRecord{Name: "e", Origin: json.RawMessage("{")}})
	storetest.WantKind(t, "origin", err, fault.Invalid)
	turn.Entries[0].Step.Payload = nil
	_, err = s.CommitTurn(ctx, turn)
	storetest.WantKind(t, "payload", err, fault.Invalid)
}
