package client

import (
	"encoding/json"
	"maps"
	"slices"

	"docent/payload"
)

// Transcript is the conversation that the events of a [Session] describe. Apply
// all of them in order. It is not safe for concurrent use, and it holds the
// whole conversation. The zero value is empty.
type Transcript struct {
	entries []Entry
	running map[int64]*Progress
	hidden  []payload.TurnRange // turns that are not shown
}

// Progress is an unfinished turn.
type Progress struct {
	// Turn is the number of the turn.
	Turn int64
	// State is Waiting until an event of the turn comes.
	State payload.TurnState
	// Phase is the phase of the latest Status; empty without one.
	Phase string
	// Text is the text of the growing reply.
	Text string
	// Steps are its steps and task lists that are not stored yet.
	Steps []Entry

	n int64 // of the last provisional event
}

// Apply adds an event.
func (t *Transcript) Apply(e Event) {
	if entry := e.stored(); entry != nil {
		t.add(*entry, e)
		return
	}
	switch e := e.(type) {
	case *Delta:
		if p := t.hear(e.Turn, e.N); p != nil {
			p.Text += e.Text
		}
	case *Status:
		if p := t.hear(e.Turn, e.N); p != nil {
			p.Phase = e.Phase
		}
	case *Step:
		t.provisional(e.Entry, e.N)
	case *TasksUpdated:
		t.provisional(e.Entry, e.N)
	case *Connected: // after a restart of the server, turns stream again from the start
		for turn, p := range t.running {
			t.running[turn] = &Progress{Turn: turn, State: p.State}
		}
	case *Snapshot:
		t.restore(e)
	case *TurnFinished:
		delete(t.running, e.Turn)
	case *SessionReset:
		t.entries = slices.DeleteFunc(t.entries, func(entry Entry) bool { return entry.Seq <= e.Seq })
		t.running, t.hidden = nil, nil
	case *TurnsShown:
		t.hidden = e.Hidden
	case *Synced:
		if e.Hidden != nil { // older servers do not send it
			t.hidden = e.Hidden
		}
		open := map[int64]*Progress{}
		for _, turn := range e.Turns {
			p := t.progress(turn.Turn)
			p.State = turn.State
			open[turn.Turn] = p
		}
		t.running = open
	}
}

// add appends a stored entry and updates the progress of its turn. It ignores an
// entry that the transcript already has.
func (t *Transcript) add(entry Entry, e Event) {
	if n := len(t.entries); n > 0 && entry.Seq <= t.entries[n-1].Seq {
		return
	}
	switch e.(type) {
	case *UserMessage:
		if entry.Message == nil {
			entry.Message = t.said(entry.Replaces)
		}
		if !entry.History {
			t.progress(entry.Turn)
		}
		if entry.Replaces != 0 {
			t.hidden = append(slices.Clip(t.hidden), payload.TurnRange{First: entry.Replaces, Until: entry.Turn})
		}
	case *Step, *TasksUpdated:
		if p := t.running[entry.Turn]; p != nil {
			p.Steps = nil
		}
	default:
		if p := t.running[entry.Turn]; p != nil {
			p.Text = ""
		}
	}
	t.entries = append(t.entries, entry)
}

// said returns the message of the user in a turn.
func (t *Transcript) said(turn int64) json.RawMessage {
	for _, e := range t.entries {
		if e.Turn == turn && (e.Action == payload.UserMessage || e.Action == payload.UserFile) {
			return e.Message
		}
	}
	return nil
}

// progress returns the progress of a turn, and creates it if needed.
func (t *Transcript) progress(turn int64) *Progress {
	if t.running == nil {
		t.running = map[int64]*Progress{}
	}
	p := t.running[turn]
	if p == nil {
		p = &Progress{Turn: turn, State: payload.Waiting}
		t.running[turn] = p
	}
	return p
}

// hear is progress for a provisional event; nil if the event is already
// included.
func (t *Transcript) hear(turn, n int64) *Progress {
	p := t.progress(turn)
	if n <= p.n {
		return nil
	}
	p.State, p.n = payload.Running, n
	return p
}

func (t *Transcript) provisional(entry Entry, n int64) {
	if p := t.hear(entry.Turn, n); p != nil {
		p.Steps = append(p.Steps, entry)
	}
}

// restore replaces the provisional state of a turn.
func (t *Transcript) restore(s *Snapshot) {
	p := t.progress(s.Turn)
	p.State, p.Text, p.n, p.Steps = payload.Running, s.Text, s.N, nil
	for _, step := range s.Steps {
		p.Steps = append(p.Steps, Entry{Turn: s.Turn, Action: step.Action, Message: step.Message})
	}
}

// Entries returns the entries of the conversation, without those of hidden turns.
func (t *Transcript) Entries() []Entry {
	return slices.DeleteFunc(t.Record(), func(e Entry) bool { return payload.InTurns(t.hidden, e.Turn) })
}

// Record returns all stored entries, including those of hidden turns.
func (t *Transcript) Record() []Entry { return slices.Clone(t.entries) }

// Running returns the unfinished turns, in order.
func (t *Transcript) Running() []Progress {
	out := make([]Progress, 0, len(t.running))
	for _, turn := range slices.Sorted(maps.Keys(t.running)) {
		out = append(out, *t.running[turn])
	}
	return out
}
