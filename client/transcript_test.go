package client_test

import (
	"encoding/json"
	"slices"
	"testing"

	"docent/client"
	"docent/payload"
)

func entry(seq, turn int64, action payload.Action, text string) client.Entry {
	message, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return client.Entry{Seq: seq, Turn: turn, Action: action, Message: message}
}

func user(seq, turn, replaces int64, text string) client.Event {
	e := entry(seq, turn, payload.UserMessage, text)
	if e.Replaces = replaces; text == "" {
		e.Message = nil
	}
	return &client.UserMessage{Entry: e}
}

func reply(seq, turn int64, text string) client.Event {
	return &client.Reply{Entry: entry(seq, turn, payload.ReplyStr, text)}
}

func step(seq, turn, n int64, text string) client.Event {
	return &client.Step{Entry: entry(seq, turn, payload.ReplyReasoningStep, text), N: n}
}

// The conversation consists of the entries that no client replaced.
func TestTranscriptReplaces(t *testing.T) {
	t.Parallel()
	var made client.Transcript
	for _, e := range []client.Event{
		reply(1, 0, "Hi"), user(2, 1, 0, "one"), reply(3, 1, "uno"), user(4, 2, 0, "two"), reply(5, 2, "due"),
		user(6, 3, 2, "three"), reply(7, 3, "tre"), user(8, 4, 3, ""), reply(9, 4, "tre again"), reply(9, 4, "twice"),
	} {
		made.Apply(e)
	}
	texts := func(entries []client.Entry) (out []string) {
		for _, e := range entries {
			out = append(out, e.Text())
		}
		return out
	}
	if got, want := texts(made.Entries()), []string{"Hi", "one", "uno", "three", "tre again"}; !slices.Equal(got, want) {
		t.Errorf("the conversation is %q, want %q", got, want)
	}
	if got := texts(made.Record()); len(got) != 9 || got[3] != "two" {
		t.Errorf("the record is %q", got)
	}
	made.Apply(&client.TurnsShown{TurnsShown: payload.TurnsShown{Hidden: []payload.TurnRange{{First: 3, Until: 5}}}})
	made.Apply(user(10, 5, 0, "five"))
	if got, want := texts(made.Entries()), []string{"Hi", "one", "uno", "two", "due", "five"}; !slices.Equal(got, want) {
		t.Errorf("another version is %q, want %q", got, want)
	}
	made.Apply(&client.Synced{Synced: payload.Synced{Hidden: []payload.TurnRange{{First: 1, Until: 6}}}})
	if got, want := texts(made.Entries()), []string{"Hi"}; !slices.Equal(got, want) {
		t.Errorf("after a resume: %q, want %q", got, want)
	}
	made.Apply(&client.SessionReset{Seq: 10})
	made.Apply(reply(11, 0, "Hi"))
	if got := texts(made.Record()); !slices.Equal(got, []string{"Hi"}) {
		t.Errorf("after a reset: %q", got)
	}
}

// Stored entries and snapshots replace provisional ones.
func TestTranscriptRunning(t *testing.T) {
	t.Parallel()
	var made client.Transcript
	running := func(what, text string, steps int, state payload.TurnState) {
		t.Helper()
		got := made.Running()
		if len(got) != 1 || got[0].Text != text || len(got[0].Steps) != steps || got[0].State != state {
			t.Errorf("%s: %+v", what, got)
		}
	}
	made.Apply(user(1, 1, 0, "why"))
	running("asked", "", 0, payload.Waiting)
	for _, e := range []client.Event{
		&client.Status{Turn: 1, N: 1, Phase: "searching"}, step(0, 1, 2, "thinks"),
		&client.Delta{Turn: 1, N: 4, Text: "Be"}, &client.Delta{Turn: 1, N: 4, Text: "again"}, &client.Delta{Turn: 1, N: 5, Text: "cause"},
	} {
		made.Apply(e)
	}
	running("streamed", "Because", 1, payload.Running)
	made.Apply(reply(2, 1, "Because."))
	running("replied", "", 1, payload.Running)
	made.Apply(step(3, 1, 0, "thinks"))
	running("stored", "", 0, payload.Running)
	made.Apply(&client.Snapshot{TurnSnapshot: payload.TurnSnapshot{
		Turn: 1, N: 9, Text: "And", Steps: []payload.SnapshotStep{{Action: payload.ReplyReasoningStep, Message: []byte(`{}`)}},
	}})
	made.Apply(&client.Delta{Turn: 1, N: 9, Text: "old"})
	running("snapshot", "And", 1, payload.Running)
	made.Apply(&client.Synced{Synced: payload.Synced{Seq: 3, Turns: []payload.OpenTurn{{Turn: 1, State: payload.Running}}}})
	running("synced", "And", 1, payload.Running)
	made.Apply(&client.TurnFinished{Turn: 1, Outcome: payload.Done})
	if got := made.Running(); len(got) != 0 {
		t.Errorf("it runs: %+v", got)
	}
	made.Apply(user(4, 2, 0, "more"))
	made.Apply(&client.Synced{Synced: payload.Synced{Seq: 4}})
	if got := made.Running(); len(got) != 0 {
		t.Errorf("it runs: %+v", got)
	}
}
