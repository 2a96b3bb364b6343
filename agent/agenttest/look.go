package agenttest

import (
	"slices"

	"docent/agent/chat"
	"docent/agent/session/journal"
)

// Transitions returns the stored moves of a session.
func (s *Store) Transitions(id string) []chat.Transition {
	return read(s, id, func(have *stored) []chat.Transition { return slices.Clone(have.transitions) })
}

// Predictions returns the stored predictions of a session.
func (s *Store) Predictions(id string) []chat.Prediction {
	return read(s, id, func(have *stored) []chat.Prediction { return slices.Clone(have.predictions) })
}

// Pending returns the events of a session that no turn has handled.
func (s *Store) Pending(id string) []journal.EventRecord { return read(s, id, (*stored).pending) }

// Record returns the messages and steps of a session, in order.
func (s *Store) Record(id string) []journal.Entry {
	return read(s, id, func(have *stored) []journal.Entry {
		var out []journal.Entry
		for _, e := range have.entries {
			out = append(out, copied(e))
		}
		return out
	})
}

func read[T any](s *Store, id string, of func(*stored) []T) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.byID(id); have != nil {
		return of(have)
	}
	return nil
}

// Delete removes a session.
func (s *Store) Delete(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.byID(id); have != nil {
		s.sessions[have.record.RowID-1] = nil
		delete(s.names, have.record.Key)
	}
}
