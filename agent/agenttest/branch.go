package agenttest

import (
	"context"
	"slices"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// Branches implements journal.Versions.
func (s *Store) Branches(_ context.Context, id int64) (journal.Branches, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(id)
	if err != nil {
		return journal.Branches{}, err
	}
	return have.branches(), nil
}

func (s *stored) branches() journal.Branches {
	b := journal.Branches{Turn: s.record.Turn, Replaces: map[int64]int64{}, Parents: s.parents, Hidden: s.hidden}
	for _, m := range s.messages() {
		if m.Replaces > 0 {
			b.Replaces[m.Turn] = m.Replaces
		}
	}
	return b
}

// ShowTurn implements journal.Versions.
func (s *Store) ShowTurn(_ context.Context, id, _, turn int64) ([]payload.TurnRange, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(id)
	if err != nil {
		return nil, err
	}
	if err := have.spoken(turn); err != nil {
		return nil, err
	}
	b := have.branches()
	path := b.Through(turn)
	have.hidden = b.Others(path)
	if have.parents == nil {
		have.parents = map[int64]int64{}
	}
	have.parents[b.Turn+1] = path[len(path)-1]
	return have.hidden, nil
}

// CopySession implements journal.Versions. It fails with fault.Unavailable.
func (s *Store) CopySession(context.Context, int64, int64, journal.SessionRecord, func(int) error) error {
	return fault.New(fault.Unavailable, "versions_off", "this agent does not store versions of answers")
}

// replaceable refuses a turn that a message cannot replace.
func (s *stored) replaceable(turn int64) error {
	if turn == 0 {
		return nil
	}
	if err := s.spoken(turn); err != nil {
		return err
	}
	if s.replaced(turn) {
		return fault.New(fault.Conflict, "turn_replaced", "turn %d was already replaced", turn)
	}
	return nil
}

// spoken refuses a turn that no user's message began.
func (s *stored) spoken(turn int64) error {
	switch {
	case !slices.ContainsFunc(s.events, func(e event) bool { return e.Turn == turn }):
		return fault.Wrap(fault.NotFound, journal.ErrNoTurn, "no_turn", "there is no turn %d", turn)
	case !slices.ContainsFunc(s.events, func(e event) bool { return e.Turn == turn && e.Human && e.Message.Type != "" }):
		return fault.New(fault.Invalid, "turn_without_message", "turn %d did not begin with a user message", turn)
	}
	return nil
}
