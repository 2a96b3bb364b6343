package recording_test

import (
	"encoding/json"
	"strings"
	"testing"

	"docent/agent/chat"
	"docent/agent/recording"
	"docent/payload"
)

// TestParse reads what String writes, and names wrong lines.
func TestParse(t *testing.T) {
	t.Parallel()
	const text = "# first\nuser: a: b\n  and more\n\nagent:\nstate: x \n"
	rec, err := recording.Parse("r.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	const want = "user: a: b\n  and more\nagent: \nstate: x\n"
	if got := rec.String(); got != want {
		t.Errorf("got %q", got)
	}
	if rec.Lines[2].Number != 6 {
		t.Errorf("the last line is %d", rec.Lines[2].Number)
	}
	for bad, words := range map[string]string{
		"hello": "r.txt:1: a line begins with one of", "user: x\nsays: y": "r.txt:2: a line begins with one of",
		strings.Repeat("user: x\n", recording.MaxLines+1): "may have 10000 lines", strings.Repeat("#\n", recording.MaxBytes): "bytes",
	} {
		if _, err := recording.Parse("r.txt", []byte(bad)); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

// TestFromStored writes stored messages as a recording.
func TestFromStored(t *testing.T) {
	t.Parallel()
	file, err := json.Marshal(payload.NewFile("my notes.txt", "text/plain", []byte("one")))
	if err != nil {
		t.Fatal(err)
	}
	rec := recording.FromStored("S", []chat.Message{
		{Seq: 1, Type: payload.TypeStr, Content: chat.JSONString("Hi!")},
		{Seq: 2, Turn: 1, Type: payload.TypeStr, IsUser: true, Content: chat.JSONString("tea\nor coffee")},
		{Seq: 3, Turn: 2, Type: payload.TypeStr, IsUser: true, Sender: chat.SenderAgent, Content: chat.JSONString("from a peer")},
		{Seq: 4, Turn: 3, Type: payload.TypeFile, IsUser: true, Content: file},
		{Seq: 5, Turn: 3, Type: payload.TypeStr, ClientID: chat.FailedID, Content: chat.JSONString("Sorry")},
	}, nil, nil)
	const want = "agent: Hi!\nuser: tea\n  or coffee\npeer: from a peer\nfile: my_notes.txt text/plain one\nerror: Sorry\n"
	if got := rec.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := rec.Answered().Of(recording.Model); len(got) != 1 || got[0] != "Hi!" {
		t.Errorf("the answers are %q", got)
	}
}

// A message that arrived during an earlier turn stands before the replies and steps of its own turn.
func TestFromStoredOfQueue(t *testing.T) {
	t.Parallel()
	said := func(seq, turn int64, isUser bool, text string) chat.Message {
		return chat.Message{Seq: seq, Turn: turn, Type: payload.TypeStr, IsUser: isUser, Content: chat.JSONString(text)}
	}
	rec := recording.FromStored("S", []chat.Message{
		said(1, 1, true, "one"), said(2, 2, true, "two"), said(3, 3, true, "three"),
		said(4, 1, false, "first"), said(5, 0, false, "by the way"), said(7, 2, false, "second"),
	}, []chat.Reasoning{{Seq: 6, Turn: 2, StepKind: string(payload.StepStarted), Payload: json.RawMessage(`{}`)}}, nil)
	const want = "user: one\nagent: first\nagent: by the way\nuser: two\nmodel: second\nagent: second\nuser: three\n"
	if got := rec.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Messages stand in the order in which the agent handled them: of two waiting ones, that which fits the state is first.
func TestFromStoredOutOfOrder(t *testing.T) {
	t.Parallel()
	said := func(seq, turn int64, isUser bool, text string) chat.Message {
		return chat.Message{Seq: seq, Turn: turn, Type: payload.TypeStr, IsUser: isUser, Content: chat.JSONString(text)}
	}
	rec := recording.FromStored("S", []chat.Message{
		said(1, 1, true, "tea"), said(2, 2, true, "order tea"), said(4, 2, false, "You get it."), said(5, 1, false, "What is tea?"),
	}, []chat.Reasoning{{Seq: 3, Turn: 2, StepKind: string(payload.StepStarted), Payload: json.RawMessage(`{}`)}}, nil)
	const want = "user: order tea\nmodel: You get it.\nagent: You get it.\nuser: tea\nmodel: What is tea?\nagent: What is tea?\n"
	if got := rec.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Events stand before the replies of their turns, and before later messages.
func TestFromStoredEvents(t *testing.T) {
	t.Parallel()
	said := func(seq, turn int64, isUser bool, text string) chat.Message {
		return chat.Message{Seq: seq, Turn: turn, Type: payload.TypeStr, IsUser: isUser, Content: chat.JSONString(text)}
	}
	rec := recording.FromStored("S", []chat.Message{
		said(1, 0, false, "Hi!"), said(2, 1, true, "one"), said(3, 1, false, "first"),
		said(4, 3, false, "Good morning."), said(5, 5, true, "two"), said(6, 5, false, "second"),
	}, nil, []chat.Event{
		{Turn: 2, Name: "silent"},
		{Turn: 3, Name: "morning", Data: json.RawMessage("{\n\"at\": \"9:00\"}")},
		{Turn: 4, Name: chat.EventUI, Data: json.RawMessage(`{"action":"onSubmit"}`)},
		{Turn: 6, Name: "last"},
	})
	const want = "agent: Hi!\nuser: one\nagent: first\nevent: silent\nevent: morning {\"at\":\"9:00\"}\nagent: Good morning.\n" +
		"action: {\"action\":\"onSubmit\"}\nuser: two\nagent: second\nevent: last\n"
	if got := rec.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestDifference shows missing and new lines beside common ones.
func TestDifference(t *testing.T) {
	t.Parallel()
	lines := func(texts ...string) (out []recording.Line) {
		for _, text := range texts {
			out = append(out, recording.Line{Kind: recording.Agent, Text: text})
		}
		return out
	}
	d := recording.Difference{
		Name: "r.txt", Line: 3, Input: recording.Line{Kind: recording.User, Text: "x"},
		Want: lines("one", "two", "three"), Got: lines("two", "2\n3", "three", "four"),
	}
	const want = "r.txt:3: user: x\n  - agent: one\n    agent: two\n  + agent: 2\n      3\n    agent: three\n  + agent: four\n"
	if got := d.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
