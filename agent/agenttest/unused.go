package agenttest

import (
	"context"
	"time"
)

// unused reports whether the session has never received an event.
func (s *stored) unused() bool { return s.record.Turn == 0 && len(s.events) == 0 }

// remove removes sessions.
func (s *Store) remove(which func(*stored) bool) {
	for i, have := range s.sessions {
		if have != nil && which(have) {
			delete(s.names, have.record.Key)
			s.sessions[i] = nil
		}
	}
}

// DeleteUnused implements journal.Unused.
func (s *Store) DeleteUnused(ctx context.Context, id, _ int64) error {
	if err := s.enter(ctx, DeleteUnused); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(func(have *stored) bool { return have.record.RowID == id && have.unused() })
	return nil
}

// SweepUnused implements journal.Unused.
func (s *Store) SweepUnused(_ context.Context, name string, before time.Time, limit int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(func(have *stored) bool {
		r := &have.record
		swept := limit > 0 && r.Key.Agent == name && r.UpdatedAt.Before(before) && r.WakeAt.IsZero() && have.unused()
		if swept {
			limit--
		}
		return swept
	})
	return nil
}
