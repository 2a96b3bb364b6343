package agenttest

import (
	"context"
	"fmt"
	"maps"
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

// CopySession implements journal.Versions.
func (s *Store) CopySession(_ context.Context, id, turn int64, to journal.SessionRecord, allow func(bytes int) error) error {
	s.mu.Lock()
	_, bytes, err := s.copyable(id, turn)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if err := allow(bytes); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out, _, err := s.copyable(id, turn)
	if err != nil {
		return err
	}
	if s.names[to.Key] != nil {
		return fmt.Errorf("copy session %d: there is a session %s", id, to.Key.ID)
	}
	to.RowID, to.Seq, to.Turn, to.Variables = int64(len(s.sessions)+1), out.record.Seq, out.record.Turn, maps.Clone(to.Variables)
	out.record = to
	for i := range out.events {
		s.ids++
		out.events[i].ID = s.ids
	}
	for i := range out.documents {
		s.ids++
		out.documents[i].ID = s.ids
	}
	s.sessions = append(s.sessions, out)
	s.names[to.Key] = out
	return nil
}

// copyable returns a copy of a session up to a turn, and the bytes of its messages.
func (s *Store) copyable(id, turn int64) (out *stored, bytes int, err error) {
	have, err := s.find(id)
	if err != nil {
		return nil, 0, err
	}
	if err := have.spoken(turn); err != nil {
		return nil, 0, err
	}
	if slices.ContainsFunc(have.events, func(e event) bool { return e.Turn == turn && !e.handled }) {
		return nil, 0, fault.New(fault.Conflict, "turn_running", "turn %d is still running", turn)
	}
	out, bytes = have.upTo(turn)
	if bytes > journal.MaxCopy {
		return nil, 0, fault.New(fault.Invalid, "copy_too_long",
			"the conversation is too long for a copy: it has more than %d MiB up to here", journal.MaxCopy>>20)
	}
	return out, bytes, nil
}

// upTo returns a copy of the session up to a turn, and the bytes of its messages in turns. Turns and entries have new numbers.
func (s *stored) upTo(turn int64) (out *stored, bytes int) {
	path := s.branches().To(turn)
	var last int64 // of the entries outside of turns
	for _, m := range s.messages() {
		if m.Turn == turn {
			last = max(last, m.Seq)
		}
	}
	out = &stored{}
	turns, ids := map[int64]int64{}, map[int64]int64{}
	for _, e := range s.entries {
		of := turnOf(e)
		if of == 0 && e.Seq() > last || of != 0 && !slices.Contains(path, of) {
			continue
		}
		if of != 0 && turns[of] == 0 {
			out.record.Turn++
			turns[of] = out.record.Turn
		}
		out.record.Seq++
		ids[e.Seq()] = out.record.Seq
		e = copied(e)
		if m := e.Message; m != nil {
			bytes += len(m.Content)
			m.ID, m.Seq, m.Turn, m.Replaces = out.record.Seq, out.record.Seq, turns[of], 0
			if m.IsUser {
				m.ClientID = ""
			}
		} else {
			e.Step.ID, e.Step.Seq, e.Step.Turn = out.record.Seq, out.record.Seq, turns[of]
		}
		out.entries = append(out.entries, e)
	}
	for _, e := range out.entries {
		if e.Step != nil {
			e.Step.ChatID = ids[e.Step.ChatID]
		}
	}
	for _, e := range s.events {
		if e.Message.Type == "" || ids[e.Message.Seq] == 0 {
			continue
		}
		e.handled, e.Turn = true, turns[e.Turn]
		e.Message.ID, e.Message.Seq, e.Message.Turn = ids[e.Message.Seq], ids[e.Message.Seq], e.Turn
		e.Message.ClientID, e.Message.Replaces = "", 0
		out.events = append(out.events, e)
	}
	for _, d := range s.documents {
		if d.Turn == 0 || turns[d.Turn] > 0 {
			d.Turn = turns[d.Turn]
			out.documents = append(out.documents, d)
		}
	}
	return out, bytes
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
