// Package agenttest helps to test agents: a store in memory and answers from a
// script.
package agenttest

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"docent/agent"
	"docent/internal/fault"
)

// Operation names a method of agent.Store for Store.Before.
type Operation string

// The operations.
const (
	// Open is OpenSession.
	Open Operation = "open"
	// Receive is Receive.
	Receive Operation = "receive"
	// Commit is CommitTurn.
	Commit Operation = "commit"
	// Messages is Messages.
	Messages Operation = "messages"
	// Reset is ResetSession.
	Reset Operation = "reset"
)

// Store is an agent.Store in memory.
type Store struct {
	// Before, if set, is called at the begin of each operation, which fails
	// with its error. It may block.
	Before func(ctx context.Context, op Operation) error

	mu       sync.Mutex // guards what follows
	sessions []*session
	calls    map[Operation]int
}

type session struct {
	record      agent.SessionRecord
	done        int64
	messages    []agent.ChatMessage
	events      []agent.EventRecord
	transitions []agent.TransitionRecord
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{calls: map[Operation]int{}} }

// enter counts a call and asks Before.
func (s *Store) enter(ctx context.Context, op Operation) error {
	s.mu.Lock()
	s.calls[op]++
	s.mu.Unlock()
	if s.Before != nil {
		if err := s.Before(ctx, op); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Calls counts the calls of an operation.
func (s *Store) Calls(op Operation) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[op]
}

// find returns a session by its row id.
func (s *Store) find(id int64) (*session, error) {
	if id < 1 || id > int64(len(s.sessions)) || s.sessions[id-1] == nil {
		return nil, fault.New(fault.NotFound, "there is no session %d", id)
	}
	return s.sessions[id-1], nil
}

// OpenSession implements agent.Store.
func (s *Store) OpenSession(ctx context.Context, record agent.SessionRecord) (agent.SessionRecord, bool, error) {
	if err := s.enter(ctx, Open); err != nil {
		return agent.SessionRecord{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, have := range s.sessions {
		if have != nil && have.record.Key == record.Key {
			out := have.record
			out.Variables = maps.Clone(out.Variables)
			for _, m := range have.messages {
				if m.IsUser && m.Turn > have.done {
					out.Pending = append(out.Pending, m)
				}
			}
			return out, false, nil
		}
	}
	record.RowID = int64(len(s.sessions) + 1)
	s.sessions = append(s.sessions, &session{record: record})
	return record, true, nil
}

// Receive implements agent.Store.
func (s *Store) Receive(ctx context.Context, in agent.Incoming) (agent.Receipt, error) {
	if err := s.enter(ctx, Receive); err != nil {
		return agent.Receipt{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(in.Session)
	if err != nil {
		return agent.Receipt{}, err
	}
	for i, m := range have.messages {
		if in.ClientID != "" && m.IsUser && m.ClientID == in.ClientID {
			return agent.Receipt{Message: m, Duplicate: true, History: slices.Clone(have.messages[max(0, i-in.History):i])}, nil
		}
	}
	history := slices.Clone(have.messages[max(0, len(have.messages)-in.History):])
	have.record.Turn++
	have.record.Seq++
	m := agent.ChatMessage{
		ID: have.record.Seq, Seq: have.record.Seq, Turn: have.record.Turn, ClientID: in.ClientID,
		Type: in.Type, Content: slices.Clone(in.Content), IsUser: true, Time: in.Event.Time,
	}
	have.messages = append(have.messages, m)
	have.events = append(have.events, in.Event)
	return agent.Receipt{Message: m, History: history}, nil
}

// CommitTurn implements agent.Store.
func (s *Store) CommitTurn(ctx context.Context, turn agent.TurnRecord) ([]agent.ChatMessage, error) {
	if err := s.enter(ctx, Commit); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(turn.Session)
	if err != nil {
		return nil, err
	}
	if turn.Turn > 0 && have.done >= turn.Turn {
		of := slices.DeleteFunc(slices.Clone(have.messages), func(m agent.ChatMessage) bool { return m.Turn != turn.Turn })
		if len(of) == 0 {
			return nil, nil
		}
		if last := of[len(of)-1]; !last.IsUser && (last.ClientID != agent.FailedID || turn.Failed()) {
			return slices.DeleteFunc(of, func(m agent.ChatMessage) bool { return m.IsUser }), nil
		}
	}
	replies := slices.Clone(turn.Replies)
	for i := range replies {
		have.record.Seq++
		replies[i].Seq, replies[i].ID, replies[i].Turn = have.record.Seq, have.record.Seq, turn.Turn
	}
	have.messages = append(have.messages, replies...)
	have.transitions = append(have.transitions, turn.Transitions...)
	have.record.State = turn.State
	have.done = max(have.done, turn.Turn)
	if have.record.Variables == nil {
		have.record.Variables = map[string]json.RawMessage{}
	}
	maps.Copy(have.record.Variables, turn.Set)
	for _, key := range turn.Delete {
		delete(have.record.Variables, key)
	}
	return replies, nil
}

// Messages implements agent.Store.
func (s *Store) Messages(ctx context.Context, id int64, q agent.MessageQuery) ([]agent.ChatMessage, error) {
	if err := s.enter(ctx, Messages); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(id)
	if err != nil {
		return nil, err
	}
	var out []agent.ChatMessage
	for _, m := range have.messages {
		if m.Seq > q.After && (q.Turn == 0 || m.Turn == q.Turn) && (q.Until.IsZero() || !m.Time.After(q.Until)) {
			out = append(out, m)
		}
	}
	if q.Last > 0 && len(out) > q.Last {
		out = out[len(out)-q.Last:]
	}
	return out, nil
}

// ResetSession implements agent.Store.
func (s *Store) ResetSession(ctx context.Context, id int64) error {
	if err := s.enter(ctx, Reset); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(id)
	if err != nil {
		return err
	}
	have.messages, have.events, have.transitions = nil, nil, nil
	have.record.State, have.record.Variables, have.done = "", nil, have.record.Turn
	return nil
}

// Session returns what is stored of a session; false if there is none.
func (s *Store) Session(id string) (agent.SessionRecord, []agent.ChatMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, have := range s.sessions {
		if have != nil && have.record.Key.ID == id {
			out := have.record
			out.Variables = maps.Clone(out.Variables)
			return out, slices.Clone(have.messages), true
		}
	}
	return agent.SessionRecord{}, nil, false
}

// Transitions returns the moves stored of a session.
func (s *Store) Transitions(id string) []agent.TransitionRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, have := range s.sessions {
		if have != nil && have.record.Key.ID == id {
			return slices.Clone(have.transitions)
		}
	}
	return nil
}

// Delete removes a session.
func (s *Store) Delete(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, have := range s.sessions {
		if have != nil && have.record.Key.ID == id {
			s.sessions[i] = nil
		}
	}
}

// Now is a clock that goes on by a second with each look.
func Now() func() time.Time {
	var mu sync.Mutex
	at := time.Date(2026, 11, 21, 7, 10, 0, 0, time.Local)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
}
