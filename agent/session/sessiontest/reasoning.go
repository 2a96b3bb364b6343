package sessiontest

import (
	"encoding/json"
	"testing"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/storetest"
)

var reasoningTests = map[string]func(*testing.T, Conversations){
	"Steps": reasoningSteps,
	"Links": reasoningLinks, "Stored": reasoningStored, "CutShort": reasoningCutShort,
}

// reasoningSteps reads steps unchanged and in order with the messages.
func reasoningSteps(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	e := say(t, s, row, "m", "one").Event
	at := time.Date(2024, 2, 29, 12, 30, 1, 123456000, time.UTC)
	step := chat.Reasoning{
		Kind: "reasoning_step", StepKind: "tool_result", Step: 3, Summary: "read a file", Time: at,
		Payload: json.RawMessage(`{"kind": "tool_result", "details": {"ok": true}}`),
	}
	given := step
	given.ID, given.Seq, given.Turn, given.ChatID = 77, 77, 77, 77 // the store ignores them and uses Answer
	tasks := chat.Reasoning{Kind: "task_list_update", Payload: json.RawMessage(`{"tasks":[]}`), Time: at}
	got := commit(t, s, begun(row, e, journal.Entry{Step: &given, Answer: 2}, told("said"), journal.Entry{Step: &tasks}))
	storetest.Want(t, "given", given.ID, 77)
	first, second := *got.Entries[0].Step, *got.Entries[2].Step
	storetest.Want(t, "ids", []any{first.ID > 0, second.ID > first.ID}, []any{true, true})
	step.ID, step.Seq, step.Turn, step.ChatID = first.ID, 2, 1, got.Entries[1].Message.ID
	tasks.ID, tasks.Seq, tasks.Turn = second.ID, 4, 1
	storetest.Want(t, "written", []chat.Reasoning{first, second}, []chat.Reasoning{step, tasks})
	stored, err := db.Open(t).Steps(ctx, row, journal.MessageQuery{})
	storetest.OK(t, err)
	for i, want := range []chat.Reasoning{step, tasks} {
		sameJSON(t, "payload", stored[i].Payload, string(want.Payload))
		stored[i].Payload = want.Payload
	}
	storetest.Want(t, "stored", stored, []chat.Reasoning{step, tasks})
	storetest.Want(t, "record", all(t, s, row), []string{`1/1 user "one"`, "2/1 tool_result read a file", `3/1 agent "said"`, "4/1  "})
	storetest.Want(t, "history", lines(say(t, s, row, "", "two").History), []string{`1/1 user "one"`, `3/1 agent "said"`})
}

// reasoningLinks links a step to the message that ended its reasoning. That message may come in the
// same commit before or after the step, in a later commit, or never.
func reasoningLinks(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	commit(t, s, journal.TurnRecord{Session: row, Entries: []journal.Entry{thought("greeting's", 0)}})
	commit(t, s, begun(other, say(t, s, other, "", "x").Event, thought("other's", 0)))
	one, two := say(t, s, row, "", "one").Event, say(t, s, row, "", "two").Event
	part(t, s, row, two, thought("two's", 0))
	before := part(t, s, row, one, thought("a", 0), told("first"), thought("b", 0), thought("c", 2), thought("h", 0), thought("i", 0)).Entries
	linked := begun(row, one, thought("d", 2), told("second"), thought("e", 4), told("third"), thought("f", 2), thought("g", 0))
	linked.Links = []journal.Link{
		{Step: before[0].Step.ID, Answer: 4, Chat: one.Message.ID}, // Answer takes precedence
		{Step: before[2].Step.ID, Answer: 2},
		{Step: before[3].Step.ID, Answer: 2},
		{Step: before[4].Step.ID, Chat: one.Message.ID},
		{Step: 9999, Answer: 2},
	}
	commit(t, s, linked)
	said := map[int64]string{0: "none"}
	messages, err := s.Messages(ctx, row, journal.MessageQuery{})
	storetest.OK(t, err)
	for _, m := range messages {
		said[m.ID] = string(m.Content)
	}
	links := func(row int64) map[string]string {
		steps, err := s.Steps(ctx, row, journal.MessageQuery{})
		storetest.OK(t, err)
		out := map[string]string{}
		for _, r := range steps {
			out[r.Summary] = said[r.ChatID]
		}
		return out
	}
	storetest.Want(t, "links", links(row), map[string]string{
		"greeting's": "none", "two's": "none", "a": `"third"`, "b": `"second"`, "c": `"first"`, "h": `"one"`, "i": "none",
		"d": `"second"`, "e": `"third"`, "f": `"second"`, "g": "none",
	})
	storetest.Want(t, "another's", links(other), map[string]string{"other's": "none"})
}

// reasoningStored links a step to a stored message.
func reasoningStored(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	e := say(t, s, row, "", "one").Event
	linked := thought("b", 0)
	linked.Step.ChatID = e.Message.ID
	got := part(t, s, row, e, thought("a", 0), linked, told("said"))
	storetest.Want(t, "linked", []int64{got.Entries[0].Step.ChatID, got.Entries[1].Step.ChatID}, []int64{0, e.Message.ID})
	said := got.Entries[2].Message.ID
	links := func() []int64 {
		steps, err := s.Steps(ctx, row, journal.MessageQuery{})
		storetest.OK(t, err)
		var out []int64
		for _, r := range steps {
			out = append(out, r.ChatID)
		}
		return out
	}
	turn := begun(row, e, thought("c", 0))
	// The links of a part are ignored.
	turn.Partial = true
	turn.Links = []journal.Link{{Step: got.Entries[0].Step.ID, Chat: said}, {Step: got.Entries[1].Step.ID, Chat: said}}
	commit(t, s, turn)
	storetest.Want(t, "after a part", links(), []int64{0, e.Message.ID, 0})
	turn.Partial = false
	commit(t, s, turn)
	storetest.Want(t, "at the end", links(), []int64{said, e.Message.ID, 0, 0})
}

// reasoningCutShort links all steps of an interrupted turn to one message.
func reasoningCutShort(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	one, two := say(t, s, row, "", "one").Event, say(t, s, row, "", "two").Event
	part(t, s, row, one, thought("a", 2), told("first"), thought("b", 0))
	part(t, s, row, two, thought("another's", 0))
	part(t, s, row, one, thought("c", 0))
	end := begun(row, one, thought("new", 0), told("last"))
	end.Links = []journal.Link{{Answer: 2}}
	last := commit(t, s, end).Entries[1].Message.ID
	steps, err := s.Steps(ctx, row, journal.MessageQuery{})
	storetest.OK(t, err)
	got := map[string]bool{}
	for _, r := range steps {
		got[r.Summary] = r.ChatID == last
	}
	storetest.Want(t, "closed", got, map[string]bool{"a": false, "b": true, "another's": false, "c": true, "new": false})
}
