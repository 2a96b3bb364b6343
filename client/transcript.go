package client

import (
	"encoding/json"
	"maps"
	"slices"

	"docent/payload"
)

// Transcript is a conversation made of the events of a [Session]: apply them
// all, in order. It is not safe for concurrent use, and as large as what was
// said. The zero value is empty.
type Transcript struct {
	entries []Entry
	running map[int64]*Progress
}

// Progress is a turn that is not over, as far as it is known.
type Progress struct {
	// Turn is its number.
	Turn int64
	// State is Waiting until something is heard of it.
	State payload.TurnState
	// Phase is that of its last Status; "" if none came.
	Phase string
	// Text is what was streamed of the reply in the making.
	Text string
	// Steps are its steps and task lists that are not stored yet.
	Steps []Entry

	n int64 // of the last provisional event that is in it
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
	case *Connected: // if the server was restarted, turns stream again from their beginning
		for turn, p := range t.running {
			t.running[turn] = &Progress{Turn: turn, State: p.State}
		}
	case *Snapshot:
		t.restore(e)
	case *TurnFinished:
		delete(t.running, e.Turn)
	case *SessionReset:
		t.entries = slices.DeleteFunc(t.entries, func(entry Entry) bool { return entry.Seq <= e.Seq })
		t.running = nil
	case *Synced:
		open := map[int64]*Progress{}
		for _, turn := range e.Turns {
			p := t.progress(turn.Turn)
			p.State = turn.State
			open[turn.Turn] = p
		}
		t.running = open
	}
}

// add appends what is stored.
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

// said is what the user said in a turn.
func (t *Transcript) said(turn int64) json.RawMessage {
	for _, e := range t.entries {
		if e.Turn == turn && (e.Action == payload.UserMessage || e.Action == payload.UserFile) {
			return e.Message
		}
	}
	return nil
}

// progress is what is known of a turn, from now on.
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

// hear is progress for a provisional event; nil if it is in there.
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

// restore replaces what is provisional of a turn.
func (t *Transcript) restore(s *Snapshot) {
	p := t.progress(s.Turn)
	p.State, p.Text, p.n, p.Steps = payload.Running, s.Text, s.N, nil
	for _, step := range s.Steps {
		p.Steps = append(p.Steps, Entry{Turn: s.Turn, Action: step.Action, Message: step.Message})
	}
}

// Entries are those of the conversation as it is: without what was replaced.
func (t *Transcript) Entries() []Entry {
	return slices.DeleteFunc(t.Record(), t.replaced())
}

// Record are all stored entries, also those that were replaced.
func (t *Transcript) Record() []Entry { return slices.Clone(t.entries) }

// replaced tells which entries are no part of the conversation any more.
func (t *Transcript) replaced() func(Entry) bool {
	type span struct{ from, to int64 } // turns, without the last
	var gone []span
	for _, e := range t.entries {
		if e.Replaces != 0 {
			gone = append(gone, span{e.Replaces, e.Turn})
		}
	}
	return func(e Entry) bool {
		return slices.ContainsFunc(gone, func(s span) bool { return s.from <= e.Turn && e.Turn < s.to })
	}
}

// Running are the turns that are not over, in order.
func (t *Transcript) Running() []Progress {
	out := make([]Progress, 0, len(t.running))
	for _, turn := range slices.Sorted(maps.Keys(t.running)) {
		out = append(out, *t.running[turn])
	}
	return out
}
