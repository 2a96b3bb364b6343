package journal_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

func say(d *journal.Draft, text string) {
	d.Say(chat.Message{Turn: 1, Type: payload.TypeStr, Content: chat.JSONString(text)}, false)
}

func think(t *testing.T, d *journal.Draft, kind payload.StepKind) {
	t.Helper()
	if _, err := d.Think(chat.Reasoning{Kind: payload.StoredStep, StepKind: string(kind)}, false); err != nil {
		t.Fatal(err)
	}
}

// store gives the unstored entries of a draft the next ids, as a database does.
func store(d *journal.Draft, record journal.TurnRecord, next int64) {
	for i, e := range record.Entries {
		if e.Message != nil {
			record.Entries[i].Message.ID, record.Entries[i].Message.Seq = next, next
		} else {
			record.Entries[i].Step.ID, record.Entries[i].Step.Seq = next, next
		}
		next++
	}
	d.Wrote(record.Entries)
}

// TestLinks checks that a step that was stored early gets the message that ends its reasoning, and
// that a new step points to its message in the same record.
func TestLinks(t *testing.T) {
	t.Parallel()
	var d journal.Draft
	think(t, &d, payload.StepStarted)
	early := journal.TurnRecord{Partial: true}
	d.Fill(&early)
	store(&d, early, 10)
	think(t, &d, payload.StepFinished)
	say(&d, "done")
	d.Link(nil)
	var record journal.TurnRecord
	d.Fill(&record)
	if len(record.Entries) != 2 || record.Entries[0].Answer != 2 {
		t.Errorf("entries %+v", record.Entries)
	}
	if want := (journal.Link{Step: 10, Answer: 2}); len(record.Links) != 1 || record.Links[0] != want {
		t.Errorf("links %+v, want %+v", record.Links, want)
	}
	store(&d, record, 11)
	if !d.Stored() || len(d.Unsent(journal.Written{})) != 3 {
		t.Errorf("stored %v, unsent %d", d.Stored(), len(d.Unsent(journal.Written{})))
	}
	d.Sent()
	if n := len(d.Unsent(journal.Written{})); n != 0 {
		t.Errorf("%d entries are sent again", n)
	}
}

// TestUnsentOfAnother checks that clients get the entries that another process has stored for the
// turn, in order and without those that they have.
func TestUnsentOfAnother(t *testing.T) {
	t.Parallel()
	var d journal.Draft
	say(&d, "early")
	var record journal.TurnRecord
	d.Fill(&record)
	store(&d, record, 4)
	d.Sent()
	other := journal.Written{Repeated: true, Entries: []journal.Entry{
		{Message: &chat.Message{ID: 4, Seq: 4}}, {Message: &chat.Message{ID: 6, Seq: 6}}, {Step: &chat.Reasoning{ID: 5, Seq: 5}},
	}}
	var got []int64
	for _, e := range d.Unsent(other) {
		got = append(got, e.Seq())
	}
	if len(got) != 2 || got[0] != 5 || got[1] != 6 {
		t.Errorf("unsent are %v, want 5 and 6", got)
	}
}

// TestStoppedText checks the message of a turn that stops, by the text that clients have seen.
func TestStoppedText(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		streamed  string
		begun     *payload.RAGMessage
		replied   bool
		kind, has string
	}{
		"nothing":       {kind: payload.TypeStr, has: "Stopped."},
		"text":          {streamed: "The pump", kind: payload.TypeMarkdown, has: `The pump\n\n*Stopped.*`},
		"with a marker": {streamed: "The pump [1]", kind: payload.TypeMarkdown, has: `"The pump\n`},
		"an answer":     {streamed: "The pump", begun: &payload.RAGMessage{Answer: "The pump"}, kind: payload.TypeRAG, has: `"answer":"The pump"`},
		"after a reply": {streamed: "The pump", replied: true, kind: payload.TypeStr, has: "whole"},
	} {
		var d journal.Draft
		d.Stream(tt.streamed)
		if tt.begun != nil {
			d.Begin("The pump stops at noon.", *tt.begun)
		}
		if tt.replied {
			say(&d, "whole")
		}
		d.Stop(1, nil, time.Time{})
		var record journal.TurnRecord
		d.Fill(&record)
		if len(record.Entries) != 1 {
			t.Errorf("%s: %d messages", name, len(record.Entries))
			continue
		}
		if m := record.Entries[0].Message; m.Type != tt.kind || !strings.Contains(string(m.Content), tt.has) {
			t.Errorf("%s: %s %s, want %s with %s", name, m.Type, m.Content, tt.kind, tt.has)
		}
	}
}

// TestApologize checks that a failed turn keeps the streamed text, and ends with an apology that
// clients of docent.v1 receive as an error.
func TestApologize(t *testing.T) {
	t.Parallel()
	var d journal.Draft
	d.Stream("The pump")
	d.Apologize(1, nil, fault.New(fault.Busy, "test_busy", "the model is busy"), time.Time{})
	var record journal.TurnRecord
	d.Fill(&record)
	if len(record.Entries) != 2 || !record.Failed() || string(record.Entries[0].Message.Content) != `"The pump"` {
		t.Fatalf("entries %+v", record.Entries)
	}
	frame := record.Entries[1].Frame()
	var got payload.Error
	if err := json.Unmarshal(frame.Message, &got); err != nil || frame.Action != payload.ErrorAction || got.Message != "the model is busy" {
		t.Errorf("%s %s (%v)", frame.Action, frame.Message, err)
	}
}

// TestStepsFull checks that the end of reasoning always has room.
func TestStepsFull(t *testing.T) {
	t.Parallel()
	var d journal.Draft
	think(t, &d, payload.StepStarted)
	for range journal.MaxSteps - 2 {
		think(t, &d, payload.StepText)
	}
	if _, err := d.Think(chat.Reasoning{StepKind: string(payload.StepText)}, false); fault.KindOf(err) != fault.Invalid {
		t.Errorf("error %v", err)
	}
	think(t, &d, payload.StepFinished)
}
